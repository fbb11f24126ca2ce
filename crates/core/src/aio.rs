//! The kernel's asynchronous I/O by its raw system calls, as libaio makes them.

use std::io;
use std::time::Duration;

/// `IOCB_CMD_PREAD`.
pub const READ: u16 = 0;
/// `IOCB_CMD_PWRITE`.
pub const WRITE: u16 = 1;
/// `IOCB_CMD_FSYNC`.
pub const FSYNC: u16 = 2;
/// `IOCB_CMD_FDSYNC`.
pub const FDSYNC: u16 = 3;
/// `IOCB_FLAG_IOPRIO`: the priority of the block counts.
pub const HAS_PRIORITY: u32 = 1 << 1;

/// `struct iocb` of `linux/aio_abi.h` on little-endian machines.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ControlBlock {
    /// Comes back as the tag of the event.
    pub data: u64,
    /// Of the kernel.
    pub key: u32,
    /// `RWF_…`, or 0.
    pub rw_flags: u32,
    /// `READ`, `WRITE`, …
    pub opcode: u16,
    /// With `HAS_PRIORITY` in `flags`: class and level, as in `ioprio_set`.
    pub priority: i16,
    /// The open file.
    pub fd: u32,
    /// Of the buffer.
    pub address: u64,
    /// Bytes.
    pub length: u64,
    /// In the file, in bytes; 0 of a sync.
    pub offset: i64,
    /// 0.
    pub reserved: u64,
    /// `HAS_PRIORITY`, or 0.
    pub flags: u32,
    /// An eventfd, if the flags say so.
    pub result_fd: u32,
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

/// An AIO context.
#[derive(Debug)]
pub struct Context(libc::c_ulong);

impl Context {
    /// `io_setup`, for as many operations at once as `events`. An error of the system, such as `EAGAIN` above
    /// `fs.aio-max-nr`.
    pub fn new(events: u32) -> io::Result<Self> {
        let mut context: libc::c_ulong = 0;
        // SAFETY: the kernel writes the new context to the pointer, which lives through the call and holds 0 as required.
        let result = unsafe { libc::syscall(libc::SYS_io_setup, events as libc::c_long, &mut context) };
        if result == 0 { Ok(Self(context)) } else { Err(io::Error::last_os_error()) }
    }

    /// `io_submit`: how many were taken. The error of the first block if none was.
    ///
    /// # Safety
    /// The memory that the blocks point to stays as it is, and is not used, until their events have come.
    #[inline]
    pub unsafe fn submit(&self, blocks: &[*const ControlBlock]) -> io::Result<usize> {
        let (count, pointers) = (blocks.len() as libc::c_long, blocks.as_ptr());
        // SAFETY: the kernel reads the blocks during the call only; the caller keeps what they point to.
        let taken = unsafe { libc::syscall(libc::SYS_io_submit, self.0, count, pointers) };
        usize::try_from(taken).map_err(|_| io::Error::last_os_error())
    }

    /// `io_getevents`: waits for at least `least`, until `timeout` if there is one; how many came.
    #[inline]
    pub fn events(&self, least: usize, timeout: Option<Duration>, events: &mut [Event]) -> io::Result<usize> {
        let (least, most) = (least as libc::c_long, events.len() as libc::c_long);
        let time = timeout.map(|timeout| libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: timeout.subsec_nanos() as libc::c_long,
        });
        let time = time.as_ref().map_or(std::ptr::null(), |time| time as *const libc::timespec);
        // SAFETY: the events and the time live through the call, and there are as many events as stated.
        let got = unsafe { libc::syscall(libc::SYS_io_getevents, self.0, least, most, events.as_mut_ptr(), time) };
        usize::try_from(got).map_err(|_| io::Error::last_os_error())
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: takes no pointers; the context is ours. The call waits for operations that are under way.
        unsafe { libc::syscall(libc::SYS_io_destroy, self.0) };
    }
}
