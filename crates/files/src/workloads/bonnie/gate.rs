//! What a test waits for before it begins: other processes, at the semaphores of the original, so that it can be one of
//! them; or a line on standard input.
//!
//! `bonnie++ -p 3` makes twelve System V semaphores of key 4711, one for each test, each set to 3. Every process takes
//! one off that of its next test, and waits until it is 0.

use std::io;
use std::time::Duration;

use crate::context::WorkerContext;
use crate::fault::{Fault, Result};

const KEY: libc::key_t = 4711;
const TESTS: [&str; 12] = [
    "char_write",
    "block_write",
    "rewrite",
    "char_read",
    "block_read",
    "seeks",
    "sequential_create",
    "sequential_stat",
    "sequential_delete",
    "random_create",
    "random_stat",
    "random_delete",
];
/// How often a waiting process looks whether it is to end.
const LOOK: Duration = Duration::from_millis(100);

/// Waits until all processes are before this test.
pub fn pass(context: &WorkerContext<'_>, test: &str) -> Result<()> {
    let Some(number) = TESTS.iter().position(|name| *name == test) else { return Ok(()) };
    // SAFETY: takes no pointers.
    let set = unsafe { libc::semget(KEY, TESTS.len() as i32, 0) };
    if set < 0 {
        return Err(fault(&io::Error::last_os_error()));
    }
    let operation = |change| libc::sembuf { sem_num: number as u16, sem_op: change, sem_flg: libc::IPC_NOWAIT as i16 };
    once(set, operation(-1)).map_err(|error| fault(&error))?;
    loop {
        context.check()?;
        match once(set, operation(0)) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => std::thread::sleep(LOOK),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result.map_err(|error| fault(&error)),
        }
    }
}

/// Waits for a line on standard input; whoever asks for it is not here. At its end nothing is waited for.
pub fn line(context: &WorkerContext<'_>) -> Result<()> {
    let failed =
        |error: &io::Error| Fault::spec(format!("-y p waits for lines on standard input, which fails: {error}"));
    loop {
        context.check()?;
        match next_byte() {
            Ok(Some(b'\n') | None) => return Ok(()),
            Ok(Some(_)) => {}
            Err(error) if matches!(error.kind(), io::ErrorKind::Interrupted | io::ErrorKind::WouldBlock) => {}
            Err(error) => return Err(failed(&error)),
        }
    }
}

/// One byte, as what stands behind the line is for the next test; nothing at the end. An error of its own, `WouldBlock`,
/// if none comes for a moment.
fn next_byte() -> io::Result<Option<u8>> {
    let mut wanted = libc::pollfd { fd: libc::STDIN_FILENO, events: libc::POLLIN, revents: 0 };
    // SAFETY: `wanted` is one record, and lives longer than the call.
    match unsafe { libc::poll(&mut wanted, 1, LOOK.as_millis() as libc::c_int) } {
        0 => return Err(io::ErrorKind::WouldBlock.into()),
        ready if ready < 0 => return Err(io::Error::last_os_error()),
        _ => {}
    }
    let mut byte = 0_u8;
    // SAFETY: the buffer is one byte, and lives longer than the call.
    match unsafe { libc::read(libc::STDIN_FILENO, (&raw mut byte).cast(), 1) } {
        0 => Ok(None),
        1 => Ok(Some(byte)),
        _ => Err(io::Error::last_os_error()),
    }
}

fn once(set: libc::c_int, mut operation: libc::sembuf) -> io::Result<()> {
    // SAFETY: `operation` is one record, and lives longer than the call.
    let result = unsafe { libc::semop(set, &mut operation, 1) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

fn fault(error: &io::Error) -> Fault {
    let what = match error.raw_os_error() {
        Some(libc::ENOENT) => "they do not exist",
        Some(libc::EAGAIN) => "more processes came than they were made for",
        Some(libc::EIDRM | libc::EINVAL) => "they were removed",
        _ => return Fault::spec(format!("the semaphores of Bonnie++ (key {KEY}) cannot be used: {error}")),
    };
    Fault::spec(format!(
        "the semaphores of Bonnie++ (key {KEY}): {what}; make them with -p and the number of processes"
    ))
}
