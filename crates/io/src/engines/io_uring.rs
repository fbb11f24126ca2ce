//! `io_uring`: operations go into a ring shared with the kernel; one system call submits and waits for many.
//!
//! Files and buffers are registered, so that the kernel need not look them up or pin them per operation. The ring is used
//! by one thread only and runs completion work when that thread asks for it (`SINGLE_ISSUER`, `DEFER_TASKRUN`), without
//! interrupts to other CPUs; older kernels get what they have.

use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use ::io_uring::{IoUring, opcode, squeue, types};

use crate::engine::{Caps, Completion, Engine, OpKind, Operation, Setup, Submitted};
use crate::files::Map;
use crate::in_flight::InFlight;

const ENTER_GETEVENTS: u32 = 1;
const ENTER_EXT_ARG: u32 = 1 << 3;
/// The kernel's submission thread sleeps after this time without work.
const SQPOLL_IDLE_MS: u32 = 1000;
/// A ring with the files and, where memory limits allow, the buffers registered.
pub struct IoUringEngine {
    ring: IoUring,
    files: Map,
    in_flight: InFlight,
    /// Pushed, not yet handed to the kernel.
    pushed: u32,
    fixed_buffers: bool,
    sqpoll: bool,
}

impl Engine for IoUringEngine {
    const CAPS: Caps = Caps {
        name: "io_uring",
        description: "asynchronous, many operations per system call, registered file and buffers",
        trim_file: true,
        polls: true,
        priorities: true,
        ..Caps::ASYNCHRONOUS
    };

    fn available() -> Result<(), String> {
        match IoUring::new(1) {
            Ok(_) => Ok(()),
            Err(error) => Err(match error.raw_os_error() {
                Some(libc::ENOSYS) => "this kernel has no io_uring, or a container hides it".to_owned(),
                Some(libc::EPERM | libc::EACCES) => {
                    "io_uring is forbidden here (sysctl kernel.io_uring_disabled, or the container's seccomp profile)"
                        .to_owned()
                }
                _ => format!("the kernel refuses a ring: {error}"),
            }),
        }
    }

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        let ring = build(setup)?;
        ring.submitter().register_files(setup.files.map().descriptors())?;
        // SAFETY: the pool outlives the ring, and while the kernel has a buffer nobody else holds its handle.
        let fixed_buffers = unsafe { ring.submitter().register_buffers(&setup.pool.iovecs()) }.is_ok();
        if !setup.sqpoll {
            // Saves a lookup per call; kernels before 5.18 go without.
            let _ = ring.submitter().register_ring_fd();
        }
        let mut engine = Self {
            ring,
            files: setup.files.map(),
            in_flight: InFlight::new(setup.depth),
            pushed: 0,
            fixed_buffers,
            sqpoll: setup.sqpoll,
        };
        if setup.iopoll {
            engine.try_polling(setup.region.0)?;
        }
        Ok(engine)
    }

    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()> {
        self.files.put(file, descriptor);
        self.ring.submitter().register_files_update(file as u32, &[descriptor]).map(drop)
    }

    #[inline]
    fn submit(&mut self, operation: Operation) -> Submitted {
        let (tag, kind, length) = (operation.tag, operation.kind, operation.length);
        let priority = operation.priority;
        let (file, offset) = self.files.find(operation.offset);
        // Its place among the registered ones.
        let file = types::Fixed(file as u32);
        if self.ring.submission().is_full() {
            return Submitted::Full(operation);
        }
        let (address, index) = self.in_flight.keep(operation);
        let entry = match kind {
            OpKind::Read if self.fixed_buffers => {
                opcode::ReadFixed::new(file, address, length, index).offset(offset).ioprio(priority).build()
            }
            OpKind::Read => opcode::Read::new(file, address, length).offset(offset).ioprio(priority).build(),
            OpKind::Write if self.fixed_buffers => {
                opcode::WriteFixed::new(file, address, length, index).offset(offset).ioprio(priority).build()
            }
            OpKind::Write => opcode::Write::new(file, address, length).offset(offset).ioprio(priority).build(),
            OpKind::Trim => opcode::Fallocate::new(file, u64::from(length))
                .offset(offset)
                .mode(libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE)
                .build(),
            OpKind::Fsync => opcode::Fsync::new(file).build(),
            OpKind::Fdatasync => opcode::Fsync::new(file).flags(types::FsyncFlags::DATASYNC).build(),
        };
        self.push(&entry.user_data(u64::from(tag)));
        Submitted::Queued
    }

    #[inline]
    fn flush(&mut self) -> io::Result<()> {
        if self.sqpoll {
            return self.enter_sqpoll(0, None);
        }
        // SAFETY: entries were pushed under the rules of `push`; there is no argument.
        let entered = unsafe { self.ring.submitter().enter::<libc::sigset_t>(self.pushed, 0, 0, None) };
        self.pushed = self.ring.submission().len() as u32;
        forgive(entered)
    }

    #[inline]
    fn reap(&mut self, at_least: u32, timeout: Option<Duration>, finished: &mut Vec<Completion>) -> io::Result<()> {
        if self.sqpoll {
            self.enter_sqpoll(at_least, timeout)?;
        } else {
            self.enter(at_least, timeout)?;
        }
        let in_flight = &mut self.in_flight;
        finished.extend(
            self.ring.completion().map(|entry| in_flight.complete(entry.user_data() as u32, i64::from(entry.result()))),
        );
        Ok(())
    }
}

/// The best ring that the kernel has.
fn build(setup: &Setup<'_>) -> io::Result<IoUring> {
    let entries = setup.depth.max(2).next_power_of_two();
    let builder = || {
        let mut builder = IoUring::builder();
        if setup.iopoll {
            builder.setup_iopoll();
        }
        builder
    };
    if setup.sqpoll {
        return builder().setup_sqpoll(SQPOLL_IDLE_MS).build(entries);
    }
    builder()
        .setup_single_issuer()
        .setup_defer_taskrun()
        .build(entries)
        .or_else(|_| builder().setup_coop_taskrun().build(entries))
        .or_else(|_| builder().build(entries))
}

impl IoUringEngine {
    #[inline]
    fn push(&mut self, entry: &squeue::Entry) {
        // SAFETY: buffer and file of the entry stay valid until its completion: the buffer is kept in `in_flight`, the
        // file is registered. The queue has room: `submit` looked.
        let pushed = unsafe { self.ring.submission().push(entry) };
        if pushed.is_ok() {
            self.pushed += 1;
        }
    }

    /// One system call: submit what was pushed and wait.
    #[inline]
    fn enter(&mut self, at_least: u32, timeout: Option<Duration>) -> io::Result<()> {
        if self.pushed == 0 && at_least > 0 && self.ring.completion().len() >= at_least as usize {
            return Ok(());
        }
        let submitter = self.ring.submitter();
        // SAFETY: entries were pushed under the rules of `push`; the argument, if any, lives through the call.
        let entered = unsafe {
            match timeout {
                None => submitter.enter::<libc::sigset_t>(self.pushed, at_least, ENTER_GETEVENTS, None),
                Some(timeout) => {
                    let time = types::Timespec::from(timeout);
                    let arguments = types::SubmitArgs::new().timespec(&time);
                    submitter.enter(self.pushed, at_least, ENTER_GETEVENTS | ENTER_EXT_ARG, Some(&arguments))
                }
            }
        };
        self.pushed = self.ring.submission().len() as u32;
        forgive(entered)
    }

    /// The kernel's thread submits; a system call is needed only to wake it up or to wait.
    fn enter_sqpoll(&mut self, at_least: u32, timeout: Option<Duration>) -> io::Result<()> {
        self.pushed = 0;
        let missing = (at_least as usize).saturating_sub(self.ring.completion().len());
        let wanted = if missing > 0 { at_least as usize } else { 0 };
        let submitter = self.ring.submitter();
        match timeout {
            Some(timeout) if wanted > 0 => {
                let time = types::Timespec::from(timeout);
                forgive(submitter.submit_with_args(wanted, &types::SubmitArgs::new().timespec(&time)))
            }
            _ => forgive(submitter.submit_and_wait(wanted)),
        }
    }

    /// Reads one block, because only a completion tells whether the device can be polled.
    fn try_polling(&mut self, offset: u64) -> io::Result<()> {
        let (_pool, mut buffers) = crate::buffer::Pool::new(1, crate::buffer::ALIGNMENT)?;
        let length = crate::buffer::ALIGNMENT as u32;
        let (file, offset) = self.files.find(offset);
        let file = types::Fixed(file as u32);
        self.push(&opcode::Read::new(file, buffers[0].as_mut_ptr(), length).offset(offset).build());
        self.enter(1, None)?;
        match self.ring.completion().next().map(|entry| entry.result()) {
            Some(errno) if errno < 0 => Err(io::Error::new(
                io::ErrorKind::Unsupported,
                format!(
                    "the device or its driver cannot be polled ({}): leave iopoll off",
                    io::Error::from_raw_os_error(-errno)
                ),
            )),
            _ => Ok(()),
        }
    }
}

/// Interruptions, time-outs and a kernel short of memory only mean "look again".
#[inline]
fn forgive(entered: io::Result<usize>) -> io::Result<()> {
    match entered {
        Ok(_) => Ok(()),
        Err(error) => match error.raw_os_error() {
            Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY) => Ok(()),
            _ => Err(error),
        },
    }
}
