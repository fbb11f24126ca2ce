//! Why a job ended early: one variant per part of a job that can fail.

use thiserror::Error;

use crate::outcome::Failure;
use crate::threads::ThreadFault;

/// The fault that ends a job. Each message says what happened, where, and what to do. Where a variant has an offset, the
/// message does not repeat it and reads well with ` at offset …` after it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum JobError {
    /// The request cannot be carried out on this target; nothing was written.
    #[error("{0}")]
    Spec(String),
    /// The file or device could not be opened.
    #[error("{message}")]
    Open {
        /// One sentence.
        message: String,
        /// Of the system call.
        errno: Option<i32>,
    },
    /// Laying out the file failed.
    #[error("{message}")]
    Layout {
        /// One sentence.
        message: String,
        /// Of the system call.
        errno: Option<i32>,
        /// Where the write failed, in bytes.
        offset: Option<u64>,
    },
    /// An operation failed or transferred too little.
    #[error("{message}")]
    Io {
        /// One sentence.
        message: String,
        /// Absent for a short transfer.
        errno: Option<i32>,
        /// Kind of the operation: `read`, `write`, `trim` or `sync`.
        operation: &'static str,
        /// Where, in bytes; absent for a sync.
        offset: Option<u64>,
    },
    /// The read-back pass found blocks that are not what was written.
    #[error("{message}")]
    Verify {
        /// One sentence.
        message: String,
        /// Of the first bad block, in bytes.
        offset: u64,
    },
    /// The engine itself failed (set-up, submission or reaping), or a thread of the job did.
    #[error("{message}")]
    Engine {
        /// One sentence.
        message: String,
        /// Of the system call.
        errno: Option<i32>,
    },
}

impl JobError {
    /// A refused request.
    pub fn spec(message: impl Into<String>) -> Self {
        Self::Spec(message.into())
    }
}

impl From<ThreadFault> for JobError {
    fn from(fault: ThreadFault) -> Self {
        Self::Engine { message: fault.to_string(), errno: fault.errno() }
    }
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        let message = error.to_string();
        let (kind, errno, operation, offset) = match error {
            JobError::Spec(_) => ("spec", None, None, None),
            JobError::Open { errno, .. } => ("open", errno, None, None),
            JobError::Layout { errno, offset, .. } => ("layout", errno, None, offset),
            JobError::Io { errno, operation, offset, .. } => ("io", errno, Some(operation), offset),
            JobError::Verify { offset, .. } => ("verify", None, None, Some(offset)),
            JobError::Engine { errno, .. } => ("engine", errno, None, None),
        };
        Self { kind: kind.to_owned(), message, errno, operation: operation.map(str::to_owned), offset }
    }
}
