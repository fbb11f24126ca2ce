//! A socket: single calls on it, and how long it is waited for.

use std::io;
use std::os::fd::RawFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::fault::{Cause, Fault};

/// How long to wait for a server.
#[derive(Debug, Clone)]
pub struct Wait {
    /// Whom it waits for, in messages; known from the connection on.
    pub server: String,
    /// A single wait at most; nothing: for ever.
    pub timeout: Option<Duration>,
    /// Set when the job is stopped, which ends every wait.
    pub stopped: Arc<AtomicBool>,
}

impl Wait {
    /// Said at every glance of a wait that began then: fails when it is over.
    pub fn go_on(&self, began: Instant) -> Result<(), Fault> {
        if self.stopped.load(Ordering::Relaxed) {
            let words = format!("{} had not answered for {:.1} s", self.server, began.elapsed().as_secs_f64());
            return Err(Fault::broken(Cause::Timeout, words));
        }
        match self.timeout.filter(|&timeout| began.elapsed() > timeout) {
            Some(timeout) => Err(Fault::broken(
                Cause::Timeout,
                format!(
                    "the server did not answer in time ({} s): is it one of this kind, and does it speak TLS if asked to?",
                    timeout.as_secs_f64()
                ),
            )),
            None => Ok(()),
        }
    }
}

/// One `send`, without a signal when the other side is gone.
pub fn send(socket: RawFd, bytes: &[u8]) -> io::Result<usize> {
    // SAFETY: pointer and length are those of a slice.
    match unsafe { libc::send(socket, bytes.as_ptr().cast(), bytes.len(), libc::MSG_NOSIGNAL) } {
        -1 => Err(io::Error::last_os_error()),
        count => Ok(count as usize),
    }
}

/// One `recv`.
pub fn receive(socket: RawFd, bytes: &mut [u8]) -> io::Result<usize> {
    // SAFETY: pointer and length are those of a slice that nobody else sees.
    match unsafe { libc::recv(socket, bytes.as_mut_ptr().cast(), bytes.len(), 0) } {
        -1 => Err(io::Error::last_os_error()),
        count => Ok(count as usize),
    }
}
