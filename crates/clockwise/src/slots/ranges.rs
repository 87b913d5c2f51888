//! Slots as files and commands write them: `0-5460,10923`.

use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt;
use core::ops::RangeInclusive;
use core::str::FromStr;

use crate::error::{Error, Kind};

/// A set of slots, as ranges whose ends are included. Ascending, and none touches the next: two sets
/// are equal however they were written.
///
/// ```
/// use clockwise::slots::SlotRanges;
///
/// let slots: SlotRanges = "10923, 0-5460, 5461-5463".parse()?;
/// assert_eq!(slots.to_string(), "0-5463,10923");
/// assert_eq!(slots.slots().count(), 5_465);
/// assert!("7-5".parse::<SlotRanges>().unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotRanges(Vec<(u32, u32)>);

impl SlotRanges {
    /// The slots of these ranges, in any order. Refuses a range that ends before it begins, and a
    /// slot that is in two of them.
    pub fn new(ranges: impl IntoIterator<Item = RangeInclusive<u32>>) -> Result<SlotRanges, Error> {
        let mut ranges: Vec<(u32, u32)> =
            ranges.into_iter().map(|range| (*range.start(), *range.end())).collect();
        if let Some(range) = ranges.iter().find(|range| range.1 < range.0) {
            return Err(refused(written(*range), "ends before it begins"));
        }
        ranges.sort_unstable();
        let mut joined: Vec<(u32, u32)> = Vec::with_capacity(ranges.len());
        for (first, last) in ranges {
            match joined.last_mut() {
                Some(before) if first <= before.1 => {
                    return Err(refused(written((first, last)), "holds slots that another range holds"));
                }
                Some(before) if first - 1 == before.1 => before.1 = last,
                _ => joined.push((first, last)),
            }
        }
        Ok(SlotRanges(joined))
    }

    /// Of runs that are ascending and do not touch.
    pub(super) fn of_runs(runs: Vec<(u32, u32)>) -> SlotRanges {
        SlotRanges(runs)
    }

    /// The ranges, ascending.
    pub fn ranges(&self) -> impl ExactSizeIterator<Item = RangeInclusive<u32>> {
        self.0.iter().map(|&(first, last)| first..=last)
    }

    /// The slots, ascending.
    pub fn slots(&self) -> impl Iterator<Item = u32> {
        self.ranges().flatten()
    }
}

fn refused(value: String, problem: &'static str) -> Error {
    Error::new(Kind::Option { name: "range of slots", value, problem })
}

fn written((first, last): (u32, u32)) -> String {
    if first == last { first.to_string() } else { alloc::format!("{first}-{last}") }
}

impl fmt::Display for SlotRanges {
    /// `0-5460,10923`; of no slots an empty text.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ranges: Vec<String> = self.0.iter().map(|&range| written(range)).collect();
        f.pad(&ranges.join(","))
    }
}

impl fmt::Debug for SlotRanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SlotRanges({self})")
    }
}

impl FromStr for SlotRanges {
    type Err = Error;

    /// Slots and ranges with commas between, spaces around them allowed. Nothing at all is no slots.
    fn from_str(text: &str) -> Result<SlotRanges, Error> {
        if text.trim().is_empty() {
            return Ok(SlotRanges::default());
        }
        let ranges: Result<Vec<RangeInclusive<u32>>, Error> = text
            .split(',')
            .map(|range| {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let number = |text: &str| {
                    let text = text.trim();
                    // `+5` is a number to Rust only.
                    let number = text.parse().ok().filter(|_| text.bytes().all(|b| b.is_ascii_digit()));
                    let problem = "is not a slot, nor two with a `-` between";
                    number.ok_or_else(|| refused(alloc::format!("{:?}", range.trim()), problem))
                };
                Ok(number(first)?..=number(last)?)
            })
            .collect();
        SlotRanges::new(ranges?)
    }
}

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeSet;
    use alloc::format;

    use super::*;
    use crate::testing::Random;

    #[test]
    fn any_set_of_slots_is_written_and_read_back() {
        let mut random = Random(0x51075);
        for _ in 0..500 {
            let slots: BTreeSet<u32> = (0..random.below(40)).map(|_| random.below(60) as u32).collect();
            let ranges = SlotRanges::new(slots.iter().map(|&slot| slot..=slot)).unwrap();
            assert!(ranges.slots().eq(slots.iter().copied()));
            assert_eq!(format!("{ranges}").parse(), Ok(ranges.clone()));
            // None touches the next, so that there is one way to write a set.
            let ends: Vec<_> = ranges.ranges().collect();
            assert!(ends.windows(2).all(|pair| pair[0].end() + 1 < *pair[1].start()), "{ranges}");
        }
    }

    #[test]
    fn what_is_no_set_of_slots_is_refused_with_the_range() {
        for (text, said) in [
            ("7-5", "range of slots 7-5 ends before it begins"),
            ("1-5,4", "range of slots 4 holds slots that another range holds"),
            ("3,3", "range of slots 3 holds slots that another range holds"),
            ("1,,2", "range of slots \"\" is not a slot, nor two with a `-` between"),
            ("+5", "range of slots \"+5\" is not a slot, nor two with a `-` between"),
            ("1-2-3", "range of slots \"1-2-3\" is not a slot, nor two with a `-` between"),
            ("4294967296", "range of slots \"4294967296\" is not a slot, nor two with a `-` between"),
        ] {
            let error = text.parse::<SlotRanges>().unwrap_err();
            assert_eq!(format!("{error}"), said);
        }
        assert_eq!("0-4294967295".parse::<SlotRanges>().unwrap().ranges().len(), 1);
        assert_eq!(" ".parse::<SlotRanges>().unwrap(), SlotRanges::default());
    }
}
