//! `mmap`: the region is mapped and copied from and to. Page faults are the I/O.
//!
//! A page that cannot be had (the file was cut off, the device failed, the file system is full) raises `SIGBUS`; here it
//! becomes an error of the operation that touched it, see [`crate::bus_error`].

use std::io;
use std::os::fd::RawFd;

use crate::bus_error;
use crate::engine::{Caps, Completion, Engine, OpKind, Operation, Setup, Submitted};

const PAGE: u64 = 4096;

/// One mapping of the whole region.
pub struct MmapEngine {
    address: *mut u8,
    length: usize,
    /// Of the first mapped byte.
    base: u64,
    protection: libc::c_int,
    fd: RawFd,
}

impl Engine for MmapEngine {
    const CAPS: Caps = Caps {
        name: "mmap",
        description: "copies from and to a mapping of the file, one at a time",
        direct: false,
        dsync: false,
        files: false,
        ..Caps::SYNCHRONOUS
    };

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        bus_error::install();
        let (offset, size) = setup.region;
        let base = offset / PAGE * PAGE;
        let length = usize::try_from(offset + size - base).map_err(|_| io::ErrorKind::OutOfMemory)?;
        let protection = libc::PROT_READ | if setup.writes { libc::PROT_WRITE } else { 0 };
        let (fd, _) = setup.files.map().place(offset);
        // SAFETY: a mapping at an address of the kernel's choice touches no memory in use.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), length, protection, libc::MAP_SHARED, fd, base as i64) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let advice = if setup.random { libc::MADV_RANDOM } else { libc::MADV_SEQUENTIAL };
        // SAFETY: the range was mapped above. Advice may fail without harm.
        unsafe { libc::madvise(address, length, advice) };
        Ok(Self { address: address.cast(), length, base, protection, fd })
    }

    fn put(&mut self, _file: usize, _descriptor: RawFd) -> io::Result<()> {
        // Caps say so; a job with several files is refused before it starts.
        Err(io::ErrorKind::Unsupported.into())
    }

    fn submit(&mut self, operation: Operation) -> Submitted {
        let Operation { tag, kind, offset, length, mut buffer, .. } = operation;
        let result = match (kind, &mut buffer) {
            (OpKind::Read, Some(buffer)) => {
                let to = buffer.as_mut_ptr();
                // SAFETY: `copy` says that `from` is `length` mapped bytes; the buffer has as many and is ours.
                self.copy(offset, length, |from| unsafe { from.copy_to_nonoverlapping(to, length as usize) })
            }
            (OpKind::Write, Some(buffer)) => {
                let from = buffer.as_mut_ptr();
                // SAFETY: as above, the other way round.
                self.copy(offset, length, |to| unsafe { to.copy_from_nonoverlapping(from, length as usize) })
            }
            // SAFETY: takes no pointers; the file is open. Syncing it writes back what was changed through the mapping.
            (OpKind::Fsync, _) => status(unsafe { libc::fsync(self.fd) }),
            // SAFETY: as above.
            (OpKind::Fdatasync, _) => status(unsafe { libc::fdatasync(self.fd) }),
            // Caps say so; a job that trims is refused before it starts.
            _ => -i64::from(libc::EOPNOTSUPP),
        };
        Submitted::Done(Completion { tag, result, buffer })
    }
}

impl MmapEngine {
    /// Runs `copy` on the mapped bytes of an operation: `length` bytes at `offset`, which lie inside the region.
    fn copy(&mut self, offset: u64, length: u32, copy: impl FnOnce(*mut u8)) -> i64 {
        let first = (offset - self.base) as usize;
        // SAFETY: the worker keeps operations inside the region, which is mapped whole.
        let place = unsafe { self.address.add(first) };
        if bus_error::caught(self.address as usize, self.length, || copy(place)) {
            self.map_again(first, length as usize);
            return -i64::from(libc::EIO);
        }
        i64::from(length)
    }

    /// Puts the file back where the handler had to put empty pages.
    fn map_again(&mut self, first: usize, length: usize) {
        let start = first / PAGE as usize * PAGE as usize;
        let length = first + length - start;
        // SAFETY: replaces pages of our own mapping by the same pages of the same file. When it fails, the empty pages
        // stay and later operations there read zeros, which only a kernel out of mappings can cause.
        unsafe {
            let place = self.address.add(start).cast();
            let flags = libc::MAP_SHARED | libc::MAP_FIXED;
            libc::mmap(place, length, self.protection, flags, self.fd, (self.base + start as u64) as i64);
        }
    }
}

impl Drop for MmapEngine {
    fn drop(&mut self) {
        // SAFETY: mapped in `open` with this address and length, and not used again.
        unsafe { libc::munmap(self.address.cast(), self.length) };
    }
}

fn status(result: libc::c_int) -> i64 {
    if result == 0 { 0 } else { -i64::from(io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO)) }
}
