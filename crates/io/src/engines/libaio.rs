//! `libaio`: the kernel's older asynchronous interface, by its raw system calls.
//!
//! It is asynchronous with direct I/O only; through the page cache `io_submit` does the work itself, which the latency then
//! shows.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use crate::engine::{self, Caps, Completion, Engine, Operation, Setup, Submitted};
use crate::files::Map;
use crate::in_flight::InFlight;

const PREAD: u16 = 0;
const PWRITE: u16 = 1;
const FSYNC: u16 = 2;
const FDSYNC: u16 = 3;
/// `IOCB_FLAG_IOPRIO`, as a shift: the priority of the control block counts.
const HAS_PRIORITY: u32 = 1;

/// `struct iocb` of `linux/aio_abi.h` on little-endian machines.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
struct ControlBlock {
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
struct IoEvent {
    data: u64,
    object: u64,
    result: i64,
    result2: i64,
}

/// A context with room for `depth` operations.
pub struct LibaioEngine {
    context: libc::c_ulong,
    files: Map,
    in_flight: InFlight,
    /// One per tag; the kernel reads them during `io_submit` only.
    blocks: Vec<ControlBlock>,
    /// Tags to be submitted.
    pushed: VecDeque<u32>,
    pointers: Vec<*const ControlBlock>,
    /// Finished with an error by the submission itself.
    refused: Vec<Completion>,
    events: Vec<IoEvent>,
}

impl Engine for LibaioEngine {
    const CAPS: Caps = Caps {
        name: "libaio",
        description: "Linux native asynchronous I/O; asynchronous with direct I/O only",
        max_depth: None,
        direct: true,
        dsync: true,
        trim_file: false,
        trim_device: false,
        asynchronous: true,
        polls: false,
        files: true,
        real: true,
        names: false,
        stores: true,
        dataless: false,
        reads: true,
        priorities: true,
    };

    fn available() -> Result<(), String> {
        match setup_context(1) {
            Ok(context) => {
                destroy(context);
                Ok(())
            }
            Err(error) => Err(format!("the kernel refuses an AIO context: {error}")),
        }
    }

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        let depth = setup.depth as usize;
        Ok(Self {
            context: setup_context(setup.depth)?,
            files: setup.files.map(),
            in_flight: InFlight::new(setup.depth),
            blocks: vec![ControlBlock::default(); depth],
            pushed: VecDeque::with_capacity(depth),
            pointers: Vec::with_capacity(depth),
            refused: Vec::with_capacity(depth),
            events: vec![IoEvent::default(); depth],
        })
    }

    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()> {
        self.files.put(file, descriptor);
        Ok(())
    }

    fn submit(&mut self, operation: Operation) -> Submitted {
        let (tag, kind, length) = (operation.tag, operation.kind, operation.length);
        let priority = operation.priority;
        let (fd, offset) = self.files.place(operation.offset);
        let opcode = match kind {
            engine::Kind::Read => PREAD,
            engine::Kind::Write => PWRITE,
            engine::Kind::Fsync => FSYNC,
            engine::Kind::Fdatasync => FDSYNC,
            // Caps say so; a job that trims is refused before it starts.
            engine::Kind::Trim => {
                let result = -i64::from(libc::EOPNOTSUPP);
                return Submitted::Done(Completion { tag, result, buffer: operation.buffer });
            }
        };
        let (address, _) = self.in_flight.keep(operation);
        self.blocks[tag as usize] = ControlBlock {
            data: u64::from(tag),
            opcode,
            priority: priority as i16,
            flags: u32::from(priority != 0) << HAS_PRIORITY,
            fd: fd as u32,
            address: address as u64,
            length: u64::from(length),
            // The kernel wants 0 of a sync.
            offset: if length == 0 { 0 } else { offset as i64 },
            ..ControlBlock::default()
        };
        self.pushed.push_back(tag);
        Submitted::Queued
    }

    /// An operation that the kernel refuses is finished with its error.
    fn flush(&mut self) -> io::Result<()> {
        while !self.pushed.is_empty() {
            self.pointers.clear();
            self.pointers.extend(self.pushed.iter().map(|&tag| &raw const self.blocks[tag as usize]));
            // SAFETY: the pointers are to control blocks that live through the call, which is all the kernel asks for;
            // the buffers in them are kept in `in_flight` until their completion.
            let taken = unsafe {
                let (count, pointers) = (self.pointers.len() as libc::c_long, self.pointers.as_ptr());
                libc::syscall(libc::SYS_io_submit, self.context, count, pointers)
            };
            if taken > 0 {
                self.pushed.drain(..taken as usize);
                continue;
            }
            let error = io::Error::last_os_error();
            match (error.raw_os_error(), self.pushed.pop_front()) {
                (Some(libc::EAGAIN | libc::EINTR), Some(tag)) => {
                    self.pushed.push_front(tag);
                    return Ok(());
                }
                (Some(errno), Some(tag)) => self.refused.push(self.in_flight.complete(tag, -i64::from(errno))),
                _ => return Err(error),
            }
        }
        Ok(())
    }

    fn reap(&mut self, at_least: u32, timeout: Option<Duration>, finished: &mut Vec<Completion>) -> io::Result<()> {
        self.flush()?;
        let missing = (at_least as usize).saturating_sub(self.refused.len());
        finished.append(&mut self.refused);
        let time = timeout.map(|timeout| libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: timeout.subsec_nanos() as libc::c_long,
        });
        let time = time.as_ref().map_or(std::ptr::null(), |time| time as *const libc::timespec);
        // SAFETY: the context is ours, `events` has room for as many events as are asked for, the time lives through the
        // call.
        let got = unsafe {
            let (room, events) = (self.events.len() as libc::c_long, self.events.as_mut_ptr());
            libc::syscall(libc::SYS_io_getevents, self.context, missing as libc::c_long, room, events, time)
        };
        if got < 0 {
            let error = io::Error::last_os_error();
            return if error.raw_os_error() == Some(libc::EINTR) { Ok(()) } else { Err(error) };
        }
        let in_flight = &mut self.in_flight;
        let events = self.events[..got as usize].iter();
        finished.extend(events.map(|event| in_flight.complete(event.data as u32, event.result)));
        Ok(())
    }
}

impl Drop for LibaioEngine {
    fn drop(&mut self) {
        destroy(self.context);
    }
}

fn setup_context(depth: u32) -> io::Result<libc::c_ulong> {
    let mut context: libc::c_ulong = 0;
    // SAFETY: the kernel writes the new context to the pointer, which lives through the call and holds 0 as required.
    let result = unsafe { libc::syscall(libc::SYS_io_setup, depth as libc::c_long, &mut context) };
    if result == 0 { Ok(context) } else { Err(io::Error::last_os_error()) }
}

fn destroy(context: libc::c_ulong) {
    // SAFETY: takes no pointers; the context was made by `setup_context` and is not used again.
    unsafe { libc::syscall(libc::SYS_io_destroy, context) };
}
