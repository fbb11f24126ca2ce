//! `ftruncate`: each write sets the length of the file to its place, as fio has it.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::engine::{self, Caps, Completion, Engine, Operation, Setup, Submitted};
use crate::files::Map;

/// File descriptors are all there is.
pub struct Kind {
    /// Kept open by the worker.
    files: Map,
}

impl Engine for Kind {
    const CAPS: Caps = Caps {
        name: "ftruncate",
        description: "ftruncate in place of writes, one at a time",
        max_depth: Some(1),
        direct: true,
        dsync: false,
        trim_file: false,
        trim_device: false,
        asynchronous: false,
        polls: false,
        files: true,
        real: true,
        names: false,
        stores: false,
        reads: false,
        priorities: false,
    };

    fn available() -> Result<(), String> {
        Ok(())
    }

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        Ok(Self { files: setup.files.map() })
    }

    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()> {
        self.files.put(file, descriptor);
        Ok(())
    }

    #[inline]
    fn submit(&mut self, operation: Operation) -> Submitted {
        let (fd, offset) = self.files.place(operation.offset);
        // SAFETY: no pointers; the file is open.
        let result = unsafe {
            match operation.kind {
                engine::Kind::Write => libc::ftruncate64(fd, offset as libc::off64_t),
                engine::Kind::Fsync => libc::fsync(fd),
                engine::Kind::Fdatasync => libc::fdatasync(fd),
                engine::Kind::Read | engine::Kind::Trim => {
                    let result = -i64::from(libc::EINVAL);
                    return Submitted::Done(Completion { tag: operation.tag, result, buffer: operation.buffer });
                }
            }
        };
        let result = if result < 0 {
            -i64::from(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO))
        } else {
            i64::from(operation.length)
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
