//! The loop that serves a volume: read requests, ask the model when they are done, answer them then.
//!
//! One worker holds its operations in a heap of deadlines and does everything itself, so an operation costs no hand-over
//! between threads. It waits in the kernel while nothing is near, and spins for the last moments before a deadline,
//! because a timer wakes tens of microseconds late on a virtual machine. It never spins for requests: that takes the CPU
//! from the kernel thread that brings them (measured: 250 µs became 285 without, 375 with 100 µs of it).

use std::collections::BinaryHeap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_core::clock::Clock;

use super::channel::{Channel, Found, Payload};
use super::device::Device;
use super::pending::{Pending, Reply};
use super::protocol::{self, Operation, Request};
use super::system;
use crate::model::layer::{Io, OpKind, Outcome};

/// More operations than this in flight, and a late answer delays no one who waits for just that one: no spinning.
const SPIN_DEPTH: usize = 4;
/// Bounds of the time before a deadline at which sleeping ends; in between it follows how late wake-ups are.
const EARLY_MIN_NS: u64 = 10_000;
const EARLY_MAX_NS: u64 = 150_000;
/// So long after there were more operations than that, or one that need not wait, the thread asks for no precedence.
const CROWDED_NS: u64 = 1_000_000_000;
/// How often the clock is compared with the kernel's.
const DISCIPLINE_NS: u64 = 1_000_000_000;

/// One serving thread.
pub struct Worker<C> {
    channel: C,
    outstanding: Outstanding,
    clock: Clock,
    disciplined_ns: u64,
    early_ns: u64,
    /// There are or were just now more than a few operations, or some that need not wait.
    crowded_until_ns: u64,
    /// Whether this thread has precedence over ordinary ones.
    hurries: bool,
}

/// What a worker has taken in and not answered yet.
struct Outstanding {
    device: Arc<Device>,
    pending: BinaryHeap<Pending>,
    sequence: u64,
    /// Buffers of answered reads, for the next ones.
    spare: Vec<Vec<u8>>,
    /// A read or write came that has nothing to wait for: the volume is as fast as this thread.
    found_no_wait: bool,
}

impl<C: Channel> Worker<C> {
    /// A worker for what comes through `channel`.
    pub fn new(channel: C, device: Arc<Device>) -> Self {
        let outstanding =
            Outstanding { device, pending: BinaryHeap::new(), sequence: 0, spare: Vec::new(), found_no_wait: false };
        Self {
            channel,
            outstanding,
            clock: Clock::new(),
            disciplined_ns: 0,
            early_ns: EARLY_MIN_NS * 5,
            crowded_until_ns: 0,
            hurries: false,
        }
    }

    /// Serves until the file system is unmounted, the device stops, or an answer cannot be given.
    pub fn run(mut self) -> io::Result<()> {
        system::prepare_thread();
        let ended = self.serve();
        self.abandon();
        ended
    }

    fn serve(&mut self) -> io::Result<()> {
        loop {
            let outstanding = &mut self.outstanding;
            let found = self.channel.read(&self.clock, &mut |request: &Request<'_>, room: &mut [u8], arrived_ns| {
                outstanding.take(request, room, arrived_ns)
            })?;
            if found == Found::End || self.outstanding.device.is_stopping() {
                return Ok(());
            }
            if self.outstanding.pending.len() > SPIN_DEPTH || std::mem::take(&mut self.outstanding.found_no_wait) {
                self.crowded_until_ns = self.clock.now_ns() + CROWDED_NS;
                self.hurry(false);
            }
            let answered = self.answer_due()?;
            if found != Found::Nothing || answered {
                continue;
            }
            if self.is_deadline_near() {
                std::thread::yield_now();
                continue;
            }
            self.wait()?;
        }
    }

    fn is_deadline_near(&self) -> bool {
        self.outstanding.pending.len() <= SPIN_DEPTH
            && self.outstanding.next_deadline_ns().is_some_and(|next_ns| next_ns < self.clock.now_ns() + self.early_ns)
    }

    /// Sleeps until a request, the wake event, or shortly before the next deadline.
    fn wait(&mut self) -> io::Result<()> {
        let before_ns = self.clock.now_ns();
        if before_ns > self.disciplined_ns + DISCIPLINE_NS {
            self.disciplined_ns = before_ns;
            self.clock.discipline(DISCIPLINE_NS);
        }
        if !self.outstanding.pending.is_empty() && before_ns > self.crowded_until_ns {
            self.hurry(true);
        }
        let early_ns = if self.outstanding.pending.len() <= SPIN_DEPTH { self.early_ns } else { 0 };
        let wake_ns = self.outstanding.next_deadline_ns().map(|next_ns| next_ns.saturating_sub(early_ns));
        let timeout = wake_ns.map(|wake_ns| Duration::from_nanos(wake_ns.saturating_sub(before_ns)));
        let called = self.channel.wait(timeout)?;
        if let (false, Some(wake_ns)) = (called, wake_ns) {
            // An eighth of the way towards half more than this wake-up was late.
            let late_ns = self.clock.now_ns().saturating_sub(wake_ns);
            let wanted_ns = (late_ns + late_ns / 2).clamp(EARLY_MIN_NS, EARLY_MAX_NS);
            self.early_ns = (self.early_ns * 7 + wanted_ns) / 8;
        }
        Ok(())
    }

    /// With few operations that wait a late answer is a wrong latency, and this thread does little: it goes before others.
    /// Otherwise it would take the processor from those that bring them (measured: a third of the rate).
    fn hurry(&mut self, on: bool) {
        if self.hurries != on {
            self.hurries = on;
            system::take_precedence(on);
        }
    }

    /// Answers everything whose time has come; true if there was anything.
    fn answer_due(&mut self) -> io::Result<bool> {
        let mut any = false;
        loop {
            let now_ns = self.clock.now_ns();
            let device = &self.outstanding.device;
            let power = device.power();
            let is_due = |first: &Pending| {
                let due_ns = first.deadline_ns.max(device.stalled_until_ns());
                due_ns <= now_ns || first.power != power || device.answers_at_once()
            };
            if !self.outstanding.pending.peek().is_some_and(is_due) {
                return Ok(any);
            }
            if let Some(first) = self.outstanding.pending.pop() {
                self.answer(first, power, now_ns)?;
            }
            any = true;
        }
    }

    fn answer(&mut self, done: Pending, power: u64, now_ns: u64) -> io::Result<()> {
        let reply = if done.power == power { done.reply } else { Reply::Error(libc::EIO) };
        let failed = matches!(reply, Reply::Error(_));
        // Counted first: who has the answer finds it in the statistics.
        self.outstanding.device.answered(done.io.kind, done.io.bytes, now_ns.saturating_sub(done.arrived_ns), failed);
        match reply {
            Reply::Error(errno) => self.channel.answer(done.ticket, errno, Payload::Bytes(&[])),
            Reply::Done if done.io.kind == OpKind::Write => {
                self.channel.answer(done.ticket, 0, Payload::Bytes(&protocol::written(done.io.bytes as u32)))
            }
            Reply::Done => self.channel.answer(done.ticket, 0, Payload::Bytes(&[])),
            Reply::InRoom => self.channel.answer(done.ticket, 0, Payload::InRoom(done.io.bytes as usize)),
            Reply::Data(buffer) => {
                let answered = self.channel.answer(done.ticket, 0, Payload::Bytes(&buffer));
                self.outstanding.spare.push(buffer);
                answered
            }
        }
    }

    /// Fails what is still under way, so that nobody waits for a server that is gone.
    fn abandon(&mut self) {
        let (power, now_ns) = (self.outstanding.device.power() + 1, self.clock.now_ns());
        while let Some(pending) = self.outstanding.pending.pop() {
            // What cannot be answered is failed by the kernel when this process has ended.
            let _ = self.answer(pending, power, now_ns);
        }
    }
}

impl Outstanding {
    fn next_deadline_ns(&self) -> Option<u64> {
        self.pending.peek().map(|first| first.deadline_ns.max(self.device.stalled_until_ns()))
    }

    /// Takes a request in, or returns its answer: an error number and bytes.
    fn take(&mut self, request: &Request<'_>, room: &mut [u8], arrived_ns: u64) -> Option<(i32, Vec<u8>)> {
        let size_bytes = self.device.size_bytes();
        let (io, data): (Io, &[u8]) = match request.operation {
            Operation::Ignore => return None,
            Operation::Acknowledge => return Some((0, Vec::new())),
            Operation::Unsupported => return Some((libc::ENOSYS, Vec::new())),
            Operation::Open => return Some((0, protocol::opened().to_vec())),
            Operation::Attributes => return Some((0, protocol::attributes(size_bytes).to_vec())),
            Operation::Statistics => return Some((0, protocol::statistics().to_vec())),
            Operation::Read { offset, bytes } => {
                let bytes = u64::from(bytes).min(size_bytes.saturating_sub(offset));
                (Io { kind: OpKind::Read, offset, bytes }, &[])
            }
            Operation::Write { offset, data } => {
                let bytes = data.len() as u64;
                if offset + bytes > size_bytes {
                    return Some((libc::EFBIG, Vec::new()));
                }
                (Io { kind: OpKind::Write, offset, bytes }, data)
            }
            Operation::Sync => (Io { kind: OpKind::Flush, offset: 0, bytes: 0 }, &[]),
            Operation::Allocate { offset, bytes, mode } => {
                let frees = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_ZERO_RANGE;
                if mode & frees == 0 || offset.saturating_add(bytes) > size_bytes {
                    return Some((libc::EOPNOTSUPP, Vec::new()));
                }
                (Io { kind: OpKind::Discard, offset, bytes }, &[])
            }
        };
        self.start(request.ticket, io, data, room, arrived_ns);
        None
    }

    /// Does the work on the bytes at once; the answer waits for the deadline.
    fn start(&mut self, ticket: u64, io: Io, data: &[u8], room: &mut [u8], arrived_ns: u64) {
        let power = self.device.power();
        let completion = self.device.submit(&io, arrived_ns);
        let reply = match completion.outcome {
            Outcome::Failed => Reply::Error(libc::EIO),
            Outcome::Gone => Reply::Error(libc::ENODEV),
            Outcome::Done => self.carry_out(&io, data, room).unwrap_or_else(|error| self.refusal(&error)),
        };
        self.found_no_wait |= io.bytes > 0 && completion.deadline_ns < arrived_ns + EARLY_MIN_NS;
        self.sequence += 1;
        let (deadline_ns, sequence) = (completion.deadline_ns, self.sequence);
        self.pending.push(Pending { deadline_ns, sequence, arrived_ns, ticket, io, reply, power });
    }

    #[cold]
    fn refusal(&self, error: &io::Error) -> Reply {
        if matches!(error.raw_os_error(), Some(libc::ENOSPC | libc::EDQUOT)) {
            self.device.ran_out_of_space();
        }
        Reply::Error(error.raw_os_error().unwrap_or(libc::EIO))
    }

    fn carry_out(&mut self, io: &Io, data: &[u8], room: &mut [u8]) -> io::Result<Reply> {
        match io.kind {
            OpKind::Read => {
                if let Some(room) = room.get_mut(..io.bytes as usize)
                    && !room.is_empty()
                {
                    self.device.backing.read(room, io.offset)?;
                    return Ok(Reply::InRoom);
                }
                let mut buffer = self.spare.pop().unwrap_or_default();
                buffer.resize(io.bytes as usize, 0);
                self.device.backing.read(&mut buffer, io.offset)?;
                return Ok(Reply::Data(buffer));
            }
            OpKind::Write => self.device.backing.write(data, io.offset)?,
            OpKind::Flush => self.device.backing.flush()?,
            OpKind::Discard => self.device.backing.discard(io.offset, io.bytes)?,
        }
        Ok(Reply::Done)
    }
}
