//! What a workload is: parameters that can be checked and planned, and phases that are carried out.

use crate::common::Common;
use crate::fault::Result;
use crate::outcome::{Better, PhasePlan, Plan, Point, Score};
use crate::phase::Phase;

/// The parameters of one kind of workload.
pub trait Definition {
    /// Refuses what makes no sense on any file system although each value is within its bounds; each message says what to
    /// change.
    fn validate(&self, _common: &Common) -> Result<()> {
        Ok(())
    }

    /// What it would do.
    fn plan(&self, common: &Common) -> Plan;

    /// Ready to run.
    fn begin(&self, common: &Common) -> Box<dyn Workload>;
}

/// One workload that runs. Its files are removed by the job, whatever happens.
pub trait Workload: Send {
    /// What has to be there before the first phase; not timed, not counted.
    fn prepare(&mut self, _phase: &Phase<'_>) -> Result<()> {
        Ok(())
    }

    /// Comes back when a phase may begin, which may be long after the one before it; not timed, not counted.
    fn await_start(&mut self, _planned: &PhasePlan, _phase: &Phase<'_>) -> Result<()> {
        Ok(())
    }

    /// Carries out one phase of the plan and says what the original would say about it.
    fn measure(&mut self, planned: &PhasePlan, phase: &Phase<'_>) -> Result<Measure>;
}

/// What the original would say about a phase.
#[derive(Debug, Clone, PartialEq)]
pub struct Measure {
    /// The interval that the original times.
    pub elapsed_ns: u64,
    /// What the original counts.
    pub operations: u64,
    /// What the original divides by the time.
    pub bytes: u64,
    /// The original's own score first.
    pub scores: Vec<Score>,
    /// Parts of the phase.
    pub points: Vec<Point>,
}

/// A score where more is better.
pub fn higher(name: &str, value: f64, unit: &str) -> Score {
    Score { name: name.to_owned(), value, unit: unit.to_owned(), better: Better::Higher }
}

/// A score where less is better.
pub fn lower(name: &str, value: f64, unit: &str) -> Score {
    Score { name: name.to_owned(), value, unit: unit.to_owned(), better: Better::Lower }
}

/// So many per second.
pub fn per_second(count: u64, elapsed_ns: u64) -> f64 {
    count as f64 * 1e9 / elapsed_ns.max(1) as f64
}

/// Bytes in 2²⁰ per second.
pub fn mib_per_second(bytes: u64, elapsed_ns: u64) -> f64 {
    per_second(bytes, elapsed_ns) / f64::from(1 << 20)
}

/// Nanoseconds as seconds.
pub fn seconds(elapsed_ns: u64) -> f64 {
    elapsed_ns as f64 / 1e9
}
