//! Turns a `SIGBUS` on a mapped file into an answer.
//!
//! While [`caught`] runs its body, a bus error inside the given range puts an empty page under the faulting address and
//! raises a flag, so that the body runs on and the caller learns about it. Any other bus error goes to whoever handled it
//! before, by default the end of the process.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{Ordering, compiler_fence};

const PAGE: usize = 4096;

thread_local! {
    /// Watched addresses of this thread: start, end. Constant initialisers, so that the handler never allocates.
    static WATCHED: Cell<(usize, usize)> = const { Cell::new((0, 0)) };
    static HIT: Cell<bool> = const { Cell::new(false) };
}

static PREVIOUS: OnceLock<libc::sigaction> = OnceLock::new();

/// Installs the handler, once.
pub fn install() {
    PREVIOUS.get_or_init(|| {
        // SAFETY: an all-zero sigaction is valid; the handler calls only async-signal-safe functions.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = handle;
            action.sa_sigaction = handler as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&mut action.sa_mask);
            let mut previous: libc::sigaction = std::mem::zeroed();
            libc::sigaction(libc::SIGBUS, &action, &mut previous);
            previous
        }
    });
}

/// Runs `body` and says whether it hit a page in `length` bytes from `start` that could not be had.
pub fn caught(start: usize, length: usize, body: impl FnOnce()) -> bool {
    HIT.set(false);
    WATCHED.set((start, start + length));
    // The handler runs inside the body, on this thread: no reordering across it.
    compiler_fence(Ordering::SeqCst);
    body();
    compiler_fence(Ordering::SeqCst);
    WATCHED.set((0, 0));
    HIT.get()
}

extern "C" fn handle(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid siginfo to an SA_SIGINFO handler, and SIGBUS fills in the address.
    let address = unsafe { (*info).si_addr() } as usize;
    let (start, end) = WATCHED.get();
    if (start..end).contains(&address) && put_empty_page(address) {
        HIT.set(true);
        return;
    }
    pass_on(signal, info, context);
}

fn put_empty_page(address: usize) -> bool {
    let page = (address / PAGE * PAGE) as *mut libc::c_void;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: replaces one page of the mapping that the interrupted code is copying from or to, which is ours. mmap is a
    // bare system call here, safe inside a handler.
    unsafe { libc::mmap(page, PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0) != libc::MAP_FAILED }
}

fn pass_on(signal: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    let Some(previous) = PREVIOUS.get() else { return };
    match previous.sa_sigaction {
        libc::SIG_DFL | libc::SIG_IGN => {
            // SAFETY: restores the default; the faulting instruction runs again and ends the process.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        handler if previous.sa_flags & libc::SA_SIGINFO != 0 => {
            // SAFETY: this is what was installed as a three-argument handler.
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) =
                unsafe { std::mem::transmute(handler) };
            handler(signal, info, context);
        }
        handler => {
            // SAFETY: this is what was installed as a one-argument handler.
            let handler: extern "C" fn(libc::c_int) = unsafe { std::mem::transmute(handler) };
            handler(signal);
        }
    }
}
