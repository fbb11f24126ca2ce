//! Faults that are going on, whoever looks at them.

use serde::{Deserialize, Serialize};

use super::operation::{Io, OpKind, Outcome};

/// One fault. Power loss and the dropping of unflushed writes happen where the bytes are; see the served volume.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "fault", deny_unknown_fields)]
pub enum Fault {
    /// No operation completes for this long, including those under way.
    Stall {
        /// How long.
        duration_ns: u64,
    },
    /// Operations that touch the range fail with an I/O error.
    Error {
        /// First byte.
        offset: u64,
        /// Length.
        bytes: u64,
        /// Which operations; absent: reads and writes.
        #[serde(default)]
        kind: Option<FaultKind>,
    },
    /// Each operation takes `factor` times as long as it would.
    Slow {
        /// At least 1.
        factor: f64,
        /// For how long; absent: until cleared.
        #[serde(default)]
        duration_ns: Option<u64>,
    },
    /// Power is lost now: writes that no flush made durable are dropped, operations under way fail, and the device comes
    /// back after `off_ns`.
    PowerLoss {
        /// How long every operation fails.
        off_ns: u64,
    },
    /// The device is gone: every operation fails until the volume is deleted.
    Detach,
    /// Ends every fault but a detach.
    Clear,
}

/// Operations that an [`Fault::Error`] hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FaultKind {
    /// Reads.
    Read,
    /// Writes.
    Write,
}

/// Faults that are going on.
#[derive(Debug, Clone, PartialEq)]
pub struct FaultState {
    stalled_until_ns: u64,
    slow_factor: f64,
    slow_until_ns: u64,
    off_until_ns: u64,
    detached: bool,
    bad: Vec<BadRange>,
    /// Anything at all; the only thing that a healthy volume looks at.
    any: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct BadRange {
    offset: u64,
    end: u64,
    kind: Option<FaultKind>,
}

impl Default for FaultState {
    fn default() -> Self {
        Self {
            stalled_until_ns: 0,
            slow_factor: 1.0,
            slow_until_ns: 0,
            off_until_ns: 0,
            detached: false,
            bad: Vec::new(),
            any: false,
        }
    }
}

impl FaultState {
    /// Begins `fault` at `now_ns`.
    pub fn inject(&mut self, fault: Fault, now_ns: u64) {
        match fault {
            Fault::Stall { duration_ns } => self.stalled_until_ns = now_ns.saturating_add(duration_ns),
            Fault::Error { offset, bytes, kind } => {
                self.bad.push(BadRange { offset, end: offset.saturating_add(bytes), kind });
            }
            Fault::Slow { factor, duration_ns } => {
                self.slow_factor = factor.max(1.0);
                self.slow_until_ns = duration_ns.map_or(u64::MAX, |d| now_ns.saturating_add(d));
            }
            Fault::PowerLoss { off_ns } => self.off_until_ns = now_ns.saturating_add(off_ns),
            Fault::Detach => self.detached = true,
            Fault::Clear => *self = Self { detached: self.detached, ..Self::default() },
        }
        self.any = self.detached || fault != Fault::Clear;
    }

    /// Nothing is to be answered before this time. It is no part of a deadline, because clearing the fault ends it for
    /// what already waits, too.
    pub fn stalled_until_ns(&self) -> u64 {
        self.stalled_until_ns
    }

    /// Whether there is anything to look at.
    #[inline]
    pub fn is_any(&self) -> bool {
        self.any
    }

    /// How many times as long an operation takes that arrives now.
    pub fn slow_factor(&self, now_ns: u64) -> f64 {
        if now_ns < self.slow_until_ns { self.slow_factor } else { 1.0 }
    }

    /// How an operation ends that a fault hits; nothing when none does.
    pub fn refuses(&self, io: &Io, now_ns: u64) -> Option<Outcome> {
        if self.detached {
            return Some(Outcome::Gone);
        }
        let hit = |bad: &BadRange| {
            let kind_matches = match bad.kind {
                None => matches!(io.kind, OpKind::Read | OpKind::Write),
                Some(FaultKind::Read) => io.kind == OpKind::Read,
                Some(FaultKind::Write) => io.kind == OpKind::Write,
            };
            kind_matches && io.offset < bad.end && bad.offset < io.offset + io.bytes
        };
        (now_ns < self.off_until_ns || self.bad.iter().any(hit)).then_some(Outcome::Failed)
    }
}
