//! An engine that takes down when it was asked for something, and how often its thread had allocated memory by then.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::os::fd::RawFd;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use std::{io, thread};

use plimsoll_core::clock::monotonic_ns;

use crate::engine::{Caps, Completion, Engine, Operation, Setup, Submitted};

/// More than any of the tests here issues, so that taking down allocates nothing.
const ROOM: usize = 1 << 16;

/// One operation; syncs are none.
#[derive(Debug)]
pub struct Noted {
    pub submitted_ns: u64,
    pub allocations: u64,
}

struct Job {
    latency: fn(usize) -> u64,
    noted: Vec<Noted>,
}

/// Of the job that is under way: one at a time.
static JOB: Mutex<Option<Job>> = Mutex::new(None);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
    /// Of the test: held from the start of a job until its notes are taken.
    static TURN: Cell<Option<MutexGuard<'static, ()>>> = const { Cell::new(None) };
}

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: everything is handed to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // A thread that ends has no counter any more.
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(place, layout) }
    }
}

fn job() -> MutexGuard<'static, Option<Job>> {
    JOB.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Starts a job whose operations last as long as `latency` says of their number.
pub fn prepared<T>(latency: fn(usize) -> u64, start: impl FnOnce() -> T) -> T {
    let turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    TURN.set(Some(turn));
    *job() = Some(Job { latency, noted: Vec::with_capacity(ROOM) });
    start()
}

/// What it has issued, the moments counted from `begin_ns`.
pub fn taken(begin_ns: u64) -> Vec<Noted> {
    let mut noted = job().take().expect("a job was prepared").noted;
    assert!(noted.len() < ROOM);
    noted.iter_mut().for_each(|each| each.submitted_ns = each.submitted_ns.saturating_sub(begin_ns));
    TURN.set(None);
    noted
}

/// Finishes each operation after its latency.
pub struct NotingEngine {
    queued: Vec<(u64, Operation)>,
}

impl NotingEngine {
    /// Which operation is done first, and when.
    fn first(&self) -> Option<(usize, u64)> {
        let dues = self.queued.iter().map(|(due_ns, _)| *due_ns);
        dues.enumerate().min_by_key(|(_, due_ns)| *due_ns)
    }
}

impl Engine for NotingEngine {
    const CAPS: Caps = Caps { name: "noting", real: false, stores: false, ..Caps::ASYNCHRONOUS };

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        Ok(Self { queued: Vec::with_capacity(setup.depth as usize) })
    }

    fn put(&mut self, _file: usize, _descriptor: RawFd) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, operation: Operation) -> Submitted {
        let submitted_ns = monotonic_ns();
        let mut job = job();
        let job = job.as_mut().expect("a job was prepared");
        if operation.length > 0 {
            job.noted.push(Noted { submitted_ns, allocations: ALLOCATIONS.get() });
        }
        let latency_ns = (job.latency)(job.noted.len() - 1);
        self.queued.push((submitted_ns + latency_ns, operation));
        Submitted::Queued
    }

    fn reap(&mut self, at_least: u32, timeout: Option<Duration>, finished: &mut Vec<Completion>) -> io::Result<()> {
        let until = timeout.map(|timeout| monotonic_ns() + timeout.as_nanos() as u64);
        let mut missing = at_least;
        while let Some((first, due_ns)) = self.first() {
            let now = monotonic_ns();
            if due_ns > now {
                if missing == 0 || until.is_some_and(|until| until <= now) {
                    break;
                }
                thread::sleep(Duration::from_nanos(due_ns.min(until.unwrap_or(u64::MAX)) - now));
                continue;
            }
            missing = missing.saturating_sub(1);
            let (_, Operation { tag, length, buffer, .. }) = self.queued.swap_remove(first);
            finished.push(Completion { tag, result: i64::from(length), buffer });
        }
        Ok(())
    }
}
