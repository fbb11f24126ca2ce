//! What goes wrong with one operation, and what ends a job.

use plimsoll_core::outcome::Failure;
use plimsoll_core::threads::ThreadFault;

/// Why an operation failed, in words that are the same for every database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(usize)]
pub enum Cause {
    /// The connection could not be opened.
    Connect,
    /// The server refuses this user or password.
    Login,
    /// The connection broke.
    Closed,
    /// No answer in time.
    Timeout,
    /// Chosen as the victim of a deadlock.
    Deadlock,
    /// Could not be ordered among concurrent transactions, or waited too long for a lock.
    Serialization,
    /// A key that is there already, a value that is not allowed.
    Constraint,
    /// The server has no room.
    DiskFull,
    /// The server accepts no changes.
    ReadOnly,
    /// An answer that makes no sense.
    Protocol,
    /// HTTP 400 and above.
    Status,
    /// Anything else that the server reports.
    Server,
}

/// Every [`Cause`], in order.
pub const CAUSES: [&str; 12] = [
    "connect",
    "login",
    "closed",
    "timeout",
    "deadlock",
    "serialization",
    "constraint",
    "disk_full",
    "read_only",
    "protocol",
    "status",
    "server",
];

impl Cause {
    /// The word in the outcome.
    pub fn name(self) -> &'static str {
        CAUSES[self as usize]
    }

    /// Trying once more may well succeed.
    pub fn is_retryable(self) -> bool {
        matches!(self, Self::Deadlock | Self::Serialization)
    }
}

/// One failed operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Its kind.
    pub cause: Cause,
    /// One sentence, without secrets.
    pub message: String,
    /// The connection cannot be used any more.
    pub broken: bool,
}

impl Fault {
    /// The server said no; the connection goes on.
    pub fn refused(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), broken: false }
    }

    /// The connection is lost.
    pub fn broken(cause: Cause, message: impl Into<String>) -> Self {
        Self { cause, message: message.into(), broken: true }
    }

    /// An answer that makes no sense.
    pub fn protocol(message: impl Into<String>) -> Self {
        Self::broken(Cause::Protocol, message)
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        use std::io::ErrorKind::{TimedOut, WouldBlock};
        match error.kind() {
            // A blocking read with a time limit says "would block" when it is over.
            WouldBlock | TimedOut => Self::broken(Cause::Timeout, "the server did not answer in time"),
            _ => Self::broken(Cause::Closed, format!("the connection broke: {error}")),
        }
    }
}

/// Why a job ended early. `kind` is one of those in [`crate::outcome::DbOutcome`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct JobError {
    kind: &'static str,
    message: String,
    operation: Option<&'static str>,
}

impl JobError {
    /// The request cannot be carried out.
    pub fn spec(message: impl Into<String>) -> Self {
        Self { kind: "spec", message: message.into(), operation: None }
    }

    /// The database could not be reached, or would not let us in.
    pub fn connect(message: impl Into<String>) -> Self {
        Self { kind: "connect", message: message.into(), operation: None }
    }

    /// The same, of a connection with or without TLS: a server that wants it does not say how to ask for it here.
    pub fn reaching(fault: &Fault, encrypted: bool) -> Self {
        let says = |words: &[&str]| words.iter().any(|word| fault.message.contains(word));
        let hint = if encrypted {
            ""
        } else if says(&["no encryption", "SSL off", "insecure transport", "HTTPS port"]) {
            ": the server insists on encryption, ask for it with tls=require"
        } else if says(&["Access denied", "does not speak", "closed the connection", "Connection reset"]) {
            "; if the server wants encryption, ask for it with tls=require"
        } else {
            ""
        };
        Self::connect(format!("{}{hint}", fault.message))
    }

    /// What is in the database does not fit the request.
    pub fn schema(message: impl Into<String>) -> Self {
        Self { kind: "schema", message: message.into(), operation: None }
    }

    /// Preparing the data failed.
    pub fn load(message: impl Into<String>) -> Self {
        Self { kind: "load", message: message.into(), operation: None }
    }

    /// The request is wrong, whatever the server.
    pub fn is_spec(&self) -> bool {
        self.kind == "spec"
    }

    /// Preparing the data failed, or was cut off.
    pub fn is_load(&self) -> bool {
        self.kind == "load"
    }

    /// An operation failed and errors are not to be counted.
    pub fn operation(kind: &'static str, fault: &Fault) -> Self {
        let message =
            format!("{kind}: {} (with count_errors=true errors are counted, and the run goes on)", fault.message);
        Self { kind: "operation", message, operation: Some(kind) }
    }

    /// Our own side failed.
    pub fn driver(message: impl Into<String>) -> Self {
        Self { kind: "driver", message: message.into(), operation: None }
    }

    /// What a console command of preparing the data met.
    pub fn preparing(fault: &Fault) -> Self {
        match fault.cause {
            Cause::Connect | Cause::Login => Self::connect(fault.message.clone()),
            Cause::ReadOnly => Self::load(format!(
                "the data cannot be prepared, for the server accepts no changes: {}; give the address of the one that does, \
                 or, where the data are there, data=keep and a test that only reads (ycsb-c)",
                fault.message
            )),
            _ => Self::load(format!("preparing the data failed: {}", fault.message)),
        }
    }
}

impl From<ThreadFault> for JobError {
    fn from(fault: ThreadFault) -> Self {
        Self::driver(fault.to_string())
    }
}

impl From<JobError> for Failure {
    fn from(error: JobError) -> Self {
        Self {
            kind: error.kind.to_owned(),
            message: error.message,
            errno: None,
            operation: error.operation.map(str::to_owned),
            offset: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_wants_encryption_is_told_how_to_ask_for_it() {
        let said =
            |message: &str, encrypted| JobError::reaching(&Fault::broken(Cause::Login, message), encrypted).to_string();
        for wants in [
            "no pg_hba.conf entry for host \"::1\", user \"x\", database \"y\", no encryption (28000)",
            "Connections using insecure transport are prohibited while --require_secure_transport=ON. (3159)",
            "Access denied for user 'x'@'localhost' (1045)",
            "the server does not speak Redis's protocol",
            "the server closed the connection",
            "the connection broke: Connection reset by peer (os error 104)",
        ] {
            assert!(said(wants, false).contains("tls=require"), "{wants}");
            assert_eq!(said(wants, true), wants);
        }
        for other in ["cannot connect to 127.0.0.1:1: Connection refused (os error 111)", "too many clients (53300)"] {
            assert_eq!(said(other, false), other);
        }
    }

    #[test]
    fn a_server_that_accepts_no_changes_is_no_reason_to_load_anew() {
        let said = JobError::preparing(&Fault::refused(Cause::ReadOnly, "cannot execute CREATE TABLE")).to_string();
        assert!(said.contains("accepts no changes") && !said.contains("recreate"), "{said}");
        let other = JobError::preparing(&Fault::refused(Cause::Server, "syntax error")).to_string();
        assert!(!other.contains("accepts no changes"), "{other}");
    }
}
