//! `--cluster rebalance`: as many slots for each master as its weight says.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::{Plan, Step, in_order, slots_by_server};
use crate::error::{Error, Kind};
use crate::placement::ServerIx;
use crate::slots::SlotMap;

/// `--cluster rebalance` with its options; the default is that of the command without any.
///
/// ```
/// use clockwise::dialect::redis::{Options, Rebalance};
/// use clockwise::{Buckets, Server};
///
/// let masters = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let cluster = Options::default().build(&masters)?;
/// let rebalance = Rebalance { weights: vec![("c".into(), 2.0)], ..Rebalance::default() };
/// let plan = rebalance.plan(cluster.map(), &["a", "b", "c"])?;
/// assert_eq!(plan.after().slot_counts(), [4096, 4096, 8192]);
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rebalance {
    /// `--cluster-weight`, by server name; those that are not named weigh 1. Any number from 0,
    /// held and computed with in IEEE single as the tool does.
    pub weights: Vec<(String, f32)>,
    /// `--cluster-threshold`, in percent: nothing is done while no master's number of slots is
    /// further off than that. At 0 the tool never does anything.
    pub threshold: f32,
    /// `--cluster-use-empty-masters`: masters without slots count too.
    pub use_empty_masters: bool,
}

impl Default for Rebalance {
    fn default() -> Rebalance {
        Rebalance { weights: Vec::new(), threshold: 2.0, use_empty_masters: false }
    }
}

/// A master that takes part, and how many slots it should lose (or, below 0, gain).
struct Side {
    master: ServerIx,
    balance: i64,
}

impl Rebalance {
    /// What the tool would do. `order` is every master of the map in the order in which the tool
    /// lists them: see [the module](super).
    ///
    /// Refuses an order that is not one, a weight that is not a number from 0 or is of no master,
    /// and weights of which none is left.
    pub fn plan(&self, map: &SlotMap, order: &[&str]) -> Result<Plan, Error> {
        let masters = in_order(map, order)?;
        let weights = self.weights(map)?;
        let mut slots = slots_by_server(map);
        let involved: Vec<ServerIx> = masters
            .into_iter()
            .filter(|master| self.use_empty_masters || !slots[master.index()].is_empty())
            .collect();
        let total: f32 = involved.iter().fold(0.0, |sum, master| sum + weights[master.index()]);
        if !(total > 0.0 && total.is_finite()) {
            return Err(Error::new(Kind::Option {
                name: "total of the weights",
                value: total.to_string(),
                problem: "is not a positive number",
            }));
        }

        let mut over = false;
        let mut sides = Vec::with_capacity(involved.len());
        for master in involved {
            let expected = ((map.slots() as f32 / total) * weights[master.index()]) as i64;
            let has = slots[master.index()].len() as i64;
            over |= self.over_threshold(has, expected);
            sides.push(Side { master, balance: has - expected });
        }
        if !over {
            return Ok(Plan { before: map.clone(), steps: Vec::new() });
        }
        share_the_rest(&mut sides)?;
        sides.sort_by_key(|side| side.balance);
        Ok(Plan { before: map.clone(), steps: steps(sides, &mut slots) })
    }

    fn weights(&self, map: &SlotMap) -> Result<Vec<f32>, Error> {
        let mut weights = alloc::vec![1.0; map.servers().len()];
        for (name, weight) in &self.weights {
            let at = map.index_of(name).ok_or_else(|| Error::unknown_server(name.as_str()))?;
            if !(*weight >= 0.0 && weight.is_finite()) {
                let problem = "is not a number from 0";
                let kind = Kind::Weight { value: weight.to_string(), problem };
                return Err(Error::new(kind).of_server(name.as_str()));
            }
            weights[at.index()] = *weight;
        }
        Ok(weights)
    }

    fn over_threshold(&self, has: i64, expected: i64) -> bool {
        if self.threshold.is_nan() || self.threshold <= 0.0 {
            false
        } else if has > 0 {
            let off = (100.0 - 100.0 * expected as f64 / has as f64).abs() as f32;
            off > self.threshold
        } else {
            expected > 1
        }
    }
}

/// Shares of whole slots leave a few over: they go one by one to those that do not give any, until
/// what is given is what is taken.
fn share_the_rest(sides: &mut [Side]) -> Result<(), Error> {
    let mut rest: i64 = sides.iter().map(|side| side.balance).sum();
    while rest > 0 {
        let before = rest;
        for side in &mut *sides {
            if side.balance <= 0 && rest > 0 {
                side.balance -= 1;
                rest -= 1;
            }
        }
        if rest == before {
            return Err(Error::new(Kind::Option {
                name: "slots left over",
                value: rest.to_string(),
                problem: "have no master to go to: with these weights the tool does not end",
            }));
        }
    }
    Ok(())
}

/// From the one that has the most too many to the one that lacks the most, and so on inwards.
fn steps(mut sides: Vec<Side>, slots: &mut [Vec<u32>]) -> Vec<Step> {
    let mut steps = Vec::new();
    let (mut taker, mut giver) = (0, sides.len() - 1);
    while taker < giver {
        let count = sides[taker].balance.abs().min(sides[giver].balance.abs());
        let (from, to) = (sides[giver].master, sides[taker].master);
        if count > 0 {
            let there = &mut slots[from.index()];
            if there.len() < count as usize {
                // The tool's own check of its table fails here, and it ends.
                break;
            }
            let moved: Vec<u32> = there.drain(..count as usize).collect();
            let taken = &mut slots[to.index()];
            taken.extend(&moved);
            taken.sort_unstable();
            steps.push(Step { from, to, slots: moved });
        }
        sides[taker].balance += count;
        sides[giver].balance -= count;
        taker += usize::from(sides[taker].balance == 0);
        giver -= usize::from(sides[giver].balance == 0);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::redis::Options;
    use crate::members::Members;
    use crate::server::Server;
    use crate::testing::list;

    fn cluster() -> SlotMap {
        Options::default().build(&list(&[("a", 1), ("b", 1), ("c", 1)])).unwrap().map().clone()
    }

    fn weighted(weights: &[(&str, f32)]) -> Rebalance {
        let weights = weights.iter().map(|&(name, weight)| (name.into(), weight)).collect();
        Rebalance { weights, ..Rebalance::default() }
    }

    #[test]
    fn within_the_threshold_nothing_moves() {
        let order = ["a", "b", "c"];
        // 16384 × 1.05 ÷ 3.05 = 5640: 3.3% off what c has.
        let plan = weighted(&[("c", 1.05)]).plan(&cluster(), &order).unwrap();
        assert_eq!(plan.moved(), 181);
        let threshold = 4.0;
        let plan = Rebalance { threshold, ..weighted(&[("c", 1.05)]) }.plan(&cluster(), &order).unwrap();
        assert_eq!(plan.moved(), 0);
        let plan = Rebalance { threshold: 0.0, ..weighted(&[("c", 9.0)]) }.plan(&cluster(), &order).unwrap();
        assert_eq!(plan.moved(), 0);
    }

    #[test]
    fn an_empty_master_takes_part_only_when_told_to_and_gets_what_is_left_over() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        let six: Vec<(&str, u32)> = names[..6].iter().map(|&name| (name, 1)).collect();
        let cluster = Options::default().build(&list(&six)).unwrap();
        let seven = Members::from(&list(&six)).with(Server::new("g").unwrap()).unwrap();
        let joined = cluster.map().over(&seven).unwrap();
        assert_eq!(Rebalance::default().plan(&joined, &names).unwrap().moved(), 0);
        let plan =
            Rebalance { use_empty_masters: true, ..Rebalance::default() }.plan(&joined, &names).unwrap();
        assert_eq!(plan.after().slot_counts(), [2340, 2340, 2340, 2340, 2340, 2340, 2344]);
        assert_eq!(plan.stops_after(), None);
    }

    #[test]
    fn a_master_emptied_before_the_last_step_stops_the_run_one_slot_later() {
        let plan =
            weighted(&[("a", 0.0), ("b", 4.0), ("c", 1.0)]).plan(&cluster(), &["a", "b", "c"]).unwrap();
        assert_eq!(plan.stops_after(), Some(5461 + 1));
        assert_eq!(plan.after().slot_counts(), [0, 13_108, 3_276]);
        assert_eq!(plan.first_run().slot_counts(), [0, 10_924, 5_460]);
        // Alone it is harmless: there is no next step.
        let plan = weighted(&[("a", 0.0)]).plan(&cluster(), &["a", "b", "c"]).unwrap();
        assert_eq!(plan.after().slot_counts(), plan.first_run().slot_counts());
    }

    #[test]
    fn weights_that_are_none_are_refused() {
        let order = ["a", "b", "c"];
        for weight in [-1.0, f32::NAN, f32::INFINITY] {
            let error = weighted(&[("b", weight)]).plan(&cluster(), &order).unwrap_err();
            assert!(error.is_weight());
            assert_eq!(error.server(), Some("b"));
        }
        assert!(weighted(&[("x", 1.0)]).plan(&cluster(), &order).unwrap_err().is_unknown_server());
        let nothing = weighted(&[("a", 0.0), ("b", 0.0), ("c", 0.0)]);
        assert!(nothing.plan(&cluster(), &order).unwrap_err().is_parameter());
        let vast = weighted(&[("a", f32::MAX), ("b", f32::MAX)]);
        assert!(vast.plan(&cluster(), &order).unwrap_err().is_parameter());
    }
}
