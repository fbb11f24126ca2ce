//! `psync`: one positional system call per operation, `pread64` and `pwrite64`.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::engine::{self, Caps, Completion, Engine, Operation, Setup, Submitted};
use crate::files::Map;
use crate::trim;

/// File descriptors are all there is.
pub struct Kind {
    /// Kept open by the worker.
    files: Map,
    is_device: bool,
    flags: libc::c_int,
}

impl Engine for Kind {
    const CAPS: Caps = Caps {
        name: "psync",
        description: "pread and pwrite, one at a time",
        max_depth: Some(1),
        direct: true,
        dsync: true,
        trim_file: true,
        trim_device: true,
        asynchronous: false,
        polls: false,
        files: true,
        real: true,
        names: false,
        stores: true,
        reads: true,
        priorities: false,
    };

    fn available() -> Result<(), String> {
        Ok(())
    }

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        Ok(Self { files: setup.files.map(), is_device: setup.is_device, flags: setup.flags })
    }

    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()> {
        self.files.put(file, descriptor);
        Ok(())
    }

    #[inline]
    fn submit(&mut self, mut operation: Operation) -> Submitted {
        let address = operation.buffer.as_mut().map_or(std::ptr::null_mut(), |b| b.as_mut_ptr()).cast();
        let (fd, offset) = self.files.place(operation.offset);
        let (length, at) = (operation.length as usize, offset as libc::off64_t);
        let vector = libc::iovec { iov_base: address, iov_len: length };
        // SAFETY: for reads and writes `address` is a buffer of at least `length` bytes that the operation owns; the file
        // is open, and `vector` lives as long as the call.
        let result = unsafe {
            match operation.kind {
                engine::Kind::Read if self.flags != 0 => libc::preadv2(fd, &vector, 1, at, self.flags) as i64,
                engine::Kind::Write if self.flags != 0 => libc::pwritev2(fd, &vector, 1, at, self.flags) as i64,
                engine::Kind::Read => libc::pread64(fd, address, length, at) as i64,
                engine::Kind::Write => libc::pwrite64(fd, address, length, at) as i64,
                engine::Kind::Fsync => i64::from(libc::fsync(fd)),
                engine::Kind::Fdatasync => i64::from(libc::fdatasync(fd)),
                engine::Kind::Trim => trim::trim(fd, self.is_device, offset, operation.length),
            }
        };
        let result = if result < 0 {
            -i64::from(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
        } else {
            result
        };
        Submitted::Done(Completion { tag: operation.tag, result, buffer: operation.buffer })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn reap(&mut self, _at_least: u32, _timeout: Option<Duration>, _finished: &mut Vec<Completion>) -> io::Result<()> {
        Ok(())
    }
}
