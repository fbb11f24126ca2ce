//! Lengths of values and scans.

use plimsoll_core::random::Stream;

use super::Zipfian;
use crate::spec::Spread;

/// Lengths in `min..=max`.
#[derive(Debug, Clone)]
pub enum Length {
    Constant(u64),
    Uniform { min: u64, count: u64 },
    Zipfian { min: u64, zipfian: Zipfian },
}

impl Length {
    /// A constant length is the largest.
    pub fn new(spread: Spread, min: u64, max: u64) -> Self {
        let count = max.saturating_sub(min) + 1;
        match spread {
            Spread::Constant => Self::Constant(max),
            Spread::Uniform => Self::Uniform { min, count },
            Spread::Zipfian => Self::Zipfian { min, zipfian: Zipfian::new(count, 0.99) },
        }
    }

    /// The next length.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        match self {
            Self::Constant(length) => *length,
            Self::Uniform { min, count } => min + stream.below(*count),
            Self::Zipfian { min, zipfian } => min + zipfian.at(stream.unit()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::random::Purpose;

    #[test]
    fn lengths_stay_inside() {
        let mut stream = Stream::new(1, 0, Purpose::Size);
        assert_eq!(Length::new(Spread::Constant, 1, 100).draw(&mut stream), 100);
        for spread in [Spread::Uniform, Spread::Zipfian] {
            let length = Length::new(spread, 1, 100);
            let draws: Vec<u64> = (0..10_000).map(|_| length.draw(&mut stream)).collect();
            assert_eq!((draws.iter().min(), draws.iter().max()), (Some(&1), Some(&100)), "{spread:?}");
        }
    }
}
