//! Block sizes: one fixed size, or a weighted mix.

use plimsoll_core::random::Stream;

use crate::spec::SizeWeight;

/// Draws the size of the next operation.
#[derive(Debug, Clone)]
pub struct SizeMix {
    /// Sizes with the upper end of their share of `0…2⁶⁴`, in the order given.
    steps: Vec<(u64, u64)>,
    largest: u64,
}

impl SizeMix {
    /// From sizes in bytes and relative weights; there is at least one size, and the weights add up to more than 0.
    pub fn new(sizes: &[SizeWeight]) -> Self {
        let total: f64 = sizes.iter().map(|s| s.weight).sum();
        let mut sum = 0.0;
        let mut steps: Vec<(u64, u64)> = Vec::with_capacity(sizes.len());
        for entry in sizes {
            sum += entry.weight;
            steps.push((entry.size, (sum / total * 2f64.powi(64)) as u64));
        }
        if let Some(last) = steps.iter().rposition(|_| true) {
            steps[last].1 = u64::MAX;
        }
        Self { largest: sizes.iter().map(|s| s.size).max().unwrap_or(0), steps }
    }

    /// Size of the next operation, in bytes.
    #[inline]
    pub fn draw(&self, stream: &mut Stream) -> u64 {
        if let [(size, _)] = self.steps[..] {
            return size;
        }
        let bits = stream.bits();
        self.steps.iter().find(|(_, end)| bits <= *end).map_or(self.largest, |(size, _)| *size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::random::Purpose;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn shares_follow_the_weights(weights in proptest::collection::vec(0.05f64..10.0, 1..6), seed: u64) {
            let sizes: Vec<SizeWeight> =
                weights.iter().enumerate().map(|(i, &weight)| SizeWeight { size: 512 << i, weight }).collect();
            let mix = SizeMix::new(&sizes);
            let mut stream = Stream::new(seed, 0, Purpose::Size);
            let n = 20_000u32;
            let mut counts = vec![0u32; sizes.len()];
            for _ in 0..n {
                counts[(mix.draw(&mut stream) / 512).trailing_zeros() as usize] += 1;
            }
            let total: f64 = weights.iter().sum();
            for (count, weight) in counts.iter().zip(&weights) {
                let p = weight / total;
                let sigma = (f64::from(n) * p * (1.0 - p)).sqrt();
                prop_assert!((f64::from(*count) - f64::from(n) * p).abs() <= 6.0 * sigma + 1.0);
            }
        }
    }

    #[test]
    fn a_zero_weight_is_never_drawn() {
        let mix = SizeMix::new(&[SizeWeight { size: 512, weight: 0.0 }, SizeWeight { size: 4096, weight: 1.0 }]);
        let mut stream = Stream::new(1, 0, Purpose::Size);
        assert!((0..10_000).all(|_| mix.draw(&mut stream) == 4096));
    }
}
