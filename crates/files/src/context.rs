//! What one worker works with: timed calls that are counted, and that end when the job ends.

use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::sync::atomic::Ordering;

use plimsoll_core::clock::Clock;
use plimsoll_core::cpu_time::{Used, used};

use crate::common::Durable;
use crate::fault::{Fault, Result};
use crate::measured::Shared;
use crate::sys::{self, Folder, Name};
use crate::tally::{OpKind, Sample};

/// Samples that are kept before they are handed over.
const SAMPLES: usize = 4096;

/// Where and when the work of a phase happens.
#[derive(Clone, Copy)]
pub struct PhaseContext<'a> {
    /// What all workers share.
    pub shared: &'a Shared,
    /// The folder that names are relative to.
    pub place: &'a Path,
    /// What happens to written data.
    pub durable: Durable,
    /// The phase writes.
    pub writes: bool,
    /// Start of the phase; nothing when its calls are not counted.
    pub begin_ns: Option<u64>,
    /// Length of an interval.
    pub interval_ns: u64,
}

/// One worker's tools.
pub struct WorkerContext<'a> {
    /// The folder that names are relative to.
    pub folder: Folder,
    context: PhaseContext<'a>,
    clock: Clock,
    samples: Vec<Sample>,
    counting: bool,
    /// Time in counted calls.
    busy_ns: u64,
    interval: u64,
    boundary_ns: u64,
    used: Used,
}

impl<'a> WorkerContext<'a> {
    /// For the calling thread.
    pub fn new(context: PhaseContext<'a>) -> Result<Self> {
        let folder = Folder::open(context.place)
            .map_err(|error| Fault::call("open", &context.place.display().to_string(), None, &error))?;
        Ok(Self {
            folder,
            context,
            clock: Clock::new(),
            samples: Vec::with_capacity(SAMPLES),
            counting: context.begin_ns.is_some(),
            busy_ns: 0,
            interval: 0,
            boundary_ns: context.begin_ns.unwrap_or(0) + context.interval_ns,
            used: used(),
        })
    }

    /// Now.
    pub fn now_ns(&self) -> u64 {
        self.clock.now_ns()
    }

    /// Name of the clock.
    pub fn clock(&self) -> &'static str {
        self.clock.name()
    }

    /// Time in all counted calls so far.
    pub fn busy_ns(&self) -> u64 {
        self.busy_ns
    }

    /// Ends the work when the job ends. Every call does this by itself.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.context.shared.halt.load(Ordering::Relaxed) { Err(Fault::Halted) } else { Ok(()) }
    }

    /// Calls in `work` are carried out but not counted: the original does not time them.
    pub fn quietly<T>(&mut self, work: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let counting = std::mem::replace(&mut self.counting, false);
        let result = work(self);
        self.counting = counting;
        result
    }

    /// Counts nothing until [`WorkerContext::restart`]: a warm-up.
    pub fn warm_up(&mut self) {
        self.counting = false;
    }

    /// The phase begins, or begins anew, at `begin_ns`.
    pub fn restart(&mut self, begin_ns: u64) {
        self.counting = true;
        self.samples.clear();
        self.context.begin_ns = Some(begin_ns);
        (self.interval, self.boundary_ns) = (0, begin_ns + self.context.interval_ns);
        self.used = used();
    }

    /// Counts one finished operation.
    #[inline]
    pub fn record(&mut self, kind: OpKind, start_ns: u64, end_ns: u64, bytes: usize) {
        if !self.counting {
            return;
        }
        if end_ns >= self.boundary_ns {
            self.next_interval(end_ns);
        }
        let latency_ns = end_ns.saturating_sub(start_ns);
        self.busy_ns += latency_ns;
        self.samples.push(Sample { latency_ns, bytes: bytes as u32, kind });
        if self.samples.len() == SAMPLES {
            self.flush();
        }
    }

    #[cold]
    fn next_interval(&mut self, now_ns: u64) {
        self.flush();
        let (begin_ns, length_ns) = (self.context.begin_ns.unwrap_or(0), self.context.interval_ns);
        self.interval = now_ns.saturating_sub(begin_ns) / length_ns;
        self.boundary_ns = begin_ns + (self.interval + 1) * length_ns;
        self.clock.discipline(length_ns);
    }

    /// Hands over what was counted.
    pub fn flush(&mut self) {
        if !self.samples.is_empty() {
            self.context.shared.add(self.interval, &self.samples);
            self.samples.clear();
        }
    }

    /// One call that may fail as expected; the caller looks at the result.
    #[inline]
    pub fn attempt<T>(
        &mut self,
        kind: OpKind,
        mut call: impl FnMut(&Folder) -> io::Result<T>,
    ) -> Result<io::Result<T>> {
        self.check()?;
        let start_ns = self.now_ns();
        let result = loop {
            match call(&self.folder) {
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => self.check()?,
                result => break result,
            }
        };
        let end_ns = self.now_ns();
        self.record(kind, start_ns, end_ns, 0);
        Ok(result)
    }

    /// One call that must work.
    #[inline]
    pub fn call<T>(&mut self, kind: OpKind, name: &Name, call: impl FnMut(&Folder) -> io::Result<T>) -> Result<T> {
        let result = self.attempt(kind, call)?;
        result.map_err(|error| self.fault(kind, name, None, &error))
    }

    /// Several calls that the original counts as one operation; `calls` says how many bytes they moved.
    #[inline]
    pub fn together(
        &mut self,
        kind: OpKind,
        name: &Name,
        calls: impl FnOnce(&Folder) -> io::Result<u64>,
    ) -> Result<()> {
        self.check()?;
        let start_ns = self.now_ns();
        let bytes = calls(&self.folder).map_err(|error| self.fault(kind, name, None, &error))?;
        let end_ns = self.now_ns();
        self.record(kind, start_ns, end_ns, bytes as usize);
        Ok(())
    }

    /// One transfer of `length` bytes in as many calls as it takes, usually one: `transfer` gets the bytes done so far
    /// and says how many more it did. Returns fewer only when `transfer` says 0.
    #[inline]
    pub fn transfer(
        &mut self,
        kind: OpKind,
        (name, offset): (&Name, u64),
        length: usize,
        mut transfer: impl FnMut(usize) -> io::Result<usize>,
    ) -> Result<usize> {
        self.check()?;
        let start_ns = self.now_ns();
        let mut done = 0;
        while done < length {
            match transfer(done) {
                Ok(0) => break,
                Ok(more) => done += more,
                Err(error) if error.raw_os_error() == Some(libc::EINTR) => self.check()?,
                Err(error) => return Err(self.fault(kind, name, Some(offset + done as u64), &error)),
            }
        }
        let end_ns = self.now_ns();
        self.record(kind, start_ns, end_ns, done);
        Ok(done)
    }

    /// `write` of all bytes.
    #[inline]
    pub fn write(&mut self, file: &OwnedFd, bytes: &[u8], at: (&Name, u64)) -> Result<()> {
        let done = self.transfer(OpKind::Write, at, bytes.len(), |done| sys::write(file, &bytes[done..]))?;
        self.whole(OpKind::Write, at, done, bytes.len())
    }

    /// `pwrite` of all bytes.
    #[inline]
    pub fn write_at(&mut self, file: &OwnedFd, bytes: &[u8], at: (&Name, u64)) -> Result<()> {
        let write = |done: usize| sys::write_at(file, &bytes[done..], at.1 + done as u64);
        let done = self.transfer(OpKind::Write, at, bytes.len(), write)?;
        self.whole(OpKind::Write, at, done, bytes.len())
    }

    /// `read` until the buffer is full.
    #[inline]
    pub fn read(&mut self, file: &OwnedFd, buffer: &mut [u8], at: (&Name, u64)) -> Result<()> {
        let length = buffer.len();
        let done = self.transfer(OpKind::Read, at, length, |done| sys::read(file, &mut buffer[done..]))?;
        self.whole(OpKind::Read, at, done, length)
    }

    /// `pread` until the buffer is full.
    #[inline]
    pub fn read_at(&mut self, file: &OwnedFd, buffer: &mut [u8], at: (&Name, u64)) -> Result<()> {
        let length = buffer.len();
        let read = |done: usize| sys::read_at(file, &mut buffer[done..], at.1 + done as u64);
        let done = self.transfer(OpKind::Read, at, length, read)?;
        self.whole(OpKind::Read, at, done, length)
    }

    /// A transfer must have moved everything.
    pub fn whole(&self, kind: OpKind, (name, offset): (&Name, u64), done: usize, asked: usize) -> Result<()> {
        if done == asked {
            return Ok(());
        }
        Err(Fault::short(kind.name(), &self.shown(name), offset, done, asked))
    }

    /// Opens or creates a file.
    pub fn open(&mut self, kind: OpKind, name: &Name, flags: libc::c_int) -> Result<OwnedFd> {
        self.call(kind, name, |folder| folder.open_file(name.as_c(), flags, 0o666))
    }

    /// False when the request forbids sync calls.
    pub fn syncs(&self) -> bool {
        self.context.durable != Durable::None
    }

    /// `fsync`, unless the request forbids sync calls.
    pub fn fsync(&mut self, file: &OwnedFd, name: &Name) -> Result<()> {
        if self.syncs() { self.call(OpKind::Fsync, name, |_| sys::fsync(file)) } else { Ok(()) }
    }

    /// `syncfs`, unless the request forbids sync calls. Stands for `sync()`, which would flush the whole machine.
    pub fn sync(&mut self) -> Result<()> {
        if self.syncs() { self.call(OpKind::Sync, &Name::new(format_args!(".")), Folder::sync) } else { Ok(()) }
    }

    /// The last thing before the clock of a phase stops: with `Durable::Timed`, what was written is made durable.
    pub fn settle(&mut self) -> Result<()> {
        if self.context.durable == Durable::Timed && self.context.writes { self.sync() } else { Ok(()) }
    }

    /// `close`; some file systems tell of lost writes only here.
    pub fn close(&mut self, file: OwnedFd, name: &Name) -> Result<()> {
        let mut file = Some(file);
        self.call(OpKind::Close, name, |_| file.take().map_or(Ok(()), sys::close))
    }

    /// Removes a file.
    pub fn unlink(&mut self, name: &Name) -> Result<()> {
        self.call(OpKind::Delete, name, |folder| folder.unlink(name.as_c()))
    }

    /// Makes a directory; one that is there is fine.
    pub fn mkdir(&mut self, name: &Name, mode: libc::mode_t) -> Result<()> {
        match self.attempt(OpKind::Mkdir, |folder| folder.mkdir(name.as_c(), mode))? {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                Err(self.fault(OpKind::Mkdir, name, None, &error))
            }
            _ => Ok(()),
        }
    }

    /// A failed call of this worker.
    pub fn fault(&self, kind: OpKind, name: &Name, offset: Option<u64>, error: &io::Error) -> Fault {
        Fault::call(kind.name(), &self.shown(name), offset, error)
    }

    /// The path of a file, as messages show it.
    pub fn shown(&self, name: &Name) -> String {
        self.context.place.join(name.as_c().to_string_lossy().as_ref()).display().to_string()
    }
}

impl Drop for WorkerContext<'_> {
    fn drop(&mut self) {
        self.flush();
        if self.context.begin_ns.is_some() {
            self.context.shared.measured().cpu.add(used().since(self.used));
        }
    }
}
