//! Keys held in memory, compactly; and seeded ones, for when there is no file.

use std::io::Read;

use clockwise::hash::SplitMix64;
use clockwise::moves::Tally;

use super::{Error, KeyReader, Record};

/// How many seeded keys stand in for a file.
pub const SEEDED_KEYS: u32 = 1_000_000;

/// Keys that are placed at a time: as many as keep a processor's reads of memory busy, and few enough
/// to stay in its nearest cache.
pub const TOGETHER: usize = 64;

/// The key at `index` of the sequence with this seed: `key:` and sixteen hexadecimal digits.
///
/// The digits are output `index` (from 0) of [`SplitMix64`] started at `seed`, lower case, most
/// significant first. Outputs of one seed are all distinct. The sequence never changes, so that a
/// figure from seeded keys can be had again anywhere. The digits are random rather than counted up
/// because some key hashes in use spread consecutive numbers better or worse than real keys.
///
/// ```
/// use clockwise_config::keys::seeded_key;
///
/// assert_eq!(&seeded_key(0, 0), b"key:e220a8397b1dcdaf");
/// ```
pub fn seeded_key(seed: u64, index: u64) -> [u8; 20] {
    let mut digits = SplitMix64::mix(seed.wrapping_add(SplitMix64::STEP.wrapping_mul(index)));
    let mut key = *b"key:0000000000000000";
    for digit in key[4..].iter_mut().rev() {
        *digit = b"0123456789abcdef"[(digits & 15) as usize];
        digits >>= 4;
    }
    key
}

/// Keys in memory, in the order given: one block of bytes, an offset a key, and counts if there are.
///
/// ```
/// use clockwise_config::keys::KeySet;
///
/// let keys = KeySet::from_iter(["user:1", "user:2"]);
/// assert_eq!(keys.iter().map(|record| record.key).collect::<Vec<_>>(), [b"user:1", b"user:2"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeySet {
    text: Vec<u8>,
    ends: Vec<usize>,
    requests: Option<Vec<u64>>,
    bytes: Option<Vec<u64>>,
}

impl KeySet {
    /// No keys yet. What they will be counted by is kept, and nothing else.
    pub fn new(requests: bool, bytes: bool) -> KeySet {
        KeySet { requests: requests.then(Vec::new), bytes: bytes.then(Vec::new), ..KeySet::default() }
    }

    /// Reads all that is left in a reader.
    pub fn read<R: Read>(keys: &mut KeyReader<R>) -> Result<KeySet, Error> {
        let mut set = KeySet::new(keys.has_requests(), keys.has_bytes());
        while let Some(record) = keys.read()? {
            set.push(record);
        }
        Ok(set)
    }

    /// One more key.
    #[inline]
    pub fn push(&mut self, Record { key, tally }: Record<'_>) {
        self.text.extend_from_slice(key);
        self.ends.push(self.text.len());
        if let Some(all) = &mut self.requests {
            all.push(tally.requests);
        }
        if let Some(all) = &mut self.bytes {
            all.push(tally.bytes);
        }
    }

    /// Forgets its keys, and keeps the memory for others.
    pub fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
        for counts in [&mut self.requests, &mut self.bytes].into_iter().flatten() {
            counts.clear();
        }
    }

    /// The first `count` [seeded keys](seeded_key).
    pub fn seeded(count: u32, seed: u64) -> KeySet {
        (0..u64::from(count)).map(|index| seeded_key(seed, index)).collect()
    }

    /// How many keys.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// No keys at all.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Whether every record has its requests.
    pub fn has_requests(&self) -> bool {
        self.requests.is_some()
    }

    /// Whether every record has its bytes.
    pub fn has_bytes(&self) -> bool {
        self.bytes.is_some()
    }

    /// The record at `index`.
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        let end = *self.ends.get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        Some(Record { key: &self.text[start..end], tally: self.tally(index) })
    }

    /// What the file says about the key at `index`.
    #[inline]
    pub fn tally(&self, index: usize) -> Tally {
        let count =
            |all: &Option<Vec<u64>>| all.as_ref().and_then(|all| all.get(index)).map_or(0, |count| *count);
        Tally { keys: 1, requests: count(&self.requests), bytes: count(&self.bytes) }
    }

    /// Gives `each` the keys in order, up to [`TOGETHER`] at a time, as
    /// [`Placement::owners_of`](clockwise::Placement::owners_of) takes them, and the index of the first; until
    /// it fails.
    pub fn together<E>(&self, mut each: impl FnMut(usize, &[&[u8]]) -> Result<(), E>) -> Result<(), E> {
        let mut keys: [&[u8]; TOGETHER] = [&[]; TOGETHER];
        let mut start = 0;
        for (first, ends) in (0..).step_by(TOGETHER).zip(self.ends.chunks(TOGETHER)) {
            for (key, &end) in keys.iter_mut().zip(ends) {
                *key = &self.text[start..end];
                start = end;
            }
            each(first, &keys[..ends.len()])?;
        }
        Ok(())
    }

    /// All records, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Record<'_>> + Clone {
        // Every index below `len` has a record, so nothing is made up here.
        (0..self.len()).map(|index| self.get(index).unwrap_or(Record { key: &[], tally: Tally::KEY }))
    }
}

impl<K: AsRef<[u8]>> FromIterator<K> for KeySet {
    /// Keys without counts.
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> KeySet {
        let mut set = KeySet::default();
        for key in keys {
            set.push(Record { key: key.as_ref(), tally: Tally::KEY });
        }
        set
    }
}
