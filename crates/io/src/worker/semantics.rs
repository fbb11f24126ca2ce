//! Where the loop can be made to behave otherwise. A front end whose original has rules of its own ([`crate::fio`])
//! overrides methods of [`Semantics`]. The native loop keeps every default: each is a constant or one call, so that the
//! compiler leaves nothing of it in the loop of a test that does not need it.

use std::time::Duration;

use plimsoll_core::error::JobError;

use super::{Parts, Worker};
use crate::engine::{Engine, OpKind};
use crate::files::Files;
use crate::pattern::Pattern;
use crate::recorder::{Series, Single};
use crate::region::Next;
use crate::schedule::Schedule;

/// Whether the file of an operation can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// It was open before.
    WasOpen,
    /// It had to be opened, which took time.
    Opened,
    /// Not yet: for it another file would have to be closed, which operations in flight still use.
    InUse,
}

/// The rules of a loop, one value per thread. After each colon stands what the default does, which is the native loop.
///
/// What gets the whole worker has no `self`, because the worker owns the value: it is `worker.semantics`.
pub trait Semantics: Sized {
    /// The rules of the thread that is made of `parts`, before its loop begins.
    fn new<E: Engine>(parts: &mut Parts<E>) -> Self;

    /// The load begins at `begin_ns`. Returns its schedule where it has one of its own: none.
    fn begin(&mut self, _begin_ns: u64) -> Option<Schedule> {
        None
    }

    /// An operation has left the schedule: says when the next one is due, where that is not computed: nothing.
    #[inline]
    fn tell(&mut self, _schedule: &mut Schedule) {}

    /// An operation has come back, at `now`, be it that it failed.
    #[inline]
    fn completed(&mut self, _tag: u32, _now: u64) {}

    /// Draws the kind of the next operation: as the pattern does.
    #[inline]
    fn draw_kind(&mut self, pattern: &mut Pattern) -> OpKind {
        pattern.draw_kind()
    }

    /// Draws the next operation, which is of this kind; none when the pass is over: as the pattern does.
    #[inline]
    fn draw_of(&mut self, pattern: &mut Pattern, kind: OpKind) -> Option<Next> {
        pattern.draw_of(kind)
    }

    /// Whether the job goes over its region in passes, between which something happens: no.
    #[inline]
    fn in_passes(&self) -> bool {
        false
    }

    /// Whether a trace of single operations tells each sync apart from the writes before it: no, they are one commit.
    #[inline]
    fn traces_syncs(&self) -> bool {
        false
    }

    /// An operation is about to be submitted. Returns its priority, in the kernel's encoding: 0, that of
    /// the thread.
    #[inline]
    fn prepare(&mut self, _tag: u32, _kind: OpKind, _length: u32) -> u16 {
        0
    }

    /// The number of operations in flight changes: one at this offset begins, or has come back.
    #[inline]
    fn in_flight(&mut self, _files: &Files, _offset: u64, _begins: bool) {}

    /// The engine has taken an operation, and may hold it back from the kernel until the next flush.
    #[inline]
    fn queued(&mut self, _tag: u32) {}

    /// Whether the loop has to flush the engine before it waits: no, engines do that themselves.
    #[inline]
    fn holds_back(&self) -> bool {
        false
    }

    /// The engine was flushed: the kernel has everything that was queued, at `now`.
    #[inline]
    fn handed_over(&mut self, _now: u64) {}

    /// A write has succeeded, in a job that verifies what it writes.
    #[inline]
    fn written(&mut self, _offset: u64, _length: u32) {}

    /// Adds to a traced operation what only these rules know of it.
    #[inline]
    fn describe(&self, _tag: u32, _issued_ns: u64, _single: &mut Single) {}

    /// The warm-up is over: what is counted starts from zero.
    fn begin_counting(&mut self) {}

    /// Issues what goes before everything else, even before a sync or a pause: nothing.
    #[inline]
    fn issue_first<E: Engine>(_worker: &mut Worker<E, Self>, _now: &mut u64) -> Result<(), JobError> {
        Ok(())
    }

    /// Issues what goes before the next operation of the job. Returns whether that one still has to wait: no.
    #[inline]
    fn must_wait<E: Engine>(_worker: &mut Worker<E, Self>, _now: &mut u64) -> Result<bool, JobError> {
        Ok(false)
    }

    /// Whether the next operation may be issued now, once it is due: yes.
    #[inline]
    fn may_issue<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) -> bool {
        true
    }

    /// Opens the file of the next operation: all are open all the time.
    #[inline]
    fn ensure_open<E: Engine>(
        _worker: &mut Worker<E, Self>,
        _next: Next,
        _now: &mut u64,
    ) -> Result<FileState, JobError> {
        Ok(FileState::WasOpen)
    }

    /// Opens the file that a sync at `offset` is for, while nothing is in flight: all are open all the time.
    #[inline]
    fn open_for_sync<E: Engine>(_worker: &mut Worker<E, Self>, _offset: u64) -> Result<(), JobError> {
        Ok(())
    }

    /// An operation of the job is about to be issued; syncs and reads that verify are none.
    #[inline]
    fn issued<E: Engine>(_worker: &mut Worker<E, Self>, _kind: OpKind) {}

    /// How many completions to wait for in a closed loop that could issue more, and how long: one group, without limit.
    #[inline]
    fn patience<E: Engine>(worker: &mut Worker<E, Self>, _now: u64) -> (u32, Option<Duration>) {
        (worker.batch.complete.min(worker.in_flight), None)
    }

    /// Waits in a closed loop that may not issue although nothing is in flight; returns the time: at once.
    #[inline]
    fn wait_for_turn<E: Engine>(_worker: &mut Worker<E, Self>, now: u64) -> Result<u64, JobError> {
        Ok(now)
    }

    /// Nothing is in flight, and the loop is about to sync, pause or wait. Returns the time if something else was done
    /// instead: nothing is.
    #[inline]
    fn idle<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) -> Result<Option<u64>, JobError> {
        Ok(None)
    }

    /// Records of a counted operation what only these rules measure: nothing.
    #[inline]
    fn record<E: Engine>(_worker: &mut Worker<E, Self>, _series: Series, _tag: u32, _issued_ns: u64, _now: u64) {}

    /// The loop has ended, at `now`.
    fn finish<E: Engine>(_worker: &mut Worker<E, Self>, _now: u64) {}
}

/// The native loop: every default.
#[derive(Debug)]
pub struct Native;

impl Semantics for Native {
    fn new<E: Engine>(_parts: &mut Parts<E>) -> Self {
        Self
    }
}
