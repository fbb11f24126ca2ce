//! Reading written blocks while the job runs, to see whether they are what was written.

use crate::spec::{Backlog, JobSpec};
use plimsoll_core::error::JobError;

use super::Fio;
use super::written::Written;
use crate::engine::{Engine, OpKind, Operation};
use crate::region::Next;
use crate::worker::{Gate, Semantics, Slot, Worker};

/// Writes that wait for their check, and how many of them it is time for.
#[derive(Debug)]
pub(super) struct Checks {
    backlog: Option<Backlog>,
    waiting: Written,
    due: u64,
    /// The last operation was no read.
    wrote: bool,
}

impl Checks {
    /// Nothing where a job reads back after its run, or not at all.
    pub(super) fn new(spec: &JobSpec, thread: u32) -> Option<Self> {
        let backlog = spec.verification.as_ref().and_then(|how| how.backlog);
        let after_passes = spec.passes.is_some_and(|passes| passes.read_back);
        let wanted = backlog.is_some() || after_passes;
        wanted.then(|| Self { backlog, waiting: Written::new(spec, thread), due: 0, wrote: false })
    }

    /// An operation of the job was issued.
    pub(super) fn issued(&mut self, kind: OpKind) {
        self.wrote = kind != OpKind::Read;
    }

    /// A write is done.
    pub(super) fn written(&mut self, offset: u64, length: u32) {
        self.waiting.add(offset, length);
    }

    /// From now on all are due, or none but those of the backlog.
    pub(super) fn all_due(&mut self, due: bool) {
        self.due = if due { u64::MAX } else { 0 };
    }

    /// Whether a write waits.
    pub(super) fn any(&self) -> bool {
        self.waiting.len() > 0
    }

    /// fio's rule: as many writes wait as are let wait, and the last operation was none of these reads.
    fn next(&mut self) -> Option<Next> {
        let full = |backlog: &Backlog| self.wrote && self.waiting.len() as u64 >= backlog.every;
        if self.due == 0 {
            self.due = self.backlog.filter(full).map_or(0, |backlog| backlog.batch);
        }
        if self.due > 0 { self.waiting.first() } else { None }
    }

    fn taken(&mut self) {
        self.waiting.pop();
        self.due -= 1;
        self.wrote = false;
    }
}

impl<E: Engine> Worker<E, Fio> {
    /// Whether a check is to be issued before anything else.
    pub(super) fn check_is_due(&mut self) -> bool {
        self.semantics.checks.as_mut().is_some_and(|checks| checks.next().is_some())
    }

    /// Issues the checks that are due, as far as there is room. True when some of them still have to wait, and everything
    /// else with them.
    pub(super) fn issue_checks(&mut self, now: &mut u64) -> Result<bool, JobError> {
        let mut held_back = 0;
        loop {
            let Some(next) = self.semantics.checks.as_mut().and_then(Checks::next) else { return Ok(false) };
            if self.free.is_empty() || self.refused.is_some() {
                self.draining = self.refused.is_none();
                return Ok(true);
            }
            // Until the file is open, and no write of these blocks is in flight.
            let open = self.open_for(next.offset)?;
            if !open || !self.parts.stamps.as_mut().is_some_and(|stamps| stamps.reserve(next.offset, next.length)) {
                return Ok(true);
            }
            if let Some(checks) = &mut self.semantics.checks {
                checks.taken();
            }
            let operation = self.prepare_check(next, *now);
            let before = *now;
            *now = self.accept(operation, *now)?;
            if self.gate == Gate::Open && self.wants_to_think() {
                self.gate = Gate::Think;
            }
            if *now != before || self.gate == Gate::Think {
                return Ok(true);
            }
            self.hand_over(&mut held_back, now)?;
        }
    }

    fn prepare_check(&mut self, next: Next, now: u64) -> Operation {
        let Next { kind, offset, length } = next;
        let tag = self.free.pop().expect("a check is prepared only while fewer than `depth` are in flight");
        let buffer = self.buffers[tag as usize].take();
        let priority = self.semantics.prepare(tag, kind, length);
        self.slots[tag as usize] = Slot { kind, length, offset, start_ns: now, issued_ns: now, checks: true };
        if self.semantics.round.is_some() && now >= self.counting_ns {
            // As with fio, it is one of `number_ios`, but none of the bytes to transfer.
            self.operations_left = self.operations_left.saturating_sub(1);
        }
        // As with fio, one of the blocks between two pauses, but there are none after a pass.
        self.since_think += u64::from(self.gate != Gate::ReadBack);
        self.account(now);
        self.in_flight += 1;
        self.semantics.in_flight(&self.parts.files, offset, true);
        Operation { tag, kind, offset, length, priority, buffer }
    }

    /// Whether operations of the job may only go on after the checks that are due.
    pub(super) fn checks_come_first(&self) -> bool {
        self.semantics.checks.is_some() && matches!(self.gate, Gate::Sync | Gate::ReadBack)
    }
}
