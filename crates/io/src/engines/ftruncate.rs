//! `ftruncate`: each write sets the length of the file to its place, as fio has it.

use std::io;
use std::os::fd::RawFd;

use crate::calls::{Calling, Calls, checked};
use crate::engine::{Caps, OpKind, Operation, Setup};

/// As in fio.
pub type FtruncateEngine = Calling<Length>;

/// `ftruncate`.
pub struct Length;

impl Calls for Length {
    const CAPS: Caps = Caps {
        name: "ftruncate",
        description: "ftruncate in place of writes, one at a time",
        dsync: false,
        stores: false,
        dataless: true,
        reads: false,
        ..Caps::SYNCHRONOUS
    };

    fn new(_setup: &Setup<'_>) -> Self {
        Self
    }

    #[inline]
    fn call(&self, fd: RawFd, offset: u64, operation: &mut Operation) -> io::Result<i64> {
        if operation.kind != OpKind::Write {
            return Err(io::Error::from_raw_os_error(libc::EINVAL));
        }
        // SAFETY: takes no pointers; the file is open.
        let result = unsafe { libc::ftruncate64(fd, offset as libc::off64_t) };
        checked(result.into()).map(|_| operation.length.into())
    }
}
