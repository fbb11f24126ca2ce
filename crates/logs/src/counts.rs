//! Exact counts of latencies in the buckets of an HdrHistogram with 3 digits up to an hour.

/// Anything longer counts as one hour.
pub const LONGEST_NS: u64 = 3_600_000_000_000;

const EXACT: u64 = 2048;
const HALF_BITS: u32 = 10;

/// Counts of values; grows with the largest value, never with their number, to at most 270 kB.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts(Vec<u64>);

impl Counts {
    /// Counts one value.
    #[inline]
    pub fn record(&mut self, value: u64) {
        let index = index_of(value.min(LONGEST_NS));
        match self.0.get_mut(index) {
            Some(count) => *count += 1,
            None => self.grow(index),
        }
    }

    #[cold]
    fn grow(&mut self, index: usize) {
        self.0.resize((index + 1).next_power_of_two(), 0);
        self.0[index] = 1;
    }

    /// The lowest value of each bucket that holds something, and how many it holds.
    pub fn pairs(&self) -> Vec<(u64, u64)> {
        let filled = self.0.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(index, &count)| (low_of(index), count)).collect()
    }
}

/// Values below 2,048 have a bucket each; above, each power of two has 1,024.
#[inline]
fn index_of(value: u64) -> usize {
    if value < EXACT {
        return value as usize;
    }
    let shift = value.ilog2() - HALF_BITS;
    ((u64::from(shift) << HALF_BITS) + (value >> shift)) as usize
}

fn low_of(index: usize) -> u64 {
    let index = index as u64;
    if index < EXACT {
        return index;
    }
    let shift = (index >> HALF_BITS) - 1;
    (index - (shift << HALF_BITS)) << shift
}

#[cfg(test)]
mod tests {
    use super::*;
    use hdrhistogram::Histogram;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn buckets_are_those_of_the_library(values in proptest::collection::vec(0u64..u64::MAX, 0..50), shift in 0u32..60) {
            let (mut own, mut library) = (Counts::default(), Histogram::<u64>::new_with_bounds(1, LONGEST_NS, 3).unwrap());
            let mut again = library.clone();
            for value in values {
                own.record(value >> shift);
                library.record((value >> shift).min(LONGEST_NS)).unwrap();
            }
            for (low, count) in own.pairs() {
                prop_assert_eq!(library.lowest_equivalent(low), low);
                again.record_n(low, count).unwrap();
            }
            prop_assert_eq!(again, library);
        }
    }
}
