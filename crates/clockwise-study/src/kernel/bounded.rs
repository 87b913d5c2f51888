//! Bounded loads on a ring of random points: every key placed in one fixed order under a cap, and all
//! of them placed again after a join or a leave.
//!
//! V. Mirrokni, M. Thorup, M. Zadimoghaddam, Consistent Hashing with Bounded Loads (SODA 2018),
//! without its incremental moves. A key walks on past every point of a full server. As servers stay
//! full to the end, the walks of many keys are one: each point of a full server says where the next
//! one with room is, as in the forests of union-find.

use std::borrow::Cow;

use super::change::Change;
use super::{Kernel, Knob, Measures, Metric, Outcome, Trial, Values, knobs};
use crate::experiment::Setting;

pub(super) const KERNEL: Kernel = Kernel {
    name: "bounded",
    about: "bounded loads on a ring of random points: evenness, keys off their owner, moves when all are \
            placed again",
    knobs: &[
        knobs::servers(2, 100_000),
        knobs::keys_per_server(1_000_000),
        knobs::points(100_000),
        knobs::EPSILON,
        Knob { name: "cap", label: "cap", values: Values::Words(&["recomputed", "held"]), draws: false },
    ],
    metrics: &[
        Metric { name: "busiest_keys", label: "busiest ÷ mean, keys", unit: "" },
        Metric { name: "idlest_keys", label: "idlest ÷ mean, keys", unit: "" },
        Metric { name: "plain_busiest", label: "busiest ÷ mean, keys, without a cap", unit: "" },
        Metric { name: "cap_keys", label: "cap", unit: "keys" },
        Metric { name: "within_cap", label: "no server is above its cap, before and after", unit: "" },
        Metric { name: "cap_reached", label: "runs in which a server is full", unit: "" },
        Metric { name: "within_two", label: "servers within two keys of the mean", unit: "" },
        Metric { name: "displaced", label: "keys off their owner", unit: "" },
        Metric { name: "join", label: "keys moved by a join ÷ K/(n+1)", unit: "" },
        Metric { name: "join_others", label: "of these, not to the newcomer", unit: "" },
        Metric { name: "leave", label: "keys moved by a leave ÷ K/n", unit: "" },
        Metric { name: "leave_own", label: "keys moved by a leave ÷ the departed server's own", unit: "" },
    ],
    revision: 1,
    cost: |trial| {
        let points = trial.setting.number("servers") * trial.setting.number("points");
        60.0 * points + 25.0 * trial.setting.number("servers") * trial.setting.number("keys_per_server")
    },
    fits: |setting| {
        Change::fits(setting)?;
        Caps::of(setting).map(|_| ())
    },
    run,
};

/// Points with the server of each, and the points of each server.
struct Walks<'c> {
    servers: &'c [u32],
    /// Where each server's points begin in `points`; one more for the end.
    first: Vec<u32>,
    points: Vec<u32>,
}

impl<'c> Walks<'c> {
    fn new(servers: &'c [u32], count: u32) -> Walks<'c> {
        let mut first = vec![0; count as usize + 1];
        for &server in servers {
            first[server as usize + 1] += 1;
        }
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut points = vec![0; servers.len()];
        for (point, &server) in servers.iter().enumerate() {
            points[next[server as usize] as usize] = point as u32;
            next[server as usize] += 1;
        }
        Walks { servers, first, points }
    }

    fn points_of(&self, server: u32) -> &[u32] {
        let at = server as usize;
        &self.points[self.first[at] as usize..self.first[at + 1] as usize]
    }

    /// Places keys in their order: each begins at its point and goes to the first server with room.
    /// Points of absent servers have other `owners`. The caps of those present add up to the keys or
    /// more.
    fn place(&self, owners: &[u32], starts: &[u32], cap: u32) -> (Vec<u32>, Vec<u32>) {
        let last = self.servers.len() - 1;
        let after = |point: u32| if point as usize == last { 0 } else { point + 1 };
        // Where to go from each point: to itself while its server has room.
        let mut to: Vec<u32> = (0..self.servers.len() as u32).collect();
        for (point, (server, owner)) in self.servers.iter().zip(owners).enumerate() {
            if server != owner {
                to[point] = after(point as u32);
            }
        }
        let mut loads = vec![0_u32; self.first.len() - 1];
        let mut placed = vec![0_u32; starts.len()];
        for (&start, place) in starts.iter().zip(&mut placed) {
            let mut point = start;
            while to[point as usize] != point {
                // Halve the way for those that come after.
                let next = to[to[point as usize] as usize];
                to[point as usize] = next;
                point = next;
            }
            let server = self.servers[point as usize];
            *place = server;
            let load = &mut loads[server as usize];
            *load += 1;
            if *load == cap {
                for &full in self.points_of(server) {
                    to[full as usize] = after(full);
                }
            }
        }
        (placed, loads)
    }
}

/// The keys, by the point that each begins at.
struct Keys {
    starts: Vec<u32>,
    per_point: Vec<u32>,
}

/// Where all keys are, some servers being there.
struct Placed<'c> {
    /// Who owns the arc of each point.
    owners: &'c [u32],
    /// The server of each key, where the cap keeps any key from its owner.
    moved_on: Option<Vec<u32>>,
    loads: Vec<u32>,
    plain_loads: Vec<u32>,
    cap: u32,
}

impl<'c> Placed<'c> {
    fn new(walks: &Walks<'_>, owners: &'c [u32], keys: &Keys, cap: u32) -> Placed<'c> {
        let mut plain_loads = vec![0_u32; walks.first.len() - 1];
        for (&owner, count) in owners.iter().zip(&keys.per_point) {
            plain_loads[owner as usize] += count;
        }
        // Where no owner gets more than its cap, each key stays with its owner.
        if most(&plain_loads) <= cap {
            return Placed { owners, moved_on: None, loads: plain_loads.clone(), plain_loads, cap };
        }
        let (placed, loads) = walks.place(owners, &keys.starts, cap);
        Placed { owners, moved_on: Some(placed), loads, plain_loads, cap }
    }

    /// The server of each key.
    fn servers(&self, keys: &Keys) -> Cow<'_, [u32]> {
        match &self.moved_on {
            Some(placed) => Cow::Borrowed(placed),
            None => keys.starts.iter().map(|&start| self.owners[start as usize]).collect(),
        }
    }

    /// How many keys are not with their owner.
    fn displaced(&self, keys: &Keys) -> usize {
        let Some(placed) = &self.moved_on else { return 0 };
        let off = |(start, server): &(&u32, &u32)| self.owners[**start as usize] != **server;
        keys.starts.iter().zip(placed).filter(off).count()
    }

    /// How many keys are elsewhere.
    fn moved(&self, after: &Placed<'_>, keys: &Keys) -> usize {
        if self.moved_on.is_none() && after.moved_on.is_none() {
            let points = self.owners.iter().zip(after.owners).zip(&keys.per_point);
            let moved = points.filter(|((before, after), _)| before != after);
            return moved.map(|(_, count)| *count as usize).sum();
        }
        let (before, after) = (self.servers(keys), after.servers(keys));
        before.iter().zip(after.iter()).filter(|(before, after)| before != after).count()
    }
}

fn most(loads: &[u32]) -> u32 {
    loads.iter().copied().max().unwrap_or(0)
}

/// How many keys a server may have: before, after the join and after the leave.
struct Caps {
    before: u32,
    joined: u32,
    left: u32,
}

impl Caps {
    /// More keys than this take gigabytes.
    const MOST_KEYS: u64 = 100_000_000;

    fn of(setting: &Setting) -> Result<Caps, String> {
        let total = knobs::product(setting, ["servers", "keys_per_server"], "keys", Caps::MOST_KEYS)?;
        let (servers, epsilon) = (setting.whole("servers"), knobs::cap(setting)?);
        // A cap beyond all the keys is none.
        let cap = |servers: u64| epsilon.limit(total, 1, servers).min(total) as u32;
        let before = cap(servers);
        let (joined, left) = match setting.text("cap") {
            "held" => (before, before),
            _ => (cap(servers + 1), cap(servers - 1)),
        };
        if u64::from(left) * (servers - 1) < total {
            return Err(format!("{} servers of {left} keys have no room for {total}", servers - 1));
        }
        Ok(Caps { before, joined, left })
    }
}

fn run(trial: &Trial<'_>, out: &mut Measures) -> Outcome {
    let setting = trial.setting;
    let change = Change::draw(trial);
    let servers = u64::from(change.servers);
    let total = servers * setting.whole("keys_per_server");
    let Caps { before: cap, joined: cap_joined, left: cap_left } = Caps::of(setting)?;

    let starts: Vec<u32> =
        change.points_of_keys(trial.seed, total as usize).map(|point| point as u32).collect();
    let mut per_point = vec![0_u32; change.circle.len()];
    for &start in &starts {
        per_point[start as usize] += 1;
    }
    let keys = Keys { starts, per_point };
    let walks = Walks::new(change.joined(), change.servers + 1);
    let before = Placed::new(&walks, &change.before, &keys, cap);
    let joined = Placed::new(&walks, change.joined(), &keys, cap_joined);
    let left = Placed::new(&walks, &change.left, &keys, cap_left);

    let loads = &before.loads[..change.servers as usize];
    let mean = total as f64 / servers as f64;
    let over_mean = |load: u32| f64::from(load) / mean;
    let within = [&before, &joined, &left].iter().all(|placed| most(&placed.loads) <= placed.cap);
    let near = loads.iter().filter(|load| (f64::from(**load) - mean).abs() <= 2.0).count();
    out.put("busiest_keys", over_mean(most(loads)));
    out.put("idlest_keys", over_mean(loads.iter().copied().min().unwrap_or(0)));
    out.put("plain_busiest", over_mean(most(&before.plain_loads)));
    out.put("cap_keys", f64::from(cap));
    out.put("within_cap", f64::from(u8::from(within)));
    out.put("cap_reached", f64::from(u8::from(most(&before.plain_loads) >= cap)));
    out.put("within_two", near as f64 / servers as f64);
    out.put("displaced", before.displaced(&keys) as f64 / total as f64);
    let least = total as f64 / (servers + 1) as f64;
    let moved_by_join = before.moved(&joined, &keys) as f64;
    let moved_by_leave = before.moved(&left, &keys) as f64;
    out.put("join", moved_by_join / least);
    out.put("join_others", (moved_by_join - f64::from(joined.loads[change.newcomer() as usize])) / least);
    out.put("leave", moved_by_leave / mean);
    out.put("leave_own", moved_by_leave / f64::from(loads[change.leaver as usize]));
    Ok(())
}
