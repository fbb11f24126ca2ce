//! One job from request to outcome.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use plimsoll_core::clock::{Clock, monotonic_ns, wall_ns};
use plimsoll_core::crew::{self, Delivery, Line, Window, sum_up};
use plimsoll_core::error::JobError;
use plimsoll_core::outcome::{Outcome, Phase, Status, Verified};
use plimsoll_core::spec::{JobSpec, Layout};
use plimsoll_core::threads;
use plimsoll_core::timeline::{Batch as _, Timeline};
use plimsoll_core::usage::Used;

use crate::admit::admit;
use crate::buffer::Pool;
use crate::engines;
use crate::flow::Place;
use crate::job::Shared;
use crate::launch::{self, Launch};
use crate::layout;
use crate::priorities;
use crate::recorder::{Batch, NAMES, Single};
use crate::rotation;
use crate::signal;
use crate::target::{self, Target};
use crate::verify::{ReadBack, Stamps};
use crate::worker::Report;

/// Time between "all threads are ready" and the start of the load.
const LEAD_NS: u64 = 2_000_000;
/// After a stop request, threads that sit in the kernel get this long; then the job ends without them.
const GRACE: Duration = Duration::from_millis(80);
/// How often threads are woken up while they are waited for.
const NUDGE: Duration = Duration::from_millis(5);

/// What reaches the runner.
pub enum Event {
    /// The handle asks to end.
    Stop,
    /// A thread is set up (its kernel thread id), or cannot be.
    Ready(u32, Result<libc::pid_t, JobError>),
    /// A thread has finished an interval.
    Interval(u32, Delivery<Batch>),
    /// Single operations of a traced job.
    Traced(Vec<Single>),
    /// A thread has ended.
    Ended(u32, Box<Report>, Result<(), JobError>),
    /// The layout is done: bytes written.
    Laid(Result<u64, JobError>),
    /// The page cache holds nothing of the region any more.
    Dropped(Result<(), JobError>),
    /// The read-back pass is done.
    Verified(Result<ReadBack, JobError>),
}

/// The job's own thread: starts the others, merges what they count, never blocks on the device itself.
pub struct Runner {
    spec: Arc<JobSpec>,
    shared: Arc<Shared>,
    events: Sender<Event>,
    inbox: Receiver<Event>,
    /// Ends all threads: set on a stop request and on the first fault.
    halt: Arc<AtomicBool>,
    /// Present when other jobs are given way to.
    flow: Option<Arc<Place>>,
    /// What runs belongs to the layout.
    laying: bool,
    outcome: Outcome,
}

/// The threads of the measured part.
struct Crew {
    lines: Vec<Line<Batch>>,
    threads: Vec<libc::pid_t>,
    reports: Vec<Option<Report>>,
    /// By the end of their last intervals.
    used: Vec<Used>,
    fault: Option<JobError>,
}

impl Runner {
    /// For one request; `inbox` is the other end of `events`.
    pub fn new(spec: JobSpec, shared: Arc<Shared>, events: Sender<Event>, inbox: Receiver<Event>) -> Self {
        let flow = spec.flow.map(|flow| Arc::new(Place::take(flow)));
        Self {
            spec: Arc::new(spec),
            shared,
            events,
            inbox,
            halt: Arc::new(AtomicBool::new(false)),
            flow,
            laying: false,
            outcome: Outcome::nothing_yet(),
        }
    }

    /// Runs the job to its end.
    pub fn run(mut self) -> Outcome {
        if let Err(error) = self.phases() {
            self.outcome.status = Status::Failed;
            self.outcome.error = Some(error.into());
        } else if self.stopped() {
            self.outcome.status = Status::Stopped;
        }
        self.shared.board.enter(Phase::Finished, monotonic_ns(), None);
        self.outcome
    }

    fn phases(&mut self) -> Result<(), JobError> {
        let target = admit(&self.spec)?;
        signal::install();
        let target = match target {
            Some(target) => {
                self.layout(&target)?;
                Some(self.laid(&target)?)
            }
            None => None,
        };
        if self.stopped() {
            return Ok(());
        }
        if let Some(target) = target.as_ref().filter(|_| self.spec.drop_cache) {
            self.drop_cache(target)?;
        }
        if self.stopped() {
            return Ok(());
        }
        let stamps = self.measure(target.clone())?;
        match target {
            Some(target) if !stamps.is_empty() && !self.stopped() => self.verify(target, stamps),
            _ => Ok(()),
        }
    }

    fn stopped(&self) -> bool {
        self.shared.stopped.load(Ordering::SeqCst)
    }

    /// The next event; nothing after the time is over. A stop request only wakes up the caller, who asks `stopped`.
    fn next_event(&self, timeout: Duration) -> Option<Event> {
        // The runner holds a sender itself, so the only failure is a timeout.
        self.inbox.recv_timeout(timeout).ok()
    }

    /// Waits for the one event of a task on its own thread; nothing when it does not answer to a stop request. `what`
    /// says what the thread does.
    fn await_task<T>(
        &self,
        what: &str,
        task: impl FnOnce() + Send + 'static,
        pick: impl Fn(Event) -> Option<Result<T, JobError>>,
    ) -> Result<Option<T>, JobError> {
        thread::Builder::new()
            .name("plimsoll-task".to_owned())
            .spawn(task)
            .map_err(|error| thread_refused(&format!("the thread that {what}"), &error))?;
        let mut deadline: Option<Instant> = None;
        loop {
            if self.stopped() {
                self.halt.store(true, Ordering::SeqCst);
                if *deadline.get_or_insert_with(|| Instant::now() + GRACE) <= Instant::now() {
                    return Ok(None);
                }
            }
            let patience = if deadline.is_some() { NUDGE } else { Duration::from_secs(1) };
            if let Some(found) = self.next_event(patience).and_then(&pick) {
                return found.map(Some);
            }
        }
    }

    fn layout(&mut self, target: &Target) -> Result<(), JobError> {
        let began_ns = monotonic_ns();
        self.shared.board.enter(Phase::Layout, began_ns, None);
        let planned = layout::planned_bytes(&self.spec, target);
        if planned > 0 {
            let (spec, shared) = (Arc::clone(&self.spec), Arc::clone(&self.shared));
            let (target, halt, events) = (target.clone(), Arc::clone(&self.halt), self.events.clone());
            let task = move || {
                let told = |done: u64| shared.board.share(done as f64 / planned as f64);
                let _ = events.send(Event::Laid(layout::fill(&spec, &target, &halt, told)));
            };
            let pick = |event| if let Event::Laid(result) = event { Some(result) } else { None };
            self.outcome.phases.layout_bytes = self.await_task("lays the file out", task, pick)?.unwrap_or(0);
        }
        if self.spec.layout == Layout::Random && !self.stopped() {
            self.overwrite(self.laid(target)?)?;
        }
        self.outcome.phases.layout_ns = monotonic_ns() - began_ns;
        Ok(())
    }

    /// The file as it is now; files beside it have not changed.
    fn laid(&self, target: &Target) -> Result<Target, JobError> {
        let now = Target::look(&target.path)?;
        let mut known = target.known.to_vec();
        if known[0].is_some_and(|known| Some(known) != now.known[0]) {
            return Err(target::exchanged(&target.path));
        }
        known[0] = now.known[0];
        Ok(Target { known: known.into(), ..now })
    }

    /// Runs the overwriting in random order like a measured part, and forgets what it measured.
    fn overwrite(&mut self, target: Target) -> Result<(), JobError> {
        let overwriting = Arc::new(layout::overwrite_spec(&self.spec));
        let asked_for = std::mem::replace(&mut self.spec, overwriting);
        self.laying = true;
        let result = self.measure(Some(target));
        self.laying = false;
        self.spec = asked_for;
        let bytes = self.outcome.operations.values().map(|totals| totals.bytes).sum::<u64>();
        let layout_bytes = self.outcome.phases.layout_bytes + bytes;
        self.outcome = Outcome::nothing_yet();
        self.outcome.phases.layout_bytes = layout_bytes;
        result.map(drop).map_err(layout::overwrite_failed)
    }

    fn drop_cache(&self, target: &Target) -> Result<(), JobError> {
        let (spec, target, events) = (Arc::clone(&self.spec), target.clone(), self.events.clone());
        let task = move || {
            // One after the other: there may be more files than a process may have open.
            let dropped = (0..rotation::count(&spec)).try_for_each(|index| {
                let file = target.open_beside(&spec, index)?;
                target::drop_cache(&file, spec.offset, rotation::part(&spec, index))
                    .map_err(|error| drop_failed(&spec, &error))
            });
            let _ = events.send(Event::Dropped(dropped));
        };
        let pick = |event| if let Event::Dropped(result) = event { Some(result) } else { None };
        self.await_task("drops the page cache", task, pick).map(Option::unwrap_or_default)
    }

    /// Warm-up and measured part. Returns what the blocks must hold now, when verifying.
    fn measure(&mut self, target: Option<Target>) -> Result<Vec<Stamps>, JobError> {
        let launch = Launch {
            spec: Arc::clone(&self.spec),
            target,
            flow: self.flow.clone().filter(|_| !self.laying),
            events: self.events.clone(),
            stop: Arc::clone(&self.halt),
        };
        let lines = match engines::with(&self.spec.engine, launch) {
            Some(Ok(lines)) => lines,
            Some(Err(error)) => return Err(thread_refused("all threads", &error)),
            None => return Err(JobError::spec(format!("there is no engine {:?}", self.spec.engine))),
        };
        let count = lines.len();
        let mut crew = Crew {
            lines,
            threads: vec![0; count],
            reports: (0..count).map(|_| None).collect(),
            used: vec![Used::default(); count],
            fault: None,
        };
        if !self.gather(&mut crew)? {
            return Ok(Vec::new());
        }
        let (warmup_ns, runtime_ns) = (self.spec.warmup_ns, self.spec.limit.runtime_ns);
        let window = Window::new(Clock::new().now_ns() + LEAD_NS, warmup_ns, runtime_ns, self.spec.interval_ns);
        let started_ns = wall_ns() + (window.measure_ns - monotonic_ns());
        if !self.laying {
            self.shared.board.run(window.begin_ns, warmup_ns, runtime_ns);
        }
        for line in &crew.lines {
            // A thread that is gone has left its fault among the events.
            let _ = line.go.send(window);
        }
        let series = launch::series(&self.spec);
        let mut timeline = Timeline::new(self.spec.threads, window.interval_ns, || {
            Batch::new(&series).by_priority(priorities::names(&self.spec))
        });
        if self.spec.interval_histograms {
            timeline = timeline.keeping_histograms();
        }
        self.collect(&mut crew, &mut timeline, window.measure_ns);
        self.outcome.started_ns = started_ns;
        self.sum_up(&crew, &mut timeline, &window);
        match crew.fault {
            Some(fault) => Err(fault),
            None => Ok(crew.reports.into_iter().flatten().filter_map(|report| report.stamps).collect()),
        }
    }

    /// Waits until every thread is set up. False when a stop request came first.
    fn gather(&self, crew: &mut Crew) -> Result<bool, JobError> {
        let mut waiting = crew.lines.len();
        while waiting > 0 {
            if self.stopped() {
                return Ok(false);
            }
            if let Some(Event::Ready(thread, result)) = self.next_event(Duration::from_secs(1)) {
                crew.threads[thread as usize] = result?;
                waiting -= 1;
            }
        }
        Ok(true)
    }

    /// Merges what the threads deliver until all have ended, or have had their time to.
    fn collect(&self, crew: &mut Crew, timeline: &mut Timeline<Batch>, measure_ns: u64) {
        let mut deadline: Option<Instant> = None;
        while crew.reports.iter().any(Option::is_none) {
            if self.stopped() || crew.fault.is_some() {
                self.halt.store(true, Ordering::SeqCst);
                if *deadline.get_or_insert_with(|| Instant::now() + GRACE) <= Instant::now() {
                    return;
                }
                let out = crew.threads.iter().zip(&crew.reports).filter(|(_, report)| report.is_none());
                out.for_each(|(&thread, _)| signal::wake(thread));
            }
            let patience = if deadline.is_some() { NUDGE } else { Duration::from_secs(1) };
            match self.next_event(patience) {
                Some(Event::Interval(thread, delivery)) => {
                    self.tell(&delivery.batch.trace, measure_ns);
                    self.add(crew, timeline, thread, delivery);
                }
                Some(Event::Traced(trace)) => self.tell(&trace, measure_ns),
                Some(Event::Ended(thread, report, result)) => {
                    timeline.finish(thread);
                    crew.reports[thread as usize] = Some(*report);
                    if let Err(fault) = result {
                        crew.fault.get_or_insert(fault);
                    }
                }
                _ => {}
            }
        }
    }

    /// Passes single operations on; there are none but in a traced job.
    fn tell(&self, trace: &[Single], measure_ns: u64) {
        if !trace.is_empty() {
            let told = |one: &Single| {
                let start_ns = one.start_ns.saturating_sub(measure_ns);
                let (name, length) = (NAMES[one.series as usize].to_owned(), u64::from(one.length));
                (name, start_ns, one.latency_ns, one.offset, length, one.submission_ns, one.priority)
            };
            self.shared.board.traced(trace.iter().map(told));
        }
    }

    fn add(&self, crew: &mut Crew, timeline: &mut Timeline<Batch>, thread: u32, delivery: Delivery<Batch>) {
        let Delivery { index, mut batch } = delivery;
        timeline.add(thread, index, &batch);
        crew.used[thread as usize] = batch.used;
        batch.clear();
        // A thread that has ended needs no empty batch.
        let _ = crew.lines[thread as usize].emptied.send(batch);
        if let Some(interval) = timeline.last().filter(|_| !self.laying) {
            self.shared.board.interval(interval.clone());
            if self.spec.so_far {
                self.shared.board.so_far(crew::so_far(timeline, &crew.used));
            }
        }
        let (operations, bytes) = timeline.total().transferred();
        let limit = self.spec.limit;
        let share = |done: u64, total: Option<u64>| total.map_or(0.0, |total| done as f64 / total as f64);
        self.shared.board.share(share(operations, limit.operations).max(share(bytes, limit.bytes)));
    }

    fn sum_up(&mut self, crew: &Crew, timeline: &mut Timeline<Batch>, window: &Window) {
        let reports: Vec<_> = crew.reports.iter().map(|report| report.as_ref().map(|report| report.common)).collect();
        sum_up(&mut self.outcome, timeline, window, &reports, self.spec.rate.is_some());
        self.outcome.without_room = crew.reports.iter().flatten().map(|report| report.without_room).sum();
        self.outcome.first_errno = crew.reports.iter().flatten().find_map(|report| report.first_errno);
        self.outcome.phases.verify_ns =
            crew.reports.iter().flatten().map(|report| report.read_back_ns).max().unwrap_or(0);
        self.outcome.trace = self.shared.board.untold();
    }

    fn verify(&mut self, target: Target, stamps: Vec<Stamps>) -> Result<(), JobError> {
        let began_ns = monotonic_ns();
        self.shared.board.enter(Phase::Verify, began_ns, None);
        let (spec, shared) = (Arc::clone(&self.spec), Arc::clone(&self.shared));
        let events = self.events.clone();
        let task = move || {
            let result = read_back(&spec, &target, &stamps, &shared);
            let _ = events.send(Event::Verified(result));
        };
        let pick = |event| if let Event::Verified(result) = event { Some(result) } else { None };
        let found = self.await_task("reads back what was written", task, pick)?;
        if self.spec.reads_back_after_run() {
            self.outcome.phases.verify_ns = monotonic_ns() - began_ns;
        }
        let Some(found) = found.filter(|_| !self.stopped()) else { return Ok(()) };
        self.outcome.verified = Some(Verified {
            blocks: found.blocks,
            bad_blocks: found.bad_blocks,
            first_bad_offset: found.first_bad_offset,
        });
        let first = self.spec.verification.as_ref().is_some_and(|how| how.stop_at_first);
        let ends = if first { ", and the first one ends the job" } else { "" };
        let tolerated = self.spec.tolerance.as_ref().is_some_and(|tolerance| tolerance.bad_blocks);
        match found.first_bad_offset.filter(|_| !tolerated) {
            Some(offset) => Err(JobError::Verify {
                message: format!(
                    "verification of {} failed ({} of {} blocks are not what was written{ends})",
                    self.spec.path, found.bad_blocks, found.blocks
                ),
                offset,
            }),
            None => Ok(()),
        }
    }
}

/// Reads all slices back, from the device rather than from the page cache where that can be had.
fn read_back(spec: &JobSpec, target: &Target, stamps: &[Stamps], shared: &Shared) -> Result<ReadBack, JobError> {
    let mut sum = ReadBack::default();
    if !spec.reads_back_after_run() {
        stamps.iter().for_each(|part| sum.add(part.found()));
        return Ok(sum);
    }
    let file = target.open(spec)?;
    target::drop_cache(&file, spec.offset, spec.size).map_err(|error| drop_failed(spec, &error))?;
    let largest = spec.largest_block().max(1 << 20);
    let (_pool, mut buffers) =
        Pool::new(1, largest as usize).map_err(|error| engine_error("no memory to verify", &error))?;
    for (i, part) in stamps.iter().enumerate() {
        let keep_going = |done: f64| {
            shared.board.share((i as f64 + done) / stamps.len() as f64);
            !shared.stopped.load(Ordering::Relaxed)
        };
        let found = part
            .read_back(&file, &mut buffers[0], keep_going)
            .map_err(|error| engine_error(&format!("cannot read {} back", spec.path), &error))?;
        sum.add(found);
        if found.bad_blocks > 0 && spec.verification.as_ref().is_some_and(|how| how.stop_at_first) {
            break;
        }
    }
    Ok(sum)
}

fn thread_refused(what: &str, error: &std::io::Error) -> JobError {
    JobError::Engine { message: threads::refused(what, error), errno: error.raw_os_error() }
}

fn engine_error(what: &str, error: &std::io::Error) -> JobError {
    JobError::Engine { message: format!("{what}: {error}"), errno: error.raw_os_error() }
}

fn drop_failed(spec: &JobSpec, error: &std::io::Error) -> JobError {
    engine_error(&format!("cannot write {} back to drop it from the page cache", spec.path), error)
}
