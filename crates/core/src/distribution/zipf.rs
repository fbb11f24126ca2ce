//! Zipf: the block of rank r is drawn in proportion to r^-θ (Gray et al., SIGMOD 1994, as fio computes it).

use super::scatter;
use crate::random::Stream;

/// Terms of the zeta sum that are added up; beyond it the tail is ignored, as in fio.
const ZETA_TERMS: u64 = 10_000_000;

/// Hot blocks scattered over the region.
#[derive(Debug, Clone)]
pub struct Zipf {
    blocks: u64,
    zeta: f64,
    second: f64,
    alpha: f64,
    eta: f64,
    place: u64,
}

impl Zipf {
    /// Over `0..blocks` with exponent `theta` (above 0, not 1); `place` moves all blocks.
    pub fn new(blocks: u64, theta: f64, place: u64) -> Self {
        let term = |i: u64| (i as f64).powf(-theta);
        let zeta: f64 = (1..=blocks.min(ZETA_TERMS)).map(term).sum();
        let zeta_two = 1.0 + term(2);
        let n = blocks as f64;
        Self {
            blocks,
            zeta,
            second: zeta_two,
            alpha: 1.0 / (1.0 - theta),
            eta: (1.0 - (2.0 / n).powf(1.0 - theta)) / (1.0 - zeta_two / zeta),
            place,
        }
    }

    /// The next block number.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        scatter(self.rank(stream.unit()), self.place, self.blocks)
    }

    /// The next block number, with neighbouring ranks side by side.
    pub fn draw_in_order(&mut self, stream: &mut Stream) -> u64 {
        self.rank(stream.unit()).wrapping_add(self.place) % self.blocks
    }

    #[inline]
    fn rank(&self, u: f64) -> u64 {
        let weight = u * self.zeta;
        if weight < 1.0 {
            0
        } else if weight < self.second {
            1.min(self.blocks - 1)
        } else {
            let rank = self.blocks as f64 * (self.eta * u - self.eta + 1.0).powf(self.alpha);
            (rank as u64).min(self.blocks - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn stays_inside(blocks in 1u64..100_000, theta in prop_oneof![0.1f64..0.95, 1.05f64..2.0], seed: u64) {
            let mut zipf = Zipf::new(blocks, theta, seed);
            let mut stream = Stream::new(seed, 0, Purpose::Offset);
            for _ in 0..100 {
                prop_assert!(zipf.draw(&mut stream) < blocks);
            }
        }
    }

    #[test]
    fn first_ranks_have_their_exact_share() {
        for theta in [0.8, 1.1, 1.3] {
            let zipf = Zipf::new(10_000, theta, 0);
            let mut stream = Stream::new(11, 0, Purpose::Offset);
            let n = 200_000;
            let mut counts = [0f64; 2];
            for _ in 0..n {
                if let Some(count) = counts.get_mut(zipf.rank(stream.unit()) as usize) {
                    *count += 1.0;
                }
            }
            let zeta: f64 = (1..=10_000).map(|i| f64::from(i).powf(-theta)).sum();
            for (rank, count) in counts.iter().enumerate() {
                let p = (rank as f64 + 1.0).powf(-theta) / zeta;
                let sigma = (f64::from(n) * p * (1.0 - p)).sqrt();
                assert!((count - f64::from(n) * p).abs() < 5.0 * sigma, "θ {theta} rank {rank}: {count}");
            }
        }
    }

    #[test]
    fn the_tail_follows_the_power_law() {
        // The generator approximates ranks above 1 by a continuous law; its share of the top 1 % must stay close.
        let zipf = Zipf::new(100_000, 0.9, 0);
        let mut stream = Stream::new(12, 0, Purpose::Offset);
        let n = 100_000;
        let top = (0..n).filter(|_| zipf.rank(stream.unit()) < 1000).count() as f64 / f64::from(n);
        let sum = |k: u32| (1..=k).map(|i| f64::from(i).powf(-0.9)).sum::<f64>();
        assert!((top - sum(1000) / sum(100_000)).abs() < 0.02, "{top}");
    }

    #[test]
    fn hot_blocks_are_scattered() {
        let zipf = Zipf::new(1 << 20, 1.1, 99);
        let hot: Vec<u64> = (0..8).map(|rank| scatter(rank, zipf.place, zipf.blocks)).collect();
        assert!(hot.windows(2).all(|w| w[0].abs_diff(w[1]) > 1000), "{hot:?}");
    }
}
