//! Counts and latencies of one kind of operation.

use crate::histogram::Latencies;
use crate::outcome::{IntervalOperations, OperationTotals};

/// What one thread, or all of them, counted of one kind.
#[derive(Debug, Clone, Default)]
pub struct Count {
    /// Distribution, in nanoseconds.
    pub latencies: Latencies,
    /// Operations, bytes and errors, counted exactly; sums of latencies in nanoseconds.
    pub totals: OperationTotals,
}

impl Count {
    /// Counts one operation that ended well. Never allocates.
    #[inline]
    pub fn record(&mut self, latency_ns: u64, bytes: u64) {
        self.latencies.record(latency_ns);
        self.totals.operations += 1;
        self.totals.bytes += bytes;
        self.totals.latency_sum_ns += latency_ns;
    }

    /// Counts one failed operation.
    pub fn fail(&mut self) {
        self.totals.errors += 1;
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        self.totals.operations += other.totals.operations;
        self.totals.bytes += other.totals.bytes;
        self.totals.errors += other.totals.errors;
        self.totals.latency_sum_ns += other.totals.latency_sum_ns;
    }

    /// Forgets everything, keeps the room.
    pub fn clear(&mut self) {
        self.latencies.clear();
        self.totals = OperationTotals::default();
    }

    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.totals.operations == 0 && self.totals.errors == 0
    }

    /// As a row of an interval.
    pub fn summary(&self) -> IntervalOperations {
        IntervalOperations {
            operations: self.totals.operations,
            bytes: self.totals.bytes,
            p50_ns: self.latencies.quantile_ns(0.5),
            p99_ns: self.latencies.quantile_ns(0.99),
            max_ns: self.latencies.max_ns(),
        }
    }
}
