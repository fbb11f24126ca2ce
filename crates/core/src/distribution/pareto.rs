//! Self-similar ("80/20"): a share `h` of the blocks gets a share `1 - h` of the operations, and so on inside it
//! (Gray et al., SIGMOD 1994, as fio computes it).

use super::scatter;
use crate::random::Stream;

/// Hot blocks scattered over the region.
#[derive(Debug, Clone)]
pub struct Pareto {
    blocks: u64,
    power: f64,
    place: u64,
}

impl Pareto {
    /// Over `0..blocks` with `h` strictly between 0 and 1; `place` moves all blocks.
    pub fn new(blocks: u64, h: f64, place: u64) -> Self {
        Self { blocks, power: h.ln() / (1.0 - h).ln(), place }
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
        ((self.blocks - 1) as f64 * u.powf(self.power)) as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    #[test]
    fn a_share_h_of_the_blocks_gets_the_rest_of_the_operations() {
        for h in [0.1, 0.2, 0.3] {
            let pareto = Pareto::new(100_000, h, 0);
            let mut stream = Stream::new(3, 0, Purpose::Offset);
            let n = 100_000;
            let hot = (0..n).filter(|_| (pareto.rank(stream.unit()) as f64) < h * 100_000.0).count();
            assert!((hot as f64 / f64::from(n) - (1.0 - h)).abs() < 0.01, "h {h}: {hot}");
        }
    }

    #[test]
    fn stays_inside() {
        let mut stream = Stream::new(4, 0, Purpose::Offset);
        for blocks in [1, 2, 3, 1 << 40] {
            let mut pareto = Pareto::new(blocks, 0.2, 77);
            assert!((0..1000).all(|_| pareto.draw(&mut stream) < blocks));
        }
    }
}
