//! What a running job tells while it runs.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_core::clock::monotonic_ns;

use crate::outcome::{Expected, FilesProgress};
use crate::tally::Collector;

#[derive(Debug)]
struct State {
    phase: String,
    began_ns: u64,
    expected: Option<Expected>,
}

/// Written by the job, read by anyone.
#[derive(Debug)]
pub struct Board(Mutex<State>);

impl Board {
    /// A job that is about to start.
    pub fn new() -> Self {
        Self(Mutex::new(State { phase: "prepare".to_owned(), began_ns: monotonic_ns(), expected: None }))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // The state is plain data: it is whole even if a writer panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next phase begins.
    pub fn enter(&self, phase: &str, expected: Option<Expected>) {
        *self.state() = State { phase: phase.to_owned(), began_ns: monotonic_ns(), expected };
    }

    /// The running phase.
    pub fn phase(&self) -> String {
        self.state().phase.clone()
    }

    /// How far the job is.
    pub fn progress(&self, collector: &Collector) -> FilesProgress {
        let state = self.state();
        let elapsed_ns = monotonic_ns().saturating_sub(state.began_ns);
        let (calls, bytes) = collector.done();
        let share = |part: u64, whole: u64| (part as f64 / whole.max(1) as f64).min(1.0);
        let done = match state.expected {
            Some(Expected::Calls(expected)) => share(calls, expected),
            Some(Expected::Bytes(expected)) => share(bytes, expected),
            Some(Expected::Nanoseconds(expected)) => share(elapsed_ns, expected),
            None if state.phase == "finished" => 1.0,
            None => 0.0,
        };
        FilesProgress { phase: state.phase.clone(), elapsed_ns, done, interval: collector.last().cloned() }
    }
}
