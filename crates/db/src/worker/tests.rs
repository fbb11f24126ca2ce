//! What clients begin, and when, as a driver of the tests takes it down. Times of the clock are compared only where the
//! machine being late cannot change the answer.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::job::Control;
use plimsoll_core::outcome::{Outcome, phase};
use plimsoll_core::pool::{Observer, WorkerPool};
use plimsoll_core::summary::sum_up;
use plimsoll_core::timeline::Timeline;
use plimsoll_core::window::Window;

use crate::caps::Caps;
use crate::driver::{Driver, Reply, Request, Session, State};
use crate::fault::{Fault, JobError};
use crate::keyspace;
use crate::launch::Launch;
use crate::recorder::Batch;
use crate::setup::Setup;
use crate::spec::{AskedRate, DbSpec, RateUnit, Tpcb, Web, Workload};
use crate::worker::Exchange;
use crate::workloads::{Phase, Work};

const MS: u64 = 1_000_000;

/// Takes every request down, and answers it after a time, as a server does.
#[derive(Default)]
struct NotingDriver {
    latency_ns: u64,
    requests: Arc<Mutex<Vec<u64>>>,
    connections: AtomicU32,
}

impl Driver for NotingDriver {
    type Session = Noting;
    const CAPS: Caps = Caps { name: "noting", workloads: &["tpcb", "web"], ..Caps::EMBEDDED };

    fn new(_setup: Arc<Setup>) -> Result<Self, JobError> {
        Ok(Self::default())
    }

    fn connect(&self, _client: u32) -> Result<Noting, Fault> {
        self.connections.fetch_add(1, Ordering::Relaxed);
        // SAFETY: takes integers only; the descriptor is new and ours.
        let timer = unsafe { OwnedFd::from_raw_fd(libc::timerfd_create(libc::CLOCK_MONOTONIC, libc::TFD_NONBLOCK)) };
        Ok(Noting { timer, latency_ns: self.latency_ns, requests: Arc::clone(&self.requests) })
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        Ok(Vec::new())
    }
}

struct Noting {
    timer: OwnedFd,
    latency_ns: u64,
    requests: Arc<Mutex<Vec<u64>>>,
}

impl Session for Noting {
    fn start(&mut self, _request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        self.requests.lock().unwrap().push(monotonic_ns());
        reply.row();
        let zero = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        let once = libc::timespec { tv_nsec: self.latency_ns as libc::c_long, ..zero };
        let times = libc::itimerspec { it_interval: zero, it_value: once };
        // SAFETY: `times` lives through the call; the old value is not asked for.
        let set = unsafe { libc::timerfd_settime(self.timer.as_raw_fd(), 0, &times, std::ptr::null_mut()) };
        assert_eq!(set, 0, "{}", io::Error::last_os_error());
        Ok(State::Waiting)
    }

    fn resume(&mut self, _reply: &mut Reply) -> Result<State, Fault> {
        let mut expired = 0u64;
        // SAFETY: reads at most the eight bytes of `expired`.
        let read = unsafe { libc::read(self.timer.as_raw_fd(), (&raw mut expired).cast(), 8) };
        Ok(if read == 8 { State::Done } else { State::Waiting })
    }

    fn descriptor(&mut self) -> Option<RawFd> {
        Some(self.timer.as_raw_fd())
    }
}

struct Silent;

impl Observer<Exchange> for Silent {
    fn merged(&mut self, _timeline: &mut Timeline<Batch>) {}
}

/// What a job of one thread found, and when its driver was asked for something, counted from when it went.
struct Done {
    outcome: Outcome,
    requests: Vec<u64>,
    slices: Vec<(u64, u64)>,
}

/// `count` slices of `length_ms`, each after a rest of `rest_ms`.
fn turns(count: u64, length_ms: u64, rest_ms: u64) -> Vec<(u64, u64)> {
    (0..count).map(|number| ((rest_ms + number * (length_ms + rest_ms)) * MS, length_ms * MS)).collect()
}

/// Carries out a job of three clients whose requests take so long.
fn carry_out(latency_ns: u64, change: impl FnOnce(&mut DbSpec)) -> Done {
    let mut spec = DbSpec { clients: 3, warmup_ns: 0, workload: Workload::Web(Web::default()), ..DbSpec::default() };
    change(&mut spec);
    let control = Arc::new(Control::new(phase::LAYOUT));
    let driver = Arc::new(NotingDriver { latency_ns, ..NotingDriver::default() });
    let (slices, kinds) = (spec.slices(), Work::kinds(&spec, &Phase::Run));
    let setup = Arc::new(Setup::new(spec, NotingDriver::CAPS, Arc::clone(&control.stop)).unwrap());
    let launch = Launch {
        driver: Arc::clone(&driver),
        setup: Arc::clone(&setup),
        phase: Phase::Run,
        records: Arc::new(keyspace::Shared::new(0)),
        kinds,
        threads: 1,
        slices: slices.clone(),
    };
    let mut pool = WorkerPool::start(launch, 1, &control).unwrap();
    assert!(pool.ready().unwrap());
    let begin_ns = monotonic_ns() + 10 * MS;
    let window = if slices.is_none() {
        Window::new(begin_ns, setup.spec.warmup_ns, setup.spec.runtime_ns, 1000 * MS)
    } else {
        slices.whole(begin_ns)
    };
    let mut timeline = Timeline::new(1, window.interval_ns, || Batch::new(kinds)).in_slices(&slices);
    pool.run(window, Duration::from_secs(1), &mut timeline, &mut Silent);
    let mut outcome = Outcome::nothing_yet();
    sum_up(&mut outcome, &mut timeline, &window, &pool.reports(), setup.spec.rate().is_some());
    pool.into_found().unwrap();
    assert_eq!(driver.connections.load(Ordering::Relaxed), 3, "each client keeps its connection");
    let requests = driver.requests.lock().unwrap().iter().map(|at| at.saturating_sub(window.begin_ns)).collect();
    Done { outcome, requests, slices: setup.spec.slices.clone() }
}

#[test]
fn clients_begin_nothing_outside_of_slices_and_all_that_they_begin_counts_once() {
    let done = carry_out(300_000, |s| s.slices = turns(4, 80, 80));
    let rows: Vec<u64> = done.outcome.intervals.iter().map(|row| row.operations["get"].operations).collect();
    let mut begun = vec![0; rows.len()];
    for at in &done.requests {
        // A thread that the machine has kept from running between the clock and the call is late, but not by so much.
        let within = |&(start_ns, length_ns): &(u64, u64)| *at + MS >= start_ns && *at < start_ns + length_ns + 40 * MS;
        let slice = done.slices.iter().position(within);
        begun[slice.unwrap_or_else(|| panic!("{at} is in no slice"))] += 1;
    }
    assert_eq!(rows, begun);
    assert_eq!(done.outcome.operations["get"].operations, done.requests.len() as u64);
}

#[test]
fn a_transaction_under_way_is_finished_after_its_slice() {
    let change = |s: &mut DbSpec| (s.workload, s.slices) = (Workload::Tpcb(Tpcb::default()), turns(3, 25, 80));
    let done = carry_out(3 * MS, change);
    let transactions = done.outcome.operations["transaction"].operations;
    assert!(transactions > 0);
    assert_eq!(done.requests.len() as u64, 7 * transactions, "all of their statements, and no others");
    for row in &done.outcome.intervals {
        let end_ns = row.start_ns + row.duration_ns;
        let next_ns = end_ns + 80 * MS;
        let last_ns = done.requests.iter().filter(|&&at| at < next_ns).max().unwrap() + 3 * MS;
        // Less the difference between two clocks.
        assert!(row.drain_ns.unwrap() + MS >= last_ns.saturating_sub(end_ns), "{row:?} {last_ns}");
    }
}

#[test]
fn a_rest_makes_no_operation_of_an_open_loop_late() {
    let rate = Some(AskedRate { per_second: 1000.0, unit: RateUnit::Operations });
    for (latency_ns, slices) in [(10_000, turns(3, 100, 400)), (20 * MS, turns(3, 100, 50))] {
        let (count, discard_ns) = (slices.len() as u64, 10 * MS);
        let done = carry_out(latency_ns, |s| (s.slices, s.discard_ns, s.asked_rate) = (slices, discard_ns, rate));
        // One is due every millisecond of the part that counts, however late the machine or the server is.
        assert_eq!(done.outcome.offered_operations, Some(count * 90));
        let latest_ns = done.outcome.intervals.iter().map(|row| row.operations["get"].max_ns).max().unwrap();
        assert!(latest_ns < 400 * MS, "a rest was counted as lateness: {latest_ns}");
    }
}

#[test]
fn what_is_begun_in_the_discard_does_not_count() {
    let done = carry_out(200_000, |s| (s.slices, s.discard_ns) = (turns(3, 60, 40), 30 * MS));
    let counted = done.outcome.operations["get"].operations;
    assert!(counted > 0 && counted < done.requests.len() as u64, "{counted} of {}", done.requests.len());
    assert_eq!(done.outcome.elapsed_ns, 90 * MS);
}

#[test]
fn after_a_warm_up_a_slow_server_does_as_much_as_its_time_is_worth() {
    // Answers take 400 ms, so that each moment that matters is far from the next: three at a time are asked for at 0, 400,
    // 800, 1200.
    let slow = |s: &mut DbSpec| (s.warmup_ns, s.runtime_ns) = (600 * MS, 1000 * MS);
    let outcome = carry_out(400 * MS, slow).outcome;
    assert_eq!((outcome.operations["get"].operations, outcome.elapsed_ns), (6, 1000 * MS));
    // The rows have what came back: also the three that were in progress when the measured part began.
    let rows = outcome.intervals.iter().map(|row| row.operations["get"].operations);
    assert_eq!((rows.sum::<u64>(), outcome.discarded["get"].operations), (9, 3));
    assert!((2.9..3.01).contains(&outcome.mean_in_flight), "of the measured time: {}", outcome.mean_in_flight);
}
