//! What a front end may change about the loop. The native loop changes nothing, and pays nothing for what could be.

use std::time::Duration;

use plimsoll_core::error::JobError;

use super::{Parts, Worker};
use crate::engine::{Engine, Kind};
use crate::files::Files;
use crate::pattern::Pattern;
use crate::recorder::{Series, Single};
use crate::region::Next;

/// What came of looking for the file of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It was open before.
    WasOpen,
    /// It is open now, and time has passed.
    Opened,
    /// Operations in flight have to come back first: they use what would have to be closed.
    InUse,
}

/// The places where the loop asks. What is said of each holds for the native loop.
pub trait Semantics: Sized {
    /// Of one thread, before its loop begins.
    fn new<E: Engine>(parts: &mut Parts<E>) -> Self;

    /// The kind of the next operation: that of the pattern.
    #[inline]
    fn draw_kind(&mut self, pattern: &mut Pattern) -> Kind {
        pattern.draw_kind()
    }

    /// The next operation, of this kind: that of the pattern.
    #[inline]
    fn draw_of(&mut self, pattern: &mut Pattern, kind: Kind) -> Option<Next> {
        pattern.draw_of(kind)
    }

    /// Whether the work is done in passes: no.
    #[inline]
    fn in_passes(&self) -> bool {
        false
    }

    /// Whether syncs are traced beside writes: no.
    #[inline]
    fn traces_syncs(&self) -> bool {
        false
    }

    /// An operation gets its tag; returns its priority: that of the thread.
    #[inline]
    fn prepare(&mut self, _tag: u32, _kind: Kind, _length: u32) -> u16 {
        0
    }

    /// An operation at this offset begins, or has ended.
    #[inline]
    fn in_flight(&mut self, _files: &Files, _offset: u64, _begins: bool) {}

    /// The engine has an operation, the kernel maybe not yet.
    #[inline]
    fn queued(&mut self, _tag: u32) {}

    /// Whether what the engine holds back is handed over before waiting: the engine decides.
    #[inline]
    fn holds_back(&self) -> bool {
        false
    }

    /// The kernel has all that is queued.
    #[inline]
    fn handed_over(&mut self, _now: u64) {}

    /// A write is done whose blocks are verified.
    #[inline]
    fn written(&mut self, _offset: u64, _length: u32) {}

    /// Adds what only this semantics knows of a traced operation.
    #[inline]
    fn describe(&self, _tag: u32, _issued_ns: u64, _single: &mut Single) {}

    /// The measured part begins.
    fn begin_counting(&mut self) {}

    /// Issues what comes before anything else, whatever the gate says: nothing.
    #[inline]
    fn issue_first<E: Engine>(_worker: &mut Worker<E, Self>, _now: &mut u64) -> Result<(), JobError> {
        Ok(())
    }

    /// Issues what comes before the next operation, and says whether that one has to wait: no.
    #[inline]
    fn must_wait<E: Engine>(_worker: &mut Worker<E, Self>, _now: &mut u64) -> Result<bool, JobError> {
        Ok(false)
    }

    /// Whether the next operation may be issued now: yes.
    #[inline]
    fn may_issue<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) -> bool {
        true
    }

    /// Sees to it that the file of an operation is open: it is, from the beginning to the end.
    #[inline]
    fn ensure_open<E: Engine>(
        _worker: &mut Worker<E, Self>,
        _next: Next,
        _now: &mut u64,
    ) -> Result<FileState, JobError> {
        Ok(FileState::WasOpen)
    }

    /// The same for the file that a sync is for, when nothing is in flight.
    #[inline]
    fn open_for<E: Engine>(_worker: &mut Worker<E, Self>, _offset: u64) -> Result<(), JobError> {
        Ok(())
    }

    /// An operation of the job goes to the engine.
    #[inline]
    fn issued<E: Engine>(_worker: &mut Worker<E, Self>, _kind: Kind) {}

    /// How many completions to wait for in a closed loop, and how long: one group, without end.
    #[inline]
    fn patience<E: Engine>(worker: &Worker<E, Self>, _now: u64) -> (u32, Option<Duration>) {
        (worker.batch.complete.min(worker.in_flight), None)
    }

    /// Nothing is in flight in a closed loop; returns the time after waiting: at once.
    #[inline]
    fn wait_for_turn<E: Engine>(_worker: &mut Worker<E, Self>, now: u64) -> Result<u64, JobError> {
        Ok(now)
    }

    /// Nothing is in flight; returns the time when there was something to do: there is nothing.
    #[inline]
    fn idle<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) -> Result<Option<u64>, JobError> {
        Ok(None)
    }

    /// Records what only this semantics measures of an operation.
    #[inline]
    fn record<E: Engine>(_worker: &mut Worker<E, Self>, _series: Series, _tag: u32, _issued_ns: u64, _now: u64) {}

    /// The loop has ended.
    fn finish<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) {}
}

/// The loop as it is.
#[derive(Debug)]
pub struct Native;

impl Semantics for Native {
    fn new<E: Engine>(_parts: &mut Parts<E>) -> Self {
        Self
    }
}
