//! One job from request to outcome.

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::job::{Control, Work};
use plimsoll_core::outcome::{CpuUse, Outcome, Phases, Status};
use plimsoll_core::threads::ThreadFault;

use crate::common::Cold;
use crate::context::PhaseContext;
use crate::fault::{Fault, Result};
use crate::measured::Shared;
use crate::outcome::{FilesOutcome, PhasePlan, PhaseResult, Plan};
use crate::phase::Phase;
use crate::scratch_dir;
use crate::spec::FilesSpec;
use crate::thread_setup;
use crate::validate::{validate, validate_target};
use crate::workload::{Measure, Workload};

/// After the end of a job, workers that sit in the kernel get this long; then the job ends without them.
const GRACE: Duration = Duration::from_millis(80);
/// Removing files from a file system that hangs is given up after this time.
const CLEANUP: Duration = Duration::from_secs(60);

/// The job's own thread: starts the workload's, waits for it, cleans up. Never touches the target itself.
pub struct Runner {
    spec: Arc<FilesSpec>,
    shared: Arc<Shared>,
}

impl Work for Runner {
    type Spec = FilesSpec;
    type Outcome = FilesOutcome;
    const THREAD: &'static str = "plimsoll-job";
    const FIRST_PHASE: &'static str = "prepare";

    fn run(spec: FilesSpec, control: &Arc<Control>) -> FilesOutcome {
        let shared = Arc::new(Shared::new(control, spec.interval_ns.max(1)));
        let runner = Self { spec: Arc::new(spec), shared };
        let result = runner.carry_out();
        runner.sum_up(result)
    }

    fn failed(fault: ThreadFault) -> FilesOutcome {
        FilesOutcome { common: Outcome::failed(Fault::from(fault).into()), results: Vec::new() }
    }
}

impl Runner {
    fn carry_out(&self) -> Result<()> {
        let deadline = Instant::now() + Duration::from_nanos(self.spec.common.timeout_ns);
        let plan = validate(&self.spec)?;
        validate_target(&self.spec, &plan)?;
        let scratch_dir = scratch_dir::create(Path::new(&self.spec.directory))?;
        let worked = self.work(plan, &scratch_dir, deadline);
        let removed = self.clean_up(scratch_dir);
        worked.and(removed)
    }

    /// Runs the workload on a thread of its own. One that hangs is left behind, without a file to write to.
    fn work(&self, plan: Plan, scratch_dir: &Path, deadline: Instant) -> Result<()> {
        let play = Play {
            spec: Arc::clone(&self.spec),
            shared: Arc::clone(&self.shared),
            scratch_dir: scratch_dir.to_owned(),
        };
        let cut_off = Cell::new(false);
        let over = || {
            cut_off.set(true);
            self.shared.halt.store(true, Ordering::SeqCst);
        };
        let control = &self.shared.control;
        let thread = ("plimsoll-files", "the thread of the workload");
        match control.await_task(thread, (Some(deadline), GRACE), over, move || play.run(&plan))? {
            Some(result) if !cut_off.get() => result,
            _ if control.stopped() => Err(Fault::Halted),
            _ => Err(self.too_late()),
        }
    }

    fn too_late(&self) -> Fault {
        let seconds = self.spec.common.timeout_ns as f64 / 1e9;
        Fault::Limit(format!(
            "the time limit of {seconds} s was reached in phase {}: use smaller sizes or a longer limit",
            self.shared.control.board.phase()
        ))
    }

    fn clean_up(&self, scratch_dir: PathBuf) -> Result<()> {
        self.shared.enter("cleanup");
        let (sender, removed) = channel();
        let theirs = scratch_dir.clone();
        let spawned = thread::Builder::new().name("plimsoll-cleanup".to_owned()).spawn(move || {
            thread_setup::block_signals();
            // Nobody listens any more when it took too long.
            let _ = sender.send(scratch_dir::remove(&theirs));
        });
        if spawned.is_err() {
            // Here it cannot be left behind when the storage hangs; but what was made goes away.
            return scratch_dir::remove(&scratch_dir);
        }
        removed.recv_timeout(CLEANUP).unwrap_or_else(|_| {
            let message = format!(
                "the folder {} is still being removed after {} s: look at the storage below, then remove it",
                scratch_dir.display(),
                CLEANUP.as_secs()
            );
            Err(Fault::Folder { message, errno: None })
        })
    }

    fn sum_up(&self, result: Result<()>) -> FilesOutcome {
        let mut measured = self.shared.measured();
        let (began_ns, started_ns) = measured.began.unwrap_or((0, 0));
        let now_ns = if measured.began.is_some() { monotonic_ns() - began_ns } else { 0 };
        if let Some(phase_ns) = measured.phase_began_ns.take() {
            // A phase that was cut short has no result, but what it did is counted.
            measured.collector.end(monotonic_ns() - phase_ns);
        }
        let last = measured.results.last().map(|phase| phase.start_ns + phase.elapsed_ns);
        let elapsed_ns = if result.is_ok() { last.unwrap_or(now_ns) } else { now_ns };
        let results = std::mem::take(&mut measured.results);
        let (intervals, total) = measured.collector.sum();
        let (operations, histograms) = (total.totals(), total.histograms());
        let busy_ns: u64 = operations.values().map(|totals| totals.latency_sum_ns).sum();
        let (status, error) = match result {
            Ok(()) => (Status::Ok, None),
            Err(Fault::Halted) => (Status::Stopped, None),
            Err(fault) => (Status::Failed, Some(fault.into())),
        };
        let phases = Phases { layout_ns: measured.prepared_ns, measure_ns: elapsed_ns, ..Phases::default() };
        let common = Outcome {
            status,
            error,
            started_ns,
            elapsed_ns,
            phases,
            operations,
            histograms,
            intervals,
            cpu: all(&results),
            mean_in_flight: busy_ns as f64 / elapsed_ns.max(1) as f64,
            ..Outcome::nothing_yet()
        };
        FilesOutcome { common, results }
    }
}

/// CPU time of all phases; the shares are those of the busiest phase.
fn all(results: &[PhaseResult]) -> CpuUse {
    CpuUse {
        user_ns: results.iter().map(|phase| phase.cpu.user_ns).sum(),
        system_ns: results.iter().map(|phase| phase.cpu.system_ns).sum(),
        busiest_thread: results.iter().map(|phase| phase.cpu.busiest_thread).fold(0.0, f64::max),
        all_processors: results.iter().map(|phase| phase.cpu.all_processors).fold(0.0, f64::max),
        ..CpuUse::default()
    }
}

/// The workload's own thread.
struct Play {
    spec: Arc<FilesSpec>,
    shared: Arc<Shared>,
    scratch_dir: PathBuf,
}

impl Play {
    fn run(&self, plan: &Plan) -> Result<()> {
        thread_setup::block_signals();
        thread_setup::own_descriptors(&self.scratch_dir);
        let mut workload = self.spec.workload.kind().begin(&self.spec.common);
        let began_ns = monotonic_ns();
        workload.prepare(&self.phase(None, None))?;
        self.shared.measured().prepared_ns = monotonic_ns() - began_ns;
        for planned in &plan.phases {
            self.carry_out(workload.as_mut(), planned)?;
        }
        Ok(())
    }

    fn phase(&self, planned: Option<&PhasePlan>, begin_ns: Option<u64>) -> Phase<'_> {
        let context = PhaseContext {
            shared: &self.shared,
            place: &self.scratch_dir,
            durable: self.spec.common.durable,
            writes: planned.is_some_and(|planned| planned.writes),
            begin_ns,
            interval_ns: self.spec.interval_ns,
        };
        Phase::new(&self.spec.common, context)
    }

    fn carry_out(&self, workload: &mut dyn Workload, planned: &PhasePlan) -> Result<()> {
        let cold = if planned.reads { self.drop_caches()? } else { Cold::No };
        workload.await_start(planned, &self.phase(None, None))?;
        self.shared.enter_expecting(planned.name.clone(), Some(planned.expected));
        let begin_ns = self.shared.begin_phase(false);
        let found = workload.measure(planned, &self.phase(Some(planned), Some(begin_ns)))?;
        let mut measured = self.shared.measured();
        // The calls of a phase may last longer than what its original times.
        let begin_ns = measured.phase_began_ns.take().unwrap_or(begin_ns);
        let start_ns = begin_ns - measured.began.map_or(begin_ns, |began| began.0);
        let length_ns = monotonic_ns() - begin_ns;
        let cpu = measured.cpu.over(length_ns);
        let counts = measured.collector.end(length_ns);
        let (kinds, histograms) = (counts.totals(), counts.histograms());
        let Measure { elapsed_ns, operations, bytes, scores, points } = found;
        let cold = match cold {
            Cold::No => "no",
            Cold::Files => "files",
            Cold::System => "system",
        };
        let (name, cold) = (planned.name.clone(), cold.to_owned());
        measured.results.push(PhaseResult {
            name,
            start_ns,
            elapsed_ns,
            operations,
            bytes,
            scores,
            kinds,
            histograms,
            cpu,
            cold,
            points,
        });
        Ok(())
    }

    fn drop_caches(&self) -> Result<Cold> {
        let place = || self.scratch_dir.display().to_string();
        scratch_dir::drop_caches(&self.scratch_dir, self.spec.common.cold)
            .map_err(|error| Fault::call("sync", &place(), None, &error))
    }
}
