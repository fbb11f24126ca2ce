//! What belongs to the calling thread: signals and descriptors.

use std::path::Path;

/// Leaves all signals of the process to other threads. Faults stay open because a blocked one would end the process.
pub fn block_signals() {
    // SAFETY: an all-zero set is valid until it is filled; the calls change the mask of this thread only.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut set);
        for open in [libc::SIGBUS, libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP] {
            libc::sigdelset(&mut set, open);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

/// Gives the calling thread a descriptor table of its own with nothing in it but standard input, output and error, and the
/// folder that `place` is reached by if that is held open: file limits, locks and contention are then those of a process,
/// and descriptors of other threads are not kept open by it.
///
/// `/proc/self/fd/NUMBER` leads through the table of the process, but calls relative to that number (as SQLite's are) go
/// through the thread's own: without the folder they would fail, or go to whatever has its number by then.
///
/// The caller holds no other descriptor. Kernels before 5.9 refuse; the thread then shares the table, as threads do.
pub fn own_descriptors(place: &Path) {
    match held(place) {
        Some(folder) => {
            close_own(folder + 1, libc::c_uint::MAX);
            if folder > 3 {
                close_own(3, folder - 1);
            }
        }
        None => close_own(3, libc::c_uint::MAX),
    }
}

/// The number of the folder that a path begins at, if that is held open.
fn held(path: &Path) -> Option<libc::c_uint> {
    let number = path.strip_prefix("/proc/self/fd").ok()?.components().next()?;
    number.as_os_str().to_str()?.parse().ok().filter(|number| (3..=i32::MAX as libc::c_uint).contains(number))
}

/// Closes a range of descriptors in a table that is this thread's alone, which it makes if need be.
fn close_own(first: libc::c_uint, last: libc::c_uint) {
    const CLOSE_RANGE_UNSHARE: libc::c_uint = 2;
    // SAFETY: takes integers only. The table is this thread's alone, so no descriptor of another thread is closed.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, CLOSE_RANGE_UNSHARE) };
}

/// `kill` with signal 0 to this process: nothing but the cost of the call.
#[inline]
pub fn ask_for_process() {
    // SAFETY: takes integers only; signal 0 is never delivered.
    unsafe { libc::kill(libc::getpid(), 0) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::os::fd::{AsRawFd, RawFd};

    fn is_open(number: RawFd) -> bool {
        // SAFETY: takes integers only.
        unsafe { libc::fcntl(number, libc::F_GETFD) >= 0 }
    }

    #[test]
    fn of_the_descriptors_only_the_held_folder_stays() {
        let files: Vec<File> = (0..3).map(|_| File::open("/").unwrap()).collect();
        let numbers: Vec<RawFd> = files.iter().map(AsRawFd::as_raw_fd).collect();
        let open_with = |place: &str| {
            let seen = || {
                own_descriptors(Path::new(place));
                numbers.iter().map(|number| is_open(*number)).collect::<Vec<_>>()
            };
            std::thread::scope(|scope| scope.spawn(seen).join().unwrap())
        };
        for (index, number) in numbers.iter().enumerate() {
            let expected: Vec<_> = (0..3).map(|other| other == index).collect();
            assert_eq!(open_with(&format!("/proc/self/fd/{number}/x")), expected);
        }
        for other in ["/", "/proc/self/fd", "/proc/self/fd/x", "/proc/self/fd/-1", "/proc/self/fd/4294967295/x"] {
            assert_eq!(open_with(other), [false; 3], "{other}");
        }
        assert!(numbers.iter().all(|number| is_open(*number)), "those of the other threads are as they were");
    }
}
