//! Seeded random streams: one per thread and purpose, so that a change in how one is used leaves the others as they were.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// What a stream is drawn for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Random offsets.
    Offset = 1,
    /// Read or write.
    Kind,
    /// Block sizes of a mix.
    Size,
    /// Gaps of an open loop.
    Pace,
    /// Bytes of written buffers.
    Content,
    /// Random or following offset.
    Follow,
    /// Which of several files; 7 was of something that is no longer drawn.
    File = 8,
}

/// One step of the SplitMix64 finaliser (Steele, Lea, Flood 2014): a bijection that mixes every bit.
pub fn mix64(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A reproducible random stream.
#[derive(Debug, Clone)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of one thread and purpose under the job's seed.
    pub fn new(seed: u64, thread: u32, purpose: Purpose) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(mix64(mix64(mix64(seed) ^ u64::from(thread)) ^ purpose as u64)))
    }

    /// 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Uniform in `0..n`. Multiply-shift without rejection: off by at most n/2⁶⁴, below 10⁻⁸ for any device.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(n)) >> 64) as u64
    }

    /// Uniform in `[0, 1)`, 53 bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// True with probability `p`.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }

    /// Exponential with mean 1.
    #[inline]
    pub fn exponential(&mut self) -> f64 {
        -(1.0 - self.unit()).ln()
    }

    /// Random bytes.
    pub fn fill(&mut self, bytes: &mut [u8]) {
        self.0.fill_bytes(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ() {
        let draw = |seed, thread, purpose| Stream::new(seed, thread, purpose).bits();
        assert_eq!(draw(1, 0, Purpose::Offset), draw(1, 0, Purpose::Offset));
        assert_ne!(draw(1, 0, Purpose::Offset), draw(2, 0, Purpose::Offset));
        assert_ne!(draw(1, 0, Purpose::Offset), draw(1, 1, Purpose::Offset));
        assert_ne!(draw(1, 0, Purpose::Offset), draw(1, 0, Purpose::Kind));
    }

    #[test]
    fn exponential_has_mean_and_variance_one() {
        let mut stream = Stream::new(7, 0, Purpose::Pace);
        let n = 200_000;
        let draws: Vec<f64> = (0..n).map(|_| stream.exponential()).collect();
        let mean = draws.iter().sum::<f64>() / f64::from(n);
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / f64::from(n);
        assert!((mean - 1.0).abs() < 0.01, "{mean}");
        assert!((variance - 1.0).abs() < 0.03, "{variance}");
    }
}
