//! Why a key is on the server that it is on: which ones it asked for room, and what they held.

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::cap::{Cap, Room};
use crate::placement::{Ranked, ServerIx};

/// A server that a key asked for room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The server.
    pub server: ServerIx,
    /// The keys that it held, without this one.
    pub load: u64,
    /// The most keys that it may hold.
    pub limit: u64,
}

impl Asked {
    /// Whether it took the key.
    pub fn has_room(&self) -> bool {
        self.load < self.limit
    }
}

impl Cap {
    /// The most load that each server of a placement may hold while all of them hold `total`, by [`ServerIx`]:
    /// its [limit](Cap::limit) of the weights that preference lists reach. 0 for one that takes nothing.
    pub fn limits<P: Ranked + ?Sized>(self, placement: &P, total: u64) -> Vec<u64> {
        Room::of_servers(placement, self).iter().map(|room| room.limit(total)).collect()
    }
}

/// The servers that one more key asks, in its order, while they hold `loads` (by [`ServerIx`]); the last has room,
/// where any has. Limits are those for a `total` of keys, which counts this one too.
///
/// It is the step of [`fill`](super::fill), told: what it gives for a key of a list, if `loads` are of those
/// before it and `total` is the length of the list, ends with the key's server.
///
/// ```
/// use clockwise::{Cap, Members, Ring, Server, asked, fill, hash::Xxh3};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).points_per_weight(160).build(&members)?;
/// let keys = ["k0", "k1", "k2", "k3", "k4", "k5", "k6"];
/// let cap = Cap::percent_over_mean(0)?;
/// let before = fill(&ring, &keys[..6], cap);
/// let walk = asked(&ring, "k6", cap, before.loads(), 7);
/// assert!(walk.last().unwrap().has_room());
/// assert!(walk.iter().rev().skip(1).all(|full| full.load == 3 && full.limit == 3));
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn asked<P: Ranked + ?Sized>(
    placement: &P,
    key: impl AsRef<[u8]>,
    cap: Cap,
    loads: &[u64],
    total: u64,
) -> Vec<Asked> {
    let limits = cap.limits(placement, total);
    let mut asked = Vec::new();
    placement.visit_preference(key.as_ref(), &mut |server| {
        let [load, limit] = [loads, &limits].map(|of| of.get(server.index()).copied().unwrap_or(0));
        let step = Asked { server, load, limit };
        asked.push(step);
        if step.has_room() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    asked
}

#[cfg(test)]
mod tests {
    use super::super::fill;
    use super::*;
    use crate::Placement as _;
    use crate::testing::Random;
    use crate::testing::toy::{Toy, keys};

    #[test]
    fn what_a_key_asks_ends_where_fill_puts_it() {
        let mut random = Random(1608);
        for _ in 0..40 {
            let (toy, _) = Toy::random(&mut random);
            let keys = keys(random.below(200) as usize + 1);
            let cap = Cap::percent_over_mean(random.below(40) as i64).unwrap();
            let filled = fill(&toy, &keys, cap);
            let mut loads = alloc::vec![0; toy.servers().len()];
            for (key, &server) in keys.iter().zip(filled.servers()) {
                let walk = asked(&toy, key, cap, &loads, keys.len() as u64);
                let (last, full) = walk.split_last().unwrap();
                assert_eq!((last.server, last.has_room()), (server, true));
                assert!(full.iter().all(|step| !step.has_room()));
                let order: Vec<ServerIx> = walk.iter().map(|step| step.server).collect();
                assert_eq!(order, toy.preference(key.as_ref(), walk.len()));
                loads[server.index()] += 1;
            }
        }
    }
}
