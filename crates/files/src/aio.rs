//! The kernel's asynchronous I/O by its raw system calls, as libaio makes them.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// `IOCB_CMD_PREAD` and `IOCB_CMD_PWRITE`.
const READ: u16 = 0;
const WRITE: u16 = 1;

/// `struct iocb` of `linux/aio_abi.h` on little-endian machines.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Block {
    data: u64,
    key: u32,
    rw_flags: u32,
    opcode: u16,
    priority: i16,
    fd: u32,
    address: u64,
    length: u64,
    offset: i64,
    reserved: u64,
    flags: u32,
    result_fd: u32,
}

/// `struct io_event` of `linux/aio_abi.h`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Event {
    /// The tag of the operation.
    pub tag: u64,
    object: u64,
    /// Bytes, or a negative error number.
    pub result: i64,
    result2: i64,
}

impl Block {
    /// A transfer at `offset` of `length` bytes at `address`, told apart by `tag`.
    pub fn new(tag: u64, write: bool, file: &OwnedFd, address: *mut u8, length: usize, offset: u64) -> Self {
        Self {
            data: tag,
            opcode: if write { WRITE } else { READ },
            fd: file.as_raw_fd() as u32,
            address: address as u64,
            length: length as u64,
            offset: offset as i64,
            ..Self::default()
        }
    }
}

/// An AIO context.
pub struct Context(libc::c_ulong);

impl Context {
    /// `io_setup`.
    pub fn new(events: u32) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes the new context to the pointer, which lives through the call and holds 0 as required.
        let result = unsafe { libc::syscall(libc::SYS_io_setup, events as libc::c_long, &mut context) };
        if result == 0 { Ok(Self(context)) } else { Err(io::Error::last_os_error()) }
    }

    /// `io_submit`: how many were taken.
    ///
    /// # Safety
    /// The memory that the blocks point to stays as it is, and is not used, until their events have come.
    pub unsafe fn submit(&self, blocks: &[*const Block]) -> io::Result<usize> {
        let (count, pointers) = (blocks.len() as libc::c_long, blocks.as_ptr());
        // SAFETY: the kernel reads the blocks during the call only; the caller keeps what they point to.
        let taken = unsafe { libc::syscall(libc::SYS_io_submit, self.0, count, pointers) };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// `io_getevents`: waits for at least `least`; how many came.
    pub fn events(&self, least: usize, events: &mut [Event]) -> io::Result<usize> {
        let (least, most) = (least as libc::c_long, events.len() as libc::c_long);
        let none: *const libc::timespec = std::ptr::null();
        // SAFETY: the events live through the call and are as many as stated.
        let got = unsafe { libc::syscall(libc::SYS_io_getevents, self.0, least, most, events.as_mut_ptr(), none) };
        usize::try_from(got).map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: takes no pointers; the context is ours. The call waits for operations that are under way.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}
