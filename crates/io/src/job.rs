//! The handle of a running job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::Duration;

use plimsoll_core::outcome::{Outcome, Progress};
use plimsoll_core::progress::Board;
use plimsoll_core::promise::Promise;
use plimsoll_core::spec::JobSpec;

use crate::runner::{Event, Runner};

/// A job that runs on threads of its own. Dropping the handle stops it.
pub struct Job {
    shared: Arc<Shared>,
    events: Sender<Event>,
}

/// What the handle and the job both see.
pub struct Shared {
    /// Set once, by the handle.
    pub stopped: AtomicBool,
    /// How far it is.
    pub board: Board,
    outcome: Promise<Outcome>,
}

impl Job {
    /// Starts it and returns at once. Everything that can go wrong is told in the outcome.
    pub fn start(spec: JobSpec) -> std::io::Result<Self> {
        let shared =
            Arc::new(Shared { stopped: AtomicBool::new(false), board: Board::default(), outcome: Promise::default() });
        let (events, inbox) = channel();
        let runner = Runner::new(spec, Arc::clone(&shared), events.clone(), inbox);
        let theirs = Arc::clone(&shared);
        thread::Builder::new().name("plimsoll-job".to_owned()).spawn(move || theirs.outcome.keep(runner.run()))?;
        Ok(Self { shared, events })
    }

    /// How far it is; cheap.
    pub fn poll(&self) -> Progress {
        self.shared.board.progress()
    }

    /// Asks it to end. The outcome then holds what was measured until now.
    pub fn stop(&self) {
        self.shared.stopped.store(true, Ordering::SeqCst);
        // Wakes the runner; when it has ended there is nobody to wake.
        let _ = self.events.send(Event::Stop);
    }

    /// Waits for the outcome, at most `timeout`; nothing when the time is over first.
    pub fn result(&self, timeout: Option<Duration>) -> Option<Outcome> {
        self.shared.outcome.wait(timeout)
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.stop();
    }
}
