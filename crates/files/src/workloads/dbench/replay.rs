//! Replaying the load: clients, and the clock that tells them when it counts and when it is over.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use super::Parameters;
use super::trace::{Code, Entry, SLOTS, Trace};
use crate::context::WorkerContext;
use crate::fault::{Fault, Result};
use crate::phase::Phase;
use crate::sys::{self, Folder, Name};
use crate::tally::OpKind;
use crate::thread_setup;

/// Entries that a list returns at most.
const LISTED: u32 = 1366;
/// How often the clock looks whether the job was stopped.
const TICK: Duration = Duration::from_millis(10);
const BUFFER: usize = 65_536;

/// What all clients share.
pub struct Run<'a> {
    parameters: &'a Parameters,
    clients: u32,
    /// When the warm-up was over; 0 before.
    counting_ns: AtomicU64,
    finished: AtomicBool,
    bytes: Vec<Count>,
}

/// Bytes of one client, on a cache line of its own.
#[repr(align(128))]
#[derive(Default)]
struct Count(AtomicU64);

/// What a run found.
pub struct Found {
    pub elapsed_ns: u64,
    pub bytes: u64,
    pub operations: u64,
    pub max_latency_ns: u64,
}

/// What one thread found: a client, or the clock.
#[derive(Default)]
struct Share {
    elapsed_ns: u64,
    bytes: u64,
    operations: u64,
    max_latency_ns: u64,
}

impl<'a> Run<'a> {
    /// For so many clients.
    pub fn new(parameters: &'a Parameters, clients: u32) -> Self {
        Self {
            parameters,
            clients,
            counting_ns: AtomicU64::new(0),
            finished: AtomicBool::new(false),
            bytes: (0..clients).map(|_| Count::default()).collect(),
        }
    }

    /// Clients, and one more worker that is the clock.
    pub fn carry_out(&self, phase: &Phase<'_>, trace: &Trace) -> Result<Found> {
        phase.solo(|context| {
            context.quietly(|context| {
                context.mkdir(&Name::new(format_args!("clients")), 0o777)?;
                (0..self.clients)
                    .try_for_each(|client| context.mkdir(&Name::new(format_args!("clients/client{client}")), 0o777))
            })
        })?;
        let timed = self.parameters.loops == 0;
        let workers = phase.processes(self.clients + u32::from(timed), |context, number| {
            if number == self.clients {
                return self.keep_time(phase, context);
            }
            let mut client = Client::new(trace, number);
            let result = client.replay(self, context);
            if timed {
                result?;
            } else {
                result.and_then(|()| context.settle())?;
            }
            Ok(Share { operations: client.operations, max_latency_ns: client.max_latency_ns, ..Share::default() })
        })?;
        let clock = workers.results.iter().find(|share| share.elapsed_ns > 0);
        let all: u64 = self.bytes.iter().map(|count| count.0.load(Ordering::Relaxed)).sum();
        Ok(Found {
            elapsed_ns: clock.map_or(workers.elapsed_ns, |share| share.elapsed_ns),
            bytes: clock.map_or(all, |share| share.bytes),
            operations: workers.results.iter().map(|share| share.operations).sum(),
            max_latency_ns: workers.results.iter().map(|share| share.max_latency_ns).max().unwrap_or(0),
        })
    }

    /// Waits for the warm-up and the measured time; bytes are those in between.
    fn keep_time(&self, phase: &Phase<'_>, context: &mut WorkerContext<'_>) -> Result<Share> {
        let warm_ns = context.now_ns() + self.parameters.warmup_ns;
        sleep_until(context, warm_ns)?;
        let start_ns = phase.restart();
        let before = self.total();
        self.counting_ns.store(start_ns, Ordering::Release);
        context.restart(start_ns);
        sleep_until(context, start_ns + self.parameters.runtime_ns)?;
        let bytes = self.total() - before;
        self.finished.store(true, Ordering::Relaxed);
        context.settle()?;
        Ok(Share { elapsed_ns: context.now_ns() - start_ns, bytes, ..Share::default() })
    }

    fn total(&self) -> u64 {
        self.bytes.iter().map(|count| count.0.load(Ordering::Relaxed)).sum()
    }
}

fn sleep_until(context: &WorkerContext<'_>, until_ns: u64) -> Result<()> {
    loop {
        context.check()?;
        let left = until_ns.saturating_sub(context.now_ns());
        if left == 0 {
            return Ok(());
        }
        std::thread::sleep(TICK.min(Duration::from_nanos(left)));
    }
}

/// One client.
struct Client<'a> {
    trace: &'a Trace,
    number: u32,
    names: Vec<Name>,
    slots: [Option<OwnedFd>; SLOTS as usize],
    buffer: Vec<u8>,
    zeros: Vec<u8>,
    operations: u64,
    last_start_ns: u64,
    max_latency_ns: u64,
}

impl<'a> Client<'a> {
    fn new(trace: &'a Trace, number: u32) -> Self {
        let name = |name: &String| Name::new(format_args!("clients/client{number}/{name}"));
        Self {
            trace,
            number,
            names: trace.names.iter().map(name).collect(),
            slots: [const { None }; SLOTS as usize],
            buffer: vec![0; BUFFER],
            zeros: vec![0; BUFFER],
            operations: 0,
            last_start_ns: 0,
            max_latency_ns: 0,
        }
    }

    /// Until the time or the loops are over.
    fn replay(&mut self, run: &Run<'_>, context: &mut WorkerContext<'_>) -> Result<()> {
        let bytes = &run.bytes[self.number as usize].0;
        let mut counting = run.parameters.loops > 0;
        if !counting {
            context.warm_up();
        }
        let mut loops = 0;
        loop {
            for entry in &self.trace.entries {
                if run.finished.load(Ordering::Relaxed) {
                    return Ok(());
                }
                if !counting {
                    let begin_ns = run.counting_ns.load(Ordering::Acquire);
                    if begin_ns > 0 {
                        counting = true;
                        context.restart(begin_ns);
                        (self.operations, self.last_start_ns, self.max_latency_ns) = (0, 0, 0);
                    }
                }
                let start_ns = context.now_ns();
                if self.operations > 0 {
                    self.max_latency_ns = self.max_latency_ns.max(start_ns.saturating_sub(self.last_start_ns));
                }
                self.last_start_ns = start_ns;
                thread_setup::ask_for_process();
                self.carry_out(context, *entry)?;
                self.operations += 1;
                if matches!(entry.code, Code::Read | Code::Write) {
                    bytes.fetch_add(entry.size.into(), Ordering::Relaxed);
                }
            }
            loops += 1;
            if loops == run.parameters.loops {
                return Ok(());
            }
        }
    }

    fn carry_out(&mut self, context: &mut WorkerContext<'_>, entry: Entry) -> Result<()> {
        let name = &self.names[usize::from(entry.name)];
        let slot = usize::from(entry.slot);
        let path = name.as_c();
        match entry.code {
            Code::Read | Code::Write | Code::Flush | Code::QueryFile | Code::Lock | Code::Unlock | Code::SetFile => {
                self.on_handle(context, entry)
            }
            Code::Close => {
                let file = self.slots[slot].take();
                file.map_or(Ok(()), |file| context.close(file, name))
            }
            Code::Open | Code::OpenFolder | Code::Create | Code::CreateFolder | Code::Overwrite => {
                let kind =
                    if matches!(entry.code, Code::Open | Code::OpenFolder) { OpKind::Open } else { OpKind::Create };
                let opened = &mut self.slots[slot];
                context.together(kind, name, |folder| {
                    *opened = Some(open(folder, name, entry.code)?);
                    Ok(0)
                })
            }
            Code::OpenMissing => context.together(OpKind::Open, name, |folder| {
                resolve(folder, name)?;
                missing(folder.open_file(path, libc::O_RDWR, 0).map(drop))
            }),
            Code::Query => context.together(OpKind::Stat, name, |folder| folder.stat(path).map(|_| 0)),
            Code::QueryMissing => context.together(OpKind::Stat, name, |folder| {
                resolve(folder, name)?;
                missing(folder.stat(path).map(drop))
            }),
            Code::QuerySpace => context.together(OpKind::SystemStat, name, |folder| {
                resolve(folder, name)?;
                sys::system_stat(folder).map(|()| 0)
            }),
            Code::List | Code::ListMissing => context.together(OpKind::List, name, |folder| {
                // The pattern is looked up like a name, and then its folder is listed.
                resolve(folder, name)?;
                let mut left = LISTED;
                folder.list(name.parent().as_c(), |_| {
                    left -= 1;
                    left > 0
                })?;
                Ok(0)
            }),
            Code::Unlink => context.together(OpKind::Delete, name, |folder| {
                resolve(folder, name)?;
                folder.unlink(path).map(|()| 0)
            }),
            Code::Rename => {
                let new = &self.names[entry.size as usize];
                context.together(OpKind::Rename, name, |folder| {
                    resolve(folder, name)?;
                    resolve(folder, new)?;
                    folder.rename(path, new.as_c()).map(|()| 0)
                })
            }
            Code::Mkdir => context.together(OpKind::Mkdir, name, |folder| {
                resolve(folder, name)?;
                folder.mkdir(path, 0o777).map(|()| 0)
            }),
            Code::DeleteTree => {
                context.together(OpKind::DeleteTree, name, |folder| delete_tree(folder, name).map(|()| 0))
            }
        }
    }

    /// What is done with an open file.
    fn on_handle(&mut self, context: &mut WorkerContext<'_>, entry: Entry) -> Result<()> {
        let name = &self.names[usize::from(entry.name)];
        let Some(file) = &self.slots[usize::from(entry.slot)] else {
            return Err(Fault::Internal("dbench works on a file that is not open".to_owned()));
        };
        let (size, offset) = (entry.size as usize, u64::from(entry.offset));
        match entry.code {
            Code::Read => context.read_at(file, &mut self.buffer[..size], (name, offset)),
            // The original asks for a new zeroed buffer each time; here clients would wait for each other's heaps.
            Code::Write => {
                self.zeros[..size].fill(0);
                context.write_at(file, std::hint::black_box(&self.zeros[..size]), (name, offset))
            }
            Code::Flush => context.fsync(file, name),
            Code::Lock => context.call(OpKind::Lock, name, |_| sys::lock(file, offset, size as u64, true)),
            Code::Unlock => context.call(OpKind::Unlock, name, |_| sys::lock(file, offset, size as u64, false)),
            Code::SetFile => context.call(OpKind::SetTimes, name, |folder| {
                let facts = sys::stat(file)?;
                folder.set_times(name.as_c(), facts.times.0 - 10, facts.times.1 - 12)
            }),
            _ => context.call(OpKind::FileStat, name, |_| sys::stat(file).map(drop)),
        }
    }
}

/// Looks a name up; when it is not there, looks through its folder for one that differs in case only.
fn resolve(folder: &Folder, name: &Name) -> io::Result<()> {
    match folder.stat(name.as_c()) {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {
            let wanted = name.last();
            let listed = folder.list(name.parent().as_c(), |entry| !entry.to_bytes().eq_ignore_ascii_case(wanted));
            match listed {
                Err(error) if error.raw_os_error() != Some(libc::ENOENT) => Err(error),
                _ => Ok(()),
            }
        }
        result => result.map(drop),
    }
}

/// A call that is expected to find nothing.
fn missing(result: io::Result<()>) -> io::Result<u64> {
    match result {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => Ok(0),
        Err(error) => Err(error),
        Ok(()) => Err(io::Error::new(io::ErrorKind::AlreadyExists, "it exists, and should not")),
    }
}

fn open(folder: &Folder, name: &Name, code: Code) -> io::Result<OwnedFd> {
    resolve(folder, name)?;
    let path = name.as_c();
    let file = match code {
        Code::Create => folder.open_file(path, libc::O_RDWR | libc::O_CREAT, 0o600),
        Code::Overwrite => folder.open_file(path, libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC, 0o600),
        Code::CreateFolder => {
            match folder.mkdir(path, 0o700) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
            folder.open_file(path, libc::O_RDONLY | libc::O_DIRECTORY, 0)
        }
        Code::OpenFolder => folder.open_file(path, libc::O_RDONLY | libc::O_DIRECTORY, 0),
        _ => folder.open_file(path, libc::O_RDWR, 0),
    }?;
    sys::stat(&file)?;
    Ok(file)
}

/// Removes a folder and everything in it; one that is not there is fine.
fn delete_tree(folder: &Folder, name: &Name) -> io::Result<()> {
    let mut below = Vec::new();
    let listed = folder.list(name.as_c(), |entry| {
        below.push(entry.to_string_lossy().into_owned());
        true
    });
    match listed {
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => return Ok(()),
        other => other?,
    }
    for entry in below {
        let child = Name::new(format_args!("{}/{entry}", name.as_c().to_string_lossy()));
        if folder.stat(child.as_c())?.is_directory {
            delete_tree(folder, &child)?;
        } else {
            folder.unlink(child.as_c())?;
        }
    }
    folder.rmdir(name.as_c())
}
