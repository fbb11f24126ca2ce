//! What the parts of a model say to each other. A model is a stack of layers; each forwards to the next and adds its own
//! delay or refusal, so that a layer can be left out without the others knowing.

use std::collections::BTreeMap;

use serde::Serialize;

use super::faults::FaultState;
use super::first_touch::Touched;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Reads data.
    Read,
    /// Writes data.
    Write,
    /// Makes acknowledged writes durable.
    Flush,
    /// Drops or zeroes data without transferring any.
    Discard,
}

/// One operation on the device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Io {
    /// What it does.
    pub kind: Kind,
    /// First byte.
    pub offset: u64,
    /// Length; 0 for a flush.
    pub bytes: u64,
}

/// When an operation arrives and when its service may begin; they differ where one step waits for another (the write
/// after the read of a RAID 5 update).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// Limits are charged at this time; never decreases from call to call.
    pub now_ns: u64,
    /// Service starts no earlier; at or after `now_ns`.
    pub ready_ns: u64,
}

impl Arrival {
    /// Ready when it arrives.
    pub fn at(now_ns: u64) -> Self {
        Self { now_ns, ready_ns: now_ns }
    }
}

/// The answer of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Completion {
    /// When the operation is done.
    pub deadline_ns: u64,
    /// How it ends.
    pub outcome: Outcome,
}

/// How an operation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// Carried out.
    Done,
    /// An I/O error (`EIO`).
    Failed,
    /// The device is not there (`ENODEV`).
    Gone,
}

impl Completion {
    /// Carried out at `deadline_ns`.
    pub fn done(deadline_ns: u64) -> Self {
        Self { deadline_ns, outcome: Outcome::Done }
    }

    /// Both operations: the later deadline, and a failure if either failed.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let outcome = if self.outcome == Outcome::Done { other.outcome } else { self.outcome };
        Self { deadline_ns: self.deadline_ns.max(other.deadline_ns), outcome }
    }

    /// The same, not before `time_ns`.
    #[must_use]
    pub fn not_before(self, time_ns: u64) -> Self {
        Self { deadline_ns: self.deadline_ns.max(time_ns), ..self }
    }

    /// The same, `delay_ns` later.
    #[must_use]
    pub fn later(self, delay_ns: u64) -> Self {
        Self { deadline_ns: self.deadline_ns + delay_ns, ..self }
    }
}

/// One part of a model.
pub trait Layer: Send {
    /// When and how `io` completes. `arrival.now_ns` never decreases.
    fn submit(&mut self, io: &Io, arrival: Arrival) -> Completion;

    /// Adds what there is to see at `now_ns`, then asks the next layer.
    fn report(&self, now_ns: u64, report: &mut Report);

    /// Hands over what must survive a change of the volume, then asks the next layer.
    fn save(&mut self, now_ns: u64, saved: &mut Saved);

    /// Takes back what fits, then asks the next layer.
    fn restore(&mut self, now_ns: u64, saved: &mut Saved);
}

/// State of a model that users see.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Report {
    /// Every bucket, outermost first.
    pub buckets: Vec<BucketReport>,
    /// Bytes that were fetched so far on a volume with first touch, over all members.
    pub initialized_bytes: Option<u64>,
    /// A degradation episode is going on.
    pub degraded: bool,
    /// Until when operations are stalled by a fault.
    pub stalled_until_ns: u64,
}

/// One bucket.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct BucketReport {
    /// `volume.iops`, `volume.iops_credits`, `instance.throughput`, …; members of an array as `member0.iops`.
    pub name: String,
    /// Held now, in operations or bytes.
    pub tokens: f64,
    /// At most.
    pub capacity: f64,
    /// Total time in which operations waited for this bucket.
    pub exceeded_ns: u64,
}

/// State on its way from one stack to the stack that replaces it.
#[derive(Debug, Default)]
pub struct Saved {
    /// By name: tokens, capacity, time exceeded.
    pub buckets: BTreeMap<String, (f64, f64, u64)>,
    /// By member.
    pub touched: Vec<Touched>,
    /// Faults that are going on.
    pub faults: Option<FaultState>,
}
