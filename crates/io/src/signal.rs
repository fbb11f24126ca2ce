//! Waking a thread out of a system call.
//!
//! A stop request has to reach threads that sleep in the kernel without a timeout, because a timer per operation would
//! cost measured time. They are sent a signal whose handler does nothing, so that the call returns `EINTR`.

use std::sync::Once;

/// Ignored by default, so a stray one never hurts the process.
const WAKE: libc::c_int = libc::SIGURG;

extern "C" fn ignore(_signal: libc::c_int) {}

/// Installs the empty handler, without `SA_RESTART`: interrupted calls return.
pub fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // SAFETY: an all-zero sigaction is valid; the handler touches nothing, so it is safe at any moment.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = ignore as extern "C" fn(libc::c_int) as usize;
            libc::sigemptyset(&mut action.sa_mask);
            libc::sigaction(WAKE, &action, std::ptr::null_mut());
        }
    });
}

/// Leaves all other signals of the process to other threads, so that nothing else interrupts an operation.
pub fn only_wake() {
    // SAFETY: an all-zero set is valid until it is filled; the calls change the mask of this thread only. Faults stay
    // open because a blocked one would end the process.
    unsafe {
        let mut set: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&mut set);
        for open in [WAKE, libc::SIGBUS, libc::SIGSEGV, libc::SIGILL, libc::SIGFPE, libc::SIGABRT, libc::SIGTRAP] {
            libc::sigdelset(&mut set, open);
        }
        libc::pthread_sigmask(libc::SIG_SETMASK, &set, std::ptr::null_mut());
    }
}

/// Interrupts the system call that the thread with this kernel number is in, if any. Harmless when the thread has ended.
pub fn wake(thread: libc::pid_t) {
    // SAFETY: takes no pointers; `install` made the signal harmless to every thread of this process.
    unsafe { libc::syscall(libc::SYS_tgkill, libc::getpid(), thread, WAKE) };
}
