//! `falloc`: space in place of data, as fio has it. Reads reserve it, writes also make the file longer, trims give it back.

use std::io;
use std::os::fd::RawFd;

use crate::calls::{Calling, Calls, checked};
use crate::engine::{Caps, OpKind, Operation, Setup};

/// As in fio.
pub type FallocEngine = Calling<Space>;

/// `fallocate`.
pub struct Space;

impl Calls for Space {
    const CAPS: Caps = Caps {
        name: "falloc",
        description: "fallocate in place of data, one at a time",
        dsync: false,
        trim_file: true,
        stores: false,
        dataless: true,
        ..Caps::SYNCHRONOUS
    };

    fn new(_setup: &Setup<'_>) -> Self {
        Self
    }

    #[inline]
    fn call(&self, fd: RawFd, offset: u64, operation: &mut Operation) -> io::Result<i64> {
        let mode = match operation.kind {
            OpKind::Read => libc::FALLOC_FL_KEEP_SIZE,
            OpKind::Trim => libc::FALLOC_FL_KEEP_SIZE | libc::FALLOC_FL_PUNCH_HOLE,
            _ => 0,
        };
        // SAFETY: takes no pointers; the file is open.
        let result = unsafe { libc::fallocate64(fd, mode, offset as libc::off64_t, operation.length.into()) };
        checked(result.into()).map(|_| operation.length.into())
    }
}
