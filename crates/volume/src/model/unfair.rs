//! How long an operation waits in an unfair queue, as a multiple of its wait in a fair one.

use std::sync::LazyLock;

use plimsoll_core::random::Stream;

use super::quantiles::{Place, Quantiles};

static TABLE: LazyLock<Quantiles> = LazyLock::new(|| Quantiles::new(quantile));

/// Draws factors: gamma distributed with shape 2 and mean 1, p90/p50 = 2.32 and p99/p50 = 3.96; measured 2.4 and 3.9.
#[derive(Debug)]
pub struct Factors {
    stream: Stream,
    table: &'static Quantiles,
}

impl Factors {
    /// From one stream.
    pub fn new(stream: Stream) -> Self {
        Self { stream, table: &TABLE }
    }

    /// The next one.
    #[inline]
    pub fn draw(&mut self) -> f64 {
        let place = Place::of(self.stream.bits());
        if place.is_outermost() { quantile(place.share()) } else { self.table.at(place) }
    }
}

/// The inverse of 1 − (1 + y)·e^(−y) with y = 2x.
fn quantile(p: f64) -> f64 {
    // One draw in 2^37 would ask for the quantile of 0 or of nearly 1.
    let left = (1.0 - p).clamp(1e-12, 1.0 - 1e-12);
    // y = −ln(left) + ln(1 + y) is a contraction; Newton's steps on its logarithm converge from any side.
    let goal = -left.ln();
    let mut y = goal + (2.0 * goal).sqrt();
    for _ in 0..50 {
        let step = (y - y.ln_1p() - goal) * (1.0 + y) / y;
        y -= step;
        if step.abs() < 1e-13 * y {
            break;
        }
    }
    y / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Draw, stream};

    #[test]
    fn the_inverse_inverts() {
        for x in [1e-5, 0.01, 0.3, 0.839, 1.0, 2.5, 7.0, 12.0] {
            let y: f64 = 2.0 * x;
            let p = -(-y).exp_m1() - y * (-y).exp();
            assert!((quantile(p) / x - 1.0).abs() < 1e-4, "{x}: {}", quantile(p));
        }
        assert!(quantile(0.0) < 1e-5 && quantile(1.0) > 14.0);
    }

    /// Mean 1, variance 1/2, and the shares of a gamma distribution with shape 2.
    #[test]
    fn factors_have_their_distribution() {
        let mut factors = Factors::new(stream(5, Draw::Queue, 0));
        let mut draws: Vec<f64> = (0..400_000).map(|_| factors.draw()).collect();
        let mean = draws.iter().sum::<f64>() / 400_000.0;
        let variance = draws.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 400_000.0;
        assert!((mean - 1.0).abs() < 0.005 && (variance - 0.5).abs() < 0.01, "{mean} {variance}");
        draws.sort_unstable_by(f64::total_cmp);
        for (p, wanted) in [(0.001, 0.022_701), (0.1, 0.265_906), (0.5, 0.839_173), (0.9, 1.944_86), (0.99, 3.319_18)] {
            let got = draws[(p * draws.len() as f64) as usize];
            assert!((got / wanted - 1.0).abs() < if p < 0.01 { 0.1 } else { 0.015 }, "{p}: {got} {wanted}");
        }
    }
}
