//! One operation on its way through a model, and how it ends.

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpKind {
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
    pub kind: OpKind,
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
