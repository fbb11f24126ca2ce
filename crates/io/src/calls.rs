//! Engines that make one system call on a file per operation, which runs to its end in it.

use std::io;
use std::os::fd::RawFd;

use crate::engine::{Caps, Completion, Engine, OpKind, Operation, Setup, Submitted};
use crate::files::Map;

/// The calls of one engine, other than those of syncing.
pub trait Calls: Send + Sized + 'static {
    /// What the engine says of itself.
    const CAPS: Caps;

    /// Ready for a job.
    fn new(setup: &Setup<'_>) -> Self;

    /// Reads, writes or trims at `offset` of an open file; gives the bytes that this moved.
    fn call(&self, fd: RawFd, offset: u64, operation: &mut Operation) -> io::Result<i64>;
}

/// One engine.
pub struct Calling<C> {
    /// Kept open by the worker.
    files: Map,
    calls: C,
}

impl<C: Calls> Engine for Calling<C> {
    const CAPS: Caps = C::CAPS;

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        Ok(Self { files: setup.files.map(), calls: C::new(setup) })
    }

    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()> {
        self.files.put(file, descriptor);
        Ok(())
    }

    #[inline]
    fn submit(&mut self, mut operation: Operation) -> Submitted {
        let (fd, offset) = self.files.place(operation.offset);
        let result = match operation.kind {
            // SAFETY: takes no pointers; the file is open.
            OpKind::Fsync => checked(unsafe { libc::fsync(fd) }.into()),
            // SAFETY: as above.
            OpKind::Fdatasync => checked(unsafe { libc::fdatasync(fd) }.into()),
            OpKind::Read | OpKind::Write | OpKind::Trim => self.calls.call(fd, offset, &mut operation),
        };
        let result = result.unwrap_or_else(|error| -i64::from(error.raw_os_error().unwrap_or(libc::EIO)));
        Submitted::Done(Completion { tag: operation.tag, result, buffer: operation.buffer })
    }
}

/// What a system call gave, or `errno` where that is less than 0.
#[inline]
pub fn checked(result: i64) -> io::Result<i64> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
