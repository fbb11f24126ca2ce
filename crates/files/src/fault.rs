//! Why a job ended early.

use std::io;

use plimsoll_core::outcome::Failure;
use plimsoll_core::parameters::OutOfBounds;
use plimsoll_core::threads::ThreadFault;
use thiserror::Error;

/// What ends a job before its time. Each message says what happened, where, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// Somebody else has ended the job: a stop request, a limit, or the fault of another worker.
    #[error("the job was stopped")]
    Halted,
    /// The request cannot be carried out; nothing was written.
    #[error("{0}")]
    Spec(String),
    /// A call failed or transferred too little.
    #[error("{message}")]
    Call {
        /// One sentence.
        message: String,
        /// Absent for a short transfer.
        errno: Option<i32>,
        /// Kind of the operation.
        operation: &'static str,
        /// Where in the file, in bytes.
        offset: Option<u64>,
    },
    /// The time limit was reached.
    #[error("{0}")]
    Limit(String),
    /// What was read is not what was written, or a workload cannot go on.
    #[error("{0}")]
    Workload(String),
    /// The job's folder could not be made or removed.
    #[error("{message}")]
    Folder {
        /// One sentence.
        message: String,
        /// Of the system call.
        errno: Option<i32>,
    },
    /// This program is at fault: one of its threads ended in a panic.
    #[error("{0}")]
    Internal(String),
}

/// What every part of a workload gives.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    /// A refused request.
    pub fn spec(message: impl Into<String>) -> Self {
        Self::Spec(message.into())
    }

    /// A failed call on `place`.
    pub fn call(operation: &'static str, place: &str, offset: Option<u64>, error: &io::Error) -> Self {
        let errno = error.raw_os_error();
        let at = offset.map(|offset| format!(" at offset {offset}")).unwrap_or_default();
        let message = format!("{operation} of {place}{at} failed: {error}{}", advice(errno));
        Self::Call { message, errno, operation, offset }
    }

    /// A transfer that ended early without an error.
    pub fn short(operation: &'static str, place: &str, offset: u64, done: usize, asked: usize) -> Self {
        let message = format!(
            "{operation} of {place} at offset {offset} ended after {done} of {asked} bytes: the file is shorter than it was made"
        );
        Self::Call { message, errno: None, operation, offset: Some(offset) }
    }
}

/// What to do about an error; starts with a separator.
fn advice(errno: Option<i32>) -> &'static str {
    match errno {
        Some(libc::ENOSPC) => ": free space or inodes there, or use a smaller size or fewer files",
        Some(libc::EDQUOT) => ": the quota of this user is used up; raise it or use a smaller size",
        Some(libc::EMFILE | libc::ENFILE) => ": raise the limit of open files (ulimit -n) or use fewer threads",
        Some(libc::EIO) => ": the storage below is faulty; see the kernel's log",
        Some(libc::EROFS) => ": it is mounted read-only",
        Some(libc::EINVAL) => ": the file system may refuse direct I/O of this size; leave direct off",
        _ => "",
    }
}

impl From<OutOfBounds> for Fault {
    fn from(refused: OutOfBounds) -> Self {
        Self::spec(refused.to_string())
    }
}

impl From<ThreadFault> for Fault {
    fn from(fault: ThreadFault) -> Self {
        match fault {
            ThreadFault::Refused { .. } => Self::Workload(fault.to_string()),
            ThreadFault::Panicked { .. } => Self::Internal(fault.to_string()),
        }
    }
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        let message = fault.to_string();
        let (kind, errno, operation, offset) = match fault {
            Fault::Halted => ("stopped", None, None, None),
            Fault::Spec(_) => ("spec", None, None, None),
            Fault::Call { errno, operation, offset, .. } => ("io", errno, Some(operation), offset),
            Fault::Limit(_) => ("limit", None, None, None),
            Fault::Workload(_) => ("workload", None, None, None),
            Fault::Folder { errno, .. } => ("folder", errno, None, None),
            Fault::Internal(_) => ("engine", None, None, None),
        };
        Self { kind: kind.to_owned(), message, errno, operation: operation.map(str::to_owned), offset }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_call_says_what_where_and_what_to_do() {
        let full = io::Error::from_raw_os_error(libc::ENOSPC);
        let failure = Failure::from(Fault::call("write", "/mnt/f", Some(4096), &full));
        assert_eq!((failure.kind.as_str(), failure.errno), ("io", Some(libc::ENOSPC)));
        assert_eq!((failure.operation.as_deref(), failure.offset), (Some("write"), Some(4096)));
        for part in ["write of /mnt/f at offset 4096", "No space left", "free space"] {
            assert!(failure.message.contains(part), "{}", failure.message);
        }
    }
}
