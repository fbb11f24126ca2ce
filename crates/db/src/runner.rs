//! One job from request to outcome.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_core::clock::{Clock, monotonic_ns, wall_ns};
use plimsoll_core::job::{Control, Work as Job};
use plimsoll_core::outcome::{Outcome, Status, phase};
use plimsoll_core::pool::{Observer, WorkerPool};
use plimsoll_core::slices::Slices;
use plimsoll_core::summary::sum_up;
use plimsoll_core::threads::ThreadFault;
use plimsoll_core::timeline::{Batch as _, Timeline};
use plimsoll_core::window::Window;

use crate::driver::Driver;
use crate::drivers;
use crate::fault::{CAUSES, JobError};
use crate::keyspace;
use crate::launch::{self, Launch};
use crate::outage::outages;
use crate::outcome::{Counters, DbOutcome, Kept};
use crate::prepare;
use crate::recorder::{Batch, OpKinds};
use crate::setup::Setup;
use crate::spec::{Data, DbSpec, Faults, Measure, Workload};
use crate::url::place;
use crate::validate::validate;
use crate::worker::Exchange;
use crate::workloads::{Phase, Work};

/// Time between "all threads are ready" and the start of the load.
const LEAD_NS: u64 = 2_000_000;
/// From here on it is said, when a job is stopped, that its server did not answer.
const SILENT_NS: u64 = 1_000_000_000;
/// After a stop request, threads get this long; then the job ends without them.
const GRACE: Duration = Duration::from_millis(500);
/// Longer than any load takes.
const ENDLESS_NS: u64 = 1 << 60;

/// The job's own thread: prepares the data, starts the others, merges what they count.
pub struct Runner {
    spec: DbSpec,
    control: Arc<Control>,
    outcome: DbOutcome,
    /// Rows that acknowledged operations have added since the data were ready.
    added: u64,
}

/// Runs a job with the driver that its name has chosen.
struct With<'a>(&'a mut Runner);

impl drivers::Visitor for With<'_> {
    type Output = Result<(), JobError>;
    fn visit<D: Driver>(self) -> Self::Output {
        self.0.phases::<D>()
    }
}

/// One part of a job, done: its threads, what they counted, and when; no time when they never began to work.
struct Done {
    pool: WorkerPool<Exchange>,
    timeline: Timeline<Batch>,
    window: Option<Window>,
}

/// Tells how far a part of a job is.
struct Teller<'a> {
    control: &'a Control,
    /// Operations that it takes, where that is known.
    expected: Option<u64>,
}

impl Observer<Exchange> for Teller<'_> {
    fn merged(&mut self, timeline: &mut Timeline<Batch>) {
        if let Some(interval) = timeline.last().cloned() {
            self.control.board.interval_with(interval, timeline.interval_histograms());
        }
        if let Some(expected) = self.expected {
            self.control.board.share(timeline.total().completed() as f64 / expected.max(1) as f64);
        }
    }
}

impl Job for Runner {
    type Spec = DbSpec;
    type Outcome = DbOutcome;
    const THREAD: &'static str = "plimsoll-db";
    const FIRST_PHASE: &'static str = phase::LAYOUT;

    fn waits(spec: &DbSpec) -> bool {
        !spec.slices.is_empty()
    }

    fn run(spec: DbSpec, control: &Arc<Control>) -> DbOutcome {
        let outcome = nothing_yet(spec.clients);
        Self { spec, control: Arc::clone(control), outcome, added: 0 }.carry_out()
    }

    fn failed(fault: ThreadFault) -> DbOutcome {
        DbOutcome { common: Outcome::failed(JobError::from(fault).into()), ..nothing_yet(0) }
    }
}

impl Runner {
    fn carry_out(mut self) -> DbOutcome {
        let name = self.spec.driver.clone();
        let result = drivers::with(&name, With(&mut self))
            .unwrap_or_else(|| Err(JobError::spec(format!("there is no driver {name:?}"))));
        let cut_off = self.stopped() && self.outcome.common.elapsed_ns == 0;
        if cut_off || (self.stopped() && result.is_ok()) {
            self.outcome.common.status = Status::Stopped;
        } else if result.is_err() {
            self.outcome.common.status = Status::Failed;
        }
        // A server that prepares the data may take its time: that it is stopped in the middle is no fault.
        if let Some(error) = result.err().filter(|error| !(cut_off && error.is_load())) {
            self.outcome.common.error = Some(error.into());
        }
        self.outcome
    }

    fn phases<D: Driver>(&mut self) -> Result<(), JobError> {
        validate(&self.spec)?;
        let began_ns = monotonic_ns();
        self.control.board.enter(phase::LAYOUT, began_ns, None);
        let setup = Arc::new(Setup::new(self.spec.clone(), D::CAPS, Arc::clone(&self.control.stop))?);
        let driver = Arc::new(D::new(Arc::clone(&setup))?);
        let facts = || driver.facts().map_err(|fault| JobError::reaching(&fault, self.spec.encrypted()));
        // A server is asked what it is before anything else. What has none is opened for that, with the job's settings,
        // which change some files: they may be somebody else's, and are looked at first.
        let server = if D::CAPS.server { facts()? } else { Vec::new() };
        let decision = prepare::decide(&*driver, &setup)?;
        self.outcome.server = if D::CAPS.server { server } else { facts()? }.into_iter().collect();
        let control = Arc::clone(&self.control);
        let told = |share: f64| {
            control.board.share(share);
            !control.stopped()
        };
        let prepared = prepare::carry_out(&*driver, &setup, decision, told)?;
        if let Some(count) = prepared.missing.filter(|_| self.spec.measure() == Measure::Run && !self.stopped()) {
            let bytes = self.load(&driver, &setup, count)?;
            self.outcome.loaded_records = Some(count);
            self.outcome.common.phases.layout_bytes = bytes;
        }
        if self.stopped() {
            return Ok(());
        }
        // What is to be kept, or is not ours, is left as it is, which tidying up would not do.
        if self.spec.measure() == Measure::Run && prepared.tidy {
            driver.settle().map_err(|fault| JobError::preparing(&fault))?;
        }
        let rows = if self.spec.fault == Faults::Expected { driver.rows().unwrap_or_default() } else { None };
        let before = rows.filter(|&rows| self.adds_to(rows));
        self.outcome.counters.before = numbers(&*driver);
        self.outcome.common.phases.layout_ns = monotonic_ns() - began_ns;
        let measured = self.measure(&driver, &setup);
        self.outcome.counters.after = numbers(&*driver);
        if let Some(before) = before {
            let after = driver.rows().unwrap_or_default();
            self.outcome.kept = Some(Kept { before, acknowledged: self.added, after });
        }
        if prepared.marked && !self.stopped() {
            // Where the server cannot be asked any more, it is not known whose the rest is: whoever comes next is told.
            let _ = driver.mark();
        }
        measured
    }

    /// Whether what is inserted into a table of so many rows is new: keys follow the loaded ones, and where earlier runs
    /// have put theirs, Redis and RocksDB acknowledge another value of a row that is there.
    fn adds_to(&self, rows: u64) -> bool {
        match (&self.spec.workload, self.spec.measure()) {
            (Workload::Ycsb(ycsb), Measure::Load) => rows <= ycsb.insert_start,
            (Workload::Ycsb(ycsb), Measure::Run) => rows <= ycsb.records,
            _ => true,
        }
    }

    fn stopped(&self) -> bool {
        self.control.stopped()
    }

    /// Loads all records without measuring; payload bytes.
    fn load<D: Driver>(&mut self, driver: &Arc<D>, setup: &Arc<Setup>, count: u64) -> Result<u64, JobError> {
        if let Workload::Tpcb(_) = self.spec.workload {
            let control = Arc::clone(&self.control);
            let mut told = |share: f64| {
                control.board.share(share);
                !control.stopped()
            };
            driver.fill(&mut told).map_err(|fault| JobError::preparing(&fault))?;
            return Ok(0);
        }
        let records = Arc::new(keyspace::Shared::new(0));
        let phase = Phase::Load { end: count };
        let begin_ns = Clock::new().now_ns();
        let window =
            Window { begin_ns, measure_ns: begin_ns, end_ns: begin_ns + ENDLESS_NS, ..self.window(begin_ns, 0) };
        let timeline = self.part(driver, setup, phase, &records, window, Some(count))?.timeline;
        let total = timeline.total();
        let (inserted, bytes) = (total.completed(), total.shown().map(|(_, count)| count.totals.bytes).sum());
        let failed = total.errors();
        if failed > 0 {
            let why = self.outcome.messages.values().next().cloned().unwrap_or_default();
            return Err(JobError::load(format!("{failed} of {count} records could not be loaded: {why}")));
        }
        if inserted < count && !self.stopped() {
            return Err(JobError::load(format!("only {inserted} of {count} records were loaded")));
        }
        Ok(bytes)
    }

    fn measure<D: Driver>(&mut self, driver: &Arc<D>, setup: &Arc<Setup>) -> Result<(), JobError> {
        let (phase, first, expected) = match (&self.spec.workload, self.spec.measure()) {
            (Workload::Ycsb(ycsb), Measure::Load) => {
                let end = ycsb.insert_start + ycsb.keys();
                (Phase::Load { end }, ycsb.insert_start, Some(ycsb.keys()))
            }
            (Workload::Ycsb(ycsb), Measure::Run) => (Phase::Run, ycsb.records, self.spec.max_operations),
            _ => (Phase::Run, 0, self.spec.max_operations),
        };
        let records = Arc::new(keyspace::Shared::new(first));
        let warmup_ns = if self.spec.measure() == Measure::Load { 0 } else { self.spec.warmup_ns };
        let begin_ns = Clock::new().now_ns();
        let window = self.window(begin_ns, warmup_ns);
        let Done { pool, mut timeline, window } = self.part(driver, setup, phase, &records, window, expected)?;
        let Some(window) = window else { return Ok(()) };
        self.sum_up(&pool, &mut timeline, &window);
        if self.stopped() {
            self.outcome.common.error = self.silence(&pool).map(Into::into);
        }
        pool.into_found().map(drop)
    }

    /// Which server left all threads without an answer when the job was stopped, and for how long.
    fn silence(&self, pool: &WorkerPool<Exchange>) -> Option<JobError> {
        let silent_ns = pool.found().map(|report| report.silent_ns).min()?;
        let server = match place(&self.spec.url) {
            "" => &self.spec.driver,
            found => found,
        };
        (silent_ns >= SILENT_NS)
            .then(|| JobError::connect(format!("{server} had not answered for {:.1} s", silent_ns as f64 / 1e9)))
    }

    fn window(&self, begin_ns: u64, warmup_ns: u64) -> Window {
        Window::new(begin_ns, warmup_ns, self.spec.runtime_ns, self.spec.interval_length_ns())
    }

    /// Connects all clients and lets them work in `window`, which is moved to when they are connected.
    fn part<D: Driver>(
        &mut self,
        driver: &Arc<D>,
        setup: &Arc<Setup>,
        phase: Phase,
        records: &Arc<keyspace::Shared>,
        window: Window,
        expected: Option<u64>,
    ) -> Result<Done, JobError> {
        let kinds: OpKinds = Work::kinds(&self.spec, &phase);
        let threads = launch::threads(&self.spec, D::CAPS.server);
        (self.outcome.clients, self.outcome.threads) = (self.spec.clients, threads);
        let measured = window.end_ns - window.measure_ns < ENDLESS_NS;
        let slices = if measured { self.spec.slices() } else { Slices::default() };
        let launch = Launch {
            driver: Arc::clone(driver),
            setup: Arc::clone(setup),
            phase,
            records: Arc::clone(records),
            kinds,
            threads,
            slices: slices.clone(),
        };
        let mut pool = WorkerPool::start(launch, threads, &self.control)?;
        let mut timeline = Timeline::new(threads, self.spec.interval_length_ns(), || Batch::new(kinds));
        timeline = timeline.in_slices(&slices);
        if measured && self.spec.interval_histograms {
            timeline = timeline.keeping_histograms();
        }
        if !pool.ready()? {
            return Ok(Done { pool, timeline, window: None });
        }
        let window = if slices.is_none() {
            moved(window, Clock::new().now_ns() + LEAD_NS)
        } else {
            let Some(go_ns) = pool.wait_for_go()? else { return Ok(Done { pool, timeline, window: None }) };
            slices.whole(go_ns)
        };
        if measured {
            self.outcome.common.started_ns = (wall_ns() + window.measure_ns).saturating_sub(monotonic_ns());
            let (warmup_ns, measure_ns) = (window.measure_ns - window.begin_ns, window.end_ns - window.measure_ns);
            self.control.board.run(window.begin_ns, warmup_ns, measure_ns);
        }
        pool.run(window, GRACE, &mut timeline, &mut Teller { control: &self.control, expected });
        self.keep_messages(&pool);
        Ok(Done { pool, timeline, window: Some(window) })
    }

    fn keep_messages(&mut self, pool: &WorkerPool<Exchange>) {
        for report in pool.found() {
            for (cause, message) in CAUSES.iter().zip(&report.messages) {
                if let Some(message) = message {
                    self.outcome.messages.entry((*cause).to_owned()).or_insert_with(|| message.clone());
                }
            }
        }
    }

    fn sum_up(&mut self, pool: &WorkerPool<Exchange>, timeline: &mut Timeline<Batch>, window: &Window) {
        let reports = pool.reports();
        sum_up(&mut self.outcome.common, timeline, window, &reports, self.spec.rate().is_some());
        let untold = self.control.board.untold_histograms();
        self.outcome.common.interval_histograms.splice(0..0, untold);
        timeline.total().sum_up(&mut self.outcome);
        let absent: Vec<_> = pool.found().map(|report| report.absent.clone()).collect();
        let end_ns = reports.iter().flatten().map(|report| report.end_ns).max().unwrap_or(window.end_ns);
        self.outcome.outages = outages(&absent, self.spec.clients, window, end_ns);
        self.added = pool.found().map(|report| report.added).sum();
        if self.spec.measure() == Measure::Load && self.spec.data != Data::Keep {
            self.outcome.loaded_records = Some(self.outcome.completed);
        }
    }
}

/// The same times from `begin_ns` on.
fn moved(window: Window, begin_ns: u64) -> Window {
    let by = begin_ns - window.begin_ns;
    Window { begin_ns, measure_ns: window.measure_ns + by, end_ns: window.end_ns + by, ..window }
}

/// What the server tells of itself, if it can be asked.
fn numbers<D: Driver>(driver: &D) -> BTreeMap<String, u64> {
    let told = driver.counters().unwrap_or_default();
    told.into_iter().map(|(name, number)| (name.to_owned(), number)).collect()
}

fn nothing_yet(clients: u32) -> DbOutcome {
    DbOutcome {
        common: Outcome::nothing_yet(),
        whole: Vec::new(),
        completed: 0,
        errors: BTreeMap::new(),
        messages: BTreeMap::new(),
        not_found: BTreeMap::new(),
        rows: BTreeMap::new(),
        retries: 0,
        reconnects: 0,
        failed_reconnects: 0,
        outages: Vec::new(),
        kept: None,
        counters: Counters::default(),
        clients,
        threads: 0,
        loaded_records: None,
        server: BTreeMap::new(),
    }
}
