//! System calls that the standard library does not have. With the ring and its slots the only unsafe code of the crate.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::NonNull;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::model::instance::{CELLS, Table};

/// Where the kernel hands out FUSE connections.
pub const FUSE: &str = "/dev/fuse";
/// `_IOR(229, 0, u32)`: a second descriptor for the same FUSE connection.
const FUSE_DEV_IOC_CLONE: libc::c_ulong = 0x8004_E500;
/// Not in `libc` for every target: this process is part of the I/O path, so memory reclaim must not wait for it.
const PR_SET_IO_FLUSHER: libc::c_int = 57;

/// The guard, also after a panic elsewhere: what the locks of this crate protect is valid at every step.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// An anonymous file in memory.
pub fn memory_file() -> io::Result<File> {
    // SAFETY: the name is a valid C string; a descriptor that is returned is ours alone.
    let fd = unsafe { check(libc::memfd_create(c"plimsoll-volume".as_ptr(), libc::MFD_CLOEXEC))? };
    // SAFETY: `fd` was just created and has no other owner.
    Ok(unsafe { File::from_raw_fd(fd) })
}

/// Takes the only lock on a file, or fails at once.
pub fn lock_file(file: &File) -> io::Result<()> {
    // SAFETY: a system call on an open descriptor; it touches no memory of ours.
    unsafe { check(libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB))? };
    Ok(())
}

/// Zeroes a range of a file and gives its space back.
pub fn punch_hole(file: &File, offset: u64, bytes: u64) -> io::Result<()> {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: a system call on an open descriptor; it touches no memory of ours.
    unsafe { check(libc::fallocate(file.as_raw_fd(), mode, offset.cast_signed(), bytes.cast_signed()))? };
    Ok(())
}

/// Mounts a FUSE file system whose root has this `mode`; its requests are read from `device`.
pub fn mount(device: &File, path: &Path, mode: u32) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: system calls without arguments that cannot fail.
    let (user, group) = unsafe { (libc::getuid(), libc::getgid()) };
    let options = format!("fd={},rootmode={mode:o},user_id={user},group_id={group}", device.as_raw_fd());
    let options = CString::new(options)?;
    let flags = libc::MS_NODEV | libc::MS_NOSUID;
    let (source, kind) = (c"plimsoll".as_ptr(), c"fuse".as_ptr());
    // SAFETY: all four are valid C strings.
    unsafe { check(libc::mount(source, path.as_ptr(), kind, flags, options.as_ptr().cast()))? };
    Ok(())
}

/// A FUSE connection has ended: nothing is mounted any more that it served.
pub fn is_broken(connection: &File) -> bool {
    let mut polled = libc::pollfd { fd: connection.as_raw_fd(), events: 0, revents: 0 };
    // SAFETY: one valid entry, and no waiting.
    unsafe { libc::poll(&raw mut polled, 1, 0) };
    polled.revents & libc::POLLERR != 0
}

/// Another descriptor of a FUSE connection; both answer what they read themselves.
pub fn clone_fuse(connection: BorrowedFd) -> io::Result<File> {
    let clone = OpenOptions::new().read(true).write(true).open(FUSE)?;
    let mut source = connection.as_raw_fd();
    // SAFETY: the argument is a valid pointer to a descriptor number, as this request wants.
    unsafe { check(libc::ioctl(clone.as_raw_fd(), FUSE_DEV_IOC_CLONE, &raw mut source))? };
    set_nonblocking(&clone)?;
    Ok(clone)
}

fn set_nonblocking(file: &File) -> io::Result<()> {
    // SAFETY: a system call on an open descriptor; it touches no memory of ours.
    unsafe { check(libc::fcntl(file.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK))? };
    Ok(())
}

/// Detaches the mount at `path`; `lazily` also while it is in use.
pub fn unmount(path: &Path, lazily: bool) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    let flags = libc::UMOUNT_NOFOLLOW | if lazily { libc::MNT_DETACH } else { 0 };
    // SAFETY: the path is a valid C string.
    unsafe { check(libc::umount2(path.as_ptr(), flags))? };
    Ok(())
}

/// A counter that wakes whoever waits for it.
#[derive(Debug)]
pub struct WakeEvent(OwnedFd);

impl WakeEvent {
    /// Without a signal.
    pub fn new() -> io::Result<Self> {
        // SAFETY: creates a descriptor and touches no memory.
        let fd = unsafe { check(libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK))? };
        // SAFETY: `fd` was just created and has no other owner.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Wakes whoever waits for it, now or later.
    pub fn signal(&self) {
        // SAFETY: writes eight bytes from a valid place. It can only fail when the counter is full: then it is signalled already.
        unsafe { libc::write(self.0.as_raw_fd(), (&raw const ONE).cast(), 8) };
    }

    /// Takes all signals back.
    pub fn clear(&self) {
        let mut count = 0u64;
        // SAFETY: reads at most eight bytes into a valid place. It can only fail when there was no signal.
        unsafe { libc::read(self.0.as_raw_fd(), (&raw mut count).cast(), 8) };
    }

    /// The descriptor to wait for.
    pub fn fd(&self) -> i32 {
        self.0.as_raw_fd()
    }
}

static ONE: u64 = 1;

/// Waits until one of `fds` can be read or `timeout` is over; returns which. A descriptor in error counts as readable.
pub fn wait<const N: usize>(fds: [i32; N], timeout: Option<Duration>) -> io::Result<[bool; N]> {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    let time = timeout.map(|t| libc::timespec {
        tv_sec: t.as_secs().min(i64::MAX as u64).cast_signed(),
        tv_nsec: i64::from(t.subsec_nanos()),
    });
    let time = time.as_ref().map_or(std::ptr::null(), std::ptr::from_ref);
    // SAFETY: `polled` is an array of N entries, `time` is null or valid for the call, and there is no signal mask.
    let result = unsafe { libc::ppoll(polled.as_mut_ptr(), N as libc::nfds_t, time, std::ptr::null()) };
    match check(result) {
        Ok(_) => Ok(polled.map(|p| p.revents != 0)),
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok([false; N]),
        Err(error) => Err(error),
    }
}

/// Prepares the calling thread for short waits, and this process for being part of the I/O path.
pub fn prepare_thread() {
    plimsoll_core::timers::precise_timers();
    // SAFETY: takes integers only. It is an improvement that may be refused (no CAP_SYS_RESOURCE).
    unsafe { libc::prctl(PR_SET_IO_FLUSHER, 1, 0, 0, 0) };
}

/// Puts the calling thread before all ordinary ones, or back among them. Refused without root, and where a control group
/// has no share of such time; never asked for on a single processor, whose only thread it would be.
pub fn take_precedence(on: bool) {
    let alone = std::thread::available_parallelism().map_or(1, usize::from) < 2;
    let (policy, priority) = if on && !alone { (libc::SCHED_FIFO, 1) } else { (libc::SCHED_OTHER, 0) };
    // SAFETY: the structure is plain numbers; zero is valid for every field that some targets have besides.
    let mut parameter: libc::sched_param = unsafe { std::mem::zeroed() };
    parameter.sched_priority = priority;
    // SAFETY: the parameter is valid for the call, which concerns this thread only. A refusal leaves it as it is.
    unsafe { libc::sched_setscheduler(0, policy | libc::SCHED_RESET_ON_FORK, &raw const parameter) };
}

/// A descriptor that becomes readable when this process is asked to end (SIGTERM, SIGINT, SIGHUP). The signals are
/// blocked in the calling thread and in those that it starts.
pub fn termination() -> io::Result<OwnedFd> {
    // SAFETY: the set is initialised by sigemptyset before it is used, and lives through all calls.
    let fd = unsafe {
        let mut set = std::mem::zeroed();
        libc::sigemptyset(&raw mut set);
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP] {
            libc::sigaddset(&raw mut set, signal);
        }
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        check(libc::signalfd(-1, &raw const set, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK))?
    };
    // SAFETY: `fd` was just created and has no other owner.
    Ok(unsafe { OwnedFd::from_raw_fd(fd) })
}

/// The buckets of an instance in a file that the servers of all its volumes map.
#[derive(Debug)]
pub struct SharedCells(NonNull<[AtomicU64; CELLS]>);

// SAFETY: the mapping is valid until drop and holds nothing but atomics.
unsafe impl Send for SharedCells {}
// SAFETY: as above.
unsafe impl Sync for SharedCells {}

impl SharedCells {
    const BYTES: usize = size_of::<[AtomicU64; CELLS]>();

    /// Maps the file, created with every bucket full if absent.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        if file.metadata()?.len() < Self::BYTES as u64 {
            file.set_len(Self::BYTES as u64)?;
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: maps the whole of an open file of at least this length at an address of the kernel's choice.
        let address =
            unsafe { libc::mmap(std::ptr::null_mut(), Self::BYTES, protection, libc::MAP_SHARED, file.as_raw_fd(), 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        NonNull::new(address.cast()).map(Self).ok_or_else(|| io::Error::other("mapped at address 0"))
    }
}

impl Table for SharedCells {
    fn cells(&self) -> &[AtomicU64; CELLS] {
        // SAFETY: the mapping is page aligned, long enough, and lives as long as `self`; any bits are valid atomics.
        unsafe { self.0.as_ref() }
    }
}

impl Drop for SharedCells {
    fn drop(&mut self) {
        // SAFETY: the mapping was made by `open` with this length and nobody can hold a reference past `self`.
        unsafe { libc::munmap(self.0.as_ptr().cast(), Self::BYTES) };
    }
}
