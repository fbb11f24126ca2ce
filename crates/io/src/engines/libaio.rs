//! `libaio`: the kernel's older asynchronous interface, by its raw system calls.
//!
//! It is asynchronous with direct I/O only; through the page cache `io_submit` does the work itself, which the latency then
//! shows.

use std::collections::VecDeque;
use std::io;
use std::os::fd::RawFd;
use std::time::Duration;

use plimsoll_core::aio::{Context, ControlBlock, Event, FDSYNC, FSYNC, HAS_PRIORITY, READ, WRITE};

use crate::engine::{Caps, Completion, Engine, OpKind, Operation, Setup, Submitted};
use crate::files::Map;
use crate::in_flight::InFlight;

/// A context with room for `depth` operations.
pub struct LibaioEngine {
    context: Context,
    files: Map,
    in_flight: InFlight,
    /// One per tag; the kernel reads them during `io_submit` only.
    blocks: Vec<ControlBlock>,
    /// Tags to be submitted.
    pushed: VecDeque<u32>,
    pointers: Vec<*const ControlBlock>,
    /// Finished with an error by the submission itself.
    refused: Vec<Completion>,
    events: Vec<Event>,
}

impl Engine for LibaioEngine {
    const CAPS: Caps = Caps {
        name: "libaio",
        description: "Linux native asynchronous I/O; asynchronous with direct I/O only",
        priorities: true,
        ..Caps::ASYNCHRONOUS
    };

    fn available() -> Result<(), String> {
        Context::new(1).map(drop).map_err(|error| format!("the kernel refuses an AIO context: {error}"))
    }

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        let depth = setup.depth as usize;
        Ok(Self {
            context: Context::new(setup.depth)?,
            files: setup.files.map(),
            in_flight: InFlight::new(setup.depth),
            blocks: vec![ControlBlock::default(); depth],
            pushed: VecDeque::with_capacity(depth),
            pointers: Vec::with_capacity(depth),
            refused: Vec::with_capacity(depth),
            events: vec![Event::default(); depth],
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
            OpKind::Read => READ,
            OpKind::Write => WRITE,
            OpKind::Fsync => FSYNC,
            OpKind::Fdatasync => FDSYNC,
            // Caps say so; a job that trims is refused before it starts.
            OpKind::Trim => {
                let result = -i64::from(libc::EOPNOTSUPP);
                return Submitted::Done(Completion { tag, result, buffer: operation.buffer });
            }
        };
        let (address, _) = self.in_flight.keep(operation);
        self.blocks[tag as usize] = ControlBlock {
            data: u64::from(tag),
            opcode,
            priority: priority as i16,
            flags: if priority == 0 { 0 } else { HAS_PRIORITY },
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
            let error = match unsafe { self.context.submit(&self.pointers) } {
                Ok(0) => return Ok(()),
                Ok(taken) => {
                    self.pushed.drain(..taken);
                    continue;
                }
                Err(error) => error,
            };
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
        let got = match self.context.events(missing, timeout, &mut self.events) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(()),
            got => got?,
        };
        let in_flight = &mut self.in_flight;
        finished.extend(self.events[..got].iter().map(|event| in_flight.complete(event.tag as u32, event.result)));
        Ok(())
    }
}
