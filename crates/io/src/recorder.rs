//! What one thread counts during one interval. Nothing here allocates, locks or formats.

use plimsoll_core::histogram::Latencies;

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
}

/// Name of each [`Series`], in order.
pub const NAMES: [&str; 8] =
    ["read", "write", "trim", "sync", "commit", "read_service", "write_service", "trim_service"];
/// The first so many series are operations; the others are second views of them.
pub const OPERATIONS: usize = 5;

/// One operation: series, start on the clock, latency.
pub type Single = (Series, u64, u64);

/// Counts and latencies of one series.
#[derive(Debug, Clone)]
pub struct Count {
    /// Distribution, in nanoseconds.
    pub latencies: Latencies,
    /// Finished well.
    pub operations: u64,
    /// Transferred.
    pub bytes: u64,
    /// Failed or short.
    pub errors: u64,
    /// Exact.
    pub latency_sum_ns: u64,
}

impl Count {
    fn new() -> Self {
        Self { latencies: Latencies::new(), operations: 0, bytes: 0, errors: 0, latency_sum_ns: 0 }
    }

    /// Adds another count.
    pub fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.errors += other.errors;
        self.latency_sum_ns += other.latency_sum_ns;
    }

    fn clear(&mut self) {
        self.latencies.clear();
        (self.operations, self.bytes, self.errors, self.latency_sum_ns) = (0, 0, 0, 0);
    }

    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.operations == 0 && self.errors == 0
    }
}

/// All series of one thread in one interval.
#[derive(Debug, Clone)]
pub struct Batch {
    counts: [Option<Box<Count>>; NAMES.len()],
    /// Sum over time of the number of operations in flight.
    pub in_flight_ns: u64,
    /// Single operations, only in a traced job: the one thing here that grows.
    pub trace: Vec<Single>,
}

impl Batch {
    /// Room for the given series; others must not be recorded.
    pub fn new(series: &[Series]) -> Self {
        let mut counts = [const { None }; NAMES.len()];
        for &one in series {
            counts[one as usize] = Some(Box::new(Count::new()));
        }
        Self { counts, in_flight_ns: 0, trace: Vec::new() }
    }

    /// Counts one operation.
    #[inline]
    pub fn record(&mut self, series: Series, latency_ns: u64, bytes: u64) {
        if let Some(count) = &mut self.counts[series as usize] {
            count.latencies.record(latency_ns);
            count.operations += 1;
            count.bytes += bytes;
            count.latency_sum_ns += latency_ns;
        }
    }

    /// Counts one failed operation.
    pub fn fail(&mut self, series: Series) {
        if let Some(count) = &mut self.counts[series as usize] {
            count.errors += 1;
        }
    }

    /// Adds another batch with the same series.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            if let (Some(mine), Some(theirs)) = (mine, theirs)
                && !theirs.is_empty()
            {
                mine.add(theirs);
            }
        }
        self.in_flight_ns += other.in_flight_ns;
    }

    /// Forgets everything, keeps the room.
    pub fn clear(&mut self) {
        self.counts.iter_mut().flatten().filter(|count| !count.is_empty()).for_each(|count| count.clear());
        self.in_flight_ns = 0;
        self.trace.clear();
    }

    /// The series there is room for, with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        NAMES.into_iter().zip(&self.counts).filter_map(|(name, count)| count.as_deref().map(|count| (name, count)))
    }

    /// Like [`Batch::named`] without the second views.
    pub fn operations(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        self.counts[..OPERATIONS]
            .iter()
            .zip(NAMES)
            .filter_map(|(count, name)| count.as_deref().map(|count| (name, count)))
    }
}
