//! Threads that the system refuses to start.

use std::io;

/// One sentence: what cannot be started, what to do, and why.
pub fn refused(what: &str, error: &io::Error) -> String {
    format!(
        "cannot start {what}; raise the limit (ulimit -u, pids.max of the cgroup) or ask for fewer threads: {error}"
    )
}
