//! Waiting until one of many connections is ready.

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// Watches descriptors, edge-triggered.
#[derive(Debug)]
pub struct Watch {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
}

impl Watch {
    /// Watches nothing yet; tells of at most `room` descriptors at once.
    pub fn new(room: usize) -> std::io::Result<Self> {
        // SAFETY: takes a flag only; the descriptor is new and ours.
        let epoll = unsafe {
            match libc::epoll_create1(libc::EPOLL_CLOEXEC) {
                -1 => return Err(std::io::Error::last_os_error()),
                descriptor => OwnedFd::from_raw_fd(descriptor),
            }
        };
        Ok(Self { epoll, events: vec![libc::epoll_event { events: 0, u64: 0 }; room] })
    }

    /// Watches a descriptor until it is closed.
    pub fn add(&self, descriptor: RawFd, token: u32) -> std::io::Result<()> {
        let flags = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        let mut event = libc::epoll_event { events: flags as u32, u64: u64::from(token) };
        // SAFETY: `event` lives through the call.
        match unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, descriptor, &mut event) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Waits until something is ready, at most `timeout`; how many are.
    pub fn wait(&mut self, timeout: Duration) -> usize {
        let time = libc::timespec {
            tv_sec: timeout.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(timeout.subsec_nanos() as i32),
        };
        let (epoll, room) = (self.epoll.as_raw_fd(), self.events.len());
        // SAFETY: the array has `room` entries and `time` lives through the call; no signal mask is given. An
        // interrupted call is one in which nothing was ready.
        let ready = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                epoll,
                self.events.as_mut_ptr(),
                room as libc::c_int,
                &raw const time,
                std::ptr::null::<libc::sigset_t>(),
                0usize,
            )
        };
        ready.max(0) as usize
    }

    /// Token of the `index`-th of those that are ready.
    pub fn token(&self, index: usize) -> u32 {
        self.events[index].u64 as u32
    }
}
