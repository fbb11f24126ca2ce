//! What a job has measured so far, and what its workers share.

use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use plimsoll_core::clock::{monotonic_ns, wall_ns};
use plimsoll_core::cpu_time::{Used, share_of_processors};
use plimsoll_core::job::Control;
use plimsoll_core::outcome::CpuUse;

use crate::outcome::{Expected, PhaseResult};
use crate::tally::{Collector, Sample};

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
    /// What decides about the end of the running phase.
    pub expected: Option<Expected>,
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

/// What the runner and the workers see.
pub struct Shared {
    /// Of the job.
    pub control: Arc<Control>,
    /// Ends all workers: set on a stop request, a limit and the first fault.
    pub halt: AtomicBool,
    measured: Mutex<Measured>,
}

impl Shared {
    /// Nothing is measured yet.
    pub fn new(control: &Arc<Control>, interval_ns: u64) -> Self {
        Self {
            control: Arc::clone(control),
            halt: AtomicBool::new(false),
            measured: Mutex::new(Measured {
                collector: Collector::new(interval_ns),
                results: Vec::new(),
                began: None,
                phase_began_ns: None,
                expected: None,
                prepared_ns: 0,
                cpu: PhaseCpu::default(),
            }),
        }
    }

    /// What has been measured so far.
    pub fn measured(&self) -> MutexGuard<'_, Measured> {
        self.measured.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What is told from now on: a part of the job that nothing is known about.
    pub fn enter(&self, phase: impl Into<Cow<'static, str>>) {
        self.enter_expecting(phase, None);
    }

    /// The same, where it is known what decides about its end.
    pub fn enter_expecting(&self, phase: impl Into<Cow<'static, str>>, expected: Option<Expected>) {
        self.measured().expected = expected;
        let length_ns = if let Some(Expected::Nanoseconds(length)) = expected { Some(length) } else { None };
        self.control.board.enter(phase, monotonic_ns(), length_ns);
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

    /// Adds samples of interval `index` of the running phase, and tells how far it is.
    pub fn add(&self, index: u64, samples: &[Sample]) {
        let mut measured = self.measured();
        let closed = measured.collector.add(index, samples);
        let board = &self.control.board;
        if let Some(interval) = measured.collector.last().filter(|_| closed) {
            board.interval(interval.clone());
        }
        let (calls, bytes) = measured.collector.done();
        match measured.expected {
            Some(Expected::Calls(expected)) => board.share(calls as f64 / expected.max(1) as f64),
            Some(Expected::Bytes(expected)) => board.share(bytes as f64 / expected.max(1) as f64),
            Some(Expected::Nanoseconds(_)) | None => {}
        }
    }
}
