//! What a file-system job found: the records that Python receives as JSON.

use std::collections::BTreeMap;

use plimsoll_core::outcome::{CpuUse, OperationTotals, Outcome};
use serde::{Deserialize, Serialize};

/// Everything one job measured. The common fields are those of every job, summed over the measured phases; intervals
/// start anew with each phase. What is measured phase by phase is in `results`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FilesOutcome {
    #[serde(flatten)]
    pub common: Outcome,
    /// The phases that were finished, in order.
    pub results: Vec<PhaseResult>,
}

/// One measured phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PhaseResult {
    pub name: String,
    /// Since the start of the measured part.
    pub start_ns: u64,
    /// The interval that the original times.
    pub elapsed_ns: u64,
    /// What the original counts: files, transactions, blocks, statements, …
    pub operations: u64,
    /// What the original divides by the time; may differ from the bytes in `kinds`.
    pub bytes: u64,
    /// The first one is the original's own, by its formula and in its unit.
    pub scores: Vec<Score>,
    /// Every call of the phase, by kind.
    pub kinds: BTreeMap<String, OperationTotals>,
    /// HdrHistogram V2 (deflate) in base64, nanoseconds, by kind.
    pub histograms: BTreeMap<String, String>,
    pub cpu: CpuUse,
    /// Caches dropped before the phase: `no`, `files` or `system`.
    pub cold: String,
    /// Parts of a phase that are told apart: trees of compilebench, blocks of zcav.
    pub points: Vec<Point>,
}

/// One number of a phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Score {
    pub name: String,
    pub value: f64,
    /// As the original has it: `MB/s` is 10⁶ bytes, `MiB/s` 2²⁰, whatever the original prints.
    pub unit: String,
    pub better: Better,
}

/// Direction of a score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    Higher,
    Lower,
}

/// One part of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Point {
    /// Where it begins: an offset in bytes, or a running number.
    pub position: u64,
    pub bytes: u64,
    pub elapsed_ns: u64,
}

/// What a job would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// Measured phases in order.
    pub phases: Vec<PhasePlan>,
    /// The most that lies on disk at once, file contents only.
    pub disk_bytes: u64,
    /// Written and read by calls, in all phases and the preparation; 0 where time decides.
    pub written_bytes: u64,
    pub read_bytes: u64,
    /// The most files at once.
    pub files: u64,
    /// Buffers and lists, without the fixed 16 MiB of the counters.
    pub memory_bytes: u64,
}

/// One measured phase before it runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhasePlan {
    pub name: String,
    /// It writes: with `Durable::Timed`, a `syncfs` belongs to it.
    pub writes: bool,
    /// It reads what is there: with `Cold`, caches are dropped before it.
    pub reads: bool,
    /// Its end.
    pub expected: Expected,
}

/// What decides about the end of a phase; for the share that is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// About so many calls.
    Calls(u64),
    /// So many bytes read or written.
    Bytes(u64),
    /// So much time.
    Nanoseconds(u64),
}
