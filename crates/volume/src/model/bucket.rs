//! The token bucket that every limit is made of.
//!
//! Kept as a meter (generic cell rate algorithm): the state is one time, when the bucket would be full again. A second
//! bucket with the baseline as its rate and the credits as its depth is what burst credits are, so credits need no law
//! of their own: `d(credits)/dt = baseline - use`, clamped to `0..=capacity`.

use std::sync::atomic::{AtomicU64, Ordering};

use super::instance::Cells;

/// Times inside a bucket are in 1/16 ns, so that rates up to 250,000 per second round to less than one part in 50,000
/// and 36 years fit.
const FRACTION_BITS: u32 = 4;

/// A bucket of tokens (operations or bytes) that fills at a constant rate.
#[derive(Debug)]
pub struct Bucket {
    /// When it would be full again, in ticks; in the past when it is full.
    full_at: Cell,
    ticks_per_token: f64,
    depth_ticks: u64,
}

#[derive(Debug)]
enum Cell {
    Own(u64),
    Shared(Cells, usize),
}

impl Bucket {
    /// A full bucket. `rate` per second and `depth` tokens are positive.
    pub fn new(rate: f64, depth: f64) -> Self {
        let ticks_per_token = 1e9 * f64::from(1u32 << FRACTION_BITS) / rate;
        Self { full_at: Cell::Own(0), ticks_per_token, depth_ticks: (ticks_per_token * depth).round() as u64 }
    }

    /// The same with its state in cell `index` of a shared table. A cell that is zero is a full bucket.
    pub fn shared(rate: f64, depth: f64, cells: Cells, index: usize) -> Self {
        Self { full_at: Cell::Shared(cells, index), ..Self::new(rate, depth) }
    }

    /// Takes `tokens` for an operation that arrives at `now_ns`; returns when it may start, at or after `now_ns`.
    ///
    /// More tokens than the bucket holds are let through when it is full, and leave a debt. So within any time `t` at
    /// most `rate * t + max(depth, tokens)` pass.
    #[inline]
    pub fn take(&mut self, tokens: u64, now_ns: u64) -> u64 {
        let now = now_ns << FRACTION_BITS;
        let cost = (tokens as f64 * self.ticks_per_token + 0.5) as u64;
        let before = match &mut self.full_at {
            Cell::Own(full_at) => {
                let before = *full_at;
                *full_at = before.max(now) + cost;
                before
            }
            Cell::Shared(cells, index) => advance(&cells.table()[*index], now, cost),
        };
        // Room left in the bucket if this operation waits until `start`: depth - (before - start) >= cost.
        let start = (before + cost.min(self.depth_ticks)).saturating_sub(self.depth_ticks);
        start.max(now).div_ceil(1 << FRACTION_BITS)
    }

    /// Tokens that could be taken at `now_ns` without waiting; never more than the depth.
    pub fn tokens(&self, now_ns: u64) -> f64 {
        let debt = self.full_at().saturating_sub(now_ns << FRACTION_BITS);
        self.depth_ticks.saturating_sub(debt) as f64 / self.ticks_per_token
    }

    /// Sets what the bucket holds at `now_ns`, at most its depth.
    pub fn set_tokens(&mut self, tokens: f64, now_ns: u64) {
        let held = ((tokens.max(0.0) * self.ticks_per_token) as u64).min(self.depth_ticks);
        let full_at = (now_ns << FRACTION_BITS) + (self.depth_ticks - held);
        match &mut self.full_at {
            Cell::Own(own) => *own = full_at,
            Cell::Shared(cells, index) => cells.table()[*index].store(full_at, Ordering::Relaxed),
        }
    }

    /// Sets what it holds at its start; of a shared bucket only if nobody has taken from it or set it yet.
    pub fn start_with(&mut self, tokens: f64, now_ns: u64) {
        if self.full_at() == 0 && tokens < self.capacity() {
            self.set_tokens(tokens, now_ns);
        }
    }

    /// Most tokens it can hold.
    pub fn capacity(&self) -> f64 {
        self.depth_ticks as f64 / self.ticks_per_token
    }

    fn full_at(&self) -> u64 {
        match &self.full_at {
            Cell::Own(full_at) => *full_at,
            Cell::Shared(cells, index) => cells.table()[*index].load(Ordering::Relaxed),
        }
    }
}

/// The state before, after adding `cost` to it in one step: other processes use the cell at the same time.
fn advance(cell: &AtomicU64, now: u64, cost: u64) -> u64 {
    let mut before = cell.load(Ordering::Relaxed);
    loop {
        let after = before.max(now) + cost;
        match cell.compare_exchange_weak(before, after, Ordering::Relaxed, Ordering::Relaxed) {
            Ok(_) => return before,
            Err(other) => before = other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const SECOND: u64 = 1_000_000_000;

    proptest! {
        #[test]
        fn never_more_than_rate_times_time_plus_depth(rate in 1u64..300_000, depth_s in 0.01f64..10.0,
                steps in proptest::collection::vec((0u64..50_000_000, 1u64..20), 1..300)) {
            let depth = (rate as f64 * depth_s).max(1.0);
            let mut bucket = Bucket::new(rate as f64, depth);
            let mut now = SECOND;
            let mut passed: Vec<(u64, f64)> = Vec::new();
            for (gap, tokens) in steps {
                now += gap;
                let start = bucket.take(tokens, now);
                prop_assert!(start >= now);
                prop_assert!(passed.last().is_none_or(|&(last, _)| last <= start), "first come, first served");
                passed.push((start, tokens as f64));
                prop_assert!(bucket.tokens(now) <= depth * (1.0 + 1e-9));
            }
            for first in 0..passed.len() {
                let mut sum = 0.0;
                let mut largest: f64 = 0.0;
                for &(start, tokens) in &passed[first..] {
                    sum += tokens;
                    largest = largest.max(tokens);
                    let window_s = (start - passed[first].0) as f64 / 1e9;
                    let allowed = rate as f64 * window_s + depth.max(largest);
                    // Starts are whole nanoseconds: rounding is worth at most two of them.
                    prop_assert!(sum <= allowed * (1.0 + 1e-4) + rate as f64 * 2e-9 + 1e-3, "{sum} > {allowed}");
                }
            }
        }

        #[test]
        fn tokens_are_conserved(rate in 1u64..100_000, gaps in proptest::collection::vec(0u64..2_000_000_000, 1..100)) {
            // A deep bucket is neither full nor empty here: what it holds is what came in minus what went out.
            let depth = 1e9;
            let mut bucket = Bucket::new(rate as f64, depth);
            bucket.set_tokens(5e8, SECOND);
            let mut now = SECOND;
            let mut taken = 0.0;
            for gap in gaps {
                now += gap;
                prop_assert_eq!(bucket.take(3, now), now);
                taken += 3.0;
            }
            let expected = 5e8 + rate as f64 * (now - SECOND) as f64 / 1e9 - taken;
            prop_assert!((bucket.tokens(now) - expected).abs() < 1.0, "{} {expected}", bucket.tokens(now));
        }
    }

    #[test]
    fn one_second_of_depth_then_the_rate() {
        let mut bucket = Bucket::new(4000.0, 4000.0);
        let last = (0..44_000).map(|_| bucket.take(1, 5 * SECOND)).last().unwrap();
        assert_eq!(last, 15 * SECOND);
    }

    #[test]
    fn a_shared_bucket_is_the_same_bucket_from_two_sides() {
        let cells = Cells::memory();
        let mut left = Bucket::shared(100.0, 100.0, cells.clone(), 0);
        let mut right = Bucket::shared(100.0, 100.0, cells, 0);
        let last = (0..150).map(|i| if i % 2 == 0 { left.take(1, SECOND) } else { right.take(1, SECOND) }).last();
        assert_eq!(last, Some(SECOND + SECOND / 2));
        assert_eq!(left.tokens(SECOND), 0.0);
    }
}
