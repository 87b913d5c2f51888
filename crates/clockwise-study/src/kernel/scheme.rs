//! Schemes of one line each, on random keys: random assignment, hash mod N, jump, rendezvous; and those of
//! the library's catalogue, which says what may leave.

use clockwise::catalogue::{self, Chosen, Input};
use clockwise::hash::Xxh3;
use clockwise::rendezvous::{Native, Score as _};
use clockwise::{Buckets, Built, Members, Placement as _, Rendezvous, Scheme, Server, ServerIx, ServerName};

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, busiest_over_mean, knobs};
use crate::experiment::Setting;

pub(super) const KERNEL: Kernel = Kernel {
    name: "scheme",
    about: "random assignment, hash mod N, jump, rendezvous and the library's catalogue: evenness by keys, \
            moves on a join and on a leave",
    knobs: &[
        knobs::servers(2, 100_000),
        Knob { name: "scheme", label: "scheme", values: Values::Listed(schemes), draws: true },
    ],
    metrics: &[
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "join_share", label: "share of all keys that a join moves", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ the minimum", unit: "" },
        Metric {
            name: "join_stray",
            label: "keys a join moves elsewhere than to the newcomer",
            unit: "keys",
        },
        Metric { name: "leave_share", label: "share of all keys that a leave moves", unit: "" },
        Metric { name: "leave", label: "keys moved by a leave ÷ the departed server's own", unit: "" },
        Metric {
            name: "leave_stray",
            label: "keys a leave moves that were not the departed's",
            unit: "keys",
        },
        Metric { name: "steps", label: "turns of the jump loop a key", unit: "turns" },
    ],
    revision: 2,
    cost: |trial| {
        let servers = trial.setting.number("servers");
        let a_key = match trial.setting.text("scheme") {
            "rendezvous" => servers,
            "jump" => 8.0 * servers.ln(),
            "random" | "mod-n" => 10.0,
            _ => 300.0,
        };
        a_key * trial.keys as f64
    },
    fits,
    run,
};

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as u32;
    match trial.setting.text("scheme") {
        "random" => random(trial, servers, out),
        "mod-n" => mod_n(trial, servers, out),
        "jump" => jump(trial, servers, out),
        name => match catalogue::find(name) {
            Some(entry) => catalogued(trial, servers, Scheme::Catalogued(Chosen::new(entry)), out)?,
            None => rendezvous(trial, servers, out)?,
        },
    }
    Ok(())
}

/// Whether there is room for the servers and a newcomer, where a scheme has room for so many.
fn fits(setting: &Setting) -> Result<(), String> {
    let number = catalogue::find(setting.text("scheme")).and_then(|entry| entry.number);
    let servers = setting.whole("servers");
    match number.filter(|number| number.key == "capacity") {
        Some(room) if servers >= room.default => Err(format!(
            "{servers} servers and a newcomer are more than the {} that there is room for",
            room.default
        )),
        _ => Ok(()),
    }
}

/// Those that are written for this kernel, and the catalogue.
fn schemes() -> Vec<String> {
    let written = ["random", "mod-n", "jump", "rendezvous"];
    written.into_iter().chain(catalogue::SCHEMES.iter().map(|entry| entry.name)).map(str::to_owned).collect()
}

fn keys(trial: &Trial<'_>) -> impl Iterator<Item = u64> + use<> {
    let mut keys = Random::new(trial.seed, Stream::Keys);
    (0..trial.keys).map(move |_| keys.bits())
}

/// Each key to any server: as even as chance alone makes it.
fn random(trial: &Trial<'_>, servers: u32, out: &mut Measures) {
    let mut counts = vec![0_u32; servers as usize];
    let mut choices = Random::new(trial.seed, Stream::Choices);
    for _ in 0..trial.keys {
        counts[choices.below(u64::from(servers)) as usize] += 1;
    }
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
}

fn joins(trial: &Trial<'_>, servers: u32, moved: u64, stray: u64, out: &mut Measures) {
    let share = moved as f64 / trial.keys as f64;
    out.put("join_share", share);
    out.put("join", share * f64::from(servers + 1));
    out.put("join_stray", stray as f64);
}

/// The hash modulo the number of servers; the newcomer is the last, and the last leaves.
fn mod_n(trial: &Trial<'_>, servers: u32, out: &mut Measures) {
    let n = u64::from(servers);
    let mut counts = vec![0_u32; servers as usize];
    let (mut joined, mut stray, mut left) = (0, 0, 0);
    for key in keys(trial) {
        let (owner, after) = (key % n, key % (n + 1));
        counts[owner as usize] += 1;
        joined += u64::from(after != owner);
        stray += u64::from(after != owner && after != n);
        left += u64::from(key % (n - 1) != owner);
    }
    let own = counts[servers as usize - 1];
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    joins(trial, servers, joined, stray, out);
    out.put("leave_share", left as f64 / trial.keys as f64);
    out.put("leave", left as f64 / f64::from(own));
    out.put("leave_stray", (left - u64::from(own)) as f64);
}

/// How many keys jump at a time: their divisions do not wait for each other.
const LANES: usize = 8;

/// Where keys are of n buckets and of n + 1, and in how many turns of the loop: the longer walk begins
/// with the shorter one. Keys whose walk has ended go on turning, to no effect, until all have.
pub(super) fn jump_of_both(mut keys: [u64; LANES], buckets: u32) -> [(u32, u32, u32); LANES] {
    let n = i64::from(buckets);
    let (mut at, mut next, mut turns) = ([0_i64; LANES], [0_i64; LANES], [0_u32; LANES]);
    while next.iter().any(|&next| next < n) {
        for lane in 0..LANES {
            let goes_on = next[lane] < n;
            at[lane] = if goes_on { next[lane] } else { at[lane] };
            let key = keys[lane].wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
            keys[lane] = key;
            let to = ((at[lane] + 1) as f64 * ((1_u64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
            next[lane] = if goes_on { to } else { next[lane] };
            turns[lane] += u32::from(goes_on);
        }
    }
    std::array::from_fn(|lane| {
        let at = at[lane] as u32;
        (at, if next[lane] == n { buckets } else { at }, turns[lane])
    })
}

fn jump(trial: &Trial<'_>, servers: u32, out: &mut Measures) {
    let mut counts = vec![0_u32; servers as usize];
    let (mut joined, mut stray, mut all_turns) = (0, 0, 0);
    let mut keys = keys(trial);
    let mut left = trial.keys;
    while left > 0 {
        let jumped = jump_of_both(std::array::from_fn(|_| keys.next().unwrap_or(0)), servers);
        for (owner, after, turns) in jumped.into_iter().take(left) {
            counts[owner as usize] += 1;
            all_turns += u64::from(turns);
            joined += u64::from(after != owner);
            stray += u64::from(after != owner && after != servers);
        }
        left = left.saturating_sub(LANES);
    }
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    joins(trial, servers, joined, stray, out);
    out.put("steps", all_turns as f64 / trial.keys as f64);
}

/// A scheme of the catalogue as the library has it. The newcomer is the last of the list; of a list the
/// last leaves, and of the others any.
fn catalogued(
    trial: &Trial<'_>,
    servers: u32,
    scheme: Scheme,
    out: &mut Measures,
) -> Result<(), clockwise::Error> {
    let name = |server: u32| format!("{:016x}-{server:06}", trial.seed);
    let fleet = (0..servers).map(|i| Server::new(name(i))).collect::<Result<Vec<_>, _>>()?;
    let before = scheme.build(&Buckets::new(fleet.clone())?)?;
    let of_a_list = matches!(&scheme, Scheme::Catalogued(chosen) if chosen.entry().input == Input::List);
    let leaver = match of_a_list {
        true => servers - 1,
        false => Random::new(trial.seed, Stream::Leaver).below(u64::from(servers)) as u32,
    };
    let (mut more, mut fewer) = (fleet.clone(), fleet);
    more.push(Server::new(name(servers))?);
    fewer.remove(leaver as usize);
    let joined = scheme.build_after(&before, &Buckets::new(more)?)?;
    let left = scheme.build_after(&before, &Buckets::new(fewer)?)?;

    let owner = |built: &Built, key: &[u8; 8]| built.owner(key).name().clone();
    let (newcomer, departed) = (name(servers), name(leaver));
    let mut counts = vec![0_u32; servers as usize];
    let (mut moved, mut stray, mut moved_by_leave, mut stray_by_leave) = (0, 0, 0, 0);
    for key in keys(trial).map(u64::to_le_bytes) {
        let was = before.owner_ix(&key);
        let owner_before = before.servers()[was.index()].name();
        counts[was.index()] += 1;
        let (after, without) = (owner(&joined, &key), owner(&left, &key));
        moved += u64::from(after != *owner_before);
        stray += u64::from(after != *owner_before && after.as_str() != newcomer);
        moved_by_leave += u64::from(without != *owner_before);
        stray_by_leave += u64::from(without != *owner_before && owner_before.as_str() != departed);
    }
    // In a set, servers stand in the order of their names, which is that of their numbers.
    let own = f64::from(counts[leaver as usize]);
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    joins(trial, servers, moved, stray, out);
    out.put("leave_share", moved_by_leave as f64 / trial.keys as f64);
    out.put("leave", moved_by_leave as f64 / own);
    out.put("leave_stray", stray_by_leave as f64);
    Ok(())
}

/// Keys for which every server is asked again after a change; for the others the two that can differ
/// are compared: the owner and the newcomer.
const ASKED_AGAIN: usize = 4_096;

/// The library's own rendezvous, on servers whose names no other run has.
fn rendezvous(trial: &Trial<'_>, servers: u32, out: &mut Measures) -> Result<(), clockwise::Error> {
    let name = |server: u32| format!("{:016x}-{server:06}", trial.seed);
    let fleet = Members::new((0..servers).map(|i| Server::new(name(i))).collect::<Result<Vec<_>, _>>()?)?;
    let leaver = Random::new(trial.seed, Stream::Leaver).below(u64::from(servers)) as u32;
    let before = Rendezvous::new(Xxh3, &fleet)?;
    let joined = Rendezvous::new(Xxh3, &fleet.with(Server::new(name(servers))?)?)?;
    let left = Rendezvous::new(Xxh3, &fleet.without(&name(leaver))?)?;

    let keys: Vec<u64> = keys(trial).collect();
    let mut owners = vec![ServerIx::new(0); keys.len()];
    before.owners_of_hashes(&keys, &mut owners);
    // In all three fleets servers are in the order of their numbers, which are those of `before`.
    let owner_of = |placement: &Rendezvous<Native>, gone: u32, key: u64| {
        let ix = placement.owner_of_hash(key).get();
        ix + u32::from(ix >= gone)
    };

    let score = Native::<Xxh3>::default();
    let seeds = (0..=servers).map(|i| Ok(score.server(&ServerName::new(name(i))?)));
    let seeds: Vec<u64> = seeds.collect::<Result<_, clockwise::Error>>()?;
    let newcomer = seeds[servers as usize];
    let mut counts = vec![0_u32; servers as usize];
    let (mut moved, mut stray, mut moved_by_leave, mut stray_by_leave) = (0, 0, 0, 0);
    for (i, (&key, owner)) in keys.iter().zip(&owners).enumerate() {
        counts[owner.index()] += 1;
        let after = match i < ASKED_AGAIN {
            true => owner_of(&joined, u32::MAX, key),
            // Of equal scores the smaller name wins, which is not the newcomer's.
            false if score.score(&key, &newcomer) > score.score(&key, &seeds[owner.index()]) => servers,
            false => owner.get(),
        };
        moved += u64::from(after != owner.get());
        stray += u64::from(after != owner.get() && after != servers);
        if i < ASKED_AGAIN || owner.get() == leaver {
            let leaves = owner_of(&left, leaver, key) != owner.get();
            moved_by_leave += u64::from(leaves);
            stray_by_leave += u64::from(leaves && owner.get() != leaver);
        }
    }
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    joins(trial, servers, moved, stray, out);
    out.put("leave_share", moved_by_leave as f64 / trial.keys as f64);
    out.put("leave", moved_by_leave as f64 / f64::from(counts[leaver as usize]));
    out.put("leave_stray", stray_by_leave as f64);
    Ok(())
}
