//! The loop of one thread: next, submit, reap, record.

mod count;
mod end;
mod parts;
mod prepare;
mod semantics;
mod slices;
mod wait;

use std::sync::atomic::Ordering;

use plimsoll_core::clock::Clock;
use plimsoll_core::cpu_time::Used;
use plimsoll_core::error::JobError;
use plimsoll_core::timers::sleep_until;
use plimsoll_core::window::Window;

use crate::buffer::Buffer;
use crate::engine::{Completion, Engine, OpKind, Operation, Submitted};
use crate::region::Next;
use crate::schedule::Schedule;
use crate::spec::{Batch as Batching, DropEach};
use end::Kept;
pub use parts::{Exchange, Parts, Report};
pub(crate) use parts::{Gate, Slot};
use prepare::lap;
pub use semantics::{FileState, Native, Semantics};
use slices::Paused;

/// A sleeping thread wakes up this much before the time it is wanted, and then watches the clock.
pub(crate) const WAKE_EARLY_NS: u64 = 60_000;
/// Operations that are handed to the device together. More would save system calls, but the first of them would wait for
/// the last: larger batches measurably raised the median latency, single submissions cost twice the CPU time.
const BATCH: u32 = 4;

/// The state of one thread.
pub struct Worker<E: Engine, S: Semantics> {
    pub(crate) parts: Parts<E>,
    pub(crate) window: Window,
    pub(crate) schedule: Option<Schedule>,
    pub(crate) slots: Vec<Slot>,
    /// Tags and read or only buffers that are free.
    pub(crate) free: Vec<u32>,
    pub(crate) buffers: Vec<Option<Buffer>>,
    /// From here on in `buffers` are those for writes.
    pub(crate) write_buffers: usize,
    pub(crate) finished: Vec<Completion>,
    pub(crate) held: Option<Next>,
    pub(crate) refused: Option<Operation>,
    pub(crate) gate: Gate,
    pub(crate) in_flight: u32,
    /// Last time that `in_flight` was accounted for.
    pub(crate) accounted_ns: u64,
    /// The integral of the last interval when its time was up, if what comes back later is no part of it.
    in_flight_at_end: Option<u64>,
    pub(crate) batch: Batching,
    /// The depth was reached: waits until few enough are in flight.
    pub(crate) draining: bool,
    /// Operations submitted from here on count; never before the warm-up is over.
    pub(crate) counting_ns: u64,
    /// When something other than a completion has to be done.
    pub(crate) timer_ns: u64,
    pub(crate) interval: u64,
    pub(crate) operations_left: u64,
    pub(crate) bytes_left: u64,
    pub(crate) writes: u64,
    /// Of the sync that is due.
    pub(crate) sync_kind: OpKind,
    pub(crate) since_think: u64,
    /// Bytes of the current pass over the region, where passes are told apart.
    pub(crate) since_drop: u64,
    /// Bytes after which files are dropped on the way, where that is not done between passes.
    pub(crate) lap: Option<u64>,
    /// Start of the first write since the last sync.
    pub(crate) group_ns: Option<u64>,
    /// Has passed the last write.
    pub(crate) left: bool,
    /// Files that the last sync is still to come for.
    pub(crate) unsynced: u64,
    pub(crate) report: Report,
    pub(crate) semantics: S,
    /// When the last operation of a loop with think time from start to start was due.
    pub(crate) started_ns: u64,
    /// Until then a pause is spent computing.
    pub(crate) spin_until_ns: u64,
    /// What the thread had used when counting began.
    pub(crate) used_at_start: Option<Used>,
    /// Where it is in the slices of its job, if it has any.
    paused: Option<Paused>,
}

impl<E: Engine, S: Semantics> Worker<E, S> {
    /// Ready to run in `window`, or in the slices of the job, which are counted from its beginning.
    pub fn new(mut parts: Parts<E>, window: Window) -> Self {
        let paused = Paused::new(&parts.spec.slices(), window.begin_ns);
        let window = paused.as_ref().map_or(window, Paused::first);
        if paused.is_some() {
            // It may have waited for long, and nothing kept its clock right meanwhile.
            parts.clock = Clock::new();
        }
        let semantics = S::new(&mut parts);
        let spec = &parts.spec;
        let depth = spec.depth as usize;
        let buffers: Vec<_> = std::mem::take(&mut parts.buffers).into_iter().map(Some).collect();
        let idle = Slot { kind: OpKind::Read, length: 0, offset: 0, start_ns: 0, issued_ns: 0, checks: false };
        Self {
            schedule: None,
            slots: vec![idle; depth],
            free: (0..spec.depth).rev().collect(),
            write_buffers: if buffers.len() > depth { depth } else { 0 },
            buffers,
            finished: Vec::with_capacity(depth),
            held: None,
            refused: None,
            gate: if paused.is_some() { Gate::Rest } else { Gate::Open },
            in_flight: 0,
            accounted_ns: 0,
            in_flight_at_end: None,
            batch: spec.batch.unwrap_or(Batching { submit: BATCH, complete: 1, low: spec.depth }),
            draining: false,
            counting_ns: u64::MAX,
            timer_ns: if paused.is_some() { window.begin_ns } else { window.measure_ns },
            interval: 0,
            operations_left: u64::MAX,
            bytes_left: u64::MAX,
            writes: 0,
            sync_kind: OpKind::Fsync,
            since_think: 0,
            since_drop: 0,
            lap: lap(spec),
            group_ns: None,
            left: false,
            unsynced: 0,
            report: Report::default(),
            semantics,
            started_ns: 0,
            spin_until_ns: 0,
            used_at_start: None,
            paused,
            parts,
            window,
        }
    }

    /// Runs to the end of the window, a limit, a fault or a stop request.
    pub fn run(self) -> (Report, Result<(), JobError>) {
        Kept(Some(self)).run()
    }

    fn begin(&mut self) {
        sleep_until(self.window.begin_ns);
        self.started_ns = self.window.begin_ns;
        if let Some(rate) = self.parts.spec.rate {
            let ahead = self.look_ahead();
            self.schedule = Some(Schedule::new(&self.parts.spec, rate, self.window.begin_ns, self.parts.thread, ahead));
        }
        if let Some(own) = self.semantics.begin(self.window.begin_ns) {
            self.schedule = Some(own);
        }
    }

    /// Bytes of the next operation, which decide when an open loop in bytes per second issues it.
    pub(crate) fn look_ahead(&mut self) -> u64 {
        let spec = &self.parts.spec;
        if spec.rate.is_some_and(|rate| rate.apart.is_some()) {
            return spec.smallest_block();
        }
        self.held = self.held.take().or_else(|| {
            let kind = self.semantics.draw_kind(&mut self.parts.pattern);
            self.semantics.draw_of(&mut self.parts.pattern, kind)
        });
        self.held.map_or(0, |next| u64::from(next.length))
    }

    fn work(&mut self) -> Result<(), JobError> {
        let mut now = self.parts.clock.now_ns();
        self.keep_time(now);
        loop {
            if self.parts.stop.load(Ordering::Relaxed) {
                return self.drain();
            }
            if self.gate == Gate::Finished && self.in_flight == 0 && !self.sync_at_end(now)? {
                return Ok(());
            }
            now = self.issue(now)?;
            now = if self.in_flight > 0 { self.reap(now)? } else { self.rested(now)? };
        }
    }

    /// Submits as much as depth, schedule, sync policy and limits allow.
    #[inline]
    fn issue(&mut self, mut now: u64) -> Result<u64, JobError> {
        if let Some(operation) = self.refused.take() {
            now = self.accept(operation, now)?;
        }
        if self.draining && self.in_flight > self.batch.low {
            return Ok(now);
        }
        self.draining = false;
        S::issue_first(self, &mut now)?;
        let mut held_back = 0;
        while self.gate == Gate::Open {
            let Some((next, start)) = self.next(&mut now)? else { break };
            if !self.submit(next, start, &mut now)? {
                break;
            }
            self.hand_over(&mut held_back, &mut now)?;
        }
        Ok(now)
    }

    /// The next operation and its start, if it may be issued now: within the limits, with a free tag, and when it is due.
    #[inline]
    fn next(&mut self, now: &mut u64) -> Result<Option<(Next, u64)>, JobError> {
        if self.at_limit() {
            self.end_issuing();
            return Ok(None);
        }
        if S::must_wait(self, now)? {
            return Ok(None);
        }
        if self.free.is_empty() {
            self.draining = true;
            return Ok(None);
        }
        if self.schedule.as_ref().is_some_and(|schedule| schedule.due_ns() > *now) || !S::may_issue(self, *now) {
            return Ok(None);
        }
        let Some(next) = self.take(*now) else { return Ok(None) };
        let start = self.schedule.as_ref().map_or(*now, |schedule| schedule.start_ns(next.kind, *now));
        match S::ensure_open(self, next, now)? {
            FileState::WasOpen => Ok(Some((next, start))),
            FileState::Opened => Ok(Some((next, if self.schedule.is_some() { start } else { *now }))),
            FileState::InUse => {
                self.put_back(next);
                Ok(None)
            }
        }
    }

    /// Hands the operation to the engine, after what has to be dropped before it. False when it was done at once, or found
    /// no room: completions have to be looked at before the next one.
    #[inline]
    fn submit(&mut self, next: Next, mut start: u64, now: &mut u64) -> Result<bool, JobError> {
        if let Some(schedule) = &mut self.schedule {
            schedule.advance(next.kind, u64::from(next.length));
            self.semantics.tell(schedule);
            let in_slices = || self.paused.as_ref().is_some_and(|paused| paused.counts(start));
            if next.kind.moves_data() && (start >= self.window.measure_ns || in_slices()) {
                self.report.common.offered += 1;
            }
        }
        S::issued(self, next.kind);
        self.since_think += 1;
        if !matches!(self.parts.spec.drop_each, DropEach::Never | DropEach::Files) {
            *now = self.forget(next, *now);
            start = if self.schedule.is_some() { start } else { *now };
        }
        let operation = self.prepare(next, start, *now);
        self.close_gate(next.kind, start);
        let before = *now;
        *now = self.accept(operation, before)?;
        Ok(*now == before && self.refused.is_none())
    }

    /// One more operation is held back; a whole batch goes to the device.
    #[inline]
    pub(crate) fn hand_over(&mut self, held_back: &mut u32, now: &mut u64) -> Result<(), JobError> {
        *held_back += 1;
        if *held_back == self.batch.submit {
            *held_back = 0;
            self.parts.engine.flush().map_err(engine_failed)?;
            *now = self.parts.clock.now_ns();
            self.semantics.handed_over(*now);
        }
        Ok(())
    }

    /// The next operation, if the pass has one, and nothing else is under way in its blocks.
    #[inline]
    fn take(&mut self, now: u64) -> Option<Next> {
        let next = self.held.take().or_else(|| self.draw(now));
        if next.is_none() {
            self.end_issuing();
        }
        next.filter(|&next| self.reserve(next))
    }

    /// Nothing more is to be issued in this pass, or at all.
    fn end_issuing(&mut self) {
        self.gate = if self.semantics.in_passes() { Gate::Pass } else { Gate::Finished };
    }

    /// Whether the limits of the job let nothing more be issued.
    #[inline]
    pub(crate) fn at_limit(&self) -> bool {
        self.operations_left == 0 || self.bytes_left == 0
    }

    /// The next operation, of a kind that is due; none when the pass is over.
    #[inline]
    fn draw(&mut self, now: u64) -> Option<Next> {
        let pattern = &mut self.parts.pattern;
        let kind = self.semantics.draw_kind(pattern);
        self.semantics.draw_of(pattern, self.schedule.as_ref().map_or(kind, |schedule| schedule.kind_due(kind, now)))
    }

    /// Hands an operation to the engine. The time moves on only when it was done at once.
    #[inline(always)] // once per operation, also where parts of this crate are compiled on their own
    pub(crate) fn accept(&mut self, operation: Operation, now: u64) -> Result<u64, JobError> {
        let tag = operation.tag;
        match self.parts.engine.submit(operation) {
            Submitted::Queued => {
                self.semantics.queued(tag);
                Ok(now)
            }
            Submitted::Done(completion) => {
                let now = self.parts.clock.now_ns();
                self.keep_time(now);
                self.complete(completion, now)?;
                if E::SETTLES {
                    self.parts.engine.settle();
                    return Ok(self.parts.clock.now_ns());
                }
                Ok(now)
            }
            Submitted::Full(operation) => {
                self.refused = Some(operation);
                Ok(now)
            }
        }
    }

    /// Waits for completions and counts them.
    #[inline]
    fn reap(&mut self, now: u64) -> Result<u64, JobError> {
        let (at_least, timeout) = self.patience(now);
        if self.semantics.holds_back() {
            self.parts.engine.flush().map_err(engine_failed)?;
            let now = self.parts.clock.now_ns();
            self.semantics.handed_over(now);
        }
        self.parts.engine.reap(at_least, timeout, &mut self.finished).map_err(engine_failed)?;
        let now = self.parts.clock.now_ns();
        self.keep_time(now);
        self.complete_all(now).map(|()| now)
    }

    /// Nothing is in flight: waits until something may be issued, or is due.
    #[inline]
    fn rested(&mut self, now: u64) -> Result<u64, JobError> {
        let now = self.idle(now)?;
        self.keep_time(now);
        Ok(now)
    }

    /// Does what is due. Before what came back at `now` counts: it belongs to the interval in which it did.
    #[inline]
    fn keep_time(&mut self, now: u64) {
        if now >= self.timer_ns {
            self.on_timer(now);
        }
        self.account(now);
    }
}

pub(crate) fn engine_failed(error: std::io::Error) -> JobError {
    JobError::Engine { message: format!("the engine stopped working: {error}"), errno: error.raw_os_error() }
}

#[cfg(test)]
mod tests;
