//! One job from request to outcome.

use std::sync::Arc;
use std::time::Duration;

use crate::spec::{JobSpec, Layout};
use plimsoll_core::clock::{Clock, monotonic_ns, wall_ns};
use plimsoll_core::cpu_time::Used;
use plimsoll_core::error::JobError;
use plimsoll_core::job::{Control, Work};
use plimsoll_core::outcome::{Outcome, Status, Verified, phase};
use plimsoll_core::pool::{Observer, WorkerPool};
use plimsoll_core::summary::{so_far, sum_up};
use plimsoll_core::threads::ThreadFault;
use plimsoll_core::timeline::Timeline;
use plimsoll_core::window::Window;

use crate::buffer::Pool;
use crate::engines;
use crate::fio::flow::Place;
use crate::launch::{self, Launch};
use crate::layout;
use crate::recorder::{Batch, Single};
use crate::rotation;
use crate::signal;
use crate::target::{self, Target};
use crate::validate::validate_target;
use crate::verify::{ReadBack, Stamps};
use crate::worker::Exchange;

/// Time between "all threads are ready" and the start of the load.
const LEAD_NS: u64 = 2_000_000;
/// After a stop request, threads that sit in the kernel get this long; then the job ends without them.
const GRACE: Duration = Duration::from_millis(80);
/// The job's own thread: starts the others, merges what they count, never blocks on the device itself.
pub struct Runner {
    spec: Arc<JobSpec>,
    control: Arc<Control>,
    /// Present when other jobs are given way to.
    flow: Option<Arc<Place>>,
    /// What runs belongs to the layout.
    laying: bool,
    outcome: Outcome,
}

impl Work for Runner {
    type Spec = JobSpec;
    type Outcome = Outcome;
    const THREAD: &'static str = "plimsoll-job";
    const FIRST_PHASE: &'static str = phase::LAYOUT;

    fn waits(spec: &JobSpec) -> bool {
        !spec.slices.is_empty()
    }

    fn run(spec: JobSpec, control: &Arc<Control>) -> Outcome {
        let flow = spec.flow.map(|flow| Arc::new(Place::take(flow)));
        let (spec, control) = (Arc::new(spec), Arc::clone(control));
        Self { spec, control, flow, laying: false, outcome: Outcome::nothing_yet() }.carry_out()
    }

    fn failed(fault: ThreadFault) -> Outcome {
        Outcome::failed(JobError::from(fault).into())
    }
}

/// Tells how far the measured part is.
struct Teller<'a> {
    control: &'a Control,
    spec: &'a JobSpec,
    measure_ns: u64,
    laying: bool,
    /// CPU time of each thread by the end of its last interval.
    used: Vec<Used>,
}

impl Teller<'_> {
    /// Passes single operations on; there are none but in a traced job.
    fn trace(&self, trace: &[Single]) {
        if !trace.is_empty() {
            self.control.board.traced(trace.iter().map(|single| single.told(self.measure_ns)));
        }
    }
}

impl Observer<Exchange> for Teller<'_> {
    fn noted(&mut self, trace: Vec<Single>) {
        self.trace(&trace);
    }

    fn filled(&mut self, thread: u32, batch: &Batch) {
        self.trace(&batch.trace);
        self.used[thread as usize] = batch.used;
    }

    fn merged(&mut self, timeline: &mut Timeline<Batch>) {
        let board = &self.control.board;
        if let Some(interval) = timeline.last().filter(|_| !self.laying) {
            board.interval(interval.clone());
            if self.spec.so_far {
                board.so_far(so_far(timeline, &self.used));
            }
        }
        let (operations, bytes) = timeline.total().transferred();
        let share = |done: u64, total: Option<u64>| total.map_or(0.0, |total| done as f64 / total as f64);
        board.share(share(operations, self.spec.max_operations).max(share(bytes, self.spec.max_bytes)));
    }
}

impl Runner {
    fn carry_out(mut self) -> Outcome {
        if let Err(error) = self.phases() {
            self.outcome.status = Status::Failed;
            self.outcome.error = Some(error.into());
        } else if self.stopped() {
            self.outcome.status = Status::Stopped;
        }
        self.outcome
    }

    fn phases(&mut self) -> Result<(), JobError> {
        let target = validate_target(&self.spec)?;
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
        self.control.stopped()
    }

    /// Waits for a task on a thread of its own; nothing when it does not answer to a stop request. `what` says what the
    /// thread does.
    fn await_task<T: Send + 'static>(
        &self,
        what: &str,
        task: impl FnOnce() -> Result<T, JobError> + Send + 'static,
    ) -> Result<Option<T>, JobError> {
        let what = format!("the thread that {what}");
        self.control.await_task(("plimsoll-task", &what), (None, GRACE), || (), task)?.transpose()
    }

    fn layout(&mut self, target: &Target) -> Result<(), JobError> {
        let began_ns = monotonic_ns();
        self.control.board.enter(phase::LAYOUT, began_ns, None);
        let planned = layout::planned_bytes(&self.spec, target);
        if planned > 0 {
            let (spec, control, target) = (Arc::clone(&self.spec), Arc::clone(&self.control), target.clone());
            let task = move || {
                let told = |done: u64| control.board.share(done as f64 / planned as f64);
                layout::fill(&spec, &target, &control.stop, told)
            };
            self.outcome.phases.layout_bytes = self.await_task("lays the file out", task)?.unwrap_or(0);
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
        let (spec, target) = (Arc::clone(&self.spec), target.clone());
        let task = move || {
            // One after the other: there may be more files than a process may have open.
            (0..rotation::count(&spec)).try_for_each(|index| {
                let file = target.open_beside(&spec, index)?;
                target::drop_cache(&file, spec.offset, rotation::part(&spec, index))
                    .map_err(|error| drop_failed(&spec, &error))
            })
        };
        self.await_task("drops the page cache", task).map(Option::unwrap_or_default)
    }

    /// Warm-up and measured part. Returns what the blocks must hold now, when verifying.
    fn measure(&mut self, target: Option<Target>) -> Result<Vec<Stamps>, JobError> {
        let launch = Launch {
            spec: Arc::clone(&self.spec),
            target,
            flow: self.flow.clone().filter(|_| !self.laying),
            control: Arc::clone(&self.control),
        };
        let mut pool = match engines::with(&self.spec.engine, launch) {
            Some(pool) => pool?,
            None => return Err(JobError::spec(format!("there is no engine {:?}", self.spec.engine))),
        };
        if !pool.ready()? {
            return Ok(Vec::new());
        }
        let Some(window) = self.window(&mut pool)? else { return Ok(Vec::new()) };
        let started_ns = (wall_ns() + window.measure_ns).saturating_sub(monotonic_ns());
        if !self.laying {
            let (warmup_ns, most_ns) = (window.measure_ns - window.begin_ns, window.end_ns - window.measure_ns);
            let lasts_ns = self.spec.recording.as_ref().map_or(0, |recording| recording.lasts_ns);
            let measure_ns = if lasts_ns > 0 { lasts_ns.min(most_ns) } else { most_ns };
            self.control.board.run(window.begin_ns, warmup_ns, measure_ns);
        }
        let (spec, series) = (&*self.spec, launch::series(&self.spec));
        let mut timeline = Timeline::new(spec.threads, window.interval_ns, || launch::batch(spec, &series));
        timeline = timeline.in_slices(&spec.slices());
        if spec.interval_histograms {
            timeline = timeline.keeping_histograms();
        }
        let (control, laying, used) = (&*self.control, self.laying, vec![Used::default(); spec.threads as usize]);
        let mut teller = Teller { control, spec, measure_ns: window.measure_ns, laying, used };
        pool.run(window, GRACE, &mut timeline, &mut teller);
        self.outcome.started_ns = started_ns;
        self.sum_up(&pool, &mut timeline, &window);
        Ok(pool.into_found()?.into_iter().filter_map(|report| report.stamps).collect())
    }

    /// When the threads work, which are set up: soon, or with slices from when the job is told to go. Nothing after a stop
    /// request.
    fn window(&self, pool: &mut WorkerPool<Exchange>) -> Result<Option<Window>, JobError> {
        let (spec, slices) = (&self.spec, self.spec.slices());
        if !slices.is_none() {
            return Ok(pool.wait_for_go()?.map(|go_ns| slices.whole(go_ns)));
        }
        let begin_ns = Clock::new().now_ns() + LEAD_NS;
        let window = Window::new(begin_ns, spec.warmup_ns, spec.runtime_ns, spec.interval_length_ns());
        // A final sync is what the test asks about.
        Ok(Some(Window { until_all_is_back: window.until_all_is_back || spec.sync_at_end, ..window }))
    }

    fn sum_up(&mut self, pool: &WorkerPool<Exchange>, timeline: &mut Timeline<Batch>, window: &Window) {
        sum_up(&mut self.outcome, timeline, window, &pool.reports(), self.spec.is_scheduled());
        self.outcome.without_room = pool.found().map(|report| report.without_room).sum();
        self.outcome.late_since_ns = pool.found().find_map(|report| report.late_since_ns);
        self.outcome.late = pool.found().map(|report| report.late).sum();
        self.outcome.late_by_depth = pool.found().map(|report| report.late_by_depth).sum();
        self.outcome.unissued = pool.found().map(|report| report.unissued).sum();
        self.outcome.first_errno = pool.found().find_map(|report| report.first_errno);
        self.outcome.phases.verify_ns = pool.found().map(|report| report.read_back_ns).max().unwrap_or(0);
        self.outcome.trace = self.control.board.untold();
    }

    fn verify(&mut self, target: Target, stamps: Vec<Stamps>) -> Result<(), JobError> {
        let began_ns = monotonic_ns();
        self.control.board.enter(phase::VERIFY, began_ns, None);
        let (spec, control) = (Arc::clone(&self.spec), Arc::clone(&self.control));
        let task = move || read_back(&spec, &target, &stamps, &control);
        let found = self.await_task("reads back what was written", task)?;
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
fn read_back(spec: &JobSpec, target: &Target, stamps: &[Stamps], control: &Control) -> Result<ReadBack, JobError> {
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
            control.board.share((i as f64 + done) / stamps.len() as f64);
            !control.stopped()
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

fn engine_error(what: &str, error: &std::io::Error) -> JobError {
    JobError::Engine { message: format!("{what}: {error}"), errno: error.raw_os_error() }
}

fn drop_failed(spec: &JobSpec, error: &std::io::Error) -> JobError {
    engine_error(&format!("cannot write {} back to drop it from the page cache", spec.path), error)
}
