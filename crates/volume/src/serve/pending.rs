//! Operations that wait for their deadline.

use std::cmp::Ordering;

use crate::model::layer::Io;

/// One operation that was carried out and is not answered yet.
#[derive(Debug)]
pub struct Pending {
    /// When to answer.
    pub deadline_ns: u64,
    /// Order of arrival, which decides among equal deadlines.
    pub sequence: u64,
    /// When it was read from the kernel.
    pub arrived_ns: u64,
    /// Its name in the channel it came through.
    pub ticket: u64,
    /// What it was.
    pub io: Io,
    /// The answer.
    pub reply: Reply,
    /// The count of power losses when it came; another count means that it did not survive.
    pub power: u64,
}

/// The answer to an operation.
#[derive(Debug)]
pub enum Reply {
    /// Done, nothing to send back.
    Done,
    /// What was read is in the room that came with the request.
    InRoom,
    /// The bytes that were read.
    Data(Vec<u8>),
    /// Failed.
    Error(i32),
}

impl Ord for Pending {
    /// The standard heap gives out its greatest element: the earliest deadline is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.deadline_ns, other.sequence).cmp(&(self.deadline_ns, self.sequence))
    }
}

impl PartialOrd for Pending {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pending {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pending {}
