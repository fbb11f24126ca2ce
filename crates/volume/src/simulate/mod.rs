//! Virtual time: what a volume does under a workload, without waiting for it.
//!
//! One loop over operations in the order in which they arrive. A simulated day of 16,000 operations per second is 1.4
//! billion turns of it, so the loop allocates nothing, and everything random in it is a few instructions.

mod pending;
mod schedule;
mod series;
mod streamed;
mod workload;

pub use schedule::Schedule;
pub use series::{Interval, Series};
pub use streamed::{Facts, Streamed};
pub use workload::{Pattern, Workload};

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::VolumeError;
use crate::model::Volume;
use crate::model::layer::{Io, OpKind, Outcome};
use crate::spec::VolumeSpec;
use crate::stats::{Counters, Statistics};
use pending::{Pending, Waiting};

/// Operations to simulate, in the order of their intended times.
pub trait Source {
    /// The next operation and when it is meant to start; 0 means as soon as a slot of the queue is free.
    fn next(&mut self) -> Option<(u64, Io)>;
}

/// What a simulation found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Simulation {
    /// Virtual time simulated.
    pub duration_ns: u64,
    /// One entry per interval, and the distributions over all of them.
    pub series: Series,
    /// The statistics page at the end.
    pub statistics: Statistics,
    /// What became of a recorded load; a made one has no end of its own.
    pub replay: Option<Replayed>,
}

/// A recorded load after its replay.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Replayed {
    /// Operations in the record.
    pub operations: u64,
    /// When its last operation is due; 0 if nothing has a time.
    pub recorded_ns: u64,
    /// Due within the simulated time.
    pub due: u64,
    /// Of those that were due, not done at its end.
    pub left: u64,
    /// When the last of those that were done ended.
    pub last_done_ns: u64,
}

/// Runs `workload` on the volume of `spec`; the same seeds give the same result to the last bit.
pub fn simulate(spec: &VolumeSpec, workload: &Workload) -> Result<Simulation, VolumeError> {
    let device_bytes = spec.device_bytes();
    workload.validate(device_bytes)?;
    let mut source = workload.source(device_bytes);
    let limits = Limits { depth: workload.depth, duration_ns: workload.duration_ns, interval_ns: workload.interval_ns };
    simulate_source(spec, &mut source, limits)
}

/// What [`simulate_json`] is asked for: one volume under one load.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The volume.
    pub volume: VolumeSpec,
    /// A made load, or
    #[serde(default)]
    pub workload: Option<Workload>,
    /// a recorded one, or
    #[serde(default)]
    pub trace: Option<Replay>,
    /// sums over stretches of time.
    #[serde(default)]
    pub schedule: Option<Schedule>,
}

/// A recorded load and how to replay it; see [`simulate_trace`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    /// A trace of any format that `crates/logs` reads.
    pub path: PathBuf,
    /// Most operations in flight.
    pub depth: u32,
    /// Absent: until a second after the last operation was due.
    #[serde(default)]
    pub duration_ns: Option<u64>,
    /// Length of an interval of the series.
    #[serde(default = "workload::second")]
    pub interval_ns: u64,
}

/// The same with request and result as JSON.
pub fn simulate_json(request_json: &str) -> Result<String, VolumeError> {
    let request: Request = serde_json::from_str(request_json)?;
    request.volume.validate()?;
    let found = match (&request.workload, &request.trace, &request.schedule) {
        (Some(workload), None, None) => simulate(&request.volume, workload)?,
        (None, Some(replay), None) => {
            simulate_trace(&request.volume, &replay.path, replay.depth, replay.duration_ns, replay.interval_ns)?
        }
        (None, None, Some(schedule)) => simulate_schedule(&request.volume, schedule)?,
        _ => return Err(VolumeError::spec("a simulation needs one of a workload, a trace and a schedule")),
    };
    Ok(serde_json::to_string(&found)?)
}

/// Replays the trace at `path` with at most `depth` operations in flight, until a second after the last one was due; a
/// trace without times runs until `duration_ns`.
pub fn simulate_trace(
    spec: &VolumeSpec,
    path: &Path,
    depth: u32,
    duration_ns: Option<u64>,
    interval_ns: u64,
) -> Result<Simulation, VolumeError> {
    if depth == 0 || interval_ns == 0 {
        return Err(VolumeError::spec("depth and interval_ns of a replay are at least 1"));
    }
    let device_bytes = spec.device_bytes();
    let facts = Streamed::facts(path, device_bytes, duration_ns)?;
    let mut trace = Streamed::open(path, facts.end_ns > 0)?;
    let limits = Limits { depth, duration_ns: until(duration_ns, facts.end_ns)?, interval_ns };
    let found = replayed(spec, &mut trace, limits, facts)?;
    trace.take_fault().map_or(Ok(found), Err)
}

/// How long to simulate a record that ends at `end_ns`.
fn until(duration_ns: Option<u64>, end_ns: u64) -> Result<u64, VolumeError> {
    match (duration_ns, end_ns) {
        (Some(duration_ns), _) => Ok(duration_ns),
        (None, 0) => Err(VolumeError::spec("the trace has no times; say how long to simulate it (--duration 10s)")),
        (None, end_ns) => Ok(end_ns + 1_000_000_000),
    }
}

fn replayed<S: Source>(
    spec: &VolumeSpec,
    source: &mut S,
    limits: Limits,
    facts: Facts,
) -> Result<Simulation, VolumeError> {
    let run = Run::new(spec, limits.interval_ns, limits.depth)?.over(source, limits);
    let Facts { operations, end_ns, due } = facts;
    let left = due.saturating_sub(run.ended);
    let replay = Replayed { operations, recorded_ns: end_ns, due, left, last_done_ns: run.last_done_ns };
    Ok(Simulation { replay: Some(replay), ..run.finish(limits.duration_ns) })
}

/// What follows the last stretch of a schedule, so that its last operations can end.
const TAIL_NS: u64 = 1_000_000_000;

/// Runs the stretches of `schedule`, and one second more without operations.
pub fn simulate_schedule(spec: &VolumeSpec, schedule: &Schedule) -> Result<Simulation, VolumeError> {
    let device_bytes = spec.device_bytes();
    schedule.validate(device_bytes)?;
    let duration_ns = schedule.end_ns() + TAIL_NS;
    let limits = Limits { depth: schedule.depth, duration_ns, interval_ns: schedule.interval_ns };
    let run = Run { from_issue: schedule.from_issue, ..Run::new(spec, schedule.interval_ns, schedule.depth)? };
    let run = run.over(&mut schedule.source(device_bytes), limits);
    let due = schedule.operations();
    let replay = Replayed {
        operations: due,
        recorded_ns: schedule.end_ns(),
        due,
        left: due - run.ended,
        last_done_ns: run.last_done_ns,
    };
    Ok(Simulation { replay: Some(replay), ..run.finish(duration_ns) })
}

/// Bounds of a simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Most operations in flight; an operation that is due while all slots are taken waits, and its latency counts from
    /// when it was due.
    pub depth: u32,
    /// End of the simulation.
    pub duration_ns: u64,
    /// Length of an interval of the series.
    pub interval_ns: u64,
}

/// Runs the operations of `source`, such as a recorded trace.
pub fn simulate_source<S: Source>(
    spec: &VolumeSpec,
    source: &mut S,
    limits: Limits,
) -> Result<Simulation, VolumeError> {
    let run = Run::new(spec, limits.interval_ns, limits.depth)?;
    Ok(run.over(source, limits).finish(limits.duration_ns))
}

struct Run {
    volume: Volume,
    pending: Pending,
    series: Series,
    counters: Counters,
    ended: u64,
    last_done_ns: u64,
    /// Latency counts from when operations go to the volume, not from when they are due.
    from_issue: bool,
}

impl Run {
    fn new(spec: &VolumeSpec, interval_ns: u64, depth: u32) -> Result<Self, VolumeError> {
        Ok(Self {
            volume: Volume::new(spec, None, 0)?,
            pending: Pending::new(depth as usize),
            series: Series::new(interval_ns),
            counters: Counters::default(),
            ended: 0,
            last_done_ns: 0,
            from_issue: false,
        })
    }

    /// Everything that `source` has until the time is over.
    fn over<S: Source>(mut self, source: &mut S, limits: Limits) -> Self {
        let mut now_ns = 0;
        while let Some((intended_ns, io)) = source.next() {
            let mut at_ns = intended_ns.max(now_ns);
            if self.pending.is_full() {
                if self.pending.earliest_ns() > limits.duration_ns {
                    break;
                }
                at_ns = at_ns.max(self.complete_earliest());
            }
            while self.pending.earliest_ns() <= at_ns {
                self.complete_earliest();
            }
            if at_ns >= limits.duration_ns {
                break;
            }
            self.start(&io, at_ns, if intended_ns == 0 || self.from_issue { at_ns } else { intended_ns });
            now_ns = at_ns;
        }
        while self.pending.earliest_ns() <= limits.duration_ns {
            self.complete_earliest();
        }
        self
    }

    #[inline]
    fn start(&mut self, io: &Io, at_ns: u64, since_ns: u64) {
        let completion = self.volume.submit(io, at_ns);
        let failed = completion.outcome != Outcome::Done;
        let bytes = if failed { 0 } else { io.bytes };
        self.pending.push(Waiting { deadline_ns: completion.deadline_ns, since_ns, bytes, kind: io.kind, failed });
    }

    /// Takes the operation that ends first out of the queue and counts it; returns when that was.
    #[inline]
    fn complete_earliest(&mut self) -> u64 {
        let done = self.pending.pop();
        self.ended += 1;
        self.last_done_ns = done.deadline_ns;
        while done.deadline_ns >= self.series.interval_end_ns() {
            self.close_interval();
        }
        if done.failed {
            self.counters.errors += 1;
        } else {
            let latency_ns = done.deadline_ns - done.since_ns;
            self.counters.record(done.kind, done.bytes, latency_ns);
            self.series.record(done.kind == OpKind::Read, done.bytes, latency_ns);
        }
        done.deadline_ns
    }

    #[cold]
    fn close_interval(&mut self) {
        let report = self.volume.report(self.series.interval_end_ns());
        self.series.close(&report);
    }

    fn finish(mut self, duration_ns: u64) -> Simulation {
        while self.series.interval_end_ns() <= duration_ns {
            self.close_interval();
        }
        let report = self.volume.report(duration_ns);
        let statistics = Statistics::new(&self.counters, report, self.pending.len() as u64);
        Simulation { duration_ns, series: self.series, statistics, replay: None }
    }
}
