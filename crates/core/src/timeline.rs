//! Merges the batches of all threads into intervals and totals.

use std::collections::{BTreeMap, VecDeque};

use crate::count::Count;
use crate::outcome::{Interval, IntervalOperations, Moved, OperationTotals};
use crate::slices::Slices;

/// Intervals that wait for a late thread before they are closed without it.
const MAX_OPEN: usize = 4;
/// Most intervals of one run unless it asks for more, so that memory does not grow with its time.
const USUAL_INTERVALS: u64 = 3600;
const SECOND_NS: u64 = 1_000_000_000;

/// Length of an interval of a run that does not ask for one: a second, or more where there would be too many.
pub fn interval_ns(runtime_ns: u64) -> u64 {
    runtime_ns.div_ceil(USUAL_INTERVALS * SECOND_NS).max(1) * SECOND_NS
}

/// What one thread counts during one interval, and what all of them did in all.
pub trait Batch {
    /// Adds another batch with the same kinds.
    fn add(&mut self, other: &Self);

    /// Forgets everything, keeps the room.
    fn clear(&mut self);

    /// The kinds that intervals show, with their names.
    fn shown(&self) -> impl Iterator<Item = (&'static str, &Count)>;

    /// Failed operations, each counted once.
    fn errors(&self) -> u64;

    /// Encoded histograms by name, second views of operations among them; those without a value are absent.
    fn histograms(&self) -> BTreeMap<String, String>;

    /// Sums of latencies of second views by name, ns.
    fn latency_sums_ns(&self) -> BTreeMap<String, u64> {
        BTreeMap::new()
    }

    /// Sum over time of the number of operations in flight.
    fn in_flight_ns(&self) -> u64;

    /// How long the slice took, after its end, until all was back; 0 without slices.
    fn drain_ns(&self) -> u64 {
        0
    }

    /// Adds to the rows of an interval what came back in it, and counts nowhere because it was started before the measured
    /// part: without it the first intervals of a slow device would look slower than the others.
    fn add_early(&mut self, _other: &Self) {}

    /// What operations that do not count have moved, by kind: those of the discard of slices, or those that came back in the
    /// measured part and were started before.
    fn discarded(&self) -> BTreeMap<String, Moved> {
        BTreeMap::new()
    }
}

/// Everything measured so far. Memory does not grow with the number of operations, and with time only by one row per
/// interval.
#[derive(Debug)]
pub struct Timeline<B> {
    interval_ns: u64,
    /// The intervals, where they are these.
    slices: Slices,
    /// For each thread, the first interval that it may still add to.
    next: Vec<u64>,
    open: VecDeque<B>,
    spare: Vec<B>,
    closed: Vec<Interval>,
    /// Histograms of the closed intervals, when they are kept.
    histograms: Option<Vec<BTreeMap<String, String>>>,
    total: B,
}

impl<B: Batch> Timeline<B> {
    /// For `threads` threads, each batch made by `room`.
    pub fn new(threads: u32, interval_ns: u64, room: impl Fn() -> B) -> Self {
        Self {
            interval_ns,
            slices: Slices::default(),
            next: vec![0; threads as usize],
            open: VecDeque::new(),
            spare: (0..MAX_OPEN).map(|_| room()).collect(),
            closed: Vec::new(),
            histograms: None,
            total: room(),
        }
    }

    /// With one interval for each of the slices, if there are any, and the histograms of each.
    pub fn in_slices(self, slices: &Slices) -> Self {
        if slices.is_none() { self } else { Self { slices: slices.clone(), ..self.keeping_histograms() } }
    }

    /// Keeps the histograms of every interval.
    pub fn keeping_histograms(self) -> Self {
        Self { histograms: Some(Vec::new()), ..self }
    }

    /// Adds what thread `thread` counted in interval `index`; it will not add to that or an earlier one again.
    pub fn add(&mut self, thread: u32, index: u64, batch: &B) {
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
            Some(open) => {
                self.open[open].add(batch);
                self.open[open].add_early(batch);
            }
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
        let (start_ns, duration_ns) = self.span(self.closed.len());
        self.closed.push(Interval {
            start_ns,
            duration_ns,
            drain_ns: (!self.slices.is_none()).then(|| batch.drain_ns()),
            errors: batch.errors(),
            operations: batch.shown().map(|(name, count)| (name.to_owned(), count.summary())).collect(),
        });
        if let Some(histograms) = &mut self.histograms {
            histograms.push(batch.histograms());
        }
        batch.clear();
        self.spare.push(batch);
    }

    /// Start and length of interval `index`.
    fn span(&self, index: usize) -> (u64, u64) {
        if self.slices.is_none() {
            (index as u64 * self.interval_ns, self.interval_ns)
        } else {
            self.slices.counted(index)
        }
    }

    /// How much of the first `lasted_ns` of the measured part counts: all of it, but for slices.
    pub fn counted_ns(&self, lasted_ns: u64) -> u64 {
        if self.slices.is_none() { lasted_ns } else { self.slices.counted_ns(lasted_ns) }
    }

    /// The last complete interval.
    pub fn last(&self) -> Option<&Interval> {
        self.closed.last()
    }

    /// How long all complete intervals are together.
    pub fn closed_ns(&self) -> u64 {
        self.last().map_or(0, |last| self.counted_ns(last.start_ns + last.duration_ns))
    }

    /// Everything so far.
    pub fn total(&self) -> &B {
        &self.total
    }

    /// All intervals, the last one ending `lasted_ns` after the start, or with its slice; intervals in which nothing
    /// finished are there as zeros.
    pub fn intervals(&mut self, lasted_ns: u64, last_index: u64) -> Vec<Interval> {
        while !self.open.is_empty() {
            self.close();
        }
        let paused = !self.slices.is_none();
        let whole = (lasted_ns.saturating_sub(1) / self.interval_ns).min(last_index) as usize + 1;
        let count = if paused { self.slices.begun(lasted_ns) } else { whole }.max(self.closed.len());
        let names: Vec<&str> = self.total.shown().map(|(name, _)| name).collect();
        let mut intervals = std::mem::take(&mut self.closed);
        while intervals.len() < count {
            let (start_ns, duration_ns) = self.span(intervals.len());
            intervals.push(Interval {
                start_ns,
                duration_ns,
                drain_ns: paused.then_some(0),
                errors: 0,
                operations: names.iter().map(|&name| (name.to_owned(), IntervalOperations::default())).collect(),
            });
            if let Some(histograms) = &mut self.histograms {
                histograms.push(BTreeMap::new());
            }
        }
        if let Some(last) = intervals.last_mut() {
            let rest_ns = lasted_ns.saturating_sub(last.start_ns);
            last.duration_ns = if paused { rest_ns.min(last.duration_ns) } else { rest_ns };
        }
        intervals
    }

    /// Totals by kind; kinds that never happened are absent.
    pub fn totals(&self) -> BTreeMap<String, OperationTotals> {
        let happened = self.total.shown().filter(|(_, count)| !count.is_empty());
        happened.map(|(name, count)| (name.to_owned(), count.totals)).collect()
    }

    /// Histograms of every interval that was closed since the last call, when they are kept.
    pub fn interval_histograms(&mut self) -> Vec<BTreeMap<String, String>> {
        self.histograms.as_mut().map(std::mem::take).unwrap_or_default()
    }
}

/// What a stalled thread had counted before it stalled: counts and maximum are exact, the quantiles stay those of the
/// other threads.
fn add_late(interval: &mut Interval, batch: &impl Batch) {
    interval.errors += batch.errors();
    interval.drain_ns = interval.drain_ns.map(|drain_ns| drain_ns.max(batch.drain_ns()));
    for (name, count) in batch.shown() {
        if let Some(row) = interval.operations.get_mut(name) {
            row.operations += count.totals.operations;
            row.bytes += count.totals.bytes;
            row.max_ns = row.max_ns.max(count.latencies.max_ns());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One kind, which happens at once.
    impl Batch for Count {
        fn add(&mut self, other: &Self) {
            Count::add(self, other);
        }

        fn clear(&mut self) {
            Count::clear(self);
        }

        fn shown(&self) -> impl Iterator<Item = (&'static str, &Count)> {
            std::iter::once(("read", self))
        }

        fn errors(&self) -> u64 {
            self.totals.errors
        }

        fn histograms(&self) -> BTreeMap<String, String> {
            BTreeMap::from([("read".to_owned(), self.latencies.encode())])
        }

        fn in_flight_ns(&self) -> u64 {
            0
        }
    }

    fn batch(latencies: &[u64]) -> Count {
        let mut count = Count::default();
        latencies.iter().for_each(|&ns| count.record(ns, 512));
        count
    }

    #[test]
    fn threads_merge_per_interval_and_in_total() {
        let mut timeline = Timeline::new(2, 1000, Count::default).keeping_histograms();
        timeline.add(0, 0, &batch(&[10, 20]));
        assert!(timeline.last().is_none(), "thread 1 is still out");
        timeline.add(1, 0, &batch(&[30]));
        assert_eq!(timeline.last().map(|i| i.operations["read"].operations), Some(3));
        timeline.add(0, 1, &batch(&[40]));
        timeline.finish(0);
        timeline.finish(1);
        let intervals = timeline.intervals(1900, 9);
        assert_eq!(timeline.interval_histograms().len(), 2);
        assert_eq!(intervals.len(), 2);
        assert_eq!((intervals[1].start_ns, intervals[1].duration_ns), (1000, 900));
        assert_eq!(intervals[0].operations["read"].max_ns, 30);
        assert_eq!(timeline.totals()["read"].operations, 4);
        assert_eq!(timeline.totals()["read"].latency_sum_ns, 100);
        assert_eq!(timeline.total().totals.bytes, 2048);
    }

    #[test]
    fn a_stalled_thread_cannot_hold_back_the_others_for_ever() {
        let mut timeline = Timeline::new(2, 1000, Count::default);
        for index in 0..20 {
            timeline.add(0, index, &batch(&[5]));
        }
        assert!(timeline.open.len() <= MAX_OPEN);
        let mut late = batch(&[700, 800]);
        late.fail();
        timeline.add(1, 0, &late);
        timeline.finish(0);
        timeline.finish(1);
        let intervals = timeline.intervals(20_000, 99);
        assert_eq!(intervals.len(), 20);
        assert_eq!(intervals[0].operations["read"].operations, 3);
        assert_eq!(intervals[0].operations["read"].max_ns, 800);
        assert_eq!((intervals[0].errors, intervals[1].errors), (1, 0));
        assert_eq!(timeline.totals()["read"].operations, 22);
    }

    #[test]
    fn intervals_are_bounded_whatever_the_run_time() {
        for hours in [1, 24, 24 * 365] {
            let runtime_ns = hours * 3600 * SECOND_NS;
            assert!(runtime_ns.div_ceil(interval_ns(runtime_ns)) <= USUAL_INTERVALS);
        }
        assert_eq!([3, 10].map(|seconds| interval_ns(seconds * SECOND_NS)), [SECOND_NS; 2]);
        assert_eq!(interval_ns(3601 * SECOND_NS), 2 * SECOND_NS);
    }

    #[test]
    fn silence_is_a_row_of_zeros() {
        let mut timeline = Timeline::new(1, 1000, Count::default);
        timeline.add(0, 0, &batch(&[5]));
        timeline.add(0, 3, &batch(&[5]));
        timeline.finish(0);
        let counts: Vec<u64> = timeline.intervals(4000, 9).iter().map(|i| i.operations["read"].operations).collect();
        assert_eq!(counts, [1, 0, 0, 1]);
    }

    #[test]
    fn with_slices_each_is_a_row_of_what_counts_and_elapsed_is_their_sum() {
        let slices = Slices::new(&[(100, 40), (200, 20), (300, 30), (400, 50)], 10, 0);
        let mut timeline = Timeline::new(2, 1, Count::default).in_slices(&slices);
        timeline.add(0, 0, &batch(&[5, 6]));
        timeline.add(1, 0, &batch(&[7]));
        assert_eq!((timeline.closed_ns(), timeline.last().unwrap().drain_ns), (30, Some(0)));
        // One thread missed the second slice, both the third; the job was stopped in the last one.
        timeline.add(0, 1, &batch(&[8]));
        timeline.add(1, 3, &batch(&[9]));
        timeline.finish(0);
        timeline.finish(1);
        let rows: Vec<_> = timeline.intervals(435, 3);
        let spans: Vec<_> = rows.iter().map(|row| (row.start_ns, row.duration_ns)).collect();
        assert_eq!(spans, [(110, 30), (210, 10), (310, 20), (410, 25)]);
        let counts: Vec<_> = rows.iter().map(|row| row.operations["read"].operations).collect();
        assert_eq!(counts, [3, 1, 0, 1]);
        assert_eq!((timeline.counted_ns(435), timeline.interval_histograms().len()), (85, 4));
    }
}
