//! The handle of a running job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use plimsoll_core::outcome::Progress;
use plimsoll_core::progress::Board;
use plimsoll_core::promise::Promise;

use crate::outcome::DbOutcome;
use crate::runner::Runner;
use crate::spec::DbSpec;

/// A job that runs on threads of its own. Dropping the handle stops it.
pub struct Job {
    shared: Arc<Shared>,
}

/// What the handle and the job both see.
pub struct Shared {
    /// Set once, by the handle.
    pub stopped: Arc<AtomicBool>,
    /// How far it is.
    pub board: Board,
    outcome: Promise<DbOutcome>,
}

impl Job {
    /// Starts it and returns at once. Everything that can go wrong is told in the outcome.
    pub fn start(spec: DbSpec) -> std::io::Result<Self> {
        let shared = Arc::new(Shared {
            stopped: Arc::new(AtomicBool::new(false)),
            board: Board::default(),
            outcome: Promise::default(),
        });
        let runner = Runner::new(spec, Arc::clone(&shared));
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("plimsoll-db".to_owned()).spawn(move || theirs.outcome.keep(runner.run()))?;
        Ok(Self { shared })
    }

    /// How far it is; cheap.
    pub fn poll(&self) -> Progress {
        self.shared.board.progress()
    }

    /// Asks it to end. The outcome then holds what was measured until now.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
    }

    /// Waits for the outcome, at most `timeout`; nothing when the time is over first.
    pub fn result(&self, timeout: Option<Duration>) -> Option<DbOutcome> {
        self.shared.outcome.wait(timeout)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
    }
}
