//! Starts the threads of a job: opens everything inside the thread that will use it.

use std::fs::OpenOptions;
use std::marker::PhantomData;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU32;

use crate::spec::{JobSpec, OpKind};
use plimsoll_core::clock::Clock;
use plimsoll_core::distribution::Blocks;
use plimsoll_core::error::JobError;
use plimsoll_core::job::Control;
use plimsoll_core::pool::{self, Ended, Outlet, WorkerPool};
use plimsoll_core::random::{Purpose, Stream};
use plimsoll_core::threads::ThreadFault;
use plimsoll_core::timers::precise_timers;
use plimsoll_core::window::Window;

use crate::affinity;
use crate::buffer::Pool;
use crate::content::Filler;
use crate::engine::{Engine, Setup};
use crate::engines::Visitor;
use crate::files::Files;
use crate::fio::flow::Place;
use crate::fio::{self, Fio};
use crate::pattern::Pattern;
use crate::recorded::ahead::Ahead;
use crate::recorded::{self, Recorded};
use crate::recorder::{Batch, Series};
use crate::region;
use crate::signal;
use crate::target::Target;
use crate::verify::Stamps;
use crate::worker::{Exchange, Native, Parts, Worker};

/// What the threads have in common.
pub struct Launch {
    /// What to do.
    pub spec: Arc<JobSpec>,
    /// Nothing for engines that touch no file.
    pub target: Option<Target>,
    /// Present when other jobs are given way to.
    pub flow: Option<Arc<Place>>,
    /// Of the job.
    pub control: Arc<Control>,
}

/// The threads of a job with one engine.
struct With<E> {
    launch: Launch,
    blocks: Blocks,
    /// Threads that may still write.
    writing: Arc<AtomicU32>,
    series: Vec<Series>,
    engine: PhantomData<fn() -> E>,
}

/// The series that a job can record.
pub fn series(spec: &JobSpec) -> Vec<Series> {
    let mode = spec.mode;
    let (replayed, open_loop) = (spec.recording.is_some(), spec.is_scheduled());
    let checks = spec.verification.as_ref().is_some_and(|how| how.backlog.is_some())
        || spec.passes.is_some_and(|passes| passes.read_back);
    let counts = spec.sync_every().is_some();
    let recorded = |kinds: &[OpKind]| {
        spec.replay.iter().flat_map(|replay| &replay.operations).any(|(_, kind, ..)| kinds.contains(kind))
    };
    let (apart, trims) = (spec.submission, mode.trims() || recorded(&[OpKind::Trim]));
    let syncs = recorded(&[OpKind::Fsync, OpKind::Fdatasync]) || (replayed && mode.writes());
    let reads = mode.reads() || checks;
    [
        (reads, Series::Read),
        (mode.writes(), Series::Write),
        (trims, Series::Trim),
        (counts || spec.sync_at_end || syncs, Series::Sync),
        (counts, Series::Commit),
        (mode.reads() && open_loop, Series::ReadService),
        (mode.writes() && open_loop, Series::WriteService),
        (trims && open_loop, Series::TrimService),
        (reads && apart, Series::ReadSubmission),
        (mode.writes() && apart, Series::WriteSubmission),
        (trims && apart, Series::TrimSubmission),
        (reads && apart, Series::ReadCompletion),
        (mode.writes() && apart, Series::WriteCompletion),
        (trims && apart, Series::TrimCompletion),
        (replayed && open_loop, Series::Lateness),
    ]
    .into_iter()
    .filter_map(|(used, series)| used.then_some(series))
    .collect()
}

/// Buffers of one thread: reads and writes have their own.
pub fn buffers(spec: &JobSpec) -> usize {
    let sets = if spec.mode.reads() && spec.mode.writes() { 2 } else { 1 };
    spec.depth as usize * sets
}

/// Pins the calling thread.
pub fn pin(cpu: usize) -> Result<(), JobError> {
    affinity::pin(cpu).map_err(|error| {
        JobError::spec(format!("cannot pin a thread to CPU {cpu}: {error}: use CPUs that this process may run on"))
    })
}

/// An empty batch for these series.
pub fn batch(spec: &JobSpec, series: &[Series]) -> Batch {
    let early = if spec.warmup_ns == 0 { 0 } else { spec.depth };
    Batch::new(series).by_priority(fio::priorities::names(spec)).holding_early(early)
}

impl Visitor for Launch {
    type Output = Result<WorkerPool<Exchange>, ThreadFault>;

    fn visit<E: Engine + 'static>(self) -> Self::Output {
        let (threads, control) = (self.spec.threads, Arc::clone(&self.control));
        let launch = With::<E> {
            blocks: region::blocks(&self.spec),
            writing: Arc::new(AtomicU32::new(threads)),
            series: series(&self.spec),
            engine: PhantomData,
            launch: self,
        };
        WorkerPool::start(launch, threads, &control)
    }
}

impl<E: Engine + 'static> pool::Launch for With<E> {
    type Exchange = Exchange;
    type Parts = Parts<E>;
    const SPARE_BATCHES: usize = 2;
    const INTERRUPT: Option<fn(libc::pid_t)> = Some(signal::wake);

    fn thread_name(&self, thread: u32) -> String {
        format!("plimsoll-io-{thread}")
    }

    fn batch(&self) -> Batch {
        batch(&self.launch.spec, &self.series)
    }

    fn open(&self, outlet: Outlet<Exchange>) -> Result<Parts<E>, JobError> {
        let launch = &self.launch;
        let (spec, thread) = (&launch.spec, outlet.thread);
        signal::only_wake();
        precise_timers();
        if let Some(&cpu) = spec.cpus.get(thread as usize % spec.cpus.len().max(1)) {
            pin(cpu)?;
        }
        let files = if E::CAPS.names { Files::several(spec) } else { launch.open()? };
        let largest = spec.largest_block() as usize;
        let count = buffers(spec);
        let (pool, mut buffers) = Pool::new(count, largest)
            .map_err(|error| JobError::spec(format!("no memory for {count} buffers of {largest} bytes: {error}")))?;
        let mut filler = Filler::new(spec, Stream::new(spec.seed, thread, Purpose::Content));
        // Read buffers are filled as well: their pages then exist before they are needed.
        buffers.iter_mut().for_each(|buffer| filler.fill(buffer.bytes_mut()));
        let slice = region::slice(spec, thread);
        Ok(Parts {
            engine: launch.engine::<E>(&files, &pool)?,
            pool,
            buffers,
            files,
            target: launch.target.clone(),
            thread,
            pattern: Pattern::new(spec, thread, &self.blocks),
            filler,
            stamps: spec.verify.then(|| Stamps::new(spec, slice)),
            flow: launch.flow.as_ref().map(|place| place.sit()),
            ahead: spec.recording.as_ref().map(|recording| Ahead::start(spec, recording)).transpose()?,
            clock: Clock::new(),
            stop: Arc::clone(&outlet.stop),
            writing: Arc::clone(&self.writing),
            outlet,
            batch: Box::new(pool::Launch::batch(self)),
            spec: Arc::clone(spec),
        })
    }

    fn run(&self, parts: Parts<E>, window: Window) -> Ended<Exchange> {
        // Engines that only fio's command line has need no other kind of worker: each is compiled anew for every engine.
        let (found, result) = if const { E::CAPS.dataless } {
            Worker::<E, Fio>::new(parts, window).run()
        } else if recorded::is_asked_for(&self.launch.spec) {
            Worker::<E, Recorded>::new(parts, window).run()
        } else if fio::is_asked_for(&self.launch.spec) {
            Worker::<E, Fio>::new(parts, window).run()
        } else {
            Worker::<E, Native>::new(parts, window).run()
        };
        Ended { report: found.common, fault: result.err(), found }
    }
}

impl Launch {
    fn open(&self) -> Result<Files, JobError> {
        match &self.target {
            Some(target) => target.open_all(&self.spec),
            None => OpenOptions::new().read(true).write(true).open("/dev/null").map(Files::one).map_err(|error| {
                JobError::Open { message: format!("cannot open /dev/null: {error}"), errno: error.raw_os_error() }
            }),
        }
    }

    fn engine<E: Engine>(&self, files: &Files, pool: &Pool) -> Result<E, JobError> {
        let spec = &self.spec;
        let beside = spec.files.iter().flat_map(|files| &files.more);
        let paths: Vec<_> = std::iter::once(&spec.path).chain(beside).map(PathBuf::from).collect();
        let setup = Setup {
            files,
            paths: &paths,
            is_device: self.target.as_ref().is_some_and(|target| target.is_device),
            depth: spec.depth,
            pool,
            region: (spec.offset, spec.size),
            writes: spec.mode.writes(),
            random: spec.mode.is_random(),
            sqpoll: spec.sqpoll,
            iopoll: spec.iopoll,
            burn: spec.burn,
            flags: if spec.hipri { libc::RWF_HIPRI } else { 0 } | if spec.nowait { libc::RWF_NOWAIT } else { 0 },
        };
        E::open(&setup).map_err(|error| JobError::Engine {
            message: format!("engine {} cannot start on {}: {error}", E::CAPS.name, spec.path),
            errno: error.raw_os_error(),
        })
    }
}
