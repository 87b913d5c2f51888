//! Bounded loads on a ring of random points: every key placed in one fixed order under a cap, and all
//! of them placed again after a join or a leave.
//!
//! V. Mirrokni, M. Thorup, M. Zadimoghaddam, Consistent Hashing with Bounded Loads (SODA 2018),
//! without its incremental moves. A key walks on past every point of a full server. As servers stay
//! full to the end, the walks of many keys are one: each point of a full server says where the next
//! one with room is, as in the forests of union-find.

use clockwise::Cap;

use super::change::Change;
use super::{Kernel, Knob, Measures, Metric, Trial, Values, arcs};

pub(super) const KERNEL: Kernel = Kernel {
    name: "bounded",
    about: "bounded loads on a ring of random points: evenness, keys off their owner, moves when all are \
            placed again",
    knobs: &[
        arcs::SERVERS,
        Knob {
            name: "keys_per_server",
            label: "keys a server",
            values: Values::Whole(1, 1_000_000),
            draws: true,
        },
        arcs::POINTS,
        Knob { name: "epsilon", label: "ε", values: Values::Number(0.0, 1_000.0), draws: false },
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
        let range = server as usize..server as usize + 2;
        match self.first[range] {
            [from, to] => &self.points[from as usize..to as usize],
            _ => &[],
        }
    }

    /// Places keys in their order: each begins at its point and goes to the first server with room.
    /// The caps of those present add up to the keys or more.
    fn place(&self, absent: impl Fn(u32) -> bool, starts: &[u32], cap: u32) -> Placed {
        let last = self.servers.len() - 1;
        let after = |point: u32| if point as usize == last { 0 } else { point + 1 };
        // Where to go from each point: to itself while its server has room.
        let mut to: Vec<u32> = (0..self.servers.len() as u32).collect();
        for (point, &server) in self.servers.iter().enumerate() {
            if absent(server) {
                to[point] = after(point as u32);
            }
        }
        let mut loads = vec![0_u32; self.first.len() - 1];
        let mut owners = Vec::with_capacity(starts.len());
        for &start in starts {
            let mut point = start;
            while to[point as usize] != point {
                // Halve the way for those that come after.
                let next = to[to[point as usize] as usize];
                to[point as usize] = next;
                point = next;
            }
            let server = self.servers[point as usize];
            owners.push(server);
            let load = &mut loads[server as usize];
            *load += 1;
            if *load == cap {
                for &full in self.points_of(server) {
                    to[full as usize] = after(full);
                }
            }
        }
        Placed { owners, loads }
    }
}

struct Placed {
    owners: Vec<u32>,
    loads: Vec<u32>,
}

fn run(trial: &Trial<'_>, out: &mut Measures) -> Result<(), String> {
    let setting = trial.setting;
    let change = Change::draw(trial.seed, setting.whole("servers"), setting.whole("points"))?;
    let servers = u64::from(change.servers);
    let total = servers * setting.whole("keys_per_server");
    let held = setting.text("cap") == "held";
    let epsilon: Cap = format!("{}", setting.number("epsilon"))
        .parse()
        .map_err(|error| format!("ε is {}: {error}", setting.number("epsilon")))?;
    let cap_of = |servers: u64| epsilon.limit(total, 1, servers);
    let cap = cap_of(servers);
    let (cap_joined, cap_left) = if held { (cap, cap) } else { (cap_of(servers + 1), cap_of(servers - 1)) };
    let caps = [cap, cap_joined, cap_left].map(u32::try_from);
    let ([Ok(cap), Ok(cap_joined), Ok(cap_left)], Ok(keys)) = (caps, usize::try_from(total)) else {
        return Err(format!("{total} keys are too many"));
    };
    if u64::from(cap_left) * (servers - 1) < total {
        return Err(format!("{} servers of {cap_left} keys have no room for {total}", servers - 1));
    }

    let starts: Vec<u32> = change.points_of_keys(trial.seed, keys).map(|point| point as u32).collect();
    let walks = Walks::new(change.joined(), change.servers + 1);
    let newcomer = change.newcomer();
    let before = walks.place(|server| server == newcomer, &starts, cap);
    let joined = walks.place(|_| false, &starts, cap_joined);
    let left = walks.place(|server| server == newcomer || server == change.leaver, &starts, cap_left);

    let mut plain = vec![0_u32; change.servers as usize];
    let mut displaced = 0_usize;
    for (&start, &server) in starts.iter().zip(&before.owners) {
        let owner = change.before[start as usize];
        plain[owner as usize] += 1;
        displaced += usize::from(owner != server);
    }
    let moved = |after: &Placed| before.owners.iter().zip(&after.owners).filter(|(b, a)| b != a).count();
    let loads = &before.loads[..change.servers as usize];
    let most = |loads: &[u32]| loads.iter().copied().max().unwrap_or(0);
    let mean = total as f64 / servers as f64;
    let over_mean = |load: u32| f64::from(load) / mean;
    let within =
        most(&before.loads) <= cap && most(&joined.loads) <= cap_joined && most(&left.loads) <= cap_left;
    let near = loads.iter().filter(|load| (f64::from(**load) - mean).abs() <= 2.0).count();
    out.put("busiest_keys", over_mean(most(loads)));
    out.put("idlest_keys", over_mean(loads.iter().copied().min().unwrap_or(0)));
    out.put("plain_busiest", over_mean(most(&plain)));
    out.put("cap_keys", f64::from(cap));
    out.put("within_cap", f64::from(u8::from(within)));
    out.put("cap_reached", f64::from(u8::from(most(&plain) >= cap)));
    out.put("within_two", near as f64 / servers as f64);
    out.put("displaced", displaced as f64 / total as f64);
    let least = total as f64 / (servers + 1) as f64;
    let moved_by_join = moved(&joined);
    let to_newcomer = joined.loads[newcomer as usize];
    out.put("join", moved_by_join as f64 / least);
    out.put("join_others", (moved_by_join as f64 - f64::from(to_newcomer)) / least);
    out.put("leave", moved(&left) as f64 / mean);
    out.put("leave_own", moved(&left) as f64 / f64::from(loads[change.leaver as usize]));
    Ok(())
}
