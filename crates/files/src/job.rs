//! The handle of a running job.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use plimsoll_core::clock::{monotonic_ns, wall_ns};
use plimsoll_core::outcome::CpuUse;
use plimsoll_core::promise::Promise;
use plimsoll_core::usage::{Used, share_of_processors};

use crate::outcome::{FilesOutcome, FilesProgress, PhaseResult};
use crate::progress::Board;
use crate::runner::{Event, Runner};
use crate::spec::FilesSpec;
use crate::tally::Collector;

/// A job that runs on threads of its own. Dropping the handle stops it.
pub struct Job {
    shared: Arc<Shared>,
    events: Sender<Event>,
}

/// What has been measured so far; whole at any moment, so that a job can be given up at any moment.
pub struct Measured {
    /// Calls and latencies.
    pub collector: Collector,
    /// Finished phases.
    pub results: Vec<PhaseResult>,
    /// Start of the measured part, `CLOCK_MONOTONIC` and wall clock; nothing before it.
    pub began: Option<(u64, u64)>,
    /// Start of the running phase, `CLOCK_MONOTONIC`.
    pub phase_began_ns: Option<u64>,
    /// Length of the preparation.
    pub prepared_ns: u64,
    /// CPU time of workers that have ended, in the running phase; the busiest one apart.
    pub cpu: PhaseCpu,
}

/// CPU time of the workers of one phase.
#[derive(Debug, Clone, Copy, Default)]
pub struct PhaseCpu {
    /// Of all workers.
    pub user_ns: u64,
    /// Of all workers.
    pub system_ns: u64,
    /// User and system time of the busiest worker.
    pub busiest_ns: u64,
}

impl PhaseCpu {
    /// One more worker.
    pub fn add(&mut self, used: Used) {
        self.user_ns += used.user_ns;
        self.system_ns += used.system_ns;
        self.busiest_ns = self.busiest_ns.max(used.cpu_ns());
    }

    /// As a share of a time.
    pub fn over(&self, elapsed_ns: u64) -> CpuUse {
        let busiest_thread = (self.busiest_ns as f64 / elapsed_ns.max(1) as f64).min(1.0);
        CpuUse {
            user_ns: self.user_ns,
            system_ns: self.system_ns,
            busiest_thread,
            all_processors: share_of_processors(self.user_ns + self.system_ns, elapsed_ns),
            ..CpuUse::default()
        }
    }
}

/// What the handle, the runner and the workers see.
pub struct Shared {
    /// Set once, by the handle.
    pub stopped: AtomicBool,
    /// Ends all workers: set on a stop request, a limit and the first fault.
    pub halt: AtomicBool,
    /// How far it is.
    pub board: Board,
    measured: Mutex<Measured>,
    outcome: Promise<FilesOutcome>,
}

impl Shared {
    fn new(interval_ns: u64) -> Self {
        Self {
            stopped: AtomicBool::new(false),
            halt: AtomicBool::new(false),
            board: Board::new(),
            measured: Mutex::new(Measured {
                collector: Collector::new(interval_ns),
                results: Vec::new(),
                began: None,
                phase_began_ns: None,
                prepared_ns: 0,
                cpu: PhaseCpu::default(),
            }),
            outcome: Promise::default(),
        }
    }

    /// What has been measured so far.
    pub fn measured(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A phase begins now, or anew, and with `first` the measured part too. Returns now on `CLOCK_MONOTONIC`.
    pub fn begin_phase(&self, first: bool) -> u64 {
        let now_ns = monotonic_ns();
        let mut measured = self.measured();
        if first {
            measured.began = None;
        }
        let start_ns = now_ns - measured.began.get_or_insert((now_ns, wall_ns())).0;
        measured.phase_began_ns = Some(now_ns);
        measured.cpu = PhaseCpu::default();
        measured.collector.begin(start_ns);
        now_ns
    }
}

impl Job {
    /// Starts it and returns at once. Everything that can go wrong is told in the outcome.
    pub fn start(spec: FilesSpec) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::new(spec.interval_ns.max(1)));
        let (events, inbox) = channel();
        let runner = Runner::new(spec, Arc::clone(&shared), events.clone(), inbox);
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("plimsoll-job".to_owned()).spawn(move || theirs.outcome.keep(runner.run()))?;
        Ok(Self { shared, events })
    }

    /// How far it is; cheap.
    pub fn poll(&self) -> FilesProgress {
        let measured = self.shared.measured();
        self.shared.board.progress(&measured.collector)
    }

    /// Asks it to end. No worker starts another call from now on; the outcome is there within 100 ms plus the time it
    /// takes to remove the job's files, and holds what was measured until now.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        self.shared.halt.store(true, Ordering::SeqCst);
        // Wakes the runner; when it has ended there is nobody to wake.
        let _ = self.events.send(Event::Stop);
    }

    /// Waits for the outcome, at most `timeout`; nothing when the time is over first.
    pub fn result(&self, timeout: Option<Duration>) -> Option<FilesOutcome> {
        self.shared.outcome.wait(timeout)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
    }
}
