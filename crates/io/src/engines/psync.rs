//! `psync`: one positional system call per operation, `pread64` and `pwrite64`.

use std::io;
use std::os::fd::RawFd;

use crate::calls::{Calling, Calls, checked};
use crate::engine::{Caps, OpKind, Operation, Setup};
use crate::trim;

/// As fio's engine of this name.
pub type PsyncEngine = Calling<Positional>;

/// `pread64` and `pwrite64`, or those that take flags.
pub struct Positional {
    is_device: bool,
    flags: libc::c_int,
}

impl Calls for Positional {
    const CAPS: Caps = Caps {
        name: "psync",
        description: "pread and pwrite, one at a time",
        trim_file: true,
        trim_device: true,
        ..Caps::SYNCHRONOUS
    };

    fn new(setup: &Setup<'_>) -> Self {
        Self { is_device: setup.is_device, flags: setup.flags }
    }

    #[inline]
    fn call(&self, fd: RawFd, offset: u64, operation: &mut Operation) -> io::Result<i64> {
        if operation.kind == OpKind::Trim {
            return checked(trim::trim(fd, self.is_device, offset, operation.length));
        }
        let address = operation.buffer.as_mut().map_or(std::ptr::null_mut(), |b| b.as_mut_ptr()).cast();
        let (length, at) = (operation.length as usize, offset as libc::off64_t);
        let vector = libc::iovec { iov_base: address, iov_len: length };
        let read = operation.kind == OpKind::Read;
        // SAFETY: `address` is a buffer of at least `length` bytes that the operation owns; the file is open, and `vector`
        // lives as long as the call.
        let result = unsafe {
            match (read, self.flags) {
                (true, 0) => libc::pread64(fd, address, length, at),
                (false, 0) => libc::pwrite64(fd, address, length, at),
                (true, flags) => libc::preadv2(fd, &vector, 1, at, flags),
                (false, flags) => libc::pwritev2(fd, &vector, 1, at, flags),
            }
        };
        checked(result as i64)
    }
}
