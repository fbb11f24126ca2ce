//! Starting the threads of one part of a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use plimsoll_core::clock::Clock;
use plimsoll_core::crew::{Line, Window, share};
use plimsoll_core::threads;

use crate::driver::Driver;
use crate::fault::JobError;
use crate::integrity::Checker;
use crate::keyspace::Shared;
use crate::lane::Lane;
use crate::recorder::{Batch, Kinds};
use crate::runner::Event;
use crate::setup::Setup;
use crate::worker::{Parts, Report, Worker};
use crate::workloads::{Stage, Work};

/// What the threads have in common.
pub struct Launch<D: Driver> {
    pub driver: Arc<D>,
    pub setup: Arc<Setup>,
    pub stage: Stage,
    pub records: Arc<Shared>,
    pub kinds: Kinds,
    pub threads: u32,
    pub events: Sender<Event>,
    pub stop: Arc<AtomicBool>,
}

/// The threads of one part of a job.
pub struct Crew {
    pub lines: Vec<Line<Batch>>,
    pub reports: Vec<Option<Report>>,
    /// The first that ended a thread early.
    pub fault: Option<JobError>,
    /// Absent when they never started to work.
    pub window: Option<Window>,
}

impl<D: Driver> Launch<D> {
    /// Starts all threads, which connect their clients and wait.
    pub fn start(self) -> Result<Crew, JobError> {
        let launch = Arc::new(self);
        let mut lines = Vec::new();
        // Who looks from outside (`top -H`, a test that kills the server) sees whether data are loaded or a run is measured.
        let part = if matches!(launch.stage, Stage::Load { .. }) { "load" } else { "db" };
        for thread in 0..launch.threads {
            let (go, start) = channel();
            let (emptied, empty) = channel();
            // One batch to fill while another one is being merged.
            let _ = emptied.send(Box::new(Batch::new(launch.kinds)));
            let theirs = Arc::clone(&launch);
            let spawned = thread::Builder::new().name(format!("plimsoll-{part}-{thread}")).spawn(move || {
                let events = theirs.events.clone();
                if let Some(report) = theirs.run(thread, &start, empty) {
                    // What driver and sessions hold is given up before: the next job may open the same files.
                    drop(theirs);
                    let _ = events.send(Event::Ended(thread, Box::new(report)));
                }
            });
            if let Err(error) = spawned {
                launch.stop.store(true, Ordering::SeqCst);
                let which = format!("thread {} of {}", thread + 1, launch.threads);
                return Err(JobError::driver(threads::refused(&which, &error)));
            }
            lines.push(Line { go, emptied });
        }
        let reports = lines.iter().map(|_| None).collect();
        Ok(Crew { lines, reports, fault: None, window: None })
    }

    /// The whole life of one thread.
    fn run(&self, thread: u32, start: &Receiver<Window>, emptied: Receiver<Box<Batch>>) -> Option<Report> {
        let lanes = match self.connect(thread) {
            Ok(lanes) => lanes,
            Err(error) => {
                let _ = self.events.send(Event::Ready(Err(error)));
                return None;
            }
        };
        let spec = &self.setup.spec;
        let loading = matches!(self.stage, Stage::Load { .. });
        let share = |total: u64| share(total, thread, self.threads);
        let parts = Parts {
            driver: Arc::clone(&self.driver),
            setup: Arc::clone(&self.setup),
            thread,
            threads: self.threads,
            work: Work::new(spec, &self.stage, &self.records, thread),
            lanes,
            names: self.kinds.names,
            operations: if loading { u64::MAX } else { spec.limit.operations.map_or(u64::MAX, share) },
            rate: self.stage.rate(spec),
            clock: Clock::new(),
            stop: Arc::clone(&self.stop),
            deliveries: self.events.clone(),
            emptied,
            batch: Box::new(Batch::new(self.kinds)),
        };
        let _ = self.events.send(Event::Ready(Ok(())));
        let window = start.recv().ok()?;
        Some(Worker::new(parts, window).run())
    }

    /// Connects this thread's clients.
    fn connect(&self, thread: u32) -> Result<Vec<Lane<D::Session>>, JobError> {
        let spec = &self.setup.spec;
        let checked = self.setup.ycsb().filter(|ycsb| ycsb.data_integrity);
        let mut lanes = Vec::new();
        for client in (thread..spec.clients).step_by(self.threads as usize) {
            if self.stop.load(Ordering::Relaxed) {
                break;
            }
            let session = self.driver.connect(client).map_err(|fault| {
                JobError::connect(format!("client {} of {}: {}", client + 1, spec.clients, fault.message))
            })?;
            let mut lane = Lane::new(client, session);
            lane.reply.checker = checked.map(|ycsb| Box::new(Checker::new(ycsb.field_length)));
            lanes.push(lane);
        }
        Ok(lanes)
    }
}
