//! Threads that the system refuses to start.

use std::io;

use thiserror::Error;

/// Says what cannot be started, what to do, and why.
#[derive(Debug, Error)]
#[error("cannot start {what}; raise the limit (ulimit -u, pids.max of the cgroup) or ask for fewer threads: {source}")]
pub struct ThreadRefused {
    /// Which thread.
    pub what: String,
    /// Of the system call.
    pub source: io::Error,
}

impl ThreadRefused {
    /// Of a thread that `what` names, such as `thread 3 of 8`.
    pub fn new(what: impl Into<String>, source: io::Error) -> Self {
        Self { what: what.into(), source }
    }
}
