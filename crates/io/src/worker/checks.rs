//! Reading written blocks while the job runs, to see whether they are what was written.

use std::collections::VecDeque;

use plimsoll_core::error::JobError;
use plimsoll_core::spec::Backlog;

use super::{Slot, Worker};
use crate::engine::{Engine, Kind, Operation};
use crate::pattern::Next;

/// Writes that wait for their check, and how many of them it is time for.
#[derive(Debug)]
pub(super) struct Checks {
    backlog: Backlog,
    waiting: VecDeque<Next>,
    due: u64,
    /// The last operation was no read.
    wrote: bool,
}

impl Checks {
    pub(super) fn new(backlog: Backlog) -> Self {
        Self { backlog, waiting: VecDeque::new(), due: 0, wrote: false }
    }

    /// An operation of the job was issued.
    pub(super) fn issued(&mut self, kind: Kind) {
        self.wrote = kind != Kind::Read;
    }

    /// A write is done.
    pub(super) fn written(&mut self, slot: &Slot) {
        self.waiting.push_back(Next { kind: Kind::Read, offset: slot.offset, length: slot.length });
    }

    /// fio's rule: as many writes wait as are let wait, and the last operation was none of these reads.
    fn next(&mut self) -> Option<Next> {
        if self.due == 0 && self.wrote && self.waiting.len() as u64 >= self.backlog.every {
            self.due = self.backlog.batch;
        }
        self.waiting.front().copied().filter(|_| self.due > 0)
    }

    fn taken(&mut self) {
        self.waiting.pop_front();
        self.due -= 1;
        self.wrote = false;
    }
}

impl<E: Engine> Worker<E> {
    /// Issues the checks that are due, as far as there is room. True when some of them still have to wait, and everything
    /// else with them.
    pub(super) fn issue_checks(&mut self, now: &mut u64) -> Result<bool, JobError> {
        loop {
            let Some(next) = self.checks.as_mut().and_then(Checks::next) else { return Ok(false) };
            let free = !self.free.is_empty() && self.refused.is_none();
            if !free || !self.parts.stamps.as_mut().is_some_and(|stamps| stamps.reserve(next.offset, next.length)) {
                return Ok(true);
            }
            if let Some(checks) = &mut self.checks {
                checks.taken();
            }
            let operation = self.prepare_check(next, *now);
            let before = *now;
            *now = self.accept(operation, *now)?;
            if *now != before {
                return Ok(true);
            }
        }
    }

    fn prepare_check(&mut self, next: Next, now: u64) -> Operation {
        let Next { kind, offset, length } = next;
        let tag = self.free.pop().expect("a check is prepared only while fewer than `depth` are in flight");
        let buffer = self.buffers[tag as usize].take();
        self.slots[tag as usize] = Slot { kind, length, offset, start_ns: now, issued_ns: now, checks: true };
        self.account(now);
        self.in_flight += 1;
        Operation { tag, kind, offset, length, buffer }
    }
}

/// A block was not what was written, and that ends the job.
pub(super) fn mismatch(path: &str, offset: Option<u64>) -> JobError {
    JobError::Verify {
        message: format!(
            "verification of {path} failed (a block is not what was written, and the first one ends the job)"
        ),
        offset: offset.unwrap_or_default(),
    }
}
