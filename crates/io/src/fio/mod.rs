//! fio's semantics: what its job files can ask for beyond the native loop, as its version 3.33 does it.

mod checks;
mod draws;
mod file_pool;
pub mod flow;
mod free_map;
mod mix;
mod passes;
mod places;
pub mod priorities;
mod replay;
mod strides;
mod submission;
mod tausworthe;
mod written;

use std::time::Duration;

use plimsoll_core::error::JobError;

use crate::engine::{Engine, OpKind};
use crate::files::Files;
use crate::pattern::Pattern;
use crate::recorder::{Series, Single};
use crate::region::Next;
use crate::spec::JobSpec;
use crate::worker::{FileState, Gate, Parts, Semantics, Worker};
use checks::Checks;
use file_pool::FilePool;
use passes::Round;
use places::Places;
use submission::Submission;

/// What a thread keeps for fio's semantics.
#[derive(Debug)]
pub struct Fio {
    places: Places,
    checks: Option<Checks>,
    round: Option<Round>,
    submission: Submission,
    /// Where files are opened and closed on the way.
    files: Option<FilePool>,
    /// Bytes of all operations, reading back included.
    moved: u64,
    traces_syncs: bool,
}

impl Semantics for Fio {
    fn new<E: Engine>(parts: &mut Parts<E>) -> Self {
        let spec = &parts.spec;
        let places = Places::new(spec, &mut parts.pattern);
        Self {
            checks: Checks::new(spec, parts.thread),
            round: Round::new(spec, &parts.pattern, &places),
            submission: Submission::new(spec),
            files: FilePool::new(spec).filter(|_| parts.target.is_some()),
            moved: 0,
            traces_syncs: spec.trace_syncs,
            places,
        }
    }

    fn draw_kind(&mut self, pattern: &mut Pattern) -> OpKind {
        self.places.draw_kind(pattern)
    }

    fn draw_of(&mut self, pattern: &mut Pattern, kind: OpKind) -> Option<Next> {
        self.places.draw_of(pattern, kind)
    }

    fn in_passes(&self) -> bool {
        self.round.is_some()
    }

    fn traces_syncs(&self) -> bool {
        self.traces_syncs
    }

    fn prepare(&mut self, tag: u32, kind: OpKind, length: u32) -> u16 {
        self.moved += u64::from(length);
        self.submission.give_priority(tag, kind, length)
    }

    fn in_flight(&mut self, files: &Files, offset: u64, begins: bool) {
        if let Some(pool) = &mut self.files {
            pool.count(files, offset, begins);
        }
    }

    fn queued(&mut self, tag: u32) {
        self.submission.queued(tag);
    }

    fn holds_back(&self) -> bool {
        self.submission.waits()
    }

    fn handed_over(&mut self, now: u64) {
        self.submission.handed_over(now);
    }

    fn written(&mut self, offset: u64, length: u32) {
        if let Some(checks) = &mut self.checks {
            checks.written(offset, length);
        }
    }

    fn describe(&self, tag: u32, issued_ns: u64, single: &mut Single) {
        single.submission_ns = self.submission.submission_ns(tag, issued_ns);
        single.priority = self.submission.priority(tag);
    }

    fn begin_counting(&mut self) {
        self.moved = 0;
    }

    fn issue_first<E: Engine>(worker: &mut Worker<E, Self>, now: &mut u64) -> Result<(), JobError> {
        if worker.checks_come_first() {
            worker.issue_checks(now)?;
        }
        Ok(())
    }

    fn must_wait<E: Engine>(worker: &mut Worker<E, Self>, now: &mut u64) -> Result<bool, JobError> {
        Ok(worker.semantics.checks.is_some() && (worker.issue_checks(now)? || worker.at_limit()))
    }

    fn may_issue<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> bool {
        worker.may_go(now)
    }

    fn ensure_open<E: Engine>(worker: &mut Worker<E, Self>, next: Next, now: &mut u64) -> Result<FileState, JobError> {
        worker.ensure_open(next, now)
    }

    fn open_for_sync<E: Engine>(worker: &mut Worker<E, Self>, offset: u64) -> Result<(), JobError> {
        worker.open_for(offset).map(drop)
    }

    fn issued<E: Engine>(worker: &mut Worker<E, Self>, kind: OpKind) {
        if let Some(checks) = &mut worker.semantics.checks {
            checks.issued(kind);
        }
        if let Some(flow) = &mut worker.parts.flow {
            flow.went();
        }
    }

    fn patience<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> (u32, Option<Duration>) {
        worker.patience_for_others(now)
    }

    fn wait_for_turn<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> Result<u64, JobError> {
        worker.wait_for_turn(now)
    }

    fn idle<E: Engine>(worker: &mut Worker<E, Self>, now: u64) -> Result<Option<u64>, JobError> {
        if worker.checks_come_first() && worker.check_is_due() {
            return Ok(Some(now));
        }
        match worker.gate {
            Gate::Pass => worker.end_pass(now).map(Some),
            Gate::ReadBack => worker.next_pass().map(Some),
            _ => Ok(None),
        }
    }

    fn record<E: Engine>(worker: &mut Worker<E, Self>, series: Series, tag: u32, issued_ns: u64, now: u64) {
        worker.record_extras(series, tag, issued_ns, now);
    }

    fn finish<E: Engine>(worker: &mut Worker<E, Self>, now: u64) {
        worker.end_reading(now);
    }
}

/// Whether a job asks for any of this.
pub fn is_asked_for(spec: &JobSpec) -> bool {
    spec.has_extras()
        || spec.passes.is_some()
        || spec.verification.as_ref().is_some_and(|how| how.backlog.is_some())
        || FilePool::new(spec).is_some()
}
