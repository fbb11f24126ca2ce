//! What a database job found: the records that Python receives as JSON.

use std::collections::BTreeMap;

use plimsoll_core::outcome::Outcome;
use serde::{Deserialize, Serialize};

use crate::caps::Caps;

/// Everything one job measured. The common fields are those of every job, with these meanings:
/// `operations`, `histograms` and `intervals` are keyed by the kinds of the workload (see [`crate::spec::Workload`]);
/// `operations.….bytes` are payload bytes read or written (field values, page bodies), without protocol;
/// `phases.layout_ns` is connecting and preparing the data, `phases.layout_bytes` payload loaded;
/// `verified` counts checked field values (`data_integrity`), without an offset;
/// `mean_in_flight` is the time-weighted mean number of whole operations in progress; `cpu` is of the client's threads;
/// `error` of a stopped job says which server it was waiting for, if any;
/// `error.kind` is `spec`, `connect`, `schema`, `load`, `operation` or `driver`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DbOutcome {
    #[serde(flatten)]
    pub common: Outcome,
    /// Kinds whose counts sum to what the clients completed; all other kinds are parts of these.
    pub whole: Vec<String>,
    /// Whole operations that ended well in the measured part.
    pub completed: u64,
    /// Failed operations by kind of operation and kind of error: `closed`, `timeout`, `deadlock`, `serialization`,
    /// `constraint`, `disk_full`, `read_only`, `protocol`, `status` (HTTP 400 and above) or `server` (all others).
    pub errors: BTreeMap<String, BTreeMap<String, u64>>,
    /// First message of each kind of error.
    pub messages: BTreeMap<String, String>,
    /// Reads and updates that found no such record, by kind of operation. They count as operations.
    pub not_found: BTreeMap<String, u64>,
    /// Rows that came back, by kind of operation.
    pub rows: BTreeMap<String, u64>,
    /// Transactions tried again after a deadlock or serialization failure.
    pub retries: u64,
    /// Connections opened anew, and attempts to that failed.
    pub reconnects: u64,
    pub failed_reconnects: u64,
    /// When the server served nobody because it was away, in the order of time.
    pub outages: Vec<Outage>,
    /// With `fault` `expected`: what was acknowledged, and what of it was there after the run; absent where rows of earlier
    /// inserts are kept, which the same keys would meet.
    pub kept: Option<Kept>,
    /// Numbers that the server keeps of itself, before warm-up and run and after it; empty where it tells none.
    pub counters: Counters,
    pub clients: u32,
    pub threads: u32,
    /// Records loaded by this job before the measured part; absent when there were fitting ones.
    pub loaded_records: Option<u64>,
    /// Version, durability and memory settings of the server, asked after connecting.
    pub server: BTreeMap<String, String>,
}

/// A time in which the server completed no operation, and either no client had a connection or none could be opened.
/// Neither an answer that came too late nor a single connection that was opened anew at once is one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Since the measured part began; negative in the warm-up.
    pub start_ns: i64,
    /// From the last sign of life to the next completed operation, or to the end of the run.
    pub duration_ns: u64,
    /// An operation was completed again.
    pub back: bool,
}

/// Rows that acknowledged writes have put into the workload's table (YCSB: records; TPC-B: lines of its history).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    /// There before the load.
    pub before: u64,
    /// Added by inserts or transactions that were acknowledged, warm-up included.
    pub acknowledged: u64,
    /// There after it; absent when the server did not answer any more.
    pub after: Option<u64>,
}

/// The same numbers at two moments. `cache_hits` and `cache_misses` are pages asked of the server's cache, `checkpoints`,
/// `background_saves` and `compactions` those that were begun, `evicted_keys` what was given up for want of memory; all since the server
/// started. `data_bytes` is the size of the workload's tables with their indexes, `cache_bytes` that of the cache.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    pub before: BTreeMap<String, u64>,
    pub after: BTreeMap<String, u64>,
}

/// What a load of ours has made in a database.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Made {
    /// Of the table; of Redis the key of the index.
    pub name: String,
    /// Rows, or records.
    pub records: u64,
    /// With its indexes; absent where the database does not tell.
    pub bytes: Option<u64>,
}

/// One driver as Python sees it.
#[derive(Debug, Clone, Serialize)]
pub struct DriverRow {
    #[serde(flatten)]
    pub caps: &'static Caps,
    /// Why this machine cannot use it; absent where it can.
    pub reason: Option<String>,
}
