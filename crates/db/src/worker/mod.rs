//! The loop of one thread: choose, start, resume, count, for all of its clients.

mod completion;
mod end;
mod idle;
mod line;
mod slices;

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use plimsoll_core::clock::Clock;
use plimsoll_core::course::Course;
use plimsoll_core::cpu_time::Used;
use plimsoll_core::pace::Pace;
use plimsoll_core::pace::Rate;
use plimsoll_core::pool::{self, Outlet};
use plimsoll_core::slices::Slices;
use plimsoll_core::timers::{precise_timers, sleep_until};
use plimsoll_core::window::Window;

use self::idle::Idle;
use crate::client::Client;
use crate::driver::{Driver, Request, Session, State, Statement};
use crate::epoll::Watch;
use crate::fault::{CAUSES, JobError};
use crate::outage::{Absence, Stretch};
use crate::recorder::Batch;
use crate::setup::Setup;
use crate::workloads::Work;

/// A thread that waits looks at the stop flag at least this often.
const LONGEST_WAIT_NS: u64 = 20_000_000;
/// A sleeping thread wakes up this much before an intended start, and then watches the clock.
const WAKE_EARLY_NS: u64 = 20_000;

/// Whether anything is started at the moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    /// Not before the next slice.
    Rest,
    /// Never again.
    Finished,
}

/// What the threads hand to the one that leads them.
pub enum Exchange {}

impl pool::Exchange for Exchange {
    type Batch = Batch;
    type Note = Infallible;
    type Found = Report;
    type Error = JobError;
}

/// What a thread says when it has ended.
#[derive(Debug, Default)]
pub struct Report {
    /// As in every job.
    pub common: pool::Report,
    /// First message of each cause.
    pub messages: [Option<String>; CAUSES.len()],
    /// When it was stopped while requests were with the server: since when nothing had come back.
    pub silent_ns: u64,
    /// When none of its clients were served.
    pub absent: Vec<Stretch>,
    /// Rows that its acknowledged operations have added, warm-up included.
    pub added: u64,
    /// What ended the thread early.
    pub fault: Option<JobError>,
}

/// Everything a worker is made of.
pub struct Parts<D: Driver> {
    /// Opens connections.
    pub driver: Arc<D>,
    /// The request.
    pub setup: Arc<Setup>,
    /// How many there are in this phase; the request may ask for more.
    pub threads: u32,
    /// Chooses operations.
    pub work: Work,
    /// Its clients, connected.
    pub clients: Vec<Client<D::Session>>,
    /// Counts by name, for messages.
    pub names: &'static [&'static str],
    /// Measured operations of this thread.
    pub operations: u64,
    /// The schedule of the phase.
    pub rate: Option<Rate>,
    /// When the phase pauses.
    pub slices: Slices,
    /// The shared time line.
    pub clock: Clock,
    /// To the thread that leads the job.
    pub outlet: Outlet<Exchange>,
    /// To record into.
    pub batch: Box<Batch>,
}

/// The state of one thread.
pub struct Worker<D: Driver> {
    parts: Parts<D>,
    window: Window,
    watch: Option<Watch>,
    pace: Option<Pace>,
    /// Clients with a connection and nothing to do.
    idle: Idle,
    /// Clients without a connection, and when to try again.
    down: Vec<(u64, u32)>,
    /// Whole operations in progress.
    busy: u32,
    gate: Gate,
    /// Last time that `busy` was accounted for.
    accounted_ns: u64,
    /// The integral of the last interval when its time was up, if what is answered later is no part of it.
    in_flight_at_end: Option<u64>,
    /// Operations meant to start from here on count; never before the warm-up is over.
    counting_ns: u64,
    /// When something other than a reply has to be done.
    timer_ns: u64,
    interval: u64,
    operations_left: u64,
    /// The server last showed life.
    alive_ns: u64,
    absence: Absence,
    report: Report,
    /// What the thread had used when counting began.
    used_at_start: Option<Used>,
    /// Where it is in the slices of its job, if it has any.
    course: Option<Course>,
}

impl<D: Driver> Worker<D> {
    /// Ready to run in `window`, or in the slices of the job, which are counted from its beginning.
    pub fn new(mut parts: Parts<D>, window: Window) -> Self {
        let course = Course::new(&parts.slices, window.begin_ns);
        let window = course.as_ref().map_or(window, Course::window);
        if course.is_some() {
            // It may have waited for long, and nothing kept its clock right meanwhile.
            parts.clock = Clock::new();
        }
        let idle = Idle::all(parts.clients.len() as u32);
        Self {
            watch: None,
            pace: None,
            idle,
            down: Vec::new(),
            busy: 0,
            gate: if course.is_some() { Gate::Rest } else { Gate::Open },
            accounted_ns: 0,
            in_flight_at_end: None,
            counting_ns: u64::MAX,
            timer_ns: if course.is_some() { window.begin_ns } else { window.measure_ns },
            interval: 0,
            operations_left: u64::MAX,
            alive_ns: window.begin_ns,
            absence: Absence::new(),
            report: Report::default(),
            used_at_start: None,
            course,
            parts,
            window,
        }
    }

    /// Runs to the end of the window, a limit, a fault or a stop request.
    pub fn run(mut self) -> Report {
        precise_timers();
        match self.watch_all() {
            Ok(()) => {
                if self.course.is_none() {
                    sleep_until(self.window.begin_ns);
                }
                let (thread, threads, seed) =
                    (self.parts.outlet.thread, self.parts.threads, self.parts.setup.spec.seed);
                let begin_ns = self.window.begin_ns;
                self.pace = self.parts.rate.map(|rate| Pace::new(rate, begin_ns, thread, threads, 1, seed));
                self.work();
            }
            Err(error) => {
                self.report.fault = Some(JobError::driver(format!("cannot watch the connections: {error}")));
            }
        }
        self.finish()
    }

    fn watch_all(&mut self) -> std::io::Result<()> {
        if self.parts.clients.iter_mut().all(|client| client.session.as_mut().and_then(Session::descriptor).is_none())
            && !D::CAPS.server
        {
            return Ok(());
        }
        self.watch = Some(Watch::new(self.parts.clients.len().clamp(1, 256))?);
        (0..self.parts.clients.len()).try_for_each(|index| self.watch_client(index))
    }

    fn watch_client(&mut self, index: usize) -> std::io::Result<()> {
        let descriptor = self.parts.clients[index].session.as_mut().and_then(Session::descriptor);
        match (&self.watch, descriptor) {
            (Some(watch), Some(descriptor)) => watch.add(descriptor, index as u32),
            _ => Ok(()),
        }
    }

    fn work(&mut self) {
        let mut now = self.parts.clock.now_ns();
        loop {
            if now >= self.timer_ns {
                self.on_timer(now);
            }
            if self.parts.outlet.stop.load(Ordering::Relaxed) {
                return self.drain();
            }
            now = self.issue(now);
            if self.report.fault.is_some() || (self.gate != Gate::Open && self.busy == 0 && self.is_over(now)) {
                return;
            }
            now = self.wait(now);
        }
    }

    /// Starts what idle clients, schedule and limits allow.
    #[inline]
    fn issue(&mut self, mut now: u64) -> u64 {
        while self.gate == Gate::Open && now < self.timer_ns && !self.idle.is_empty() {
            let intended = match &self.pace {
                Some(pace) if pace.due_ns() > now => break,
                Some(pace) => pace.due_ns(),
                None => now,
            };
            if self.operations_left == 0 || self.parts.outlet.stop.load(Ordering::Relaxed) {
                if self.operations_left == 0 {
                    self.gate = Gate::Finished;
                }
                break;
            }
            let Some(index) = self.idle.pop() else { break };
            now = self.begin(index as usize, intended, now);
        }
        now
    }

    /// Begins a client's next operation.
    #[inline]
    fn begin(&mut self, index: usize, intended_ns: u64, now: u64) -> u64 {
        let client = &mut self.parts.clients[index];
        if !self.parts.work.draw(&mut client.operation) {
            // Nothing is left to offer either.
            (self.gate, self.operations_left) = (Gate::Finished, 0);
            self.idle.push(index as u32);
            return now;
        }
        if let Some(pace) = &mut self.pace {
            pace.advance(1);
            let in_slices = || self.course.as_ref().is_some_and(|course| course.counts(intended_ns));
            self.report.common.offered += u64::from(intended_ns >= self.window.measure_ns || in_slices());
        }
        client.counted = intended_ns >= self.counting_ns;
        self.operations_left -= u64::from(client.counted);
        (client.bytes, client.rows, client.missed, client.tries) = (0, 0, false, 1);
        client.intended_ns = intended_ns;
        self.account(now);
        self.busy += 1;
        self.send(index, true)
    }

    /// Starts the request of a client's step, and goes on as long as requests are done at once.
    #[inline]
    fn send(&mut self, index: usize, mut first: bool) -> u64 {
        loop {
            let client = &mut self.parts.clients[index];
            client.reply.begin();
            if client.reply.checker.is_some() {
                check_values(client, &mut self.parts.work);
            }
            let request = match client.failure {
                Some(_) => Request::Statement(Statement::Rollback, client.operation.numbers),
                None => self.parts.work.request(&client.operation),
            };
            let start = self.parts.clock.now_ns();
            client.step_ns = start;
            if first {
                client.started_ns = start;
                if self.pace.is_none() {
                    client.intended_ns = start;
                }
                first = false;
            }
            let Some(session) = &mut client.session else { return start };
            match session.start(&request, &mut client.reply) {
                Ok(State::Done) => {
                    let now = self.parts.clock.now_ns();
                    if !self.step_done(index, now) {
                        return now;
                    }
                }
                Ok(State::Waiting) => {
                    client.waiting = true;
                    if session.reopened()
                        && let Err(error) = self.watch_client(index)
                    {
                        self.report.fault = Some(JobError::driver(format!("cannot watch a connection: {error}")));
                    }
                    return start;
                }
                Err(fault) => {
                    let now = self.parts.clock.now_ns();
                    if !self.step_failed(index, fault, now) {
                        return now;
                    }
                }
            }
        }
    }

    /// Waits for replies and goes on with what they belong to.
    fn wait(&mut self, now: u64) -> u64 {
        let mut until = self.timer_ns.min(now + LONGEST_WAIT_NS);
        let mut early_ns = 0;
        if let Some(pace) = &self.pace
            && !self.idle.is_empty()
            && self.gate == Gate::Open
            && pace.due_ns() < until
        {
            (until, early_ns) = (pace.due_ns(), WAKE_EARLY_NS);
        }
        if !self.down.is_empty() && self.gate != Gate::Rest {
            let due = self.down.iter().map(|&(due, _)| due).min().unwrap_or(until);
            until = until.min(due);
        }
        let timeout = Duration::from_nanos(until.saturating_sub(now + early_ns));
        let ready = match &mut self.watch {
            Some(watch) => watch.wait(timeout),
            None => {
                if !timeout.is_zero() {
                    sleep_until(now + timeout.as_nanos() as u64);
                }
                0
            }
        };
        for event in 0..ready {
            let index = self.watch.as_ref().map_or(0, |watch| watch.token(event)) as usize;
            self.resume(index);
        }
        let now = self.parts.clock.now_ns();
        if self.down.is_empty() { now } else { self.reconnect(now) }
    }

    /// A client's descriptor is ready.
    #[inline]
    fn resume(&mut self, index: usize) {
        let client = &mut self.parts.clients[index];
        if !client.waiting {
            // The server closed an idle connection, or it was ready before it was needed: the next request finds out.
            return;
        }
        let Some(session) = &mut client.session else { return };
        let result = session.resume(&mut client.reply);
        if result == Ok(State::Waiting) {
            return;
        }
        client.waiting = false;
        let now = self.parts.clock.now_ns();
        let more = match result {
            Ok(_) => self.step_done(index, now),
            Err(fault) => self.step_failed(index, fault, now),
        };
        if more {
            self.send(index, false);
        } else {
            self.issue(now);
        }
    }
}

#[cold]
fn check_values<S>(client: &mut Client<S>, work: &mut Work) {
    if let Some(checker) = &mut client.reply.checker {
        match work.checked_key(&client.operation) {
            Some(key) => checker.expect(key),
            None => checker.rest(),
        }
    }
}

#[cfg(test)]
mod tests;
