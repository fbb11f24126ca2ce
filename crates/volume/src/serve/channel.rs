//! How requests of the kernel come to a worker and answers go back.

use std::io;
use std::time::Duration;

use plimsoll_core::clock::Clock;

use super::protocol::Request;

/// Requests taken in a row before deadlines are looked at, and the sign that help is wanted.
pub const BATCH: usize = 16;

/// What reading found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Found {
    /// No request.
    Nothing,
    /// At least one.
    Some,
    /// As much as was asked for; there may be more.
    Plenty,
    /// The file system was unmounted.
    End,
}

/// What takes requests in: one request, room for what it reads (empty if the channel lends none), and the time when it was
/// found. What it returns, an error number and bytes, is answered at once.
pub trait Handle: FnMut(&Request<'_>, &mut [u8], u64) -> Option<(i32, Vec<u8>)> {}

impl<F: FnMut(&Request<'_>, &mut [u8], u64) -> Option<(i32, Vec<u8>)>> Handle for F {}

/// What an answer has to say.
#[derive(Debug, Clone, Copy)]
pub enum Payload<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// The first so many of the room that came with the request.
    InRoom(usize),
}

/// The kernel's side of a served file.
pub trait Channel {
    /// Hands the requests that are there to `handle`.
    fn read(&mut self, clock: &Clock, handle: &mut impl Handle) -> io::Result<Found>;

    /// Answers the request that came with `ticket`; `errno` is 0 or positive. An error means that whoever waits for the
    /// answer will wait for ever, unless this server ends.
    fn answer(&mut self, ticket: u64, errno: i32, payload: Payload<'_>) -> io::Result<()>;

    /// Sleeps until a request, the wake event, or `timeout`; false if it was the last.
    fn wait(&mut self, timeout: Option<Duration>) -> io::Result<bool>;
}
