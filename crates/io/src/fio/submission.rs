//! What fio tells of single operations: their submission and their priority; and what makes them wait: a recorded time,
//! other jobs of a flow.

use std::time::Duration;

use plimsoll_core::error::JobError;
use plimsoll_core::timers::sleep_until;

use super::Fio;
use super::priorities::{Given, Priorities};
use crate::engine::{Engine, OpKind};
use crate::recorder::Series;
use crate::spec::JobSpec;
use crate::worker::{WAKE_EARLY_NS, Worker};

/// When the kernel got each operation.
#[derive(Debug)]
pub(super) struct Submission {
    apart: bool,
    /// Tags of operations that the engine holds back.
    held_back: Vec<u32>,
    /// By tag; 0 where it was done at once.
    taken_ns: Vec<u64>,
    priorities: Option<Priorities>,
    /// As they were before the first pass, where all have the same.
    first: Option<Priorities>,
    /// By tag; empty where all operations have the priority of the thread.
    given: Vec<Given>,
    /// The job is ahead of those that share its flow.
    ahead: bool,
}

impl Submission {
    pub(super) fn new(spec: &JobSpec) -> Self {
        let depth = if spec.submission { spec.depth as usize } else { 0 };
        let priorities = Priorities::new(spec);
        let again = spec.passes.is_some_and(|passes| passes.again && passes.ends);
        Self {
            apart: spec.submission,
            held_back: Vec::with_capacity(depth),
            taken_ns: vec![0; depth],
            first: priorities.clone().filter(|_| again),
            given: vec![Given::default(); if priorities.is_some() { spec.depth as usize } else { 0 }],
            priorities,
            ahead: false,
        }
    }

    /// The priority of an operation that is about to be issued.
    #[inline]
    pub(super) fn give_priority(&mut self, tag: u32, kind: OpKind, length: u32) -> u16 {
        let Some(priorities) = &mut self.priorities else { return 0 };
        let given = priorities.draw(kind, length);
        self.given[tag as usize] = given;
        given.priority
    }

    /// The priority that an operation was given.
    #[inline]
    pub(super) fn priority(&self, tag: u32) -> u16 {
        self.given.get(tag as usize).map_or(0, |given| given.priority)
    }

    /// Another pass begins.
    pub(super) fn begin_pass(&mut self) {
        if self.first.is_some() {
            self.priorities.clone_from(&self.first);
        }
    }

    /// The engine has an operation, the kernel not yet.
    #[inline]
    pub(super) fn queued(&mut self, tag: u32) {
        if self.apart {
            self.held_back.push(tag);
        }
    }

    /// Whether the engine holds operations back.
    #[inline]
    pub(super) fn waits(&self) -> bool {
        !self.held_back.is_empty()
    }

    /// The kernel has them all.
    #[inline]
    pub(super) fn handed_over(&mut self, now: u64) {
        for tag in self.held_back.drain(..) {
            self.taken_ns[tag as usize] = now;
        }
    }

    /// Until the kernel had an operation; 0 where that is not known, or it was done at once.
    #[inline]
    pub(super) fn submission_ns(&self, tag: u32, issued_ns: u64) -> u64 {
        self.taken_ns.get(tag as usize).map_or(0, |taken| taken.saturating_sub(issued_ns))
    }
}

impl<E: Engine> Worker<E, Fio> {
    /// Counts both parts of a latency, and what belongs to a priority.
    #[inline]
    pub(super) fn record_extras(&mut self, series: Series, tag: u32, issued_ns: u64, now: u64) {
        let taken =
            self.semantics.submission.taken_ns.get_mut(tag as usize).map_or(issued_ns, std::mem::take).max(issued_ns);
        if self.semantics.submission.apart {
            self.record_apart(series, taken, issued_ns, now);
        }
        if let Some(index) = self.semantics.submission.given.get(tag as usize).and_then(|given| given.named) {
            let whole = self.parts.spec.priorities.as_ref().is_some_and(|asked| asked.whole);
            let since = if whole { issued_ns } else { taken };
            self.parts.batch.record_priority(usize::from(index), now.saturating_sub(since));
        }
    }

    #[inline]
    fn record_apart(&mut self, series: Series, taken: u64, issued_ns: u64, now: u64) {
        let (submission, completion) = match series {
            Series::Write => (Series::WriteSubmission, Series::WriteCompletion),
            Series::Trim => (Series::TrimSubmission, Series::TrimCompletion),
            _ => (Series::ReadSubmission, Series::ReadCompletion),
        };
        if taken > issued_ns {
            self.parts.batch.record(submission, taken - issued_ns, 0);
        }
        self.parts.batch.record(completion, now.saturating_sub(taken), 0);
    }

    /// When a recorded operation is due; 0: at once.
    #[inline]
    fn recorded_due_ns(&self) -> u64 {
        match self.semantics.places.due_ns() {
            0 => 0,
            due => self.window.begin_ns + due,
        }
    }

    /// Whether the next operation may be issued now.
    #[inline]
    pub(super) fn may_go(&mut self, now: u64) -> bool {
        if self.recorded_due_ns() > now {
            return false;
        }
        self.semantics.submission.ahead = self.parts.flow.as_ref().is_some_and(|flow| !flow.may_go());
        !self.semantics.submission.ahead
    }

    /// How long to wait for a completion while the next operation may have to wait as well.
    pub(super) fn patience_for_others(&self, now: u64) -> (u32, Option<Duration>) {
        let wait_ns = self.recorded_due_ns().min(self.timer_ns).saturating_sub(now);
        if wait_ns > WAKE_EARLY_NS {
            return (1, Some(Duration::from_nanos(wait_ns - WAKE_EARLY_NS)));
        }
        let recorded = self.semantics.places.due_ns() > 0;
        (if recorded { 0 } else { self.batch.complete.min(self.in_flight) }, None)
    }

    /// Nothing is in flight, and the next operation may have to wait.
    pub(super) fn wait_for_turn(&mut self, now: u64) -> Result<u64, JobError> {
        let due_ns = self.recorded_due_ns();
        if due_ns > now {
            let until = due_ns.min(self.timer_ns);
            if until.saturating_sub(now) > WAKE_EARLY_NS {
                sleep_until(until - WAKE_EARLY_NS);
            }
        } else if let Some(flow) = self.parts.flow.as_ref().filter(|_| self.semantics.submission.ahead) {
            match flow.sleep_ns() {
                0 => std::thread::yield_now(),
                sleep_ns => sleep_until(now.saturating_add(sleep_ns).min(self.timer_ns)),
            }
        } else {
            return Ok(now);
        }
        Ok(self.parts.clock.now_ns())
    }
}
