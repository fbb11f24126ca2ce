//! What a job found: the records that Python receives as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::clock::{Clock, wall_ns};

/// Everything one job measured. Maps are keyed by operation kind: `read`, `write`, `trim`, `sync`
/// (one `fsync` or `fdatasync`) and `commit` (first write of a group to the end of its sync).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    pub status: Status,
    pub error: Option<Failure>,
    /// Number of the first error that was counted, and did not end the job.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_errno: Option<i32>,
    /// Writes that found no room, where that ends a job well; they are no errors.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub without_room: u64,
    /// Since when, from the begin of a recorded load, every operation was issued more than a millisecond late.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_since_ns: Option<u64>,
    /// Operations of a recorded load that were issued so late.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late: u64,
    /// Those of them that were so while, or after, as many were in flight as there may be.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub late_by_depth: u64,
    /// Operations of a recorded load that were not issued before the time was over.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unissued: u64,
    /// Wall clock at the start of the measured part, ns since 1970.
    pub started_ns: u64,
    /// Length of the measured part, which rates are divided by ([`Window::measured_ns`](crate::window::Window::measured_ns));
    /// with slices of all their parts that count.
    pub elapsed_ns: u64,
    pub phases: Phases,
    pub operations: BTreeMap<String, OperationTotals>,
    /// What was done in those parts of the slices that do not count; without slices what came back in the measured part and
    /// was started before.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub discarded: BTreeMap<String, Moved>,
    /// HdrHistogram V2 (deflate) in base64, nanoseconds. In open loop the plain kind holds response times from the
    /// intended start and `read_service`, `write_service`, … hold the time from the real start.
    pub histograms: BTreeMap<String, String>,
    /// Exact sums of the latencies that those of second views hold, such as `read_service`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_sums_ns: BTreeMap<String, u64>,
    pub intervals: Vec<Interval>,
    /// For each interval that no [`Progress`] has told yet the histograms of its operation kinds, only when asked for or
    /// with slices.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interval_histograms: Vec<BTreeMap<String, String>>,
    /// Operations that no [`Progress`] has told yet, only when asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Traced>,
    pub cpu: CpuUse,
    /// Time-weighted mean number of operations in flight, all threads.
    pub mean_in_flight: f64,
    /// Operations that the schedule asked for in the measured time (open loop only).
    pub offered_operations: Option<u64>,
    pub verified: Option<Verified>,
    /// `tsc` or `monotonic`.
    pub clock: String,
}

impl Outcome {
    /// Of a job that failed before it had found anything.
    pub fn failed(failure: Failure) -> Self {
        Self { status: Status::Failed, error: Some(failure), ..Self::nothing_yet() }
    }

    /// Of a job that has not measured anything.
    pub fn nothing_yet() -> Self {
        Self {
            status: Status::Ok,
            error: None,
            first_errno: None,
            without_room: 0,
            late_since_ns: None,
            late: 0,
            late_by_depth: 0,
            unissued: 0,
            started_ns: wall_ns(),
            elapsed_ns: 0,
            phases: Phases::default(),
            operations: BTreeMap::new(),
            discarded: BTreeMap::new(),
            histograms: BTreeMap::new(),
            latency_sums_ns: BTreeMap::new(),
            intervals: Vec::new(),
            interval_histograms: Vec::new(),
            trace: Vec::new(),
            cpu: CpuUse::default(),
            mean_in_flight: 0.0,
            offered_operations: None,
            verified: None,
            clock: Clock::new().name().to_owned(),
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One operation: kind, start since the start of the measured part, and latency, both in ns, first byte, bytes, the ns
/// until the kernel had it (0 where that is not measured), and its I/O priority as the kernel's number (0 where it has
/// that of its thread). With `fsync` or `fdatasync` the latency of a write includes its sync.
pub type Traced = (String, u64, u64, u64, u64, u64, u16);

/// How a job ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    /// Stopped from outside; what was measured until then is in the outcome.
    Stopped,
    Failed,
}

/// Why a job failed: one sentence, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// `spec`, `open`, `layout`, `io`, `verify` or `engine`.
    pub kind: String,
    pub message: String,
    pub errno: Option<i32>,
    pub operation: Option<String>,
    pub offset: Option<u64>,
}

/// Wall time of each part of a job.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phases {
    pub layout_ns: u64,
    pub layout_bytes: u64,
    pub warmup_ns: u64,
    pub measure_ns: u64,
    pub verify_ns: u64,
}

/// Counts of one operation kind over the measured part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OperationTotals {
    pub operations: u64,
    pub bytes: u64,
    pub errors: u64,
    /// Exact sum of latencies, for the mean and Little's law.
    pub latency_sum_ns: u64,
}

/// What operations of one kind have moved.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moved {
    pub operations: u64,
    pub bytes: u64,
}

/// One interval (about a second) of the measured part, the last one until all is back, with all that came back in it: what
/// counts, and what is [`Outcome::discarded`]. Of a job with slices the part of one slice that counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Since the start of the measured part; with slices since the moment that the job was told to go.
    pub start_ns: u64,
    pub duration_ns: u64,
    /// From the end of the slice until all that it had issued was back, of the slowest thread; only with slices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drain_ns: Option<u64>,
    pub errors: u64,
    pub operations: BTreeMap<String, IntervalOperations>,
}

/// One operation kind in one interval.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntervalOperations {
    pub operations: u64,
    pub bytes: u64,
    pub p50_ns: u64,
    pub p99_ns: u64,
    pub max_ns: u64,
}

/// CPU time of the job's own threads over the measured part.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct CpuUse {
    pub user_ns: u64,
    pub system_ns: u64,
    /// Busiest single thread, share of the measured time, 0…1.
    pub busiest_thread: f64,
    /// All threads together, share of the processors that the process may use, 0…1.
    #[serde(default)]
    pub all_processors: f64,
    #[serde(default)]
    pub context_switches: u64,
    #[serde(default)]
    pub major_faults: u64,
    #[serde(default)]
    pub minor_faults: u64,
}

/// Result of the read-back pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verified {
    pub blocks: u64,
    pub bad_blocks: u64,
    pub first_bad_offset: Option<u64>,
}

/// What a running job tells while it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Progress {
    /// One of [`phase`], or a name that the job's own kind gives.
    pub phase: String,
    /// Since the start of the phase.
    pub elapsed_ns: u64,
    /// Share of the phase that is done, 0…1.
    pub done: f64,
    /// The last complete interval, absent before the first one.
    pub interval: Option<Interval>,
    /// Operations since the last question, only when asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub trace: Vec<Traced>,
    /// Histograms by operation kind of each interval since the last question, only when asked for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub interval_histograms: Vec<BTreeMap<String, String>>,
    /// Everything measured until the end of the last complete interval, only when asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub so_far: Option<SoFar>,
}

/// What an [`Outcome`] would say had the job ended with its last complete interval.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SoFar {
    pub elapsed_ns: u64,
    pub operations: BTreeMap<String, OperationTotals>,
    pub histograms: BTreeMap<String, String>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub latency_sums_ns: BTreeMap<String, u64>,
    pub cpu: CpuUse,
    pub mean_in_flight: f64,
}

/// Names of the parts of a job, in order. File-system tests name theirs after what they measure.
pub mod phase {
    pub const LAYOUT: &str = "layout";
    /// Set up, and waits to be told to go; only a job with slices does.
    pub const READY: &str = "ready";
    pub const WARMUP: &str = "warmup";
    pub const MEASURE: &str = "measure";
    pub const VERIFY: &str = "verify";
    pub const FINISHED: &str = "finished";
}
