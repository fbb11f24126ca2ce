//! The engine trait: how I/O is issued.
//!
//! An engine never reads the clock and never chooses an offset or a count; the worker does. An operation owns its buffer
//! while the engine has it and gives it back with the completion.

use std::io;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::time::Duration;

use crate::buffer::{Buffer, Pool};
use crate::files::Files;
use crate::spec::Burn;

pub use crate::spec::OpKind;

/// One operation on its way to the device.
#[derive(Debug)]
pub struct Operation {
    /// Below the depth; comes back in the [`Completion`]. No two operations in flight share one.
    pub tag: u32,
    /// What it does.
    pub kind: OpKind,
    /// First byte; a sync of one of several files names that file by it.
    pub offset: u64,
    /// Bytes; 0 for a sync.
    pub length: u32,
    /// The kernel's number of its I/O priority; 0: that of the thread.
    pub priority: u16,
    /// Present for reads and writes, at least `length` bytes long.
    pub buffer: Option<Buffer>,
}

/// One finished operation.
#[derive(Debug)]
pub struct Completion {
    /// Of the operation.
    pub tag: u32,
    /// Bytes transferred (0 for a sync, the length for a trim), or a negative errno.
    pub result: i64,
    /// Of the operation.
    pub buffer: Option<Buffer>,
}

/// Answer to a submission.
#[derive(Debug)]
pub enum Submitted {
    /// It ran to its end inside the call.
    Done(Completion),
    /// It will be reaped later.
    Queued,
    /// There is no room; reap first, then submit it again.
    Full(Operation),
}

/// What an engine can do: data, so that nobody has to ask for its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Caps {
    /// The name users type.
    pub name: &'static str,
    /// One sentence.
    pub description: &'static str,
    /// Absent: no limit of its own.
    pub max_depth: Option<u32>,
    /// Can open with `O_DIRECT`.
    pub direct: bool,
    /// Honours `O_DSYNC`.
    pub dsync: bool,
    /// Can trim a part of a file (punch a hole).
    pub trim_file: bool,
    /// Can trim a part of a block device (discard).
    pub trim_device: bool,
    /// `submit` returns before the operation is done.
    pub asynchronous: bool,
    /// Has kernel-side submission and completion polling.
    pub polls: bool,
    /// Takes several files.
    pub files: bool,
    /// Touches the file; otherwise nothing is opened.
    pub real: bool,
    /// Works on the names of files, which need not be there and do not stay open.
    pub names: bool,
    /// What is written can be read.
    pub stores: bool,
    /// Sets lengths, works on names or computes in place of moving data: for fio's command line, as in fio.
    pub dataless: bool,
    /// Takes reads.
    pub reads: bool,
    /// Gives each operation the I/O priority that it asks for.
    pub priorities: bool,
}

impl Caps {
    /// Of what moves the data of files, one operation at a time; what is left to say is its name.
    pub const SYNCHRONOUS: Self = Self {
        name: "",
        description: "",
        max_depth: Some(1),
        direct: true,
        dsync: true,
        trim_file: false,
        trim_device: false,
        asynchronous: false,
        polls: false,
        files: true,
        real: true,
        names: false,
        stores: true,
        dataless: false,
        reads: true,
        priorities: false,
    };

    /// The same, of many operations at a time.
    pub const ASYNCHRONOUS: Self = Self { max_depth: None, asynchronous: true, ..Self::SYNCHRONOUS };
}

/// What an engine is given to start with.
pub struct Setup<'a> {
    /// Opened with the flags of the job; lives longer than the engine.
    pub files: &'a Files,
    /// Where these are.
    pub paths: &'a [PathBuf],
    /// A block device rather than a regular file.
    pub is_device: bool,
    /// Operations that may be in flight.
    pub depth: u32,
    /// All buffers that operations will carry, for registration.
    pub pool: &'a Pool,
    /// First byte and length of the region.
    pub region: (u64, u64),
    /// The region will be written.
    pub writes: bool,
    /// Offsets will jump about.
    pub random: bool,
    /// Kernel submission thread.
    pub sqpoll: bool,
    /// Busy completion polling.
    pub iopoll: bool,
    /// `RWF_…` flags of every read and write.
    pub flags: libc::c_int,
    /// What an engine does that computes.
    pub burn: Option<Burn>,
}

/// A way to issue I/O, owned and used by one thread.
pub trait Engine: Sized {
    /// What it can do.
    const CAPS: Caps;

    /// Has something to do after an operation that is not part of it.
    const SETTLES: bool = false;

    /// Why this machine cannot run it, if so.
    fn available() -> Result<(), String> {
        Ok(())
    }

    /// Ready to submit.
    fn open(setup: &Setup<'_>) -> io::Result<Self>;

    /// From now on another descriptor stands for one of the files, or none (less than 0). Nothing is in flight there.
    /// Only engines that take several files are asked.
    fn put(&mut self, file: usize, descriptor: RawFd) -> io::Result<()>;

    /// Takes an operation. Queued operations may be held back until the next `flush` or `reap`.
    fn submit(&mut self, operation: Operation) -> Submitted;

    /// After an operation that ran to its end in `submit`, with [`Engine::SETTLES`]: its time does not count.
    fn settle(&mut self) {}

    /// Hands held-back operations to the device; there are none where every operation runs to its end in `submit`.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// Flushes, waits until at least `at_least` operations have finished, the timeout is over or a
    /// signal arrives, and appends all finished operations to `finished`. Without a timeout it waits as long as it takes.
    /// Engines whose operations all run to their end in `submit` have nothing to wait for.
    fn reap(&mut self, _at_least: u32, _timeout: Option<Duration>, _finished: &mut Vec<Completion>) -> io::Result<()> {
        Ok(())
    }
}
