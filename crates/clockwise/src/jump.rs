//! Jump consistent hash: no table, the fewest moves, and a list as its only input.
//!
//! Paper: John Lamping and Eric Veach, *A Fast, Minimal Memory, Consistent Hash Algorithm*, 2014
//! (arXiv 1406.2294), the listing of figure 1.
//!
//! | knob | value |
//! |---|---|
//! | generator | `key = key × 2862933555777941757 + 1` mod 2⁶⁴, seeded with the key hash |
//! | next jump | from bucket b to ⌊(b + 1) × (2³¹ ⁄ ((key >> 33) + 1))⌋, in binary64, the division first |
//! | buckets | 1 to 2³¹ − 1 |
//! | keys longer than 64 bits | hashed to 64 bits first, by the named hash of the placement |
//!
//! Only the last bucket can come or go without harm. To drop another one, give its bucket to a
//! spare server ([`Buckets::replaced`]); dropping bucket i of n renumbers all behind it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use crate::arch::{Lanes, Level};
use crate::error::{Error, Kind};
use crate::hash::{KeyHash, Xxh3};
use crate::members::Buckets;
use crate::modulo::written_out;
use crate::placement::{Measured, Placement, ServerIx, Share, owners_by_hash, owners_of, table_shares};
use crate::server::Server;

/// The bucket, 0 to `buckets` − 1, of a key hash.
///
/// Takes counts from 1 to 2,147,483,647 (2³¹ − 1, as the paper's `int32_t`) and refuses others
/// with an error that names the number.
///
/// ```
/// assert_eq!(clockwise::jump(10863919174838991, 11)?, 6);
/// assert!(clockwise::jump(1, 0).unwrap_err().is_parameter());
/// assert!(clockwise::jump(1, 1_i64 << 31).unwrap_err().is_parameter());
/// # Ok::<(), clockwise::Error>(())
/// ```
pub fn jump(key_hash: u64, buckets: impl Into<i64>) -> Result<u32, Error> {
    let buckets: i64 = buckets.into();
    let problem = match buckets {
        ..=0 => "is not positive: jump needs at least 1 bucket",
        0x8000_0000.. => "is too large: jump hash ends at 2147483647 buckets",
        _ => return Ok(jumped(key_hash, buckets)),
    };
    Err(Error::new(Kind::BucketCount { value: i128::from(buckets), problem }))
}

/// The loop of the paper, for a count in range: a jump never goes back, so it ends.
#[inline]
fn jumped(mut key: u64, buckets: i64) -> u32 {
    let (mut bucket, mut next) = (0, 0);
    while next < buckets as u64 {
        bucket = next;
        key = key.wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
        next = next_jump(bucket + 1, (key >> 33) + 1);
    }
    bucket as u32
}

/// ⌊from × (2³¹ ⁄ divisor)⌋ in binary64, the division first; both are from 1 to 2³¹.
///
/// One division of whole numbers takes less time than one of floats and the conversions around it, and finds
/// the same unless rounding decides. With t = from × 2³¹ ⁄ divisor, two roundings by a relative 2⁻⁵³ each leave
/// the float within 1.01 × t × 2⁻⁵² of t: less than 2⁻³¹ while t is below 2²⁰. A t that is no whole number is
/// 1 ⁄ divisor ≥ 2⁻³¹ or more away from the nearest one, so both are cut to the same. One that is whole may be
/// rounded to just below (49 × (2³¹ ⁄ 49) is), and a larger one to either side: there the floats decide. They are
/// correctly rounded, so every platform jumps alike.
#[inline]
fn next_jump(from: u64, divisor: u64) -> u64 {
    let product = from << 31;
    let (whole, rest) = (product / divisor, product % divisor);
    if rest == 0 || whole >= 1 << 20 {
        // At most 2⁶².
        return (from as f64 * ((1_u64 << 31) as f64 / divisor as f64)) as u64;
    }
    whole
}

/// Keys that jump side by side: the divisions of one key wait for each other, those of several do not.
const WIDTH: usize = 16;

/// The buckets of several keys, of a count in range.
///
/// Bucket numbers are kept in binary64, which holds all of them and their successors exactly. A jump
/// is cut to a whole number as the listing cuts it; one past the count need not be exact, only past it, and
/// each jump from there is to itself and 1 at least, however large (an infinite one stays so).
struct Jumps<'a> {
    hashes: &'a [u64; WIDTH],
    count: u32,
}

impl Lanes for Jumps<'_> {
    type Answer = [u32; WIDTH];

    #[inline(always)]
    fn run(self) -> [u32; WIDTH] {
        let mut keys = *self.hashes;
        let count = f64::from(self.count);
        let (mut buckets, mut next) = ([0.0; WIDTH], [0.0; WIDTH]);
        while least(next) < count {
            for lane in 0..WIDTH {
                // Whoever is past the last bucket jumps on, and never comes back.
                buckets[lane] = if next[lane] < count { next[lane] } else { buckets[lane] };
                keys[lane] = keys[lane].wrapping_mul(2_862_933_555_777_941_757).wrapping_add(1);
                // A number of 31 bits in the lowest bits of 2⁵², as a float; then 2⁵² − 1 is taken away.
                let divisor = f64::from_bits(TWO_52.to_bits() | keys[lane] >> 33) - (TWO_52 - 1.0);
                let jump = (next[lane] + 1.0) * (2_147_483_648.0 / divisor);
                // Rounded to a whole number, and down to the one below where that went up.
                let rounded = (jump + TWO_52) - TWO_52;
                next[lane] = rounded - if rounded > jump { 1.0 } else { 0.0 };
            }
        }
        let mut found = [0; WIDTH];
        for lane in 0..WIDTH {
            // In the lowest bits of 2⁵² again: a cast would look for what no bucket is.
            found[lane] = (buckets[lane] + TWO_52).to_bits() as u32;
        }
        found
    }
}

/// The least of all lanes, by halves.
#[inline(always)]
fn least(mut lanes: [f64; WIDTH]) -> f64 {
    let mut half = WIDTH / 2;
    while half > 0 {
        for lane in 0..half {
            let (a, b) = (lanes[lane], lanes[lane + half]);
            lanes[lane] = if a < b { a } else { b };
        }
        half /= 2;
    }
    lanes[0]
}

const TWO_52: f64 = 4_503_599_627_370_496.0;

/// Jump hash over a list of servers; a weight repeats its server that many times in a row.
///
/// Draining servers own nothing and take no place, so those behind them close up. Immutable; clones
/// share the list.
///
/// ```
/// use clockwise::{Buckets, Jump, Server, hash::Xxh3};
///
/// let list = Buckets::new([Server::new("a")?, Server::new("b")?])?;
/// let before = Jump::new(Xxh3, &list)?;
/// let after = Jump::new(Xxh3, &list.pushed(Server::new("c")?)?)?;
/// for key in ["user:1", "user:2", "user:3"] {
///     let owner = after.owner(key).name();
///     assert!(owner == before.owner(key).name() || owner.as_str() == "c");
/// }
/// # Ok::<(), clockwise::Error>(())
/// ```
#[derive(Clone)]
pub struct Jump<H = Xxh3> {
    hash: H,
    servers: Arc<[Server]>,
    buckets: Arc<[ServerIx]>,
    /// Of lookups of many keys.
    level: Level,
}

impl<H: KeyHash> Jump<H> {
    /// The placement of a list. The total weight is at most 2²⁴, or
    /// [`is_too_large`](Error::is_too_large) is returned.
    pub fn new(hash: H, list: &Buckets) -> Result<Jump<H>, Error> {
        Ok(Jump { hash, servers: list.shared(), buckets: written_out(list)?, level: Level::best() })
    }

    /// The placement of a list whose weights count for nothing: each active server is one bucket.
    /// Systems without weights place so; the servers keep theirs for whoever asks.
    pub fn unweighted(hash: H, list: &Buckets) -> Jump<H> {
        let buckets = list.active().map(|(ix, _)| ix).collect();
        Jump { hash, servers: list.shared(), buckets, level: Level::best() }
    }

    owners_by_hash!();

    /// The owner of a key that the caller has hashed.
    #[inline]
    pub fn owner_of_hash(&self, key_hash: u64) -> ServerIx {
        self.buckets[jumped(key_hash, self.buckets.len() as i64) as usize]
    }

    /// Owners of many hashes at once; `owners` is as long as `hashes`, and a longer one keeps
    /// its tail.
    pub fn owners_of_hashes(&self, hashes: &[u64], owners: &mut [ServerIx]) {
        let count = self.buckets.len() as u32;
        let mut rest = hashes.iter().zip(owners);
        if self.level != Level::PORTABLE {
            for hashes in hashes.as_chunks::<WIDTH>().0 {
                let buckets = self.level.run(Jumps { hashes, count });
                // Zipped in this order, so that no owner is taken and then left.
                for (bucket, (_, owner)) in buckets.into_iter().zip(rest.by_ref()) {
                    *owner = self.buckets[bucket as usize];
                }
            }
        }
        for (&hash, owner) in rest {
            *owner = self.owner_of_hash(hash);
        }
    }

    /// The same placement with loops for other instructions than the [best](Level::best): every
    /// answer stays.
    #[must_use]
    pub fn at_level(self, level: Level) -> Jump<H> {
        Jump { level, ..self }
    }

    /// How many buckets the weights come to.
    pub fn buckets(&self) -> u32 {
        self.buckets.len() as u32
    }

    /// The servers, draining ones included. A [`ServerIx`] is a position in this slice.
    pub fn servers(&self) -> &[Server] {
        &self.servers
    }
}

impl<H: KeyHash> Placement for Jump<H> {
    fn servers(&self) -> &[Server] {
        &self.servers
    }
    fn owner_ix(&self, key: &[u8]) -> ServerIx {
        Jump::owner_ix(self, key)
    }
    owners_of!();
    fn depends_on_order(&self) -> bool {
        true
    }
    fn measured(&self) -> Option<&dyn Measured> {
        Some(self)
    }
}

impl<H: KeyHash> Measured for Jump<H> {
    /// The buckets that each server has, of all buckets: each expects the same part of all keys.
    fn shares(&self) -> Vec<Share> {
        table_shares(self.buckets.iter().copied(), self.servers.len())
    }
}

impl<H> fmt::Debug for Jump<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jump")
            .field("servers", &self.servers.len())
            .field("buckets", &self.buckets.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::hash::{Md5, Xxh3};
    use crate::testing::{Random, list, user_keys};

    /// The listing of the paper's figure 1, statement by statement.
    fn paper(mut key: u64, num_buckets: i32) -> i32 {
        let mut b: i64 = -1;
        let mut j: i64 = 0;
        while j < i64::from(num_buckets) {
            b = j;
            key = key.wrapping_mul(2862933555777941757).wrapping_add(1);
            j = ((b + 1) as f64 * ((1_i64 << 31) as f64 / ((key >> 33) + 1) as f64)) as i64;
        }
        b as i32
    }

    #[test]
    fn agrees_with_published_vectors() {
        for (key, buckets, bucket) in [
            (256, 1024, 520),
            (0xdead_beef, 666, 285),
            (10863919174838991, 11, 6),
            (0, 10, 0),
            (1, 10, 6),
            (u64::MAX, 1000, 313),
            (0, 1, 0),
        ] {
            assert_eq!(jump(key, buckets).unwrap(), bucket, "{key} in {buckets}");
        }
    }

    #[test]
    fn agrees_with_the_papers_listing_and_stays_below_the_count() {
        let mut random = Random(29);
        for _ in 0..200_000 {
            let key = random.next();
            // Counts of every magnitude.
            let buckets = ((random.next() >> 33) as i32 >> (random.next() % 31)).max(1);
            let bucket = jump(key, buckets).unwrap();
            assert_eq!(bucket as i32, paper(key, buckets), "{key} in {buckets}");
            assert!(i64::from(bucket) < i64::from(buckets), "{key} in {buckets}");
        }
    }

    /// Counts of every magnitude, and as many keys as fill a step or do not.
    #[test]
    fn keys_side_by_side_jump_as_one_by_one() {
        let mut random = Random(0x1a9e);
        for round in 0..3_000 {
            let count = (((random.next() >> 33) as u32) >> (random.next() % 31)).max(1);
            let hashes: [u64; WIDTH] = core::array::from_fn(|_| random.next());
            for level in Level::all() {
                let jumps = level.run(Jumps { hashes: &hashes, count });
                let expected = hashes.map(|hash| paper(hash, count as i32) as u32);
                assert_eq!(jumps, expected, "round {round}, {level}, {count} buckets");
            }
        }
        let fleet: std::vec::Vec<_> = (0..40).map(|i| alloc::format!("s{i}")).collect();
        let fleet: std::vec::Vec<_> = fleet.iter().map(|name| (name.as_str(), 2)).collect();
        let place = Jump::new(Xxh3, &list(&fleet)).unwrap();
        let keys = user_keys(200);
        for len in [0, 1, 15, 16, 17, 63, 64, 65, 200] {
            let bytes: std::vec::Vec<&[u8]> =
                keys[..len].iter().map(alloc::string::String::as_bytes).collect();
            for level in Level::all() {
                let place = place.clone().at_level(level);
                let mut owners = vec![ServerIx::new(999); len + 1];
                Placement::owners_of(&place, &bytes, &mut owners);
                let single: std::vec::Vec<_> = keys[..len].iter().map(|key| place.owner_ix(key)).collect();
                assert_eq!(owners[..len], single, "{level}, {len} keys");
                assert_eq!(owners[len], ServerIx::new(999), "the tail stays");
            }
        }
    }

    /// Keys that are made to come, by their second jump, to where the division leaves nothing: to the generator's
    /// state before, and before that, by the inverse of its factor. Whole numbers alone would place some of them
    /// elsewhere.
    #[test]
    fn where_a_division_leaves_nothing_the_papers_floats_decide() {
        let factor = 2_862_933_555_777_941_757_u64;
        let inverse = (0..6).fold(factor, |x, _| x.wrapping_mul(2_u64.wrapping_sub(factor.wrapping_mul(x))));
        let back = |state: u64| state.wrapping_sub(1).wrapping_mul(inverse);
        let mut random = Random(49);
        let (mut whole, mut elsewhere) = (0, 0);
        for round in 0..200_000 {
            let divisor = [1, 3, 49, 103, 107, 161, 187, 197][round % 8] << random.below(21);
            let second = (divisor - 1) << 33 | random.next() >> 31;
            let key = back(back(second));
            let from = 1 + (1_u64 << 31) / ((back(second) >> 33) + 1);
            let exact = u128::from(from) << 31;
            if exact % u128::from(divisor) != 0 {
                continue;
            }
            whole += 1;
            let next = next_jump(from, divisor);
            assert_eq!(
                next,
                (from as f64 * ((1_u64 << 31) as f64 / divisor as f64)) as u64,
                "{from}, {divisor}"
            );
            elsewhere += u32::from(u128::from(next) != exact / u128::from(divisor));
            for buckets in [2, 50, 1_000, 4_000, i32::MAX] {
                assert_eq!(jump(key, buckets).unwrap() as i32, paper(key, buckets), "{key} in {buckets}");
            }
        }
        assert!(whole > 1_000 && elsewhere > 20, "{whole} {elsewhere}");
        // What the whole number would say: 1024 and 1248.
        assert_eq!(jump(5000199272517344705, 2_000).unwrap(), 1_023);
        assert_eq!(jump(18337676249220997445, 2_000).unwrap(), 1_246);
    }

    /// Numerators and divisors of every magnitude, and those around a whole quotient.
    #[test]
    fn a_jump_by_whole_numbers_is_the_one_by_floats() {
        let mut random = Random(0x1f10a7);
        let mut number = || 1 + (random.next() >> 33 >> (random.next() % 31));
        for _ in 0..300_000 {
            let (from, divisor) = (number(), number());
            // Of odd numbers shifted, one from is a multiple, with a quotient of any magnitude.
            let odd = (from % 1_000) | 1;
            let (multiple, shifted) = (odd * (1 + from % 77), odd << (divisor % 22));
            let near = [multiple - 1, multiple, multiple + 1].map(|from| (from.max(1), shifted));
            for (from, divisor) in near.into_iter().chain([(from, divisor)]) {
                let floats = (from as f64 * ((1_u64 << 31) as f64 / divisor as f64)) as u64;
                assert_eq!(next_jump(from, divisor), floats, "{from} by {divisor}");
            }
        }
    }

    #[test]
    fn refuses_counts_that_the_paper_has_no_bucket_for() {
        for wrong in [0_i64, -1, 1 << 31, 1 << 32, i64::MAX, i64::MIN] {
            let error = jump(1, wrong).unwrap_err();
            assert!(error.is_parameter());
            assert!(alloc::format!("{error}").contains(&alloc::format!("bucket count {wrong} ")), "{error}");
        }
        for key in 0..1_000 {
            assert!(jump(key, i32::MAX).unwrap() < 2_147_483_647);
        }
    }

    #[test]
    fn one_more_bucket_moves_keys_only_to_it() {
        let mut random = Random(2014);
        for _ in 0..2_000 {
            let (key, buckets) = (random.next(), (random.next() % 5_000) as i32 + 1);
            let (before, after) = (jump(key, buckets).unwrap(), jump(key, buckets + 1).unwrap());
            assert!(after == before || after == buckets as u32, "{key} in {buckets}");
        }
    }

    #[test]
    fn ten_buckets_to_eleven_as_computed_apart() {
        let (mut counts, mut moved) = (vec![0; 10], 0);
        for key in user_keys(100_000) {
            let hash = Md5.hash(key.as_bytes());
            let (before, after) = (jump(hash, 10).unwrap(), jump(hash, 11).unwrap());
            counts[before as usize] += 1;
            if before != after {
                assert_eq!(after, 10);
                moved += 1;
            }
        }
        assert_eq!(counts, [10092, 9972, 9775, 9882, 9993, 9994, 10017, 10207, 10148, 9920]);
        assert_eq!(moved, 9251);
    }

    #[test]
    fn dropping_a_bucket_from_the_middle_moves_most_keys_and_the_last_its_own() {
        let names: Vec<_> = (0..12).map(|i| alloc::format!("cache-{i:02}")).collect();
        let fleet: Vec<_> = names.iter().map(|name| (name.as_str(), 1)).collect();
        let mut gap = fleet.clone();
        gap.remove(3);
        let moved = |after: &[(&str, u32)]| {
            let (before, after) =
                (Jump::new(Xxh3, &list(&fleet)).unwrap(), Jump::new(Xxh3, &list(after)).unwrap());
            let keys = user_keys(100_000);
            let moved = keys.iter().filter(|key| before.owner(key).name() != after.owner(key).name());
            moved.count() as f64 / 1_000.0
        };
        let (middle, last) = (moved(&gap), moved(&fleet[..11]));
        assert!((middle - 74.2).abs() < 0.5, "{middle}");
        assert!((last - 100.0 / 12.0).abs() < 0.5, "{last}");
    }

    #[test]
    fn a_weight_is_that_many_buckets_in_a_row() {
        let servers = list(&[("a", 2), ("b", 1), ("c", 3)]);
        let place = Jump::new(Xxh3, &servers).unwrap();
        let written = ["a", "a", "b", "c", "c", "c"];
        for key in user_keys(2_000) {
            let bucket = paper(Xxh3.hash(key.as_bytes()), 6) as usize;
            assert_eq!(place.owner(&key).name().as_str(), written[bucket], "{key}");
        }
        let drained = servers.replaced(0, servers.servers()[0].clone().draining()).unwrap();
        assert_eq!(Jump::new(Xxh3, &drained).unwrap().buckets(), 4);
        let shares: Vec<_> = place.shares().iter().map(|s| (s.part(), s.whole())).collect();
        assert_eq!(shares, [(2, 6), (1, 6), (3, 6)]);
    }

    #[test]
    fn unweighted_gives_every_active_server_one_bucket() {
        let servers = list(&[("a", 3), ("b", 1), ("c", 9)]);
        let drained = servers.replaced(1, servers.servers()[1].clone().draining()).unwrap();
        let place = Jump::unweighted(Xxh3, &drained);
        for key in user_keys(500) {
            let bucket = paper(Xxh3.hash(key.as_bytes()), 2);
            assert_eq!(place.owner_ix(&key).index(), [0, 2][bucket as usize], "{key}");
        }
        assert_eq!(place.shares(), [Share::new(1, 2), Share::new(0, 2), Share::new(1, 2)]);
    }

    #[test]
    fn a_total_weight_above_the_limit_is_refused() {
        let error = Jump::new(Xxh3, &list(&[("a", 1), ("b", u32::MAX)])).unwrap_err();
        assert!(error.is_too_large());
        assert_eq!(error.server(), Some("b"));
    }
}
