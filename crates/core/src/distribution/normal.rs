//! Around the middle, as fio computes it: the mean of twelve even draws, which is nearly normal, and a jitter.

use super::SCATTER;
use crate::random::Stream;

const DRAWS: u64 = 12;

/// Hot blocks scattered over the region. The scattered middle is at the same place in every run, as with fio.
#[derive(Debug, Clone)]
pub struct Normal {
    blocks: u64,
    /// Width of the jitter, in blocks.
    jitter: u64,
    place: u64,
}

impl Normal {
    /// Over `0..blocks`; `deviation` is the width of the jitter as a share of all blocks, at most half of them. A `centre`,
    /// 0…1, moves all blocks by the distance from the middle.
    pub fn new(blocks: u64, deviation: f64, centre: Option<f64>) -> Self {
        let jitter = ((blocks as f64 * deviation).ceil() as u64).min(blocks / 2);
        let place = (blocks as f64 * (centre.unwrap_or(0.5) - 0.5)) as i64;
        Self { blocks, jitter, place: place.rem_euclid(blocks as i64) as u64 }
    }

    /// The next block number.
    #[inline]
    pub fn draw(&mut self, stream: &mut Stream) -> u64 {
        (self.rank(stream).wrapping_mul(SCATTER) % self.blocks + self.place) % self.blocks
    }

    /// The next block number, with neighbouring ranks side by side.
    pub fn draw_in_order(&mut self, stream: &mut Stream) -> u64 {
        (self.rank(stream) + self.place) % self.blocks
    }

    #[inline]
    fn rank(&self, stream: &mut Stream) -> u64 {
        let sum: u128 = (0..DRAWS).map(|_| u128::from(stream.below(self.blocks + 1))).sum();
        let middle = (sum.div_ceil(u128::from(DRAWS)) as u64).min(self.blocks - 1);
        let mut moved = stream.below(self.jitter.max(1)) as i64 - (self.jitter / 2) as i64;
        loop {
            match middle.checked_add_signed(moved) {
                Some(rank) if rank < self.blocks => return rank,
                // As with fio: half as far, until it is inside.
                _ => moved /= 2,
            }
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
        fn stays_inside(blocks in 1u64..1 << 40, deviation in 0.0f64..1.0, centre in prop::option::of(0.0f64..=1.0)) {
            let mut normal = Normal::new(blocks, deviation, centre);
            let mut stream = Stream::new(1, 0, Purpose::Offset);
            prop_assert!((0..100).all(|_| normal.draw(&mut stream) < blocks));
        }
    }

    #[test]
    fn ranks_have_the_mean_and_the_spread_of_the_formula() {
        for (deviation, jitter) in [(0.0, 0.0), (0.1, 0.1), (0.9, 0.5)] {
            let normal = Normal::new(100_000, deviation, None);
            let mut stream = Stream::new(3, 0, Purpose::Offset);
            let ranks: Vec<f64> = (0..50_000).map(|_| normal.rank(&mut stream) as f64 / 1e5).collect();
            let mean = ranks.iter().sum::<f64>() / 5e4;
            let variance = ranks.iter().map(|rank| (rank - mean).powi(2)).sum::<f64>() / 5e4;
            // Twelve even draws: 1/12 each over 12; the jitter is even as well.
            let want = 1.0 / 144.0 + jitter * jitter / 12.0;
            assert!((mean - 0.5).abs() < 0.005, "{deviation}: {mean}");
            assert!((variance / want - 1.0).abs() < 0.05, "{deviation}: {variance} {want}");
        }
    }

    #[test]
    fn the_centre_moves_all_blocks() {
        let draws = |centre| {
            let mut stream = Stream::new(5, 0, Purpose::Offset);
            let mut normal = Normal::new(1000, 0.1, centre);
            (0..100).map(|_| normal.draw(&mut stream)).collect::<Vec<_>>()
        };
        let plain = draws(None);
        assert_eq!(draws(Some(0.5)), plain);
        assert!(draws(Some(0.3)).iter().zip(&plain).all(|(moved, block)| (moved + 200) % 1000 == *block));
    }
}
