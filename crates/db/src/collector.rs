//! Merges the batches of all threads into intervals and totals.

use std::collections::{BTreeMap, VecDeque};

use plimsoll_core::outcome::{Interval, IntervalOperations, OperationTotals, Verified};

use crate::fault::CAUSES;
use crate::outcome::DbOutcome;
use crate::recorder::{Batch, Count, Kinds};

/// Intervals that wait for a late thread before they are closed without it.
const MAX_OPEN: usize = 4;

/// Everything measured so far. Memory does not grow with the number of operations, and with time only by one row per
/// interval.
pub struct Collector {
    interval_ns: u64,
    kinds: Kinds,
    /// For each thread, the first interval that it may still add to.
    next: Vec<u64>,
    open: VecDeque<Batch>,
    spare: Vec<Batch>,
    closed: Vec<Interval>,
    total: Batch,
}

impl Collector {
    /// For `threads` threads.
    pub fn new(threads: usize, interval_ns: u64, kinds: Kinds) -> Self {
        Self {
            interval_ns,
            kinds,
            next: vec![0; threads],
            open: VecDeque::new(),
            spare: (0..MAX_OPEN).map(|_| Batch::new(kinds)).collect(),
            closed: Vec::new(),
            total: Batch::new(kinds),
        }
    }

    /// Adds what thread `thread` counted in interval `index`; it will not add to that or an earlier one again.
    pub fn add(&mut self, thread: usize, index: u64, batch: &Batch) {
        self.total.add(batch);
        self.next[thread] = index + 1;
        let index = index as usize;
        while self.closed.len() + self.open.len() <= index {
            if self.open.len() == MAX_OPEN {
                self.close();
            }
            if let Some(room) = self.spare.pop() {
                self.open.push_back(room);
            }
        }
        match index.checked_sub(self.closed.len()) {
            Some(open) => self.open[open].add(batch),
            None => add_late(&mut self.closed[index], batch),
        }
        self.close_finished();
    }

    /// Thread `thread` has ended.
    pub fn finish(&mut self, thread: usize) {
        self.next[thread] = u64::MAX;
        self.close_finished();
    }

    fn close_finished(&mut self) {
        while !self.open.is_empty() && self.next.iter().all(|&next| next > self.closed.len() as u64) {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(mut batch) = self.open.pop_front() else { return };
        self.closed.push(Interval {
            start_ns: self.closed.len() as u64 * self.interval_ns,
            duration_ns: self.interval_ns,
            errors: batch.whole().map(|(_, count)| count.failed()).sum(),
            operations: batch.named().map(|(name, count)| (name.to_owned(), summary(count))).collect(),
        });
        batch.clear();
        self.spare.push(batch);
    }

    /// The last complete interval.
    pub fn last(&self) -> Option<&Interval> {
        self.closed.last()
    }

    /// Everything so far.
    pub fn total(&self) -> &Batch {
        &self.total
    }

    /// Puts counts, latencies and intervals into the outcome of a job that measured for `elapsed_ns`.
    pub fn sum_up(&mut self, outcome: &mut DbOutcome, elapsed_ns: u64, last_index: u64) {
        let intervals = if elapsed_ns > 0 { self.intervals(elapsed_ns, last_index) } else { Vec::new() };
        let total = &self.total;
        let happened = || total.named().filter(|(_, count)| !count.is_empty());
        let common = &mut outcome.common;
        common.intervals = intervals;
        common.operations = happened().map(|(name, count)| (name.to_owned(), totals(count))).collect();
        common.histograms = histograms(total);
        common.mean_in_flight = total.in_flight_ns as f64 / elapsed_ns.max(1) as f64;
        let checked = total.named().map(|(_, count)| count.checked).sum();
        if checked > 0 {
            let bad_blocks = total.named().map(|(_, count)| count.wrong).sum();
            common.verified = Some(Verified { blocks: checked, bad_blocks, first_bad_offset: None });
        }
        let some = |pick: fn(&Count) -> u64| {
            happened().map(|(name, count)| (name.to_owned(), pick(count))).filter(|(_, n)| *n > 0).collect()
        };
        outcome.not_found = some(|count| count.not_found);
        outcome.rows = some(|count| count.rows);
        outcome.errors = happened()
            .filter(|(_, count)| count.failed() > 0)
            .map(|(name, count)| (name.to_owned(), errors(count)))
            .collect();
        outcome.whole = self.kinds.names[..self.kinds.whole]
            .iter()
            .enumerate()
            .filter(|(kind, _)| self.kinds.has(*kind))
            .map(|(_, name)| (*name).to_owned())
            .collect();
        outcome.completed = total.completed();
        (outcome.retries, outcome.reconnects) = (total.retries, total.reconnects);
        outcome.failed_reconnects = total.failed_reconnects;
    }

    /// All intervals, the last one ending at `elapsed_ns`; intervals in which nothing finished are there as zeros.
    fn intervals(&mut self, elapsed_ns: u64, last_index: u64) -> Vec<Interval> {
        while !self.open.is_empty() {
            self.close();
        }
        let whole = elapsed_ns.saturating_sub(1) / self.interval_ns;
        let count = (whole.min(last_index) as usize + 1).max(self.closed.len());
        let names: Vec<&str> = self.total.named().map(|(name, _)| name).collect();
        let mut intervals = std::mem::take(&mut self.closed);
        while intervals.len() < count {
            intervals.push(Interval {
                start_ns: intervals.len() as u64 * self.interval_ns,
                duration_ns: self.interval_ns,
                errors: 0,
                operations: names.iter().map(|&name| (name.to_owned(), IntervalOperations::default())).collect(),
            });
        }
        if let Some(last) = intervals.last_mut() {
            last.duration_ns = elapsed_ns.saturating_sub(last.start_ns);
        }
        intervals
    }
}

fn summary(count: &Count) -> IntervalOperations {
    IntervalOperations {
        operations: count.operations,
        bytes: count.bytes,
        p50_ns: count.latencies.quantile_ns(0.5),
        p99_ns: count.latencies.quantile_ns(0.99),
        max_ns: count.latencies.max_ns(),
    }
}

fn totals(count: &Count) -> OperationTotals {
    OperationTotals {
        operations: count.operations,
        bytes: count.bytes,
        errors: count.failed(),
        latency_sum_ns: count.latency_sum_ns,
    }
}

fn errors(count: &Count) -> BTreeMap<String, u64> {
    CAUSES.iter().zip(count.errors).filter(|(_, n)| *n > 0).map(|(name, n)| ((*name).to_owned(), n)).collect()
}

fn histograms(total: &Batch) -> BTreeMap<String, String> {
    let mut encoded = BTreeMap::new();
    for (name, count) in total.named().filter(|(_, count)| count.operations > 0) {
        encoded.insert(name.to_owned(), count.latencies.encode());
        if let Some(service) = &count.service {
            encoded.insert(format!("{name}_service"), service.encode());
        }
    }
    encoded
}

/// What a stalled thread had counted before it stalled: counts and maximum are exact, the quantiles stay those of the
/// other threads.
fn add_late(interval: &mut Interval, batch: &Batch) {
    interval.errors += batch.whole().map(|(_, count)| count.failed()).sum::<u64>();
    for (name, count) in batch.named() {
        if let Some(row) = interval.operations.get_mut(name) {
            row.operations += count.operations;
            row.bytes += count.bytes;
            row.max_ns = row.max_ns.max(count.latencies.max_ns());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recorder::Sample;

    const KINDS: Kinds = Kinds { names: &["transaction", "begin"], whole: 1, used: 0b11, open: false };

    fn batch(latencies: &[u64]) -> Batch {
        let mut batch = Batch::new(KINDS);
        for &ns in latencies {
            let sample = Sample { response_ns: ns, service_ns: ns, bytes: 5, rows: 1, missed: false };
            batch.record(0, sample);
            batch.record(1, sample);
        }
        batch
    }

    #[test]
    fn threads_merge_per_interval_and_in_total() {
        let mut collector = Collector::new(2, 1000, KINDS);
        collector.add(0, 0, &batch(&[10, 20]));
        assert!(collector.last().is_none(), "thread 1 is still out");
        collector.add(1, 0, &batch(&[30]));
        assert_eq!(collector.last().map(|i| i.operations["transaction"].operations), Some(3));
        collector.add(0, 1, &batch(&[40]));
        collector.finish(0);
        collector.finish(1);
        assert_eq!(collector.total().completed(), 4, "statements are no operations");
        let intervals = collector.intervals(1900, 9);
        assert_eq!(intervals.len(), 2);
        assert_eq!((intervals[1].start_ns, intervals[1].duration_ns), (1000, 900));
        assert_eq!(intervals[0].operations["begin"].max_ns, 30);
    }

    #[test]
    fn a_stalled_thread_cannot_hold_back_the_others_for_ever() {
        let mut collector = Collector::new(2, 1000, KINDS);
        for index in 0..20 {
            collector.add(0, index, &batch(&[5]));
        }
        assert!(collector.open.len() <= MAX_OPEN);
        collector.add(1, 0, &batch(&[700, 800]));
        collector.finish(0);
        collector.finish(1);
        let intervals = collector.intervals(20_000, 99);
        assert_eq!(intervals.len(), 20);
        assert_eq!(intervals[0].operations["transaction"].operations, 3);
        assert_eq!(intervals[0].operations["transaction"].max_ns, 800);
    }

    #[test]
    fn silence_is_a_row_of_zeros() {
        let mut collector = Collector::new(1, 1000, KINDS);
        collector.add(0, 0, &batch(&[5]));
        collector.add(0, 3, &batch(&[5]));
        collector.finish(0);
        let counts: Vec<u64> =
            collector.intervals(4000, 9).iter().map(|i| i.operations["transaction"].operations).collect();
        assert_eq!(counts, [1, 0, 0, 1]);
    }
}
