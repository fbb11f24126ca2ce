//! What one thread counts during one interval. Nothing here allocates, locks or formats.

use std::collections::BTreeMap;

use plimsoll_core::count::Count;
use plimsoll_core::cpu_time::Used;
use plimsoll_core::outcome::{Moved, Traced};
use plimsoll_core::timeline;

/// A stream of latencies that is reported under a name of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Series {
    /// Reads; in open loop from the intended start.
    Read,
    /// Writes; in open loop from the intended start.
    Write,
    /// Trims; in open loop from the intended start.
    Trim,
    /// One `fsync` or `fdatasync`.
    Sync,
    /// First write of a group to the end of its sync.
    Commit,
    /// Reads from the real start, open loop only.
    ReadService,
    /// Writes from the real start, open loop only.
    WriteService,
    /// Trims from the real start, open loop only.
    TrimService,
    /// Reads until the kernel has them, where that is asked for.
    ReadSubmission,
    /// Writes until the kernel has them.
    WriteSubmission,
    /// Trims until the kernel has them.
    TrimSubmission,
    /// Reads from when the kernel has them.
    ReadCompletion,
    /// Writes from when the kernel has them.
    WriteCompletion,
    /// Trims from when the kernel has them.
    TrimCompletion,
    /// From when an operation of a recorded load was due until it was issued.
    Lateness,
}

/// Name of each [`Series`], in order.
pub const NAMES: [&str; 15] = [
    "read",
    "write",
    "trim",
    "sync",
    "commit",
    "read_service",
    "write_service",
    "trim_service",
    "read_submission",
    "write_submission",
    "trim_submission",
    "read_completion",
    "write_completion",
    "trim_completion",
    "lateness",
];
/// The first so many series are operations; the others are second views of them.
pub const OPERATIONS: usize = 5;
/// The first so many of these move data.
const DATA: usize = 3;

/// One operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Single {
    /// Its kind.
    pub series: Series,
    /// On the clock.
    pub start_ns: u64,
    /// From then on.
    pub latency_ns: u64,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub length: u32,
    /// Until the kernel had it; 0 where that is not measured.
    pub submission_ns: u64,
    /// The kernel's number; 0: that of the thread.
    pub priority: u16,
}

impl Single {
    /// As the outcome has it; the measured part began at `measure_ns`.
    pub fn told(&self, measure_ns: u64) -> Traced {
        let (name, length) = (NAMES[self.series as usize].to_owned(), u64::from(self.length));
        let start_ns = self.start_ns.saturating_sub(measure_ns);
        (name, start_ns, self.latency_ns, self.offset, length, self.submission_ns, self.priority)
    }
}

/// What came back after the warm-up and was submitted before.
#[derive(Debug, Clone, Copy)]
struct Early {
    series: Series,
    latency_ns: u64,
    bytes: u64,
}

/// All series of one thread in one interval.
#[derive(Debug, Clone)]
pub struct Batch {
    counts: [Option<Box<Count>>; NAMES.len()],
    /// Second views of operations by their I/O priority, where single ones have their own.
    priorities: Vec<(String, Count)>,
    /// Sum over time of the number of operations in flight.
    pub in_flight_ns: u64,
    /// What did not count: reads, writes and trims.
    discarded: [Moved; DATA],
    /// Those that intervals show all the same.
    early: Vec<Early>,
    /// How long the slice took, after its end, until everything was back; the longest of what was added.
    pub drain_ns: u64,
    /// What the thread has used since counting began, only in a job that tells what it has measured so far.
    pub used: Used,
    /// Single operations, only in a traced job: the one thing here that grows.
    pub trace: Vec<Single>,
}

impl Batch {
    /// Room for the given series; others must not be recorded.
    pub fn new(series: &[Series]) -> Self {
        let mut counts = [const { None }; NAMES.len()];
        for &one in series {
            counts[one as usize] = Some(Box::default());
        }
        let (priorities, early, trace) = (Vec::new(), Vec::new(), Vec::new());
        let discarded = [Moved::default(); DATA];
        Self { counts, priorities, in_flight_ns: 0, discarded, early, drain_ns: 0, used: Used::default(), trace }
    }

    /// With room for so many operations that are under way when counting begins.
    pub fn holding_early(mut self, depth: u32) -> Self {
        self.early.reserve_exact(depth as usize);
        self
    }

    /// With room for latencies by priority under these names.
    pub fn by_priority(self, names: Vec<String>) -> Self {
        Self { priorities: names.into_iter().map(|name| (name, Count::default())).collect(), ..self }
    }

    /// Counts one operation.
    #[inline]
    pub fn record(&mut self, series: Series, latency_ns: u64, bytes: u64) {
        if let Some(count) = &mut self.counts[series as usize] {
            count.record(latency_ns, bytes);
        }
    }

    /// Counts one operation a second time, under the name with this index in those of [`Batch::by_priority`].
    #[inline]
    pub fn record_priority(&mut self, index: usize, latency_ns: u64) {
        self.priorities[index].1.record(latency_ns, 0);
    }

    /// An operation that does not count: the device has done it all the same.
    pub fn discard(&mut self, series: Series, bytes: u64) {
        if let Some(moved) = self.discarded.get_mut(series as usize) {
            moved.operations += 1;
            moved.bytes += bytes;
        }
    }

    /// An operation that came back after the warm-up, and does not count because it was submitted before.
    pub fn came_early(&mut self, series: Series, latency_ns: u64, bytes: u64) {
        self.discard(series, bytes);
        self.early.push(Early { series, latency_ns, bytes });
    }

    /// The warm-up is over: what did not count until now is not told.
    pub fn forget_discarded(&mut self) {
        self.discarded = [Moved::default(); DATA];
    }

    /// Counts one failed operation.
    pub fn fail(&mut self, series: Series) {
        if let Some(count) = &mut self.counts[series as usize] {
            count.fail();
        }
    }

    /// Operations and bytes so far, without syncs and commits.
    pub fn transferred(&self) -> (u64, u64) {
        let moved = timeline::Batch::shown(self).filter(|(name, _)| !matches!(*name, "sync" | "commit"));
        moved.fold((0, 0), |(operations, bytes), (_, count)| {
            (operations + count.totals.operations, bytes + count.totals.bytes)
        })
    }

    /// The first `series` of those there is room for, with their names.
    fn named(&self, series: usize) -> impl Iterator<Item = (&'static str, &Count)> {
        let named = NAMES.into_iter().zip(&self.counts).take(series);
        named.filter_map(|(name, count)| count.as_deref().map(|count| (name, count)))
    }

    fn named_priorities(&self) -> impl Iterator<Item = (&str, &Count)> {
        self.priorities.iter().map(|(name, count)| (name.as_str(), count))
    }
}

impl timeline::Batch for Batch {
    fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            if let (Some(mine), Some(theirs)) = (mine, theirs)
                && !theirs.is_empty()
            {
                mine.add(theirs);
            }
        }
        for ((_, mine), (_, theirs)) in self.priorities.iter_mut().zip(&other.priorities) {
            mine.add(theirs);
        }
        self.in_flight_ns += other.in_flight_ns;
        self.drain_ns = self.drain_ns.max(other.drain_ns);
        for (mine, theirs) in self.discarded.iter_mut().zip(&other.discarded) {
            mine.operations += theirs.operations;
            mine.bytes += theirs.bytes;
        }
    }

    fn add_early(&mut self, other: &Self) {
        for early in &other.early {
            self.record(early.series, early.latency_ns, early.bytes);
        }
    }

    fn clear(&mut self) {
        self.counts.iter_mut().flatten().filter(|count| !count.is_empty()).for_each(|count| count.clear());
        self.priorities.iter_mut().for_each(|(_, count)| count.clear());
        (self.in_flight_ns, self.drain_ns) = (0, 0);
        self.forget_discarded();
        self.early.clear();
        self.trace.clear();
    }

    fn shown(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        self.named(OPERATIONS)
    }

    fn errors(&self) -> u64 {
        self.shown().map(|(_, count)| count.totals.errors).sum()
    }

    fn histograms(&self) -> BTreeMap<String, String> {
        let named = self.named(NAMES.len()).map(|(name, count)| -> (&str, &Count) { (name, count) });
        let happened = named.chain(self.named_priorities()).filter(|(_, count)| count.totals.operations > 0);
        happened.map(|(name, count)| (name.to_owned(), count.latencies.encode())).collect()
    }

    fn latency_sums_ns(&self) -> BTreeMap<String, u64> {
        let views = self.named(NAMES.len()).filter(|(name, _)| !NAMES[..OPERATIONS].contains(name));
        let views = views.map(|(name, count)| -> (&str, &Count) { (name, count) });
        let happened = views.chain(self.named_priorities()).filter(|(_, count)| count.totals.operations > 0);
        happened.map(|(name, count)| (name.to_owned(), count.totals.latency_sum_ns)).collect()
    }

    fn in_flight_ns(&self) -> u64 {
        self.in_flight_ns
    }

    fn drain_ns(&self) -> u64 {
        self.drain_ns
    }

    fn discarded(&self) -> BTreeMap<String, Moved> {
        let named = NAMES.into_iter().zip(self.discarded).filter(|(_, moved)| moved.operations > 0);
        named.map(|(name, moved)| (name.to_owned(), moved)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::timeline::Batch as _;

    #[test]
    fn service_times_and_syncs_are_no_transfers() {
        let mut batch = Batch::new(&[Series::Read, Series::Sync, Series::ReadService]);
        for series in [Series::Read, Series::Read, Series::Sync, Series::ReadService, Series::Write] {
            batch.record(series, 10, 512);
        }
        batch.fail(Series::Read);
        assert_eq!(batch.transferred(), (2, 1024));
        assert_eq!(batch.shown().map(|(name, _)| name).collect::<Vec<_>>(), ["read", "sync"]);
        assert_eq!(batch.histograms().into_keys().collect::<Vec<_>>(), ["read", "read_service", "sync"]);
        assert_eq!(batch.errors(), 1);
    }
}
