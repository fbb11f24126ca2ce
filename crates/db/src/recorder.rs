//! What one thread counts during one interval. Nothing here allocates, locks or formats.

use std::collections::BTreeMap;

use plimsoll_core::count;
use plimsoll_core::histogram::Latencies;
use plimsoll_core::outcome::{Moved, Verified};
use plimsoll_core::timeline;

use crate::fault::{CAUSES, Cause};
use crate::outcome::DbOutcome;

/// The kinds of a workload. First come whole operations, then their parts; in open loop the same again as service times.
#[derive(Debug, Clone, Copy)]
pub struct OpKinds {
    /// Names of all kinds.
    pub names: &'static [&'static str],
    /// The first so many are whole operations.
    pub whole: usize,
    /// Bit k: kind k can happen.
    pub used: u32,
    /// Response and service time differ.
    pub open: bool,
}

impl OpKinds {
    /// Kind `kind` can happen.
    pub fn has(&self, kind: usize) -> bool {
        self.used >> kind & 1 == 1
    }
}

/// Counts and latencies of one kind.
#[derive(Debug, Clone)]
pub struct Count {
    /// From the intended start in open loop.
    pub common: count::Count,
    /// From the real start, open loop only.
    pub service: Option<Latencies>,
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
    /// What came back after the warm-up, and does not count because it was meant to start before.
    early: Moved,
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
            common: count::Count::default(),
            service: open.then(Latencies::new),
            rows: 0,
            not_found: 0,
            checked: 0,
            wrong: 0,
            errors: [0; CAUSES.len()],
            early: Moved::default(),
        }
    }

    fn is_empty(&self) -> bool {
        self.common.is_empty() && self.early.operations == 0
    }

    fn add(&mut self, other: &Self) {
        self.common.add(&other.common);
        if let (Some(mine), Some(theirs)) = (&mut self.service, &other.service) {
            mine.add(theirs);
        }
        self.rows += other.rows;
        self.not_found += other.not_found;
        self.checked += other.checked;
        self.wrong += other.wrong;
        self.errors.iter_mut().zip(other.errors).for_each(|(mine, theirs)| *mine += theirs);
        self.early.operations += other.early.operations;
        self.early.bytes += other.early.bytes;
    }

    fn clear(&mut self) {
        self.common.clear();
        if let Some(service) = &mut self.service {
            service.clear();
        }
        (self.rows, self.not_found, self.checked, self.wrong) = (0, 0, 0, 0);
        self.errors = [0; CAUSES.len()];
        self.early = Moved::default();
    }
}

/// All kinds of one thread in one interval.
#[derive(Debug, Clone)]
pub struct Batch {
    kinds: OpKinds,
    counts: Vec<Option<Box<Count>>>,
    /// Sum over time of the number of whole operations in progress.
    pub in_flight_ns: u64,
    /// How long the slice took, after its end, until everything was back; the longest of what was added.
    pub drain_ns: u64,
    /// Tried again.
    pub retries: u64,
    /// Connections opened anew.
    pub reconnects: u64,
    /// Attempts to that failed.
    pub failed_reconnects: u64,
    /// What does not count, and intervals show all the same: kind, latency in ns, bytes.
    early: Vec<(usize, u64, u64)>,
}

impl Batch {
    /// Room for all kinds that can happen.
    pub fn new(kinds: OpKinds) -> Self {
        let room = |kind| kinds.has(kind).then(|| Box::new(Count::new(kinds.open)));
        let counts = (0..kinds.names.len()).map(room).collect();
        let early = Vec::new();
        Self { kinds, counts, in_flight_ns: 0, drain_ns: 0, retries: 0, reconnects: 0, failed_reconnects: 0, early }
    }

    /// Counts one operation.
    #[inline]
    pub fn record(&mut self, kind: usize, sample: Sample) {
        if let Some(count) = &mut self.counts[kind] {
            count.common.record(sample.response_ns, sample.bytes);
            if let Some(service) = &mut count.service {
                service.record(sample.service_ns);
            }
            count.rows += sample.rows;
            count.not_found += u64::from(sample.missed);
        }
    }

    /// An operation, or a part of one, that came back after the warm-up, and does not count because it was meant to start
    /// before. Of those there are only a few.
    pub fn came_early(&mut self, kind: usize, response_ns: u64, bytes: u64) {
        if let Some(count) = &mut self.counts[kind] {
            count.early.operations += 1;
            count.early.bytes += bytes;
            self.early.push((kind, response_ns, bytes));
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
            count.common.fail();
            count.errors[cause as usize] += 1;
        }
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
        self.whole().map(|(_, count)| count.common.totals.operations).sum()
    }

    /// The kinds that happened, with their names.
    fn happened(&self) -> impl Iterator<Item = (&'static str, &Count)> {
        self.named().filter(|(_, count)| !count.common.is_empty())
    }

    /// What only databases count, into an outcome.
    pub fn sum_up(&self, outcome: &mut DbOutcome) {
        let checked = self.named().map(|(_, count)| count.checked).sum();
        if checked > 0 {
            let bad_blocks = self.named().map(|(_, count)| count.wrong).sum();
            outcome.common.verified = Some(Verified { blocks: checked, bad_blocks, first_bad_offset: None });
        }
        let some = |pick: fn(&Count) -> u64| {
            self.happened().map(|(name, count)| (name.to_owned(), pick(count))).filter(|(_, n)| *n > 0).collect()
        };
        outcome.not_found = some(|count| count.not_found);
        outcome.rows = some(|count| count.rows);
        let failed = self.happened().filter(|(_, count)| count.common.totals.errors > 0);
        outcome.errors = failed.map(|(name, count)| (name.to_owned(), by_cause(count))).collect();
        outcome.whole = self.whole().map(|(name, _)| name.to_owned()).collect();
        outcome.completed = self.completed();
        (outcome.retries, outcome.reconnects) = (self.retries, self.reconnects);
        outcome.failed_reconnects = self.failed_reconnects;
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
        self.in_flight_ns += other.in_flight_ns;
        self.drain_ns = self.drain_ns.max(other.drain_ns);
        self.retries += other.retries;
        self.reconnects += other.reconnects;
        self.failed_reconnects += other.failed_reconnects;
    }

    fn add_early(&mut self, other: &Self) {
        for &(kind, response_ns, bytes) in &other.early {
            if let Some(count) = &mut self.counts[kind] {
                count.common.record(response_ns, bytes);
            }
        }
    }

    fn clear(&mut self) {
        self.counts.iter_mut().flatten().filter(|count| !count.is_empty()).for_each(|count| count.clear());
        self.early.clear();
        (self.in_flight_ns, self.drain_ns) = (0, 0);
        (self.retries, self.reconnects, self.failed_reconnects) = (0, 0, 0);
    }

    fn shown(&self) -> impl Iterator<Item = (&'static str, &count::Count)> {
        self.named().map(|(name, count)| (name, &count.common))
    }

    fn errors(&self) -> u64 {
        self.whole().map(|(_, count)| count.common.totals.errors).sum()
    }

    fn histograms(&self) -> BTreeMap<String, String> {
        let mut encoded = BTreeMap::new();
        for (name, count) in self.named().filter(|(_, count)| count.common.totals.operations > 0) {
            encoded.insert(name.to_owned(), count.common.latencies.encode());
            if let Some(service) = &count.service {
                encoded.insert(format!("{name}_service"), service.encode());
            }
        }
        encoded
    }

    fn in_flight_ns(&self) -> u64 {
        self.in_flight_ns
    }

    fn drain_ns(&self) -> u64 {
        self.drain_ns
    }

    fn discarded(&self) -> BTreeMap<String, Moved> {
        let some = self.named().filter(|(_, count)| count.early.operations > 0);
        some.map(|(name, count)| (name.to_owned(), count.early)).collect()
    }
}

fn by_cause(count: &Count) -> BTreeMap<String, u64> {
    CAUSES.iter().zip(count.errors).filter(|(_, n)| *n > 0).map(|(name, n)| ((*name).to_owned(), n)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use plimsoll_core::timeline::Batch as _;

    const KINDS: OpKinds = OpKinds { names: &["transaction", "begin"], whole: 1, used: 0b11, open: true };

    #[test]
    fn statements_are_no_operations_and_service_times_have_their_own_histogram() {
        let mut batch = Batch::new(KINDS);
        for ns in [10, 20, 30] {
            let sample = Sample { response_ns: ns, service_ns: ns, bytes: 5, rows: 1, missed: ns == 10 };
            batch.record(0, sample);
            batch.record(1, sample);
        }
        batch.fail(0, Cause::Deadlock);
        batch.fail(1, Cause::Deadlock);
        let mut total = Batch::new(KINDS);
        total.add(&batch);
        assert_eq!((total.completed(), total.errors()), (3, 1));
        let names: Vec<String> = total.histograms().into_keys().collect();
        assert_eq!(names, ["begin", "begin_service", "transaction", "transaction_service"]);
        let shown: Vec<_> = total.shown().map(|(name, count)| (name, count.totals.latency_sum_ns)).collect();
        assert_eq!(shown, [("transaction", 60), ("begin", 60)]);
        let counted: Vec<_> = total.whole().map(|(name, count)| (name, count.rows, count.not_found)).collect();
        assert_eq!(counted, [("transaction", 3, 1)]);
    }
}
