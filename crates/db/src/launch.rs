//! The threads of one part of a job: how each connects its clients and begins to work.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use plimsoll_core::clock::Clock;
use plimsoll_core::pool::{self, Ended, Outlet};
use plimsoll_core::slices::Slices;
use plimsoll_core::window::{Window, share};

use crate::client::Client;
use crate::driver::Driver;
use crate::fault::JobError;
use crate::integrity::Checker;
use crate::keyspace::Shared;
use crate::recorder::{Batch, OpKinds};
use crate::setup::Setup;
use crate::spec::DbSpec;
use crate::worker::{Exchange, Parts, Worker};
use crate::workloads::{Phase, Work};

/// Embedded databases block their thread; more than this many would only fill memory with counters.
const MOST_THREADS: u32 = 64;

/// How many threads serve the clients. Servers get at most half of the CPUs: one thread serves many connections, and on
/// one machine the server needs the other half.
pub fn threads(spec: &DbSpec, server: bool) -> u32 {
    let cpus = std::thread::available_parallelism().map_or(1, |n| n.get() as u32);
    let most = match (spec.threads, server) {
        (Some(threads), _) => threads,
        (None, true) => cpus.div_ceil(2),
        (None, false) => MOST_THREADS,
    };
    most.clamp(1, spec.clients)
}

/// What the threads have in common.
pub struct Launch<D: Driver> {
    pub driver: Arc<D>,
    pub setup: Arc<Setup>,
    pub phase: Phase,
    pub records: Arc<Shared>,
    pub kinds: OpKinds,
    pub threads: u32,
    pub slices: Slices,
}

impl<D: Driver> pool::Launch for Launch<D> {
    type Exchange = Exchange;
    type Parts = Parts<D>;
    const SPARE_BATCHES: usize = 1;
    const INTERRUPT: Option<fn(libc::pid_t)> = None;

    /// Who looks from outside (`top -H`, a test that kills the server) sees whether data are loaded or a run is measured.
    fn thread_name(&self, thread: u32) -> String {
        let part = if self.phase.is_load() { "load" } else { "db" };
        format!("plimsoll-{part}-{thread}")
    }

    fn batch(&self) -> Batch {
        Batch::new(self.kinds)
    }

    fn open(&self, outlet: Outlet<Exchange>) -> Result<Parts<D>, JobError> {
        let spec = &self.setup.spec;
        let thread = outlet.thread;
        let share = |total: u64| share(total, thread, self.threads);
        Ok(Parts {
            driver: Arc::clone(&self.driver),
            setup: Arc::clone(&self.setup),
            threads: self.threads,
            work: Work::new(spec, &self.phase, &self.records, thread),
            clients: self.connect(&outlet)?,
            names: self.kinds.names,
            operations: if self.phase.is_load() { u64::MAX } else { spec.max_operations.map_or(u64::MAX, share) },
            rate: self.phase.rate(spec),
            slices: self.slices.clone(),
            clock: Clock::new(),
            batch: Box::new(Batch::new(self.kinds)),
            outlet,
        })
    }

    fn run(&self, parts: Parts<D>, window: Window) -> Ended<Exchange> {
        let mut found = Worker::new(parts, window).run();
        Ended { report: found.common, fault: found.fault.take(), found }
    }
}

impl<D: Driver> Launch<D> {
    /// Connects a thread's clients.
    fn connect(&self, outlet: &Outlet<Exchange>) -> Result<Vec<Client<D::Session>>, JobError> {
        let spec = &self.setup.spec;
        let checked = self.setup.ycsb().filter(|ycsb| ycsb.data_integrity);
        let mut clients = Vec::new();
        for number in (outlet.thread..spec.clients).step_by(self.threads as usize) {
            if outlet.stop.load(Ordering::Relaxed) {
                break;
            }
            let session = self.driver.connect(number).map_err(|fault| {
                JobError::connect(format!("client {} of {}: {}", number + 1, spec.clients, fault.message))
            })?;
            let mut client = Client::new(number, session);
            client.reply.checker = checked.map(|ycsb| Box::new(Checker::new(ycsb.field_length)));
            clients.push(client);
        }
        Ok(clients)
    }
}
