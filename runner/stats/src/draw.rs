//! Random draws that are the same everywhere.

use rand_pcg::{Pcg64, rand_core::Rng as _};

/// PCG's own default stream.
const STREAM: u128 = 0x0a02_bdbf_7bb3_c0a7_ac28_fa16_a64a_bf96;

/// Numbers from PCG64 (XSL RR 128/64). The generator is part of what a figure means:
/// neither it nor the way from its words to indices may change without a word in the
/// changelog, since every interval would.
pub(crate) struct Draw(Pcg64);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Pcg64::new(u128::from(seed), STREAM))
    }

    pub(crate) fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `count`, which is not 0: the upper half of a product, one word
    /// each. Some numbers are likelier than others by at most `count` in 2^64.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        let product = u128::from(self.word()) * count as u128;
        // Less than `count`, which is a usize.
        usize::try_from(product >> 64).unwrap_or(0)
    }

    /// As many numbers below `count` as that, into `ranks`.
    pub(crate) fn ranks(&mut self, count: usize, ranks: &mut Vec<usize>) {
        ranks.clear();
        ranks.extend((0..count).map(|_| self.below(count)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `numpy.random.PCG64` gives them from the same state.
    #[test]
    fn the_numbers_are_those_of_yesterday() {
        let mut draw = Draw::new(42);
        let numbers = [(); 12].map(|()| draw.below(10));
        assert_eq!(numbers, [4, 5, 5, 2, 6, 9, 2, 8, 2, 6, 1, 0]);
    }

    #[test]
    fn every_number_is_about_equally_likely() {
        let mut counts = [0_u32; 7];
        let mut draw = Draw::new(1);
        for _ in 0..70_000 {
            counts[draw.below(7)] += 1;
        }
        assert!(
            counts.iter().all(|&count| (9_600..10_400).contains(&count)),
            "{counts:?}"
        );
    }
}
