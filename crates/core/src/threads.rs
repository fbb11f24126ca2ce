//! Threads that the system refuses to start, or that end in a panic.

use std::any::Any;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};

use thiserror::Error;

/// Why a thread did not do what it was for. Each message says what happened, and what to do.
#[derive(Debug, Error)]
pub enum ThreadFault {
    /// It could not be started.
    #[error(
        "cannot start {what}; raise the limit (ulimit -u, pids.max of the cgroup) or ask for fewer threads: {source}"
    )]
    Refused {
        /// Which thread.
        what: String,
        /// Of the system call.
        source: io::Error,
    },
    /// It ended in a panic, whose place has been printed.
    #[error(
        "{what} ended unexpectedly ({why}): this is a fault of the program, please report it with what it has printed"
    )]
    Panicked {
        /// Which thread.
        what: String,
        /// The message of the panic.
        why: String,
    },
}

impl ThreadFault {
    /// The system did not start a thread that `what` names, such as `thread 3 of 8`.
    pub fn refused(what: impl Into<String>, source: io::Error) -> Self {
        Self::Refused { what: what.into(), source }
    }

    /// The thread that `what` names panicked, with this payload.
    pub fn panicked(what: impl Into<String>, payload: Box<dyn Any + Send>) -> Self {
        let text = payload.downcast().map(|text: Box<String>| *text);
        let text = text.or_else(|payload| payload.downcast().map(|text: Box<&str>| (*text).to_owned()));
        let why = text.unwrap_or_else(|unknown| {
            // To drop it might panic once more.
            std::mem::forget(unknown);
            "no reason is known".to_owned()
        });
        Self::Panicked { what: what.into(), why }
    }

    /// Number of the system's error; nothing after a panic.
    pub fn errno(&self) -> Option<i32> {
        match self {
            Self::Refused { source, .. } => source.raw_os_error(),
            Self::Panicked { .. } => None,
        }
    }
}

/// Does the work of the calling thread, which `what` names.
///
/// # Errors
/// It panicked. What it was working on is half done: the caller ends the job, and looks at nothing of it.
pub fn caught<T>(what: &str, work: impl FnOnce() -> T) -> Result<T, ThreadFault> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| ThreadFault::panicked(what, payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error_that_says_who_why_and_what_to_do() {
        assert_eq!(caught("thread 1 of 2", || 3).ok(), Some(3));
        let number = 7;
        let faults =
            [caught("thread 1 of 2", || panic!("plain")), caught("thread 2 of 2", || panic!("number {number}"))];
        let told = faults.map(|fault: Result<(), _>| fault.unwrap_err().to_string());
        for (told, parts) in told.iter().zip([["thread 1 of 2", "(plain)"], ["thread 2 of 2", "(number 7)"]]) {
            assert!(parts.iter().all(|part| told.contains(part)) && told.contains("please report"), "{told}");
        }
    }
}
