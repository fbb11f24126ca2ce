//! One client as its thread sees it.

use crate::driver::Reply;
use crate::fault::Fault;
use crate::workloads::Operation;

/// First pause before a connection is opened anew; each failure doubles it.
pub const FIRST_PAUSE_NS: u64 = 10_000_000;
/// Longest pause.
pub const LONGEST_PAUSE_NS: u64 = 1_000_000_000;

/// One client: its connection and what it is in the middle of.
#[derive(Debug)]
pub struct Client<S> {
    /// Absent while the connection is broken.
    pub session: Option<S>,
    /// Number among all clients.
    pub number: u32,
    /// The operation in progress.
    pub operation: Operation,
    /// What came back for its current request.
    pub reply: Reply,
    /// A request is with the server.
    pub waiting: bool,
    /// When the operation was meant to start.
    pub intended_ns: u64,
    /// When it did.
    pub started_ns: u64,
    /// When its current request did.
    pub step_ns: u64,
    /// Payload of the steps before.
    pub bytes: u64,
    /// Rows of the steps before.
    pub rows: u64,
    /// A step before has missed its record.
    pub missed: bool,
    /// Tries of the operation so far.
    pub tries: u32,
    /// It belongs to the measured part.
    pub counted: bool,
    /// Present while its transaction is rolled back: why.
    pub failure: Option<Fault>,
    /// Before the next attempt to connect.
    pub pause_ns: u64,
}

impl<S> Client<S> {
    /// With nothing to do.
    pub fn new(number: u32, session: S) -> Self {
        Self {
            session: Some(session),
            number,
            operation: Operation::default(),
            reply: Reply::default(),
            waiting: false,
            intended_ns: 0,
            started_ns: 0,
            step_ns: 0,
            bytes: 0,
            rows: 0,
            missed: false,
            tries: 1,
            counted: false,
            failure: None,
            pause_ns: FIRST_PAUSE_NS,
        }
    }
}
