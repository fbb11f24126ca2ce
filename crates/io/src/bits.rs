//! One bit per block of a region.

/// All of them off at first.
#[derive(Debug)]
pub struct Bits(Vec<u64>);

impl Bits {
    /// For so many blocks.
    pub fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    /// Whether one is on.
    #[inline]
    pub fn has(&self, index: usize) -> bool {
        self.0[index / 64] & (1 << (index % 64)) != 0
    }

    /// Switches one.
    #[inline]
    pub fn set(&mut self, index: usize, on: bool) {
        let (word, bit) = (&mut self.0[index / 64], 1 << (index % 64));
        *word = if on { *word | bit } else { *word & !bit };
    }

    /// The first one that is on, from `index`.
    pub fn next(&self, index: usize) -> Option<usize> {
        let first = self.0.get(index / 64)? & (u64::MAX << (index % 64));
        if first != 0 {
            return Some(index / 64 * 64 + first.trailing_zeros() as usize);
        }
        let rest = index / 64 + 1;
        let found = self.0[rest..].iter().position(|&word| word != 0)?;
        Some((rest + found) * 64 + self.0[rest + found].trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_next_one_is_that_of_a_sorted_set(places: Vec<u8>, from: u8) {
            let mut bits = Bits::new(256);
            places.iter().for_each(|&place| bits.set(usize::from(place), true));
            let wanted = places.iter().copied().filter(|&place| place >= from).min();
            prop_assert_eq!(bits.next(usize::from(from)), wanted.map(usize::from));
            bits.set(usize::from(from), false);
            prop_assert!(!bits.has(usize::from(from)));
        }
    }
}
