//! What a mutation is: one to three changes such as editors, copiers and adversaries make.

use crate::{Campaign, Random};

/// Numbers at the ends of ranges, and what only looks like a number.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "1",
    "65535",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e400",
    "-0",
    "0.5",
    "nan",
    "inf",
    "0x10",
    "",
    "00",
    "1_0",
    "99999999999999999999999999",
];

impl Campaign<'_> {
    /// A file of the corpus, changed.
    pub(crate) fn mutation(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = random.pick(&self.corpus).clone();
        for _ in 0..=random.below(3) {
            bytes = self.changed(random, bytes);
        }
        bytes
    }

    fn changed(&self, random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
        let at = random.below(bytes.len());
        match random.below(10) {
            0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
            1 if !bytes.is_empty() => bytes[at] = random.next() as u8,
            2 => bytes.truncate(at),
            3 => {
                bytes.splice(at..at, random.pick(self.words).bytes());
            }
            4 => {
                let other = random.pick(&self.corpus);
                let from = random.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            5 => bytes = with_a_number_changed(random, &bytes),
            kind => bytes = self.with_lines_changed(random, &bytes, kind),
        }
        bytes
    }

    fn with_lines_changed(&self, random: &mut Random, bytes: &[u8], kind: usize) -> Vec<u8> {
        let mut lines: Vec<&[u8]> = bytes.split(|&byte| byte == b'\n').collect();
        let line = random.below(lines.len());
        match kind {
            6 => lines.insert(line, lines[line]),
            7 => drop(lines.remove(line)),
            8 => {
                let other = random.below(lines.len());
                lines.swap(line, other);
            }
            _ => {
                let theirs: Vec<&[u8]> = random.pick(&self.corpus).split(|&byte| byte == b'\n').collect();
                lines.insert(line, random.pick::<&[u8]>(&theirs));
            }
        }
        lines.join(&b'\n')
    }
}

/// One of the numbers in the text becomes an extreme one.
fn with_a_number_changed(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let starts: Vec<usize> = (0..bytes.len())
        .filter(|&at| bytes[at].is_ascii_digit() && (at == 0 || !bytes[at - 1].is_ascii_digit()))
        .collect();
    if starts.is_empty() {
        return bytes.to_vec();
    }
    let start = *random.pick(&starts);
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    [&bytes[..start], random.pick(NUMBERS).as_bytes(), &bytes[start + length..]].concat()
}
