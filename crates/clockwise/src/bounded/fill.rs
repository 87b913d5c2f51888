//! Bounded loads without clients: a list of keys placed in its order, for studies and plans.
//!
//! A key goes to the first server of its preference list that is below its cap. Two questions are
//! asked this way. With all keys known at the start the cap follows from their number
//! ([`fill`]). With requests that arrive one by one and are held, it follows from those that have
//! arrived, the one being placed included ([`fill_arriving`]).

use alloc::vec::Vec;
use core::ops::ControlFlow;

use super::cap::{Cap, Room};
use crate::placement::{Ranked, ServerIx};

/// Where each key of a list went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    servers: Vec<ServerIx>,
    loads: Vec<u64>,
    displaced: u64,
}

impl Filled {
    pub(super) fn new(servers: Vec<ServerIx>, loads: Vec<u64>, displaced: u64) -> Filled {
        Filled { servers, loads, displaced }
    }

    /// The server of each key, in the order the keys were given.
    pub fn servers(&self) -> &[ServerIx] {
        &self.servers
    }

    /// The same, taken.
    pub fn into_servers(self) -> Vec<ServerIx> {
        self.servers
    }

    /// The number of keys on each server, by [`ServerIx`].
    pub fn loads(&self) -> &[u64] {
        &self.loads
    }

    /// How many keys are not with their plain owner.
    pub fn displaced(&self) -> u64 {
        self.displaced
    }
}

/// Places `keys` in their order under a cap taken from their number.
///
/// The answer depends on the order, and on nothing else: no clock, no chance.
///
/// ```
/// use clockwise::{Cap, Members, Ring, Server, fill, hash::Xxh3};
///
/// let members = Members::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let ring = Ring::builder(Xxh3).points_per_weight(160).build(&members)?;
/// let keys = ["k0", "k1", "k2", "k3", "k4", "k5", "k6"];
/// let filled = fill(&ring, &keys, Cap::percent_over_mean(0)?);
/// assert_eq!(filled.loads().iter().max(), Some(&3));
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn fill<P: Ranked + ?Sized, K: AsRef<[u8]>>(placement: &P, keys: &[K], cap: Cap) -> Filled {
    let total = keys.len() as u64;
    let limits = cap.limits(placement, total);
    place(placement, keys, |server, load, _| load < limits[server])
}

/// Places `keys` as requests that arrive in this order and are all held: the cap for each is taken
/// from the number that have arrived, that one included.
///
/// The same as [`Bounded::acquire`](super::Bounded::acquire) for each key with every lease kept.
pub fn fill_arriving<P: Ranked + ?Sized, K: AsRef<[u8]>>(placement: &P, keys: &[K], cap: Cap) -> Filled {
    let rooms = Room::of_servers(placement, cap);
    place(placement, keys, |server, load, total| rooms[server].takes(load, total))
}

/// Gives each key the first server in its preference that `takes` it, told the server, its load and
/// the number of keys so far with this one.
///
/// There always is one: the caps of the servers in a preference list sum to the total or more, and
/// the keys placed so far are fewer than the total.
fn place<P: Ranked + ?Sized, K: AsRef<[u8]>>(
    placement: &P,
    keys: &[K],
    takes: impl Fn(usize, u64, u64) -> bool,
) -> Filled {
    let mut loads = alloc::vec![0; placement.servers().len()];
    let mut displaced = 0;
    let mut total = 0;
    let servers = keys
        .iter()
        .map(|key| {
            let key = key.as_ref();
            total += 1;
            let owner = placement.owner_ix(key);
            let mut server = owner;
            // Most keys find room with their owner: the list is walked only for the others.
            if !takes(owner.index(), loads[owner.index()], total) {
                displaced += 1;
                placement.visit_preference(key, &mut |next| {
                    server = next;
                    if takes(next.index(), loads[next.index()], total) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                });
            }
            loads[server.index()] += 1;
            server
        })
        .collect();
    Filled { servers, loads, displaced }
}

#[cfg(test)]
mod tests {
    use std::string::String;

    use super::*;
    use crate::Placement as _;
    use crate::testing::Random;
    use crate::testing::toy::{Toy, keys};

    /// ⌈(1 + part/whole) · total · w ÷ W⌉, as the paper has it.
    fn ceiling(part: u64, whole: u64, total: u64, w: u64, sum: u64) -> u64 {
        ((whole + part) * total * w).div_ceil(whole * sum)
    }

    #[test]
    fn ten_thousand_random_fleets_hold_all_keys_below_the_exact_cap() {
        let mut numbers = Random(35);
        for round in 0..10_000 {
            let (toy, weights) = Toy::random(&mut numbers);
            let sum: u64 = weights.iter().sum();
            let (part, whole) = (numbers.below(200) * numbers.below(2), 1 + numbers.below(100));
            let keys = keys(numbers.below(40) as usize);
            let total = keys.len() as u64;
            let filled = fill(&toy, &keys, Cap::ratio(part, whole).unwrap());
            assert_eq!(filled.servers().len(), keys.len());
            assert_eq!(filled.loads().iter().sum::<u64>(), total, "round {round}");
            for (load, weight) in filled.loads().iter().zip(&weights) {
                assert!(*load <= ceiling(part, whole, total, *weight, sum), "round {round}");
            }
        }
    }

    #[test]
    fn each_key_takes_the_first_server_in_its_order_that_is_below_the_cap() {
        let mut numbers = Random(36);
        for round in 0..500 {
            let (toy, weights) = Toy::random(&mut numbers);
            let sum: u64 = weights.iter().sum();
            let (part, whole) = (numbers.below(60), 1 + numbers.below(100));
            let cap = Cap::ratio(part, whole).unwrap();
            let keys = keys(60);
            for (arriving, filled) in
                [fill(&toy, &keys, cap), fill_arriving(&toy, &keys, cap)].iter().enumerate()
            {
                let mut loads = alloc::vec![0; weights.len()];
                let mut displaced = 0;
                for (i, key) in keys.iter().enumerate() {
                    let total = if arriving == 1 { i as u64 + 1 } else { 60 };
                    let order = toy.order(key.as_bytes());
                    let below = |ix: &&ServerIx| {
                        loads[ix.index()] < ceiling(part, whole, total, weights[ix.index()], sum)
                    };
                    let server = *order.iter().find(below).unwrap();
                    assert_eq!(filled.servers()[i], server, "round {round}, key {i}");
                    loads[server.index()] += 1;
                    displaced += u64::from(server != order[0]);
                }
                assert_eq!((filled.loads(), filled.displaced()), (&loads[..], displaced));
            }
        }
    }

    #[test]
    fn the_reported_sizes_that_panicked_elsewhere_are_placed() {
        for (servers, items, cap) in
            [(2, 5, "0.5"), (3, 271, "0.25"), (7, 271, "0.25"), (10, 3, "0.25"), (5, 100, "0")]
        {
            let cap: Cap = cap.parse().unwrap();
            let filled = fill(&Toy::of(servers), &keys(items), cap);
            let limit = cap.limit(items as u64, 1, servers as u64);
            assert!(filled.loads().iter().all(|load| *load <= limit));
            assert_eq!(filled.loads().iter().sum::<u64>(), items as u64);
        }
    }

    #[test]
    fn an_even_cap_is_perfectly_even_and_a_huge_one_is_none() {
        let toy = Toy::of(5);
        assert_eq!(fill(&toy, &keys(100), "0".parse().unwrap()).loads(), [20; 5]);
        let huge = fill(&toy, &keys(100), alloc::format!("{}", 1e308).parse().unwrap());
        assert_eq!(huge.displaced(), 0);
        for (key, server) in keys(100).iter().zip(huge.servers()) {
            assert_eq!(*server, toy.owner_ix(key.as_bytes()));
        }
    }

    #[test]
    fn no_keys_are_no_load() {
        let filled = fill(&Toy::of(2), &[] as &[String], Cap::NONE);
        assert_eq!((filled.servers(), filled.loads(), filled.displaced()), (&[][..], &[0, 0][..], 0));
    }
}
