//! Merges the batches of all threads into intervals and totals.

use std::collections::{BTreeMap, VecDeque};

use plimsoll_core::outcome::{Interval, IntervalOperations, OperationTotals};

use crate::recorder::{Batch, Count, Series};

/// Intervals that wait for a late thread before they are closed without it.
const MAX_OPEN: usize = 4;

/// Everything measured so far. Memory does not grow with the number of operations, and with time only by one row per
/// interval.
pub struct Collector {
    interval_ns: u64,
    /// For each thread, the first interval that it may still add to.
    next: Vec<u64>,
    open: VecDeque<Batch>,
    spare: Vec<Batch>,
    closed: Vec<Interval>,
    /// Histograms of the closed intervals, when they are kept.
    histograms: Option<Vec<BTreeMap<String, String>>>,
    total: Batch,
}

impl Collector {
    /// For `threads` threads that record `series`; `keep` the histograms of every interval.
    pub fn new(threads: u32, interval_ns: u64, series: &[Series], keep: bool) -> Self {
        Self {
            interval_ns,
            next: vec![0; threads as usize],
            open: VecDeque::new(),
            spare: (0..MAX_OPEN).map(|_| Batch::new(series)).collect(),
            closed: Vec::new(),
            histograms: keep.then(Vec::new),
            total: Batch::new(series),
        }
    }

    /// Adds what thread `thread` counted in interval `index`; it will not add to that or an earlier one again.
    pub fn add(&mut self, thread: u32, index: u64, batch: &Batch) {
        self.total.add(batch);
        self.next[thread as usize] = index + 1;
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
    pub fn finish(&mut self, thread: u32) {
        self.next[thread as usize] = u64::MAX;
        self.close_finished();
    }

    fn close_finished(&mut self) {
        while !self.open.is_empty() && self.next.iter().all(|&next| next > self.closed.len() as u64) {
            self.close();
        }
    }

    fn close(&mut self) {
        let Some(mut batch) = self.open.pop_front() else { return };
        let operations: BTreeMap<_, _> =
            batch.operations().map(|(name, count)| (name.to_owned(), summary(count))).collect();
        self.closed.push(Interval {
            start_ns: self.closed.len() as u64 * self.interval_ns,
            duration_ns: self.interval_ns,
            errors: batch.operations().map(|(_, count)| count.errors).sum(),
            operations,
        });
        if let Some(histograms) = &mut self.histograms {
            histograms.push(encoded(&batch));
        }
        batch.clear();
        self.spare.push(batch);
    }

    /// The last complete interval.
    pub fn last(&self) -> Option<&Interval> {
        self.closed.last()
    }

    /// Operations and bytes so far, without syncs and commits.
    pub fn transferred(&self) -> (u64, u64) {
        self.total
            .operations()
            .filter(|(name, _)| !matches!(*name, "sync" | "commit"))
            .fold((0, 0), |(operations, bytes), (_, count)| (operations + count.operations, bytes + count.bytes))
    }

    /// All intervals, the last one ending at `elapsed_ns`; intervals in which nothing finished are there as zeros.
    pub fn intervals(&mut self, elapsed_ns: u64, last_index: u64) -> Vec<Interval> {
        while !self.open.is_empty() {
            self.close();
        }
        let whole = elapsed_ns.saturating_sub(1) / self.interval_ns;
        let count = (whole.min(last_index) as usize + 1).max(self.closed.len());
        let names: Vec<&str> = self.total.operations().map(|(name, _)| name).collect();
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

    /// Totals by operation kind; kinds that never happened are absent.
    pub fn totals(&self) -> BTreeMap<String, OperationTotals> {
        let happened = self.total.operations().filter(|(_, count)| !count.is_empty());
        happened
            .map(|(name, count)| {
                let totals = OperationTotals {
                    operations: count.operations,
                    bytes: count.bytes,
                    errors: count.errors,
                    latency_sum_ns: count.latency_sum_ns,
                };
                (name.to_owned(), totals)
            })
            .collect()
    }

    /// Encoded histograms by series; series without a value are absent.
    pub fn histograms(&self) -> BTreeMap<String, String> {
        encoded(&self.total)
    }

    /// Histograms of every closed interval, when they are kept.
    pub fn interval_histograms(&mut self) -> Vec<BTreeMap<String, String>> {
        self.histograms.take().unwrap_or_default()
    }

    /// Sum over time of the number of operations in flight.
    pub fn in_flight_ns(&self) -> u64 {
        self.total.in_flight_ns
    }
}

fn encoded(batch: &Batch) -> BTreeMap<String, String> {
    let happened = batch.named().filter(|(_, count)| count.operations > 0);
    happened.map(|(name, count)| (name.to_owned(), count.latencies.encode())).collect()
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

/// What a stalled thread had counted before it stalled: counts and maximum are exact, the quantiles stay those of the
/// other threads.
fn add_late(interval: &mut Interval, batch: &Batch) {
    for (name, count) in batch.operations() {
        interval.errors += count.errors;
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

    fn batch(latencies: &[u64]) -> Batch {
        let mut batch = Batch::new(&[Series::Read]);
        latencies.iter().for_each(|&ns| batch.record(Series::Read, ns, 512));
        batch
    }

    #[test]
    fn threads_merge_per_interval_and_in_total() {
        let mut collector = Collector::new(2, 1000, &[Series::Read], true);
        collector.add(0, 0, &batch(&[10, 20]));
        assert!(collector.last().is_none(), "thread 1 is still out");
        collector.add(1, 0, &batch(&[30]));
        assert_eq!(collector.last().map(|i| i.operations["read"].operations), Some(3));
        collector.add(0, 1, &batch(&[40]));
        collector.finish(0);
        collector.finish(1);
        let intervals = collector.intervals(1900, 9);
        assert_eq!(collector.interval_histograms().len(), 2);
        assert_eq!(intervals.len(), 2);
        assert_eq!((intervals[1].start_ns, intervals[1].duration_ns), (1000, 900));
        assert_eq!(intervals[0].operations["read"].max_ns, 30);
        assert_eq!(collector.totals()["read"].operations, 4);
        assert_eq!(collector.totals()["read"].latency_sum_ns, 100);
        assert_eq!(collector.transferred(), (4, 2048));
    }

    #[test]
    fn a_stalled_thread_cannot_hold_back_the_others_for_ever() {
        let mut collector = Collector::new(2, 1000, &[Series::Read], false);
        for index in 0..20 {
            collector.add(0, index, &batch(&[5]));
        }
        assert!(collector.open.len() <= MAX_OPEN);
        collector.add(1, 0, &batch(&[700, 800]));
        collector.finish(0);
        collector.finish(1);
        let intervals = collector.intervals(20_000, 99);
        assert_eq!(intervals.len(), 20);
        assert_eq!(intervals[0].operations["read"].operations, 3);
        assert_eq!(intervals[0].operations["read"].max_ns, 800);
        assert_eq!(collector.totals()["read"].operations, 22);
    }

    #[test]
    fn silence_is_a_row_of_zeros() {
        let mut collector = Collector::new(1, 1000, &[Series::Read], false);
        collector.add(0, 0, &batch(&[5]));
        collector.add(0, 3, &batch(&[5]));
        collector.finish(0);
        let counts: Vec<u64> = collector.intervals(4000, 9).iter().map(|i| i.operations["read"].operations).collect();
        assert_eq!(counts, [1, 0, 0, 1]);
    }
}
