//! What a file-system job is asked to do: the record that Python sends as JSON.
//!
//! Base units only (bytes, nanoseconds, operations); nothing is optional that changes what is measured. The classic value
//! of each parameter is in the documentation of its workload and is filled in by Python.

use serde::{Deserialize, Serialize};

pub use crate::workloads::Parameters;

/// One file-system job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FilesSpec {
    /// An existing folder. Everything happens in a new folder below it, which is removed at the end.
    pub directory: String,
    /// Kind of the workload (`kind`) and its own parameters.
    pub workload: Parameters,
    pub durable: Durable,
    pub cold: Cold,
    pub seed: u64,
    /// Workers that do the same at the same time: threads, processes or clients of the original.
    pub threads: u32,
    pub limit: Limit,
    /// Length of one interval of the time series.
    pub interval_ns: u64,
}

/// What happens to written data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durable {
    /// No sync call at all: the page cache.
    None,
    /// What the original does, where it does it.
    Original,
    /// What the original does, and one `syncfs` before the clock of a writing phase stops.
    Timed,
}

/// What happens to the page cache before a phase that reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cold {
    /// Nothing.
    No,
    /// The job's files are written back and dropped from the page cache.
    Files,
    /// All clean pages, directory entries and inodes of the machine are dropped; without the right to, like `Files`.
    System,
}

/// A job that reaches a limit fails: part of a classic test has no score.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    /// From the start of the job to its last phase.
    pub runtime_ns: u64,
    /// The most that may lie on disk at once; a job that needs more is refused.
    pub disk_bytes: Option<u64>,
}
