//! `--cluster reshard`: so many slots to one master, from the others.

use alloc::string::String;
use alloc::string::ToString;
use alloc::vec::Vec;
use core::cmp::Reverse;

use super::{Plan, Step, in_order, slots_by_server};
use crate::error::{Error, Kind};
use crate::placement::ServerIx;
use crate::slots::SlotMap;

/// `--cluster reshard` with its options.
///
/// ```
/// use clockwise::dialect::redis::{Options, Reshard};
/// use clockwise::{Buckets, Server};
///
/// let masters = Buckets::new([Server::new("a")?, Server::new("b")?, Server::new("c")?])?;
/// let cluster = Options::default().build(&masters)?;
/// let reshard = Reshard { from: vec![], to: "c".into(), slots: 1_000 };
/// let plan = reshard.plan(cluster.map(), &["a", "b", "c"])?;
/// assert_eq!(plan.after().slot_counts(), [4962, 4961, 6461]); // 500 of one and 499 of the other
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Reshard {
    /// `--cluster-from`: the masters that give, in this order. None are all others, in the tool's.
    pub from: Vec<String>,
    /// `--cluster-to`: the master that takes.
    pub to: String,
    /// `--cluster-slots`: how many it should get. It can get fewer: each source's part is cut to
    /// whole slots, but for the first, which is the one that has most.
    pub slots: u32,
}

impl Reshard {
    /// What the tool would do. `order` is every master of the map in the order in which the tool
    /// lists them: see [the module](super).
    ///
    /// Refuses an order that is not one, a source or target that is no master, the target as a
    /// source, a source named twice, and a number of slots outside 1 to all there are.
    pub fn plan(&self, map: &SlotMap, order: &[&str]) -> Result<Plan, Error> {
        let masters = in_order(map, order)?;
        let named = |name: &String| {
            let found = map.index_of(name).filter(|ix| masters.contains(ix));
            found.ok_or_else(|| Error::unknown_server(name.as_str()))
        };
        let to = named(&self.to)?;
        let mut sources: Vec<ServerIx> = match self.from.is_empty() {
            true => masters.iter().copied().filter(|&master| master != to).collect(),
            false => self.from.iter().map(named).collect::<Result<_, _>>()?,
        };
        if sources.contains(&to) {
            let (name, problem) = ("target", "is among the sources");
            return Err(Error::new(Kind::Option { name, value: alloc::format!("{:?}", self.to), problem }));
        }
        if let Some(twice) = (1..self.from.len()).find(|&at| sources[..at].contains(&sources[at])) {
            let (name, problem) = ("source", "is named twice");
            let value = alloc::format!("{:?}", self.from[twice]);
            return Err(Error::new(Kind::Option { name, value, problem }));
        }
        if self.slots == 0 || self.slots > map.slots() {
            return Err(Error::new(Kind::Option {
                name: "number of slots",
                value: self.slots.to_string(),
                problem: "is not between 1 and the number that there is",
            }));
        }

        let mut slots = slots_by_server(map);
        let total: usize = sources.iter().map(|source| slots[source.index()].len()).sum();
        sources.sort_by_key(|source| Reverse(slots[source.index()].len()));
        let (mut steps, mut left) = (Vec::new(), self.slots as usize);
        for (number, from) in sources.into_iter().enumerate() {
            let there = core::mem::take(&mut slots[from.index()]);
            let part = self.slots as f32 / total as f32 * there.len() as f32;
            // Of nothing the part is not a number, which cuts to 0.
            let mut quota = part as usize;
            quota += usize::from(number == 0 && (quota as f32) < part);
            let moved: Vec<u32> = there.into_iter().take(quota.min(left)).collect();
            left -= moved.len();
            if !moved.is_empty() {
                steps.push(Step { from, to, slots: moved });
            }
        }
        Ok(Plan { before: map.clone(), steps })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::redis::Options;
    use crate::testing::list;

    fn cluster() -> SlotMap {
        Options::default().build(&list(&[("a", 1), ("b", 1), ("c", 1), ("d", 1)])).unwrap().map().clone()
    }

    const ORDER: [&str; 4] = ["a", "b", "c", "d"];

    fn reshard(from: &[&str], slots: u32) -> Result<Plan, Error> {
        let from = from.iter().map(|&name| name.into()).collect();
        Reshard { from, to: "d".into(), slots }.plan(&cluster(), &ORDER)
    }

    #[test]
    fn the_first_source_gives_the_rounded_up_part_and_the_others_the_cut_one() {
        let plan = reshard(&[], 1_000).unwrap();
        let moved: Vec<usize> = plan.steps().iter().map(|step| step.slots.len()).collect();
        assert_eq!(moved, [334, 333, 333]);
        let plan = reshard(&[], 1_001).unwrap();
        assert_eq!(plan.moved(), 1_000);
        assert_eq!(plan.steps()[0].slots[..2], [0, 1]);
    }

    #[test]
    fn named_sources_give_in_their_order_and_no_others() {
        let plan = reshard(&["c", "a"], 9).unwrap();
        let steps: Vec<(usize, &[u32])> =
            plan.steps().iter().map(|step| (step.from.index(), step.slots.as_slice())).collect();
        assert_eq!(steps, [(2, &[8192, 8193, 8194, 8195, 8196][..]), (0, &[0, 1, 2, 3])]);
    }

    #[test]
    fn a_source_that_gives_all_before_the_last_step_stops_the_run() {
        let plan = reshard(&["a", "b"], 8_192).unwrap();
        assert_eq!(plan.after().slot_counts(), [0, 0, 4_096, 12_288]);
        assert_eq!(plan.stops_after(), Some(4_097));
        assert_eq!(plan.first_run().slot_counts(), [0, 4_095, 4_096, 8_193]);
        assert_eq!(reshard(&["a"], 4_096).unwrap().stops_after(), None);
    }

    #[test]
    fn what_the_tool_refuses_is_refused() {
        assert!(reshard(&["x"], 1).unwrap_err().is_unknown_server());
        for (from, slots) in [(&["d"][..], 1), (&["a", "b", "a"], 1), (&[], 0), (&[], 16_385)] {
            assert!(reshard(from, slots).unwrap_err().is_parameter(), "{from:?} {slots}");
        }
    }
}
