//! Uniform with repetition.

use crate::random::Stream;

/// Every draw is independent.
#[derive(Debug, Clone)]
pub struct Uniform {
    blocks: u64,
}

impl Uniform {
    /// Over `0..blocks`.
    pub fn new(blocks: u64) -> Self {
        Self { blocks }
    }

    /// The next block number.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        stream.below(self.blocks)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn chi_square_of_100_blocks() {
        let mut uniform = Uniform::new(100);
        let mut stream = Stream::new(5, 0, Purpose::Offset);
        let mut counts = [0f64; 100];
        for _ in 0..100_000 {
            counts[uniform.draw(&mut stream) as usize] += 1.0;
        }
        let chi_square: f64 = counts.iter().map(|c| (c - 1000.0).powi(2) / 1000.0).sum();
        // 99 degrees of freedom: the 0.1 % and 99.9 % points.
        assert!((60.0..149.0).contains(&chi_square), "{chi_square}");
    }
}
