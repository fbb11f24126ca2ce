//! Requests through an io_uring shared with the kernel (Linux 6.14 and later, where the parameter `enable_uring` of the
//! module fuse is on): one system call takes and answers many.
//!
//! Every CPU that the machine may have gets a queue of slots. A slot is registered once; the kernel puts a request into it
//! and completes its command; the command that commits the answer asks for the next request. What the kernel does not
//! send this way (interrupts, and everything if it refuses a slot) still comes through `/dev/fuse`, which the first ring
//! watches.

use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use io_uring::{IoUring, cqueue, opcode, squeue, types};
use plimsoll_core::clock::Clock;

use super::channel::{BATCH, Channel, Found, Handle, Payload};
use super::device::Device;
use super::fuse::Descriptor;
use super::protocol::Request;
use super::slots::Slots;

const ENABLED: &str = "/sys/module/fuse/parameters/enable_uring";
const POSSIBLE_CPUS: &str = "/sys/devices/system/cpu/possible";
/// Slots of each queue: as many requests as a loop device has under way.
const QUEUE_SLOTS: usize = 128;
/// With more queues than this the slots would take more memory than the speed is worth.
const QUEUES_MAX: usize = 32;
/// Up to so many CPUs one ring is faster than two, whose threads only take turns.
const ONE_RING_CPUS: usize = 2;

/// `enum fuse_uring_cmd`.
const REGISTER: u32 = 1;
const COMMIT_AND_FETCH: u32 = 2;
/// `user_data` of what is no slot.
const WAKE: u64 = u64::MAX;
const DESCRIPTOR: u64 = u64::MAX - 1;

const ENTER_GETEVENTS: u32 = 1;
const ENTER_EXT_ARG: u32 = 1 << 3;

type AnyRing = IoUring<squeue::Entry128, cqueue::Entry>;

/// A ring and its slots, made before the kernel is told that there will be one: afterwards there is no way back.
pub struct Prepared {
    ring: AnyRing,
    queues: Vec<u16>,
    slots: Slots,
}

/// One worker's part of the connection.
pub struct Ring {
    ring: AnyRing,
    queues: Vec<u16>,
    slots: Slots,
    connection: File,
    /// Only the first ring's.
    descriptor: Option<Descriptor>,
    device: Arc<Device>,
    index: usize,
    started: bool,
    /// Pushed, not yet handed to the kernel.
    pushed: u32,
}

/// Rings for the connection, at most `workers`; none where the kernel does not offer them or this process may not have them.
pub fn prepare(workers: usize) -> Vec<Prepared> {
    let enabled = fs::read_to_string(ENABLED).is_ok_and(|text| text.trim() == "Y");
    let cpus = fs::read_to_string(POSSIBLE_CPUS).ok().and_then(|text| count_cpus(&text));
    match cpus {
        Some(cpus) if enabled && cpus <= QUEUES_MAX => {
            let rings = if cpus <= ONE_RING_CPUS { 1 } else { workers };
            let made: io::Result<_> = (0..rings).map(|index| Prepared::new((index..cpus).step_by(rings))).collect();
            made.unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

/// One more than the last number of a list such as `0-3` or `0,2-5`.
fn count_cpus(list: &str) -> Option<usize> {
    let last = list.trim().rsplit([',', '-']).next()?;
    last.parse::<usize>().ok().map(|last| last + 1)
}

impl Prepared {
    fn new(queues: impl Iterator<Item = usize>) -> io::Result<Self> {
        let queues: Vec<u16> = queues.map(|queue| queue as u16).collect();
        let count = queues.len() * QUEUE_SLOTS;
        let ring = IoUring::builder()
            .setup_single_issuer()
            .setup_defer_taskrun()
            .setup_taskrun_flag()
            // The thread that will use it enables it.
            .setup_r_disabled()
            .build((count + 2).next_power_of_two() as u32)?;
        Ok(Self { ring, queues, slots: Slots::new(count)? })
    }

    /// For worker `index`, on a descriptor of the connection.
    pub fn connect(self, index: usize, connection: File, descriptor: Option<Descriptor>, device: Arc<Device>) -> Ring {
        let Self { ring, queues, slots } = self;
        Ring { ring, queues, slots, connection, descriptor, device, index, started: false, pushed: 0 }
    }
}

impl Ring {
    fn start(&mut self) -> io::Result<()> {
        self.started = true;
        self.ring.submitter().register_enable_rings()?;
        // Saves a lookup per call.
        let _ = self.ring.submitter().register_ring_fd();
        for slot in 0..self.queues.len() * QUEUE_SLOTS {
            let entry = self.slots.locate(slot, self.command(slot, REGISTER, 0));
            self.push(&entry)?;
        }
        self.watch(WAKE)?;
        if self.descriptor.is_some() {
            self.watch(DESCRIPTOR)?;
        }
        self.enter(0, None)
    }

    /// `struct fuse_uring_cmd_req`: flags, the request's name, the queue.
    #[inline]
    fn command(&self, slot: usize, command: u32, commit_id: u64) -> squeue::Entry128 {
        let mut body = [0; 80];
        body[8..16].copy_from_slice(&commit_id.to_ne_bytes());
        body[16..18].copy_from_slice(&self.queues[slot / QUEUE_SLOTS].to_ne_bytes());
        let connection = types::Fd(self.connection.as_raw_fd());
        opcode::UringCmd80::new(connection, command).cmd(body).build().user_data(slot as u64)
    }

    fn watch(&mut self, what: u64) -> io::Result<()> {
        let fd = if what == WAKE { self.device.wake_event(self.index).fd() } else { self.connection.as_raw_fd() };
        let entry = opcode::PollAdd::new(types::Fd(fd), libc::POLLIN as u32).build().user_data(what);
        self.push(&entry.into())
    }

    #[inline]
    fn push(&mut self, entry: &squeue::Entry128) -> io::Result<()> {
        // SAFETY: what entries point to are slots and descriptors, which live as long as the ring.
        while unsafe { self.ring.submission().push(entry) }.is_err() {
            self.enter(0, None)?;
        }
        self.pushed += 1;
        Ok(())
    }

    /// One system call: hand over what was pushed, let the kernel put requests into slots, wait.
    #[inline]
    fn enter(&mut self, at_least: u32, timeout: Option<Duration>) -> io::Result<()> {
        let time = timeout.map(types::Timespec::from);
        let arguments = time.as_ref().map(|time| types::SubmitArgs::new().timespec(time));
        let submitter = self.ring.submitter();
        // SAFETY: entries were pushed under the rules of `push`; the argument, if any, lives through the call.
        let entered = unsafe {
            match &arguments {
                None => submitter.enter::<libc::sigset_t>(self.pushed, at_least, ENTER_GETEVENTS, None),
                Some(arguments) => {
                    submitter.enter(self.pushed, at_least, ENTER_GETEVENTS | ENTER_EXT_ARG, Some(arguments))
                }
            }
        };
        self.pushed = self.ring.submission().len() as u32;
        match entered.map_err(|error| error.raw_os_error()) {
            Ok(_) | Err(Some(libc::EINTR | libc::ETIME | libc::EAGAIN | libc::EBUSY)) => Ok(()),
            Err(errno) => Err(io::Error::from_raw_os_error(errno.unwrap_or(libc::EIO))),
        }
    }

    /// The request in a slot goes to `handle`; what that returns is the answer.
    #[inline]
    fn take(&mut self, slot: usize, arrived_ns: u64, handle: &mut impl Handle) -> io::Result<()> {
        let ticket = ticket_of(slot);
        let mut filled = self.slots.slot(slot);
        let request = filled.parts().and_then(|parts| {
            let request = Request::of_parts(parts.header, parts.operation, parts.data)?;
            Some((Request { ticket, ..request }, parts.room))
        });
        let answer = match request {
            Some((request, room)) => handle(&request, room, arrived_ns),
            None => Some((libc::EIO, Vec::new())),
        };
        if let Some((errno, payload)) = answer {
            self.answer(ticket, errno, Payload::Bytes(&payload))?;
        }
        Ok(())
    }
}

/// Requests of `/dev/fuse` have even names.
fn ticket_of(slot: usize) -> u64 {
    (slot as u64) << 1 | 1
}

impl Channel for Ring {
    fn read(&mut self, clock: &Clock, handle: &mut impl Handle) -> io::Result<Found> {
        if !self.started {
            self.start()?;
        } else if self.pushed > 0 || self.ring.submission().taskrun() {
            self.enter(0, None)?;
        }
        let mut found = Found::Nothing;
        for count in 1..=BATCH {
            let Some(done) = self.ring.completion().next() else { return Ok(found) };
            match (done.user_data(), done.result()) {
                (WAKE, _) => {
                    self.device.wake_event(self.index).clear();
                    self.watch(WAKE)?;
                }
                (DESCRIPTOR, _) => {
                    if let Some(descriptor) = &mut self.descriptor {
                        found = descriptor.read(clock, handle)?;
                    }
                    if found == Found::End {
                        return Ok(found);
                    }
                    self.watch(DESCRIPTOR)?;
                }
                (_, result) if result == -libc::ENOTCONN => return Ok(Found::End),
                // A slot that was refused, or an answer that nobody waits for any more.
                (_, result) if result < 0 => {}
                (slot, _) => {
                    self.take(slot as usize, clock.now_ns(), handle)?;
                    found = if count == BATCH { Found::Plenty } else { Found::Some };
                }
            }
        }
        Ok(found)
    }

    #[inline]
    fn answer(&mut self, ticket: u64, errno: i32, payload: Payload<'_>) -> io::Result<()> {
        if let (Some(descriptor), 0) = (&mut self.descriptor, ticket & 1) {
            return descriptor.answer(ticket, errno, payload);
        }
        let slot = (ticket >> 1) as usize;
        let commit_id = match payload {
            Payload::Bytes(bytes) => self.slots.slot(slot).answer(errno, bytes),
            Payload::InRoom(bytes) => self.slots.slot(slot).answer_in_place(errno, bytes),
        };
        let entry = self.command(slot, COMMIT_AND_FETCH, commit_id);
        // It fails when the ring is gone, which reading will find.
        let _ = self.push(&entry);
        Ok(())
    }

    fn wait(&mut self, timeout: Option<Duration>) -> io::Result<bool> {
        self.enter(1, timeout)?;
        Ok(!self.ring.completion().is_empty())
    }
}

impl Drop for Ring {
    /// Hands over the last answers.
    fn drop(&mut self) {
        if self.pushed > 0 {
            let _ = self.enter(0, None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cpu_that_may_come_has_a_queue() {
        assert_eq!(["0-1\n", "0\n", "0,2-5", "0-3,8"].map(count_cpus), [Some(2), Some(1), Some(6), Some(9)]);
        assert_eq!(count_cpus("\n"), None);
    }
}
