//! Copies of keys over zones: where they lie, how even that is, and what the loss of a zone leaves
//! and moves.

use std::collections::BTreeSet;

use clockwise::{Buckets, Built, Error, Placement, Ranked, Replicas, Server, ServerIx, Spread};

use super::fleet;
use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "zones",
    about: "copies of keys over zones: evenness, and what the loss of a zone leaves and moves",
    knobs: &[
        knobs::SCHEME,
        knobs::servers(2, 1_000),
        Knob { name: "zones", label: "zones", values: Values::Whole(2, 20), draws: false },
        knobs::replicas(7),
        Knob {
            name: "spread",
            label: "copies kept apart by",
            values: Values::Words(&["servers", "zones"]),
            draws: false,
        },
    ],
    metrics: &[
        Metric { name: "busiest", label: "busiest ÷ mean, copies", unit: "" },
        Metric { name: "zones_of_key", label: "zones that a key's copies lie in", unit: "zones" },
        Metric { name: "quorum_lost", label: "keys without a quorum while a zone is down", unit: "%" },
        Metric { name: "all_lost", label: "keys without any copy while a zone is down", unit: "%" },
        Metric { name: "moved", label: "a zone removed: copies made anew ÷ copies it had", unit: "" },
    ],
    revision: 2,
    cost: |trial| {
        let walk = 150.0 + 8.0 * trial.setting.number("servers");
        3.0 * walk * trial.keys as f64
    },
    fits: |setting| knobs::copies(setting).and_then(|()| knobs::room(setting, 0)),
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let setting = trial.setting;
    let scheme = knobs::scheme(setting)?;
    let (servers, zones) = (setting.whole("servers") as u32, setting.whole("zones") as u32);
    let replicas = setting.whole("replicas") as usize;
    let spread = if setting.text("spread") == "zones" { Spread::Zones } else { Spread::Servers };
    let lost = Random::new(trial.seed, Stream::Leaver).below(u64::from(zones.min(servers))) as u32;
    let fleet = |numbers: &mut dyn Iterator<Item = u32>| {
        let server = |number| fleet::server(trial.seed, number)?.with_zone(zone(number % zones));
        Buckets::new(numbers.map(server).collect::<Result<Vec<Server>, Error>>()?)
    };
    let before = scheme.build(&fleet(&mut (0..servers))?)?;
    // A scheme that does not rank servers has no copies, and one with a cap those of its base.
    let Some(copies) = copies(&before, replicas, spread)? else { return Ok(()) };
    let servers_before = before.servers();
    let lost_zone = zone(lost);
    let is_lost = |ix: &ServerIx| zone_of(&servers_before[ix.index()]) == lost_zone;

    let keys = fleet::keys(&mut Random::new(trial.seed, Stream::Keys), trial.keys);
    let mut held = vec![0_u64; servers as usize];
    let (mut in_zones, mut quorum_lost, mut all_lost, mut copies_lost) = (0, 0_u64, 0_u64, 0_u64);
    let mut places = Vec::new();
    for key in &keys {
        copies.write_to(key, &mut places);
        places.iter().for_each(|ix| held[ix.index()] += 1);
        let of_key: BTreeSet<&str> = places.iter().map(|ix| zone_of(&servers_before[ix.index()])).collect();
        in_zones += of_key.len();
        let gone = places.iter().filter(|ix| is_lost(ix)).count();
        copies_lost += gone as u64;
        quorum_lost += u64::from(replicas - gone < replicas / 2 + 1);
        all_lost += u64::from(replicas == gone);
    }
    let count = keys.len() as f64;
    out.put("busiest", fleet::busiest(&held));
    out.put("zones_of_key", in_zones as f64 / count);
    out.put("quorum_lost", 100.0 * quorum_lost as f64 / count);
    out.put("all_lost", 100.0 * all_lost as f64 / count);

    let mut left = (0..servers).filter(|number| number % zones != lost);
    if left.clone().count() < replicas {
        return Ok(());
    }
    let after = scheme.build_after(&before, &fleet(&mut left)?)?;
    let Some(copies_after) = self::copies(&after, replicas, spread)? else { return Ok(()) };
    let mut places_after = Vec::new();
    let mut made = 0;
    for key in &keys {
        copies.write_to(key, &mut places);
        copies_after.write_to(key, &mut places_after);
        let had =
            |server: &Server| places.iter().any(|ix| servers_before[ix.index()].name() == server.name());
        made += places_after.iter().filter(|ix| !had(&after.servers()[ix.index()])).count();
    }
    out.put("moved", made as f64 / copies_lost as f64);
    Ok(())
}

fn zone(number: u32) -> String {
    format!("zone-{number}")
}

fn zone_of(server: &Server) -> &str {
    server.zone().map_or("", |zone| zone.as_str())
}

fn copies(built: &Built, count: usize, spread: Spread) -> Result<Option<Replicas<&dyn Ranked>>, Error> {
    match (built.cap(), built.ranked()) {
        (None, Some(ranked)) => Replicas::new(ranked, count, spread).map(Some),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::Value::{Text, Whole};

    fn measured(scheme: &str, spread: &str) -> Measures {
        let mut knobs = vec![("scheme", Text(scheme.to_owned())), ("spread", Text(spread.to_owned()))];
        knobs.extend([("servers", Whole(12)), ("zones", Whole(3)), ("replicas", Whole(3))]);
        fleet::measured(&KERNEL, &knobs, 3, 4_000)
    }

    #[test]
    fn kept_apart_by_zone_no_zone_holds_two_copies_and_its_loss_makes_anew_only_what_it_had() {
        for scheme in ["ring", "rendezvous", "maglev"] {
            let out = measured(scheme, "zones");
            let of = |metric| out.get(metric).unwrap();
            assert_eq!((of("zones_of_key"), of("quorum_lost"), of("all_lost")), (3.0, 0.0, 0.0), "{scheme}");
        }
        // Two zones are left for three copies: those of the third are made anew, and no other.
        assert_eq!(measured("rendezvous", "zones").get("moved"), Some(1.0));
    }

    /// Three of twelve servers at random, four in the zone that is lost.
    #[test]
    fn kept_apart_by_server_copies_share_zones_as_often_as_chance_has_it() {
        let out = measured("rendezvous", "servers");
        let (quorum, all) = (100.0 * (6.0 * 8.0 + 4.0) / 220.0, 100.0 * 4.0 / 220.0);
        assert!((out.get("quorum_lost").unwrap() - quorum).abs() < 3.0);
        assert!((out.get("all_lost").unwrap() - all).abs() < 1.0);
        assert_eq!(out.get("moved"), Some(1.0));
    }

    #[test]
    fn schemes_without_an_order_of_servers_have_nothing_to_measure() {
        for scheme in ["mod-n", "jump", "bounded"] {
            assert_eq!(measured(scheme, "zones"), Measures::default(), "{scheme}");
        }
    }
}
