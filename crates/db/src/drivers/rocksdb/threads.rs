//! The threads of the library. Where it cannot start one it throws, which through its C interface ends the process: so it
//! is tried first whether they can be started.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use plimsoll_core::threads::ThreadFault;

use super::settings::Settings;

/// The library's own defaults.
const OPENING: usize = 16;
const WITHOUT_OPTION: usize = 1;
/// Writes its statistics now and then, and flushes its log.
const TIMER: usize = 1;
/// Longer than a thread takes to go once it has ended.
const GOING: Duration = Duration::from_secs(1);
/// Enough to wait.
const STACK_BYTES: usize = 64 << 10;

/// Threads that this process has in the library's two pools, which stay for good.
static POOLS: Mutex<usize> = Mutex::new(0);

/// That a database can be opened; nobody else opens one meanwhile.
pub struct Ready {
    pools: MutexGuard<'static, usize>,
    wanted: usize,
}

impl Ready {
    /// The library has its threads now.
    pub fn opened(mut self) {
        *self.pools = self.wanted.max(*self.pools);
    }
}

/// Whether the library can have the threads that it starts when it opens a database; the sentence says why not.
pub fn ready(processors: usize, settings: &Settings) -> Result<Ready, String> {
    let pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    let (wanted, others) = needs(processors, settings);
    let more = wanted.saturating_sub(*pools) + others;
    startable(more).map_err(|error| ThreadFault::refused(format!("its {more} threads"), error).to_string())?;
    Ok(Ready { pools, wanted })
}

/// Threads for compactions, as YCSB's binding asks for them.
pub fn parallel(processors: usize) -> usize {
    2 * processors
}

/// Threads of the pools, and those that end with the database at the latest. By RocksDB's own
/// `DBOptions::IncreaseParallelism`, `DBImpl::GetBGJobLimits`, `VersionBuilder::LoadTableHandlers`, `CompactionJob::Run`.
fn needs(processors: usize, settings: &Settings) -> (usize, usize) {
    let option = |name: &str| settings.number(name);
    let parallel = parallel(processors);
    let jobs = option("max_background_jobs").unwrap_or(parallel);
    let flushes = option("max_background_flushes").unwrap_or(jobs / 4).max(1);
    let compactions = option("max_background_compactions").unwrap_or(jobs).max(1);
    let opening = option("max_file_opening_threads").unwrap_or(OPENING).max(1) - 1;
    let parts = option("max_subcompactions").unwrap_or(WITHOUT_OPTION).max(1) - 1;
    // Those that open are gone before the others come.
    (parallel.max(compactions) + flushes, opening.max(TIMER + compactions * parts))
}

/// Starts so many threads at once, and ends them again.
fn startable(count: usize) -> io::Result<()> {
    let hold = Mutex::new(());
    let (started, ended) = thread::scope(|scope| {
        let held = hold.lock();
        let mut waiting = Vec::with_capacity(count);
        let started = (0..count).try_for_each(|_| {
            let wait = || {
                drop(hold.lock());
                // SAFETY: takes nothing.
                unsafe { libc::gettid() }
            };
            waiting.push(thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, wait)?);
            Ok(())
        });
        drop(held);
        let ended: Vec<_> = waiting.into_iter().filter_map(|thread| thread.join().ok()).collect();
        (started, ended)
    });
    // A thread counts until the kernel has let go of it, which is a moment after it was joined.
    let until = Instant::now() + GOING;
    while ended.iter().any(|&thread| is_there(thread)) && Instant::now() < until {
        thread::yield_now();
    }
    started
}

fn is_there(thread: libc::pid_t) -> bool {
    // SAFETY: takes integers only; signal 0 is none.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, 0) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(others: &str) -> (usize, usize) {
        needs(4, &Settings { sync: false, log: true, others: others.to_owned() })
    }

    #[test]
    fn options_of_the_library_change_how_many_threads_it_needs() {
        assert_eq!(with(""), (8 + 2, 15));
        assert_eq!(with("max_background_jobs=2;"), (8 + 1, 15), "the pool is not made smaller");
        assert_eq!(with("max_background_jobs=40;max_file_opening_threads=1;"), (40 + 10, 1));
        assert_eq!(with("max_background_jobs=-1;max_subcompactions=5;"), (8 + 2, 1 + 8 * 4));
    }

    #[test]
    fn threads_that_were_tried_are_gone() {
        let count = || std::fs::read_dir("/proc/self/task").unwrap().count();
        let before = count();
        startable(20).unwrap();
        assert!(count() < before + 20, "other tests start and end threads meanwhile, but not so many");
    }
}
