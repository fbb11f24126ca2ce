//! Starts the threads of a job: opens everything inside the thread that will use it.

use std::fs::OpenOptions;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use plimsoll_core::clock::Clock;
use plimsoll_core::crew::{Line, Window};
use plimsoll_core::distribution::Blocks;
use plimsoll_core::error::JobError;
use plimsoll_core::random::{Purpose, Stream};
use plimsoll_core::spec::{JobSpec, RecordedKind, SyncKind};
use plimsoll_core::usage::precise_timers;

use crate::buffer::{Filler, Pool};
use crate::engine::{Engine, Setup};
use crate::engines::Visitor;
use crate::files::Files;
use crate::flow::Place;
use crate::pattern::{self, Pattern};
use crate::priorities;
use crate::recorder::{Batch, Series};
use crate::runner::Event;
use crate::signal;
use crate::target::Target;
use crate::usage;
use crate::verify::Stamps;
use crate::worker::{Parts, Worker};

/// Batches of a thread that are under way while it fills another one.
const SPARE_BATCHES: usize = 2;

/// Starts one thread per worker. Each reports [`Event::Ready`] and waits for its window.
pub struct Launch {
    /// What to do.
    pub spec: Arc<JobSpec>,
    /// Nothing for engines that touch no file.
    pub target: Option<Target>,
    /// Present when other jobs are given way to.
    pub flow: Option<Arc<Place>>,
    /// To the runner.
    pub events: Sender<Event>,
    /// Ends all threads.
    pub stop: Arc<AtomicBool>,
}

/// The series that a job can record.
pub fn series(spec: &JobSpec) -> Vec<Series> {
    let mode = spec.mode;
    let open_loop = spec.rate.is_some();
    let checks = spec.verification.as_ref().is_some_and(|how| how.backlog.is_some())
        || spec.passes.is_some_and(|passes| passes.read_back);
    let counts = matches!(spec.sync.kind, SyncKind::Fsync | SyncKind::Fdatasync);
    let recorded = |kinds: &[RecordedKind]| {
        spec.replay.iter().flat_map(|replay| &replay.operations).any(|(_, kind, ..)| kinds.contains(kind))
    };
    let (apart, trims) = (spec.submission, mode.trims() || recorded(&[RecordedKind::Trim]));
    let syncs = recorded(&[RecordedKind::Fsync, RecordedKind::Fdatasync]);
    let reads = mode.reads() || checks;
    [
        (reads, Series::Read),
        (mode.writes(), Series::Write),
        (trims, Series::Trim),
        (counts || spec.sync.at_end || syncs, Series::Sync),
        (counts, Series::Commit),
        (mode.reads() && open_loop, Series::ReadService),
        (mode.writes() && open_loop, Series::WriteService),
        (mode.trims() && open_loop, Series::TrimService),
        (reads && apart, Series::ReadSubmission),
        (mode.writes() && apart, Series::WriteSubmission),
        (trims && apart, Series::TrimSubmission),
        (reads && apart, Series::ReadCompletion),
        (mode.writes() && apart, Series::WriteCompletion),
        (trims && apart, Series::TrimCompletion),
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
    usage::pin(cpu).map_err(|error| {
        JobError::spec(format!("cannot pin a thread to CPU {cpu}: {error}: use CPUs that this process may run on"))
    })
}

impl Visitor for Launch {
    type Output = std::io::Result<Vec<Line<Batch>>>;

    fn visit<E: Engine + 'static>(self) -> Self::Output {
        let blocks = pattern::blocks(&self.spec);
        let writing = Arc::new(AtomicU32::new(self.spec.threads));
        let launch = Arc::new(self);
        (0..launch.spec.threads)
            .map(|thread| {
                let (go, wait) = channel();
                let (emptied, returns) = channel();
                let seat = Chair { thread, wait, returns, emptied: emptied.clone() };
                let (launch, blocks, writing) = (Arc::clone(&launch), blocks.clone(), Arc::clone(&writing));
                thread::Builder::new()
                    .name(format!("plimsoll-io-{thread}"))
                    .spawn(move || launch.thread::<E>(seat, &blocks, writing))?;
                Ok(Line { go, emptied })
            })
            .collect()
    }
}

/// A thread's ends of its channels.
struct Chair {
    thread: u32,
    wait: Receiver<Window>,
    returns: Receiver<Box<Batch>>,
    emptied: Sender<Box<Batch>>,
}

impl Launch {
    fn thread<E: Engine>(&self, seat: Chair, blocks: &Blocks, writing: Arc<AtomicU32>) {
        let thread = seat.thread;
        // A closed channel means that the job was given up: then nobody waits for a report.
        match self.parts::<E>(seat.thread, seat.returns, &seat.emptied, blocks, writing) {
            Err(error) => drop(self.events.send(Event::Ready(thread, Err(error)))),
            Ok(parts) => {
                drop(seat.emptied);
                let _ = self.events.send(Event::Ready(thread, Ok(signal::this_thread())));
                if let Ok(window) = seat.wait.recv() {
                    // Two loops, so that jobs without extras pay nothing for them.
                    let (report, result) = if self.spec.has_extras() {
                        Worker::<E, true>::new(parts, window).run()
                    } else {
                        Worker::<E, false>::new(parts, window).run()
                    };
                    let _ = self.events.send(Event::Ended(thread, Box::new(report), result));
                }
            }
        }
    }

    fn parts<E: Engine>(
        &self,
        thread: u32,
        emptied: Receiver<Box<Batch>>,
        spares: &Sender<Box<Batch>>,
        blocks: &Blocks,
        writing: Arc<AtomicU32>,
    ) -> Result<Parts<E>, JobError> {
        let spec = &self.spec;
        signal::only_wake();
        precise_timers();
        if let Some(&cpu) = spec.cpus.get(thread as usize % spec.cpus.len().max(1)) {
            pin(cpu)?;
        }
        let files = if E::CAPS.names { Files::several(spec) } else { self.open()? };
        let largest = spec.largest_block() as usize;
        let count = buffers(spec);
        let (pool, mut buffers) = Pool::new(count, largest)
            .map_err(|error| JobError::spec(format!("no memory for {count} buffers of {largest} bytes: {error}")))?;
        let mut filler = Filler::new(spec, Stream::new(spec.seed, thread, Purpose::Content));
        // Read buffers are filled as well: their pages then exist before they are needed.
        buffers.iter_mut().for_each(|buffer| filler.fill(buffer.bytes_mut()));
        let engine = self.engine::<E>(&files, &pool)?;
        let series = series(spec);
        let room = || Batch::new(&series).by_priority(priorities::names(spec));
        for _ in 0..SPARE_BATCHES {
            let _ = spares.send(Box::new(room()));
        }
        let slice = pattern::slice(spec, thread);
        Ok(Parts {
            engine,
            pool,
            buffers,
            files,
            target: self.target.clone(),
            thread,
            pattern: Pattern::new(spec, thread, blocks),
            filler,
            stamps: spec.verify.then(|| Stamps::new(spec, slice)),
            flow: self.flow.as_ref().map(|place| place.sit()),
            clock: Clock::new(),
            stop: Arc::clone(&self.stop),
            writing,
            deliveries: self.events.clone(),
            emptied,
            batch: Box::new(room()),
            spec: Arc::clone(spec),
        })
    }

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
