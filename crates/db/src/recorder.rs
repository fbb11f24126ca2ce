//! What one thread counts during one interval. Nothing here allocates, locks or formats.

use plimsoll_core::histogram::Latencies;

use crate::fault::{CAUSES, Cause};

/// The kinds of a workload. First come whole operations, then their parts; in open loop the same again as service times.
#[derive(Debug, Clone, Copy)]
pub struct Kinds {
    /// Names of all kinds.
    pub names: &'static [&'static str],
    /// The first so many are whole operations.
    pub whole: usize,
    /// Bit k: kind k can happen.
    pub used: u32,
    /// Response and service time differ.
    pub open: bool,
}

impl Kinds {
    /// Kind `kind` can happen.
    pub fn has(&self, kind: usize) -> bool {
        self.used >> kind & 1 == 1
    }
}

/// Counts and latencies of one kind.
#[derive(Debug, Clone)]
pub struct Count {
    /// From the intended start in open loop.
    pub latencies: Latencies,
    /// From the real start, open loop only.
    pub service: Option<Latencies>,
    /// Ended well.
    pub operations: u64,
    /// Payload.
    pub bytes: u64,
    /// Exact.
    pub latency_sum_ns: u64,
    /// Came back.
    pub rows: u64,
    /// Asked for a record that is not there.
    pub not_found: u64,
    /// Values checked, and wrong ones.
    pub checked: u64,
    /// Of the checked.
    pub wrong: u64,
    /// By cause.
    pub errors: [u64; CAUSES.len()],
}

/// One operation that ended well.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    /// From the intended start.
    pub response_ns: u64,
    /// From the real start.
    pub service_ns: u64,
    /// Payload.
    pub bytes: u64,
    /// Came back.
    pub rows: u64,
    /// Nothing came back or was changed, and something should.
    pub missed: bool,
}

impl Count {
    fn new(open: bool) -> Self {
        Self {
            latencies: Latencies::new(),
            service: open.then(Latencies::new),
            operations: 0,
            bytes: 0,
            latency_sum_ns: 0,
            rows: 0,
            not_found: 0,
            checked: 0,
            wrong: 0,
            errors: [0; CAUSES.len()],
        }
    }

    fn add(&mut self, other: &Self) {
        self.latencies.add(&other.latencies);
        if let (Some(mine), Some(theirs)) = (&mut self.service, &other.service) {
            mine.add(theirs);
        }
        self.operations += other.operations;
        self.bytes += other.bytes;
        self.latency_sum_ns += other.latency_sum_ns;
        self.rows += other.rows;
        self.not_found += other.not_found;
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.errors.iter_mut().zip(other.errors).for_each(|(mine, theirs)| *mine += theirs);
    }

    fn clear(&mut self) {
        self.latencies.clear();
        if let Some(service) = &mut self.service {
            service.clear();
        }
        (self.operations, self.bytes, self.latency_sum_ns, self.rows) = (0, 0, 0, 0);
        (self.not_found, self.checked, self.wrong) = (0, 0, 0);
        self.errors = [0; CAUSES.len()];
    }

    /// Failed ones.
    pub fn failed(&self) -> u64 {
        self.errors.iter().sum()
    }

    /// Nothing was counted.
    pub fn is_empty(&self) -> bool {
        self.operations == 0 && self.failed() == 0
    }
}

/// All kinds of one thread in one interval.
#[derive(Debug, Clone)]
pub struct Batch {
    kinds: Kinds,
    counts: Vec<Option<Box<Count>>>,
    /// Sum over time of the number of whole operations in progress.
    pub in_flight_ns: u64,
    /// Tried again.
    pub retries: u64,
    /// Connections opened anew.
    pub reconnects: u64,
    /// Attempts to that failed.
    pub failed_reconnects: u64,
}

impl Batch {
    /// Room for all kinds that can happen.
    pub fn new(kinds: Kinds) -> Self {
        let room = |kind| kinds.has(kind).then(|| Box::new(Count::new(kinds.open)));
        let counts = (0..kinds.names.len()).map(room).collect();
        Self { kinds, counts, in_flight_ns: 0, retries: 0, reconnects: 0, failed_reconnects: 0 }
    }

    /// Counts one operation.
    #[inline]
    pub fn record(&mut self, kind: usize, sample: Sample) {
        if let Some(count) = &mut self.counts[kind] {
            count.latencies.record(sample.response_ns);
            if let Some(service) = &mut count.service {
                service.record(sample.service_ns);
            }
            count.operations += 1;
            count.bytes += sample.bytes;
            count.latency_sum_ns += sample.response_ns;
            count.rows += sample.rows;
            count.not_found += u64::from(sample.missed);
        }
    }

    /// Counts checked values.
    pub fn check(&mut self, kind: usize, checked: u64, wrong: u64) {
        if let Some(count) = &mut self.counts[kind] {
            count.checked += checked;
            count.wrong += wrong;
        }
    }

    /// Counts one failed operation.
    pub fn fail(&mut self, kind: usize, cause: Cause) {
        if let Some(count) = &mut self.counts[kind] {
            count.errors[cause as usize] += 1;
        }
    }

    /// Adds another batch with the same kinds.
    pub fn add(&mut self, other: &Self) {
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            if let (Some(mine), Some(theirs)) = (mine, theirs)
                && !theirs.is_empty()
            {
                mine.add(theirs);
            }
        }
        self.in_flight_ns += other.in_flight_ns;
        self.retries += other.retries;
        self.reconnects += other.reconnects;
        self.failed_reconnects += other.failed_reconnects;
    }

    /// Forgets everything, keeps the room.
    pub fn clear(&mut self) {
        self.counts.iter_mut().flatten().filter(|count| !count.is_empty()).for_each(|count| count.clear());
        (self.in_flight_ns, self.retries, self.reconnects, self.failed_reconnects) = (0, 0, 0, 0);
    }

    /// The kinds there is room for, with their names.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        let names = self.kinds.names.iter().copied();
        names.zip(&self.counts).filter_map(|(name, count)| count.as_deref().map(|count| (name, count)))
    }

    /// Whole operations only.
    pub fn whole(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        let names = self.kinds.names[..self.kinds.whole].iter().copied();
        names.zip(&self.counts).filter_map(|(name, count)| count.as_deref().map(|count| (name, count)))
    }

    /// Whole operations that ended well.
    pub fn completed(&self) -> u64 {
        self.whole().map(|(_, count)| count.operations).sum()
    }
}
