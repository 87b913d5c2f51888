//! The Mersenne twister MT19937, in 32 bits: the random order that Envoy looks for a free host in.
//!
//! | state | seed | check |
//! |---|---|---|
//! | 624 words | 32 bits, by Knuth's multiplier 1,812,433,253 | number 10,000 under seed 5489 is 4,123,659,995 |
//!
//! Source: Makoto Matsumoto and Takuji Nishimura, "Mersenne Twister", ACM Transactions on Modeling and
//! Computer Simulation 8 (1998); the check value is that of `std::mt19937` in the C++ standard.

const WORDS: usize = 624;
const SHIFT: usize = 397;

pub(super) struct Twister {
    words: [u32; WORDS],
    at: usize,
}

impl Twister {
    pub(super) fn new(seed: u32) -> Twister {
        let mut words = [seed; WORDS];
        for i in 1..WORDS {
            let before = words[i - 1];
            words[i] = (before ^ before >> 30).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Twister { words, at: WORDS }
    }

    pub(super) fn next(&mut self) -> u32 {
        if self.at == WORDS {
            self.twist();
        }
        let mut word = self.words[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    fn twist(&mut self) {
        for i in 0..WORDS {
            let joined = self.words[i] & 0x8000_0000 | self.words[(i + 1) % WORDS] & 0x7fff_ffff;
            let turned = joined >> 1 ^ if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.words[i] = self.words[(i + SHIFT) % WORDS] ^ turned;
        }
        self.at = 0;
    }

    /// A number below `end`, which is at least 1: the word over ⌊2³² ⁄ end⌋, again if that is no less.
    pub(super) fn below(&mut self, end: u32) -> u32 {
        let part = (1_u64 << 32) / u64::from(end);
        loop {
            let number = u64::from(self.next()) / part;
            if number < u64::from(end) {
                return number as u32;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_ten_thousand_is_the_standards() {
        let mut twister = Twister::new(5489);
        let last = (0..10_000).map(|_| twister.next()).last();
        assert_eq!(last, Some(4_123_659_995));
    }
}
