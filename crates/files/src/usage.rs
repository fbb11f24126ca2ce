//! What belongs to the calling thread: signals and descriptors.

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

/// Gives the calling thread a descriptor table of its own with nothing in it but standard input, output and error: file
/// limits, locks and contention are then those of a process, and descriptors of other threads are not kept open by it.
///
/// The caller holds no descriptor. Kernels before 5.9 refuse; the thread then shares the table, as threads do.
pub fn own_descriptors() {
    const CLOSE_RANGE_UNSHARE: libc::c_uint = 2;
    // SAFETY: takes integers only. The new table is this thread's alone, so no descriptor of another thread is closed.
    unsafe { libc::syscall(libc::SYS_close_range, 3 as libc::c_uint, libc::c_uint::MAX, CLOSE_RANGE_UNSHARE) };
}

/// `kill` with signal 0 to this process: nothing but the cost of the call.
#[inline]
pub fn ask_for_process() {
    // SAFETY: takes integers only; signal 0 is never delivered.
    unsafe { libc::kill(libc::getpid(), 0) };
}
