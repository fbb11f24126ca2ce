//! Counting: workers keep samples in a fixed buffer and hand it over when it is full or an interval ends.
//!
//! A histogram per worker and kind would need 128 clients × 15 kinds × 220 KB; one histogram per kind, fed in batches of
//! 4096, needs a few MB and costs each operation some ten nanoseconds.

use std::collections::{BTreeMap, VecDeque};

use plimsoll_core::count::Count;
use plimsoll_core::outcome::{Interval, IntervalOperations, OperationTotals};

macro_rules! kinds {
    ($($kind:ident = $name:literal),+ $(,)?) => {
        /// What an operation does.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[repr(u32)]
        pub enum OpKind { $($kind),+ }

        /// Name of each [`OpKind`], in order.
        pub const NAMES: &[&str] = &[$($name),+];
    };
}

kinds!(
    Create = "create",
    Open = "open",
    Read = "read",
    Write = "write",
    Append = "append",
    Close = "close",
    Delete = "delete",
    Stat = "stat",
    FileStat = "file_stat",
    SystemStat = "system_stat",
    SetTimes = "set_times",
    List = "list",
    Fsync = "fsync",
    Sync = "sync",
    Rename = "rename",
    Mkdir = "mkdir",
    Rmdir = "rmdir",
    DeleteTree = "delete_tree",
    Lock = "lock",
    Unlock = "unlock",
    Seek = "seek",
    Submit = "submit",
    Commit = "commit",
    Compress = "compress",
);

impl OpKind {
    /// As in results and messages.
    pub fn name(self) -> &'static str {
        NAMES[self as usize]
    }
}

/// One finished operation.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// Time it took.
    pub latency_ns: u64,
    /// Transferred.
    pub bytes: u32,
    /// What it was.
    pub kind: OpKind,
}

/// Counts of all kinds; those that never happened take no room.
#[derive(Debug, Default)]
pub struct Counts([Option<Box<Count>>; NAMES.len()]);

impl Counts {
    fn record(&mut self, sample: Sample) {
        self.of(sample.kind as usize).record(sample.latency_ns, u64::from(sample.bytes));
    }

    fn of(&mut self, kind: usize) -> &mut Count {
        self.0[kind].get_or_insert_default()
    }

    /// Adds other counts.
    pub fn add(&mut self, other: &Self) {
        for (kind, theirs) in other.0.iter().enumerate().filter_map(|(kind, count)| Some((kind, count.as_deref()?))) {
            if !theirs.is_empty() {
                self.of(kind).add(theirs);
            }
        }
    }

    fn clear(&mut self) {
        self.0.iter_mut().flatten().filter(|count| !count.is_empty()).for_each(|count| count.clear());
    }

    fn happened(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        let named = NAMES.iter().copied().zip(&self.0);
        named.filter_map(|(name, count)| Some((name, count.as_deref().filter(|count| !count.is_empty())?)))
    }

    /// Totals by name.
    pub fn totals(&self) -> BTreeMap<String, OperationTotals> {
        self.happened().map(|(name, count)| (name.to_owned(), count.totals)).collect()
    }

    /// Encoded histograms by name.
    pub fn histograms(&self) -> BTreeMap<String, String> {
        self.happened().map(|(name, count)| (name.to_owned(), count.latencies.encode())).collect()
    }

    fn summary(&self) -> BTreeMap<String, IntervalOperations> {
        self.happened().map(|(name, count)| (name.to_owned(), count.summary())).collect()
    }
}

/// Intervals that wait for a late worker before they are closed without it.
const MAX_OPEN: usize = 2;

/// Everything counted so far. A phase is the sum of its intervals, the job that of its phases.
#[derive(Debug)]
pub struct Collector {
    interval_ns: u64,
    /// Start of the running phase since the start of the measured part.
    phase_start_ns: u64,
    /// Number of the first open interval within the phase.
    first: u64,
    open: VecDeque<Counts>,
    spare: Vec<Counts>,
    phase: Counts,
    total: Counts,
    intervals: Vec<Interval>,
    /// Intervals of phases that have ended.
    finished: usize,
    calls: u64,
    bytes: u64,
}

impl Collector {
    /// Nothing counted yet.
    pub fn new(interval_ns: u64) -> Self {
        Self {
            interval_ns,
            phase_start_ns: 0,
            first: 0,
            open: VecDeque::new(),
            spare: (0..MAX_OPEN).map(|_| Counts::default()).collect(),
            phase: Counts::default(),
            total: Counts::default(),
            intervals: Vec::new(),
            finished: 0,
            calls: 0,
            bytes: 0,
        }
    }

    /// A phase begins at `start_ns` since the start of the measured part. One that has not ended is forgotten.
    pub fn begin(&mut self, start_ns: u64) {
        while let Some(mut counts) = self.open.pop_front() {
            counts.clear();
            self.spare.push(counts);
        }
        self.intervals.truncate(self.finished);
        (self.phase_start_ns, self.first, self.calls, self.bytes) = (start_ns, 0, 0, 0);
        self.phase.clear();
    }

    /// Adds samples of interval `index` of the running phase. True: an interval before it is complete now.
    pub fn add(&mut self, index: u64, samples: &[Sample]) -> bool {
        let complete = self.intervals.len();
        self.calls += samples.len() as u64;
        self.bytes += samples.iter().map(|sample| u64::from(sample.bytes)).sum::<u64>();
        while self.first + (self.open.len() as u64) <= index {
            if self.open.len() == MAX_OPEN {
                self.close(self.interval_ns);
            }
            if let Some(room) = self.spare.pop() {
                self.open.push_back(room);
            }
        }
        // A worker that hung longer than two intervals is counted in the oldest open one.
        let counts = &mut self.open[index.saturating_sub(self.first) as usize];
        samples.iter().for_each(|&sample| counts.record(sample));
        self.intervals.len() > complete
    }

    fn close(&mut self, duration_ns: u64) {
        let Some(mut counts) = self.open.pop_front() else { return };
        let start_ns = self.phase_start_ns + self.first * self.interval_ns;
        self.intervals.push(Interval {
            start_ns,
            duration_ns,
            drain_ns: None,
            errors: 0,
            operations: counts.summary(),
        });
        self.phase.add(&counts);
        counts.clear();
        self.spare.push(counts);
        self.first += 1;
    }

    /// The phase ends `length_ns` after its start.
    pub fn end(&mut self, length_ns: u64) -> &Counts {
        let last = length_ns.saturating_sub(1) / self.interval_ns;
        self.add(last.max(self.first), &[]);
        while !self.open.is_empty() {
            let rest = length_ns.saturating_sub(self.first * self.interval_ns);
            self.close(self.interval_ns.min(rest));
        }
        self.total.add(&self.phase);
        self.finished = self.intervals.len();
        &self.phase
    }

    /// Calls and bytes of the running phase.
    pub fn done(&self) -> (u64, u64) {
        (self.calls, self.bytes)
    }

    /// The last complete interval.
    pub fn last(&self) -> Option<&Interval> {
        self.intervals.last()
    }

    /// All intervals and totals, of finished phases and of one that was ended early with [`Collector::end`].
    pub fn sum(&mut self) -> (Vec<Interval>, &Counts) {
        (std::mem::take(&mut self.intervals), &self.total)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(count: usize, latency_ns: u64) -> Vec<Sample> {
        vec![Sample { latency_ns, bytes: 10, kind: OpKind::Write }; count]
    }

    #[test]
    fn phases_are_the_sum_of_their_intervals() {
        let mut collector = Collector::new(1000);
        collector.begin(0);
        collector.add(0, &samples(3, 50));
        collector.add(1, &samples(2, 70));
        collector.add(0, &samples(1, 90));
        assert_eq!(collector.done(), (6, 60));
        assert_eq!(collector.end(1500).totals()["write"].operations, 6);
        collector.begin(2000);
        collector.add(4, &samples(1, 5));
        collector.add(0, &samples(1, 5));
        assert_eq!(collector.end(4100).totals()["write"].bytes, 20);
        let (intervals, total) = collector.sum();
        let shape: Vec<_> = intervals.iter().map(|i| (i.start_ns, i.duration_ns)).collect();
        let second = [(2000, 1000), (3000, 1000), (4000, 1000), (5000, 1000), (6000, 100)];
        assert_eq!(shape, [&[(0, 1000), (1000, 500)], &second[..]].concat());
        assert_eq!(intervals[0].operations["write"].operations, 4);
        assert_eq!(total.totals()["write"].operations, 8);
    }

    #[test]
    fn an_empty_phase_is_one_empty_interval() {
        let mut collector = Collector::new(1000);
        collector.begin(0);
        assert!(collector.end(10).totals().is_empty());
        assert_eq!(collector.sum().0.len(), 1);
    }
}
