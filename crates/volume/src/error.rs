//! Why a volume could not be built, served or changed.

use std::io;

use thiserror::Error;

/// One failure. Each message says what happened, where, and what to do.
#[derive(Debug, Error)]
pub enum VolumeError {
    /// The description of the volume or workload cannot be carried out; nothing was started.
    #[error("{0}")]
    Spec(String),
    /// A file, mount or socket could not be used.
    #[error("{action}: {source}")]
    System {
        /// What was tried, on what.
        action: String,
        /// Of the system call.
        source: io::Error,
    },
}

impl VolumeError {
    /// A refused description.
    pub fn spec(message: impl Into<String>) -> Self {
        Self::Spec(message.into())
    }

    /// For `map_err` around a system call.
    pub fn system(action: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let action = action.into();
        move |source| Self::System { action, source }
    }
}

impl From<serde_json::Error> for VolumeError {
    fn from(error: serde_json::Error) -> Self {
        Self::Spec(format!("the volume description is not valid: {error}"))
    }
}
