//! Maglev with random permutations: how even its table is, and what a join and a leave move in it.
//!
//! Servers take turns in the order of a list; the newcomer is the last. A key belongs to the slot at
//! its hash modulo the table's size, so a key's moves are its slot's, and keys are only counted.

use super::random::{Random, Stream};
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, busiest_over_mean, knobs};
use crate::experiment::Setting;

pub(super) const KERNEL: Kernel = Kernel {
    name: "maglev",
    about: "Maglev tables of random permutations: evenness and moves, by slots and by keys",
    knobs: &[
        knobs::servers(3, 100_000),
        Knob { name: "table", label: "slots", values: Values::Whole(3, 1 << 24), draws: true },
    ],
    metrics: &[
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "uneven_slots", label: "most less fewest slots of a server", unit: "slots" },
        Metric { name: "uneven_share", label: "most ÷ fewest slots of a server, less 1", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ the minimum", unit: "" },
        Metric { name: "join_share", label: "share of all keys that a join moves", unit: "" },
        Metric { name: "join_slots", label: "slots moved by a join ÷ the minimum", unit: "" },
        Metric { name: "leave", label: "keys moved by a leave ÷ the departed server's own", unit: "" },
        Metric {
            name: "leave_slots", label: "slots moved by a leave ÷ the departed server's own", unit: ""
        },
        Metric { name: "leave_share_slots", label: "share of all slots that a leave moves", unit: "" },
    ],
    revision: 1,
    cost: |trial| {
        let servers = trial.setting.number("servers");
        15.0 * trial.setting.number("table") * servers.ln() + 6.0 * trial.keys as f64
    },
    fits,
    run,
};

/// A server's way through the slots.
#[derive(Clone, Copy)]
struct Walk {
    server: u32,
    slot: u32,
    skip: u32,
}

/// Fills a table; every walk meets every slot, the size being a prime.
fn fill(size: u32, mut walks: Vec<Walk>) -> Vec<u32> {
    let mut table = vec![0; size as usize];
    // One bit a slot: most steps meet a slot that is taken, and the bits stay in the cache.
    let mut taken = vec![0_u64; (size as usize).div_ceil(64)];
    let mut left = size;
    loop {
        for walk in &mut walks {
            loop {
                let slot = walk.slot;
                let next = slot + walk.skip;
                walk.slot = if next >= size { next - size } else { next };
                let (word, bit) = (&mut taken[slot as usize / 64], 1 << (slot % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    table[slot as usize] = walk.server;
                    break;
                }
            }
            left -= 1;
            if left == 0 {
                return table;
            }
        }
    }
}

/// Walks meet every slot of a table whose size is a prime, and each server gets a slot of one that is
/// large enough.
fn fits(setting: &Setting) -> Result<(), String> {
    let (size, servers) = (setting.whole("table"), setting.whole("servers"));
    let prime =
        (2..).take_while(|divisor| divisor * divisor <= size).all(|divisor| !size.is_multiple_of(divisor));
    if !prime {
        return Err(format!("a table of {size} slots: {size} is not a prime"));
    }
    if size <= servers {
        return Err(format!("a table of {size} slots has none for each of {servers} servers and a newcomer"));
    }
    Ok(())
}

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let servers = trial.setting.whole("servers") as u32;
    let size = trial.setting.whole("table") as u32;
    let mut random = Random::new(trial.seed, Stream::Points);
    let walks: Vec<Walk> = (0..=servers)
        .map(|server| Walk {
            server,
            slot: (random.bits() % u64::from(size)) as u32,
            skip: (random.bits() % u64::from(size - 1) + 1) as u32,
        })
        .collect();
    let leaver = Random::new(trial.seed, Stream::Leaver).below(u64::from(servers)) as u32;
    let table = |present: &dyn Fn(u32) -> bool| {
        fill(size, walks.iter().filter(|walk| present(walk.server)).copied().collect())
    };
    let before = table(&|server| server < servers);
    let joined = table(&|_| true);
    let left = table(&|server| server < servers && server != leaver);

    let mut per_slot = vec![0_u32; size as usize];
    let mut keys = Random::new(trial.seed, Stream::Keys);
    for _ in 0..trial.keys {
        per_slot[(keys.bits() % u64::from(size)) as usize] += 1;
    }
    let mut slots = vec![0_u32; servers as usize];
    let mut counts = slots.clone();
    for (&server, count) in before.iter().zip(&per_slot) {
        slots[server as usize] += 1;
        counts[server as usize] += count;
    }
    // Slots that differ from before, and the keys in them.
    let moved = |after: &[u32]| {
        let differ = before.iter().zip(after).zip(&per_slot).filter(|((before, after), _)| before != after);
        differ.fold((0_u32, 0_u64), |(slots, keys), (_, count)| (slots + 1, keys + u64::from(*count)))
    };
    let share = |part: u32| f64::from(part) / f64::from(size);
    let (most, fewest) =
        slots.iter().fold((0, u32::MAX), |(most, fewest), &own| (most.max(own), fewest.min(own)));
    out.put("busiest_keys", busiest_over_mean(&counts, trial.keys));
    out.put("uneven_slots", f64::from(most - fewest));
    out.put("uneven_share", f64::from(most - fewest) / f64::from(fewest));
    let (moved_slots, moved_keys) = moved(&joined);
    let share_of_keys = moved_keys as f64 / trial.keys as f64;
    out.put("join", share_of_keys * f64::from(servers + 1));
    out.put("join_share", share_of_keys);
    out.put("join_slots", share(moved_slots) * f64::from(servers + 1));
    let (moved_slots, moved_keys) = moved(&left);
    out.put("leave", moved_keys as f64 / f64::from(counts[leaver as usize]));
    out.put("leave_slots", f64::from(moved_slots) / f64::from(slots[leaver as usize]));
    out.put("leave_share_slots", share(moved_slots));
    Ok(())
}
