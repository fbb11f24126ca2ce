//! The loop of one thread: choose, submit, reap, count.

mod checks;
mod count;
mod end;
mod extras;
mod passes;
mod shelf;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use crate::spec::{Batch as Batching, DropEach, FileOrder, Files as Several, JobSpec, SyncKind, ThinkFrom};
use plimsoll_core::clock::Clock;
use plimsoll_core::cpu_time::Used;
use plimsoll_core::error::JobError;
use plimsoll_core::pool::{self, Outlet};
use plimsoll_core::timers::sleep_until;
use plimsoll_core::window::Window;

use crate::buffer::{Buffer, Pool};
use crate::content::Filler;
use crate::engine::{Completion, Engine, Kind, Operation, Submitted};
use crate::files::Files;
use crate::flow::Seat;
use crate::pattern::Pattern;
use crate::recorder::{Batch, Single};
use crate::region::Next;
use crate::rotation;
use crate::schedule::Schedule;
use crate::target::{self, Target};
use crate::verify::Stamps;
use checks::Checks;
use extras::Extras;
use passes::Round;
use shelf::{Shelf, Shelved};

/// A sleeping thread wakes up this much before the time it is wanted, and then watches the clock.
const WAKE_EARLY_NS: u64 = 60_000;
/// Pauses from here on leave time for telling single operations at once.
const LONG_PAUSE_NS: u64 = 5_000_000;
/// Operations that are handed to the device together. More would save system calls, but the first of them would wait for
/// the last: larger batches measurably raised the median latency, single submissions cost twice the CPU time.
const BATCH: u32 = 4;

/// What the threads hand to the one that leads them.
pub enum Exchange {}

impl pool::Exchange for Exchange {
    type Batch = Batch;
    type Note = Vec<Single>;
    type Found = Report;
    type Error = JobError;
}

/// What a thread says when it has ended.
#[derive(Debug, Default)]
pub struct Report {
    /// As in every job.
    pub common: pool::Report,
    /// What is in the blocks, when verifying.
    pub stamps: Option<Stamps>,
    /// Time of the measured part that reading back after passes took.
    pub read_back_ns: u64,
    /// Number of the first error that did not end the job.
    pub first_errno: Option<i32>,
    /// Writes that found no room, where that ends the job well.
    pub without_room: u64,
}

/// Everything a worker is made of.
pub struct Parts<E> {
    /// Open on `files`.
    pub engine: E,
    /// Memory of the buffers.
    #[expect(dead_code, reason = "owned here so that it outlives the engine and the buffers")]
    pub pool: Pool,
    /// Of `pool`: one per tag, or two per tag (first for reads, then for writes) when a mode does both.
    pub buffers: Vec<Buffer>,
    /// The target; the engine holds their numbers, so they live as long.
    pub files: Files,
    /// Where they are; nothing for engines that touch no file.
    pub target: Option<Target>,
    /// What to do.
    pub spec: Arc<JobSpec>,
    /// Number of this thread.
    pub thread: u32,
    /// Offsets and kinds.
    pub pattern: Pattern,
    /// Content of writes.
    pub filler: Filler,
    /// Present when verifying.
    pub stamps: Option<Stamps>,
    /// Present when other jobs are given way to.
    pub flow: Option<Seat>,
    /// The shared time line.
    pub clock: Clock,
    /// Ends the loop.
    pub stop: Arc<AtomicBool>,
    /// Threads that may still write.
    pub writing: Arc<AtomicU32>,
    /// To the thread that leads the job.
    pub outlet: Outlet<Exchange>,
    /// To record into.
    pub batch: Box<Batch>,
}

#[derive(Debug, Clone, Copy)]
struct Slot {
    kind: Kind,
    length: u32,
    offset: u64,
    /// Closed loop: submission; open loop: intended start.
    start_ns: u64,
    /// Submission.
    issued_ns: u64,
    /// Reads what was written, to see whether it is.
    checks: bool,
}

/// Why nothing may be issued at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    /// Waits for everything in flight, then syncs.
    Sync,
    /// Waits for the sync.
    Syncing,
    /// Waits for everything in flight, then pauses.
    Think,
    /// Pauses until then.
    Pause(u64),
    /// Waits for everything in flight, then ends the pass.
    Pass,
    /// What the pass wrote is read back.
    ReadBack,
    /// The limit is reached.
    Shut,
}

/// The state of one thread. `X`: with the extras of [`JobSpec::has_extras`], so that other jobs do not pay for them.
pub struct Worker<E: Engine, const X: bool> {
    parts: Parts<E>,
    window: Window,
    pace: Option<Schedule>,
    slots: Vec<Slot>,
    /// Tags and read or only buffers that are free.
    free: Vec<u32>,
    buffers: Vec<Option<Buffer>>,
    /// From here on in `buffers` are those for writes.
    write_buffers: usize,
    finished: Vec<Completion>,
    held: Option<Next>,
    refused: Option<Operation>,
    gate: Gate,
    in_flight: u32,
    /// Last time that `in_flight` was accounted for.
    accounted_ns: u64,
    batch: Batching,
    /// The depth was reached: waits until few enough are in flight.
    draining: bool,
    /// Operations submitted from here on count; never before the warm-up is over.
    counting_ns: u64,
    /// When something other than a completion has to be done.
    alarm_ns: u64,
    interval: u64,
    operations_left: u64,
    bytes_left: u64,
    writes: u64,
    /// Of the sync that is due.
    sync_kind: Kind,
    since_think: u64,
    /// Bytes of the current pass over the region, where passes are told apart.
    since_drop: u64,
    /// Bytes after which files are dropped on the way, where that is not done between passes.
    lap: Option<u64>,
    /// Start of the first write since the last sync.
    group_ns: Option<u64>,
    /// Has passed the last write.
    left: bool,
    /// Files that the last sync is still to come for.
    unsynced: u64,
    report: Report,
    checks: Option<Checks>,
    round: Option<Round>,
    extras: Extras,
    /// Bytes of all operations, reading back included.
    moved: u64,
    /// Where files are opened and closed on the way.
    shelf: Option<Shelf>,
    /// When the last operation of a loop with think time from start to start was due.
    started_ns: u64,
    /// Until then a pause is spent computing.
    spin_until_ns: u64,
    /// What the thread had used when counting began.
    used_at_start: Option<Used>,
}

impl<E: Engine, const X: bool> Worker<E, X> {
    /// Ready to run in `window`.
    pub fn new(mut parts: Parts<E>, window: Window) -> Self {
        let spec = &parts.spec;
        let depth = spec.depth as usize;
        let buffers: Vec<_> = std::mem::take(&mut parts.buffers).into_iter().map(Some).collect();
        let idle = Slot { kind: Kind::Read, length: 0, offset: 0, start_ns: 0, issued_ns: 0, checks: false };
        Self {
            pace: None,
            slots: vec![idle; depth],
            free: (0..spec.depth).rev().collect(),
            write_buffers: if buffers.len() > depth { depth } else { 0 },
            buffers,
            finished: Vec::with_capacity(depth),
            held: None,
            refused: None,
            gate: Gate::Open,
            in_flight: 0,
            accounted_ns: 0,
            batch: spec.batch.unwrap_or(Batching { submit: BATCH, complete: 1, low: spec.depth }),
            draining: false,
            counting_ns: u64::MAX,
            alarm_ns: window.measure_ns,
            interval: 0,
            operations_left: u64::MAX,
            bytes_left: u64::MAX,
            writes: 0,
            sync_kind: Kind::Fsync,
            since_think: 0,
            since_drop: 0,
            lap: lap(spec),
            group_ns: None,
            left: false,
            unsynced: 0,
            report: Report::default(),
            checks: Checks::new(spec, parts.thread),
            round: Round::new(spec, &parts.pattern),
            extras: Extras::new(spec),
            moved: 0,
            shelf: Shelf::new(spec).filter(|_| parts.target.is_some()),
            started_ns: 0,
            spin_until_ns: 0,
            used_at_start: None,
            parts,
            window,
        }
    }

    /// Runs to the end of the window, a limit, a fault or a stop request.
    pub fn run(mut self) -> (Report, Result<(), JobError>) {
        sleep_until(self.window.begin_ns);
        self.started_ns = self.window.begin_ns;
        if let Some(rate) = self.parts.spec.rate {
            let ahead = self.look_ahead();
            self.pace = Some(Schedule::new(&self.parts.spec, rate, self.window.begin_ns, self.parts.thread, ahead));
        }
        let result = self.work();
        self.finish(result)
    }

    /// Bytes of the next operation, which decide when an open loop in bytes per second issues it.
    fn look_ahead(&mut self) -> u64 {
        let spec = &self.parts.spec;
        if spec.rate.is_some_and(|rate| rate.apart.is_some()) {
            return spec.smallest_block();
        }
        self.held = self.held.take().or_else(|| self.parts.pattern.draw::<X>());
        self.held.map_or(0, |next| u64::from(next.length))
    }

    fn work(&mut self) -> Result<(), JobError> {
        let mut now = self.parts.clock.now_ns();
        loop {
            if now >= self.alarm_ns {
                self.ring(now);
            }
            if self.parts.stop.load(Ordering::Relaxed) {
                return self.drain();
            }
            if self.gate == Gate::Shut && self.in_flight == 0 && !self.sync_at_end(now)? {
                return Ok(());
            }
            now = self.issue(now)?;
            now = if self.in_flight > 0 { self.reap(now)? } else { self.idle(now)? };
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
        if self.checks_come_first() {
            self.issue_checks(&mut now)?;
        }
        let mut held_back = 0;
        while self.gate == Gate::Open {
            if self.at_limit() {
                self.end_issuing();
                break;
            }
            if self.checks.is_some() && (self.issue_checks(&mut now)? || self.at_limit()) {
                break;
            }
            if self.free.is_empty() {
                self.draining = true;
                break;
            }
            if self.pace.as_ref().is_some_and(|pace| pace.due_ns() > now) {
                break;
            }
            if X && !self.may_go(now) {
                break;
            }
            let Some(next) = self.take(now) else { break };
            let start = self.pace.as_ref().map_or(now, |pace| pace.start_ns(next.kind, now));
            let start = match self.shelve(next, &mut now)? {
                Shelved::No => start,
                Shelved::Ready if self.pace.is_some() => start,
                Shelved::Ready => now,
                Shelved::Later => {
                    self.put_back(next);
                    break;
                }
            };
            if let Some(pace) = &mut self.pace {
                pace.advance(next.kind, u64::from(next.length));
                if start >= self.window.measure_ns {
                    self.report.common.offered += 1;
                }
            }
            if let Some(checks) = &mut self.checks {
                checks.issued(next.kind);
            }
            self.goes();
            self.since_think += 1;
            let start = if matches!(self.parts.spec.drop_each, DropEach::Never | DropEach::Files) {
                start
            } else {
                now = self.forget(next, now);
                if self.pace.is_some() { start } else { now }
            };
            let operation = self.prepare(next, start, now);
            self.close_gate(next.kind, start);
            let before = now;
            now = self.accept(operation, now)?;
            if now != before || self.refused.is_some() {
                break;
            }
            self.hand_over(&mut held_back, &mut now)?;
        }
        Ok(now)
    }

    /// One more operation is held back; a whole batch goes to the device.
    #[inline]
    fn hand_over(&mut self, held_back: &mut u32, now: &mut u64) -> Result<(), JobError> {
        *held_back += 1;
        if *held_back == self.batch.submit {
            *held_back = 0;
            self.parts.engine.flush().map_err(engine_failed)?;
            *now = self.parts.clock.now_ns();
            if X {
                self.extras.handed_over(*now);
            }
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

    /// The next operation, of a kind that is due; none when the pass is over.
    #[inline]
    fn draw(&mut self, now: u64) -> Option<Next> {
        let kind = self.parts.pattern.draw_kind::<X>();
        self.parts.pattern.draw_of::<X>(self.pace.as_ref().map_or(kind, |pace| pace.kind_due(kind, now)))
    }

    /// Hands an operation to the engine. The time moves on only when it was done at once.
    #[inline]
    fn accept(&mut self, operation: Operation, now: u64) -> Result<u64, JobError> {
        let tag = operation.tag;
        match self.parts.engine.submit(operation) {
            Submitted::Queued => {
                if X {
                    self.extras.queued(tag);
                }
                Ok(now)
            }
            Submitted::Done(completion) => {
                let now = self.parts.clock.now_ns();
                self.account(now);
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

    /// Keeps two writes of one block from being in flight at once when the result will be verified.
    #[inline]
    fn reserve(&mut self, next: Next) -> bool {
        let Some(stamps) = &mut self.parts.stamps else { return true };
        let free = next.kind != Kind::Write || stamps.reserve(next.offset, next.length);
        if !free {
            self.held = Some(next);
        }
        free
    }

    /// The operation has to wait for others, and is looked at again after them.
    fn put_back(&mut self, next: Next) {
        if let Some(stamps) = self.parts.stamps.as_mut().filter(|_| next.kind == Kind::Write) {
            stamps.release(next.offset, next.length, true);
        }
        self.held = Some(next);
    }

    /// Drops what has to be dropped before the operation; returns the time after that.
    #[cold]
    fn forget(&mut self, next: Next, now: u64) -> u64 {
        let (files, spec, length) = (&self.parts.files, &self.parts.spec, u64::from(next.length));
        if spec.drop_each == DropEach::Operation {
            let (file, offset) = files.find(next.offset);
            file.into_iter().for_each(|file| target::forget(file, offset, length));
        } else if self.lap.is_some_and(|lap| self.since_drop + length > lap) {
            for (index, file) in files.iter() {
                target::forget(file, spec.offset, rotation::part(spec, index));
            }
            self.since_drop = length;
        } else {
            self.since_drop += length;
            return now;
        }
        self.parts.clock.now_ns()
    }

    /// Gives the operation a tag and a buffer.
    #[inline]
    fn prepare(&mut self, next: Next, start_ns: u64, issued_ns: u64) -> Operation {
        let Next { kind, offset, length } = next;
        let tag = self.free.pop().expect("an operation is prepared only while fewer than `depth` are in flight");
        let mut buffer = match kind {
            Kind::Read => self.buffers[tag as usize].take(),
            Kind::Write => self.buffers[self.write_buffers + tag as usize].take(),
            Kind::Trim | Kind::Fsync | Kind::Fdatasync => None,
        };
        if kind == Kind::Write
            && let Some(buffer) = &mut buffer
        {
            let bytes = &mut buffer.bytes_mut()[..length as usize];
            self.parts.filler.stamp(offset, bytes);
            if let Some(stamps) = &mut self.parts.stamps {
                stamps.stamp(offset, bytes);
            }
        }
        let priority = if X { self.extras.give_priority(tag, kind, length) } else { 0 };
        self.slots[tag as usize] = Slot { kind, length, offset, start_ns, issued_ns, checks: false };
        if issued_ns >= self.counting_ns {
            self.operations_left -= 1;
            self.bytes_left = self.bytes_left.saturating_sub(u64::from(length));
        }
        self.moved += u64::from(length);
        self.account(issued_ns);
        self.in_flight += 1;
        self.count_on_shelf(offset, true);
        Operation { tag, kind, offset, length, priority, buffer }
    }

    /// After an operation was issued: is it time to sync or to pause?
    #[inline]
    fn close_gate(&mut self, kind: Kind, start_ns: u64) {
        let spec = &self.parts.spec;
        if let (Kind::Write, Some(every)) = (kind, spec.sync_every()) {
            self.group_ns.get_or_insert(start_ns);
            self.writes += 1;
            if self.round.is_some() && self.at_limit() {
                return;
            }
            let data_every = spec.sync_beside.map_or(0, |beside| beside.fdatasync_every);
            if self.writes.is_multiple_of(every) {
                self.sync_kind = if spec.sync == SyncKind::Fsync { Kind::Fsync } else { Kind::Fdatasync };
                self.gate = Gate::Sync;
                return;
            }
            if data_every > 0 && self.writes.is_multiple_of(data_every) {
                self.sync_kind = Kind::Fdatasync;
                self.gate = Gate::Sync;
                return;
            }
        }
        if self.wants_to_think() {
            self.gate = Gate::Think;
        }
    }

    /// Whether the next pause is due.
    #[inline]
    fn wants_to_think(&self) -> bool {
        let spec = &self.parts.spec;
        spec.think_time_ns > 0 && self.since_think >= spec.think_every
    }

    /// Waits for completions and counts them.
    #[inline]
    fn reap(&mut self, now: u64) -> Result<u64, JobError> {
        let (at_least, timeout) = self.patience(now);
        if X && self.extras.waits() {
            self.parts.engine.flush().map_err(engine_failed)?;
            let now = self.parts.clock.now_ns();
            self.extras.handed_over(now);
        }
        self.parts.engine.reap(at_least, timeout, &mut self.finished).map_err(engine_failed)?;
        let now = self.parts.clock.now_ns();
        self.account(now);
        self.complete_all(now).map(|()| now)
    }

    /// How long to wait for a completion: without end in a closed loop, until the next start is due in an open one.
    #[inline]
    fn patience(&self, now: u64) -> (u32, Option<Duration>) {
        match &self.pace {
            Some(pace) if self.gate == Gate::Open && !self.free.is_empty() && self.refused.is_none() => {
                let wait_ns = pace.due_ns().min(self.alarm_ns).saturating_sub(now);
                if wait_ns <= WAKE_EARLY_NS {
                    (0, None)
                } else {
                    (1, Some(Duration::from_nanos(wait_ns - WAKE_EARLY_NS)))
                }
            }
            None if X && self.gate == Gate::Open && !self.free.is_empty() && self.refused.is_none() => {
                self.patience_for_others(now)
            }
            _ => (self.batch.complete.min(self.in_flight), None),
        }
    }

    /// Nothing is in flight: sync, pause, or wait for the next start.
    fn idle(&mut self, now: u64) -> Result<u64, JobError> {
        if self.checks_come_first() && self.check_is_due() {
            return Ok(now);
        }
        let until = match self.gate {
            Gate::Pass => return self.end_pass(now),
            Gate::ReadBack => return self.next_pass(),
            Gate::Sync => {
                self.gate = Gate::Syncing;
                let offset = self.parts.pattern.sync_offset();
                self.make_ready(offset)?;
                let operation = self.prepare_sync(self.sync_kind, offset, now);
                return self.accept(operation, now);
            }
            Gate::Think => {
                let spec = &self.parts.spec;
                let (spin_ns, from_start) = (spec.think_spin_ns, spec.think_from == ThinkFrom::Start);
                let pause_ns = spec.think_time_ns.max(spin_ns);
                self.since_think = 0;
                self.tell_before_pause(pause_ns);
                self.spin_until_ns = now.saturating_add(spin_ns);
                let until = if from_start { self.started_ns } else { now }.saturating_add(pause_ns);
                self.started_ns = until.max(now);
                self.gate = Gate::Pause(until);
                return Ok(now);
            }
            Gate::Pause(until) if now >= until => {
                self.gate = Gate::Open;
                return Ok(now);
            }
            Gate::Pause(_) if now < self.spin_until_ns => return Ok(self.parts.clock.now_ns()),
            Gate::Pause(until) => until,
            Gate::Open => match &self.pace {
                Some(pace) => pace.due_ns(),
                None if X => return self.wait_for_turn(now),
                None => return Ok(now),
            },
            Gate::Syncing | Gate::Shut => return Ok(now),
        };
        let until = until.min(self.alarm_ns);
        if until.saturating_sub(now) > WAKE_EARLY_NS {
            sleep_until(until - WAKE_EARLY_NS);
        }
        Ok(self.parts.clock.now_ns())
    }

    /// Before a long pause somebody may be waiting to see the last operations, long before the interval is over.
    fn tell_before_pause(&mut self, pause_ns: u64) {
        if pause_ns >= LONG_PAUSE_NS && !self.parts.batch.trace.is_empty() {
            let trace = std::mem::take(&mut self.parts.batch.trace);
            self.parts.outlet.note(trace);
        }
    }

    fn prepare_sync(&mut self, kind: Kind, offset: u64, now: u64) -> Operation {
        let tag = self.free.pop().expect("a sync is prepared only while nothing is in flight, and depth is 1 or more");
        self.slots[tag as usize] = Slot { kind, length: 0, offset, start_ns: now, issued_ns: now, checks: false };
        self.account(now);
        self.in_flight += 1;
        self.count_on_shelf(offset, true);
        Operation { tag, kind, offset, length: 0, priority: 0, buffer: None }
    }
}

/// Bytes of the files that a job without passes, or with one that lasts as long as it runs, goes round in.
fn lap(spec: &JobSpec) -> Option<u64> {
    let first_only = |files: &Several| files.endless && files.order == FileOrder::Sequential;
    let lap = if spec.files.as_ref().is_some_and(first_only) { rotation::part(spec, 0) } else { spec.size };
    spec.passes.is_none_or(|passes| !passes.ends && passes.least.is_none()).then_some(lap)
}

fn engine_failed(error: std::io::Error) -> JobError {
    JobError::Engine { message: format!("the engine stopped working: {error}"), errno: error.raw_os_error() }
}
