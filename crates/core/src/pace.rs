//! Intended start times of an open loop.
//!
//! Gaps stay fractional: the integer part of the schedule and the fraction below one nanosecond are kept apart, so that a
//! rate of 300,000 per second is 3,333.3 ns apart and not 3,333, over any run length.

use serde::{Deserialize, Serialize};

use crate::random::{Purpose, Stream};

/// An open-loop schedule, over all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    /// Of the unit.
    pub per_second: f64,
    /// What is counted.
    pub unit: RateUnit,
    /// How they are spaced.
    pub arrival: Arrival,
}

/// What a [`Rate`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateUnit {
    /// Operations.
    Operations,
    /// Bytes.
    Bytes,
}

/// Spacing of intended starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrival {
    /// All the same time apart.
    Even,
    /// At random, as from many clients that know nothing of each other.
    Poisson,
}

/// The schedule of one thread.
#[derive(Debug, Clone)]
pub struct Pace {
    /// Mean gap after one operation, or after one byte.
    gap_ns: f64,
    per_byte: bool,
    poisson: bool,
    stream: Stream,
    due_ns: u64,
    fraction_ns: f64,
}

impl Pace {
    /// The share of `rate` that thread `thread` of `threads` issues, starting at `start_ns`. Even schedules of several
    /// threads interleave evenly.
    pub fn new(rate: Rate, start_ns: u64, thread: u32, threads: u32, first_bytes: u64, seed: u64) -> Self {
        let gap_ns = 1e9 * f64::from(threads) / rate.per_second;
        let mut pace = Self {
            gap_ns,
            per_byte: rate.unit == RateUnit::Bytes,
            poisson: rate.arrival == Arrival::Poisson,
            stream: Stream::new(seed, thread, Purpose::Pace),
            due_ns: start_ns,
            fraction_ns: 0.0,
        };
        if pace.poisson {
            pace.advance(first_bytes);
        } else {
            let units = if pace.per_byte { first_bytes as f64 } else { 1.0 };
            pace.add(gap_ns * units * f64::from(thread) / f64::from(threads));
        }
        pace
    }

    /// When the next operation is meant to start.
    #[inline]
    pub fn due_ns(&self) -> u64 {
        self.due_ns
    }

    /// Moves on after an operation of `bytes` bytes.
    #[inline]
    pub fn advance(&mut self, bytes: u64) {
        let mean = if self.per_byte { self.gap_ns * bytes as f64 } else { self.gap_ns };
        let gap = if self.poisson { mean * self.stream.exponential() } else { mean };
        self.add(gap);
    }

    /// All that is still to come starts so much later.
    pub fn shift(&mut self, ns: u64) {
        self.due_ns = self.due_ns.saturating_add(ns);
    }

    #[inline]
    fn add(&mut self, gap_ns: f64) {
        let exact = self.fraction_ns + gap_ns;
        let whole = exact as u64;
        self.due_ns = self.due_ns.saturating_add(whole);
        self.fraction_ns = exact - whole as f64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rate(per_second: f64, arrival: Arrival, unit: RateUnit) -> Rate {
        Rate { per_second, unit, arrival }
    }

    proptest! {
        #[test]
        fn even_pace_never_drifts(per_second in 0.1f64..5e6, n in 1u32..20_000) {
            let mut pace = Pace::new(rate(per_second, Arrival::Even, RateUnit::Operations), 1_000, 0, 1, 4096, 1);
            for _ in 0..n {
                pace.advance(4096);
            }
            let want = 1_000.0 + f64::from(n) * 1e9 / per_second;
            prop_assert!((pace.due_ns() as f64 - want).abs() <= 2.0 + want * 1e-12);
        }

        #[test]
        fn byte_pace_spends_bytes(bytes in 1u64..1_000_000, n in 1u32..1000) {
            let mut pace = Pace::new(rate(1e6, Arrival::Even, RateUnit::Bytes), 0, 0, 1, bytes, 1);
            for _ in 0..n {
                pace.advance(bytes);
            }
            prop_assert!(pace.due_ns().abs_diff(u64::from(n) * bytes * 1000) <= 2);
        }

        #[test]
        fn threads_interleave_evenly(threads in 1u32..9) {
            let all = rate(1000.0, Arrival::Even, RateUnit::Operations);
            let mut dues = Vec::new();
            for thread in 0..threads {
                let mut pace = Pace::new(all, 0, thread, threads, 512, 1);
                for _ in 0..10 {
                    dues.push(pace.due_ns());
                    pace.advance(512);
                }
            }
            dues.sort_unstable();
            for (i, due) in dues.iter().enumerate() {
                prop_assert!(due.abs_diff(i as u64 * 1_000_000) <= 2);
            }
        }
    }

    #[test]
    fn poisson_gaps_have_the_right_mean_and_spread() {
        let mut pace = Pace::new(rate(300_000.0, Arrival::Poisson, RateUnit::Operations), 0, 0, 1, 4096, 3);
        let n = 200_000;
        let mut last = pace.due_ns();
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..n {
            pace.advance(4096);
            let gap = (pace.due_ns() - last) as f64;
            last = pace.due_ns();
            sum += gap;
            squares += gap * gap;
        }
        let mean = sum / f64::from(n);
        let deviation = (squares / f64::from(n) - mean * mean).sqrt();
        assert!((mean / 3333.333 - 1.0).abs() < 0.01, "{mean}");
        assert!((deviation / mean - 1.0).abs() < 0.02, "{deviation}");
    }
}
