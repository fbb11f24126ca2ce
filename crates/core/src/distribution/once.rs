//! Uniform, every block once before any repeats: a keyed permutation, without a map.
//!
//! The permutation works on the next power of two: each round multiplies by an odd number, adds a key and folds the high
//! half into the low one, all of which can be undone within that many bits, so the whole is one-to-one. Values outside
//! the region are permuted again until they fall inside ("cycle walking", Black and Rogaway 2002), less than two tries on
//! average. Memory is constant however large the device.

use crate::random::mix64;

const ROUNDS: usize = 3;

/// Block numbers in pseudo-random order, each pass in a new one.
#[derive(Debug, Clone)]
pub struct Once {
    permutation: Permutation,
    seed: u64,
    pass: u64,
    index: u64,
    first: u64,
    step: u64,
}

impl Once {
    /// Over `0..blocks`, `blocks` at least 1.
    pub fn new(blocks: u64, seed: u64) -> Self {
        Self { permutation: Permutation::new(blocks, seed, 0), seed, pass: 0, index: 0, first: 0, step: 1 }
    }

    /// Every `step`-th entry of the same permutation, from entry `first`: the parts of all threads are disjoint and
    /// together hold every block. A thread whose part would be empty shares block numbers with the others.
    pub fn deal(&self, first: u64, step: u64) -> Self {
        let first = first % self.permutation.blocks;
        Self { index: first, first, step, ..self.clone() }
    }

    /// The next block number.
    #[inline(always)]
    pub fn draw(&mut self) -> u64 {
        let block = self.permutation.at(self.index);
        self.index += self.step;
        if self.index >= self.permutation.blocks {
            self.pass += 1;
            self.index = self.first;
            self.permutation = Permutation::new(self.permutation.blocks, self.seed, self.pass);
        }
        block
    }
}

/// A keyed one-to-one map of `0..blocks` onto itself.
#[derive(Debug, Clone)]
struct Permutation {
    blocks: u64,
    mask: u64,
    fold: u32,
    keys: [(u64, u64); ROUNDS],
}

impl Permutation {
    fn new(blocks: u64, seed: u64, pass: u64) -> Self {
        let bits = 64 - (blocks - 1).leading_zeros();
        let mut state = mix64(seed ^ mix64(pass));
        let mut key = || {
            state = mix64(state);
            state
        };
        Self {
            blocks,
            mask: if bits == 64 { u64::MAX } else { (1 << bits) - 1 },
            fold: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| (key() | 1, key())),
        }
    }

    #[inline]
    fn at(&self, index: u64) -> u64 {
        let mut value = index;
        loop {
            for (multiplier, addend) in self.keys {
                value = value.wrapping_mul(multiplier).wrapping_add(addend) & self.mask;
                value ^= value >> self.fold;
            }
            if value < self.blocks {
                return value;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_pass_is_a_permutation(blocks in 1u64..5000, seed: u64) {
            let mut once = Once::new(blocks, seed);
            for _ in 0..3 {
                let mut seen: Vec<u64> = (0..blocks).map(|_| once.draw()).collect();
                seen.sort_unstable();
                prop_assert!(seen.iter().copied().eq(0..blocks));
            }
        }

        #[test]
        fn threads_share_one_pass_without_overlap(blocks in 16u64..2000, threads in 1u64..16, seed: u64) {
            let whole = Once::new(blocks, seed);
            let mut seen = Vec::new();
            for thread in 0..threads {
                let mut part = whole.deal(thread, threads);
                seen.extend((0..(blocks - thread).div_ceil(threads)).map(|_| part.draw()));
            }
            seen.sort_unstable();
            prop_assert!(seen.iter().copied().eq(0..blocks));
        }

        #[test]
        fn numbers_of_a_huge_region_stay_inside_and_differ(blocks in (1u64 << 40)..(1 << 52), seed: u64) {
            let mut once = Once::new(blocks, seed);
            let mut seen: Vec<u64> = (0..1000).map(|_| once.draw()).collect();
            prop_assert!(seen.iter().all(|&b| b < blocks));
            seen.sort_unstable();
            seen.dedup();
            prop_assert_eq!(seen.len(), 1000);
        }
    }

    #[test]
    fn passes_and_seeds_differ() {
        let order = |seed, skip: usize| {
            let mut once = Once::new(1000, seed);
            (0..skip + 1000).map(|_| once.draw()).skip(skip).collect::<Vec<_>>()
        };
        assert_eq!(order(1, 0), order(1, 0));
        assert_ne!(order(1, 0), order(1, 1000));
        assert_ne!(order(1, 0), order(2, 0));
    }

    #[test]
    fn order_has_no_visible_structure() {
        // Distances of neighbours, folded into ten classes: a permutation that keeps runs would pile up in a few.
        let blocks = 100_003u64;
        let mut once = Once::new(blocks, 42);
        let mut last = once.draw();
        let mut counts = [0f64; 10];
        for _ in 1..blocks {
            let block = once.draw();
            counts[((block + blocks - last) % blocks * 10 / blocks) as usize] += 1.0;
            last = block;
        }
        let want = (blocks - 1) as f64 / 10.0;
        let chi_square: f64 = counts.iter().map(|c| (c - want).powi(2) / want).sum();
        assert!(chi_square < 40.0, "{chi_square} {counts:?}");
    }
}
