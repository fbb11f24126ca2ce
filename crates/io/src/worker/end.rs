//! The end of a thread's work: the last sync, taking operations back, the report.

use std::sync::atomic::Ordering;
use std::time::Duration;

use plimsoll_core::error::JobError;

use super::slices::Paused;
use super::{Gate, Report, Semantics, Worker, engine_failed};
use crate::engine::{Engine, OpKind};
use crate::rotation;

/// After a stop request, operations in flight get this long to come back.
const DRAIN: Duration = Duration::from_millis(50);

/// A worker that is never dropped while operations are in flight, not even after a panic: the kernel may still write into
/// its buffers, which must not be used for anything else. It is then left where it is.
pub(super) struct Kept<E: Engine, S: Semantics>(pub(super) Option<Worker<E, S>>);

impl<E: Engine, S: Semantics> Kept<E, S> {
    pub(super) fn run(mut self) -> (Report, Result<(), JobError>) {
        let worker = self.0.as_mut().expect("it is taken out only when it is dropped");
        worker.begin();
        let result = worker.work();
        worker.finish(result)
    }
}

impl<E: Engine, S: Semantics> Drop for Kept<E, S> {
    fn drop(&mut self) {
        let Some(mut worker) = self.0.take() else { return };
        // Other jobs wait for the turn of this one no longer.
        worker.parts.flow = None;
        if worker.has_in_flight() {
            std::mem::forget(worker);
        }
    }
}

impl<E: Engine, S: Semantics> Worker<E, S> {
    /// Whether the engine has an operation that has not come back.
    fn has_in_flight(&self) -> bool {
        self.in_flight > u32::from(self.refused.is_some())
    }

    /// The thread that is the last to have nothing in flight syncs each file once, when the policy says so. True when it
    /// did.
    pub(crate) fn sync_at_end(&mut self, now: u64) -> Result<bool, JobError> {
        if !self.parts.spec.sync_at_end {
            return Ok(false);
        }
        if !std::mem::replace(&mut self.left, true) && self.parts.writing.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.unsynced = rotation::count(&self.parts.spec) as u64;
        }
        let Some(rest) = self.unsynced.checked_sub(1) else { return Ok(false) };
        self.unsynced = rest;
        let offset = rotation::begin(&self.parts.spec, rest as usize);
        S::open_for_sync(self, offset)?;
        let operation = self.prepare_sync(OpKind::Fsync, offset, now);
        self.accept(operation, now)?;
        Ok(true)
    }

    /// After a stop request: takes back what comes back soon.
    pub(super) fn drain(&mut self) -> Result<(), JobError> {
        let deadline = self.parts.clock.now_ns() + DRAIN.as_nanos() as u64;
        self.gate = Gate::Finished;
        let mut result = Ok(());
        while self.has_in_flight() {
            let now = self.parts.clock.now_ns();
            if now >= deadline {
                break;
            }
            let patience = Duration::from_nanos(deadline - now);
            self.parts.engine.reap(1, Some(patience), &mut self.finished).map_err(engine_failed)?;
            let now = self.parts.clock.now_ns();
            self.account(now);
            result = result.and(self.complete_all(now));
        }
        result
    }

    fn finish(&mut self, mut result: Result<(), JobError>) -> (Report, Result<(), JobError>) {
        if result.is_err() {
            // The fault that ended the loop is the one to report, not a second one met while cleaning up.
            let _ = self.drain();
        }
        let now = self.parts.clock.now_ns();
        S::finish(self, now);
        self.count_unissued(now);
        // Before the report: what was told is never more than what the outcome says.
        if self.paused.is_some() {
            self.deliver_last(now);
        } else if self.used_at_start.is_some() {
            let batch = &mut self.parts.batch;
            batch.in_flight_ns = self.in_flight_at_end.unwrap_or(batch.in_flight_ns);
            self.deliver(self.interval);
        } else if result.is_ok() && !self.parts.stop.load(Ordering::Relaxed) {
            result = Err(JobError::Engine { message: "the run ended before it was measured".to_owned(), errno: None });
        }
        let mut report = std::mem::take(&mut self.report);
        report.common.close(now, self.used_at_start, self.paused.as_ref().map(Paused::used), &self.parts.clock);
        report.stamps = self.parts.stamps.take();
        (report, result)
    }

    /// Completes the number of offered operations by those that the schedule asked for but that never found room.
    fn count_unissued(&mut self, now: u64) {
        let Some(schedule) = &mut self.schedule else { return };
        let end = now.min(self.window.end_ns);
        if self.operations_left == 0 || self.bytes_left == 0 {
            return;
        }
        schedule.without_free();
        while schedule.due_ns() < end {
            let due_ns = schedule.due_ns();
            let in_slices = || self.paused.as_ref().is_some_and(|paused| paused.counts(due_ns));
            let counts = due_ns >= self.window.measure_ns || in_slices();
            let next = self.held.take().or_else(|| {
                let pattern = &mut self.parts.pattern;
                let kind = self.semantics.draw_kind(pattern);
                self.semantics.draw_of(pattern, schedule.kind_due(kind, due_ns))
            });
            let Some(next) = next else { break };
            if next.kind.moves_data() && counts {
                self.report.common.offered += 1;
            }
            schedule.advance(next.kind, u64::from(next.length));
            self.semantics.tell(schedule);
        }
    }
}
