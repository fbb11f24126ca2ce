//! What a database job found: the records that Python receives as JSON.

use std::collections::BTreeMap;

use plimsoll_core::outcome::Outcome;
use serde::{Deserialize, Serialize};

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
    pub clients: u32,
    pub threads: u32,
    /// Records loaded by this job before the measured part; absent when there were fitting ones.
    pub loaded_records: Option<u64>,
    /// Version, durability and memory settings of the server, asked after connecting.
    pub server: BTreeMap<String, String>,
}

/// One driver as Python sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DriverRow {
    pub name: String,
    pub description: String,
    /// An example.
    pub url: String,
    /// Kinds of workload it can run: `ycsb`, `tpcb`, `web`.
    pub workloads: Vec<String>,
    /// It has a process of its own, here or elsewhere.
    pub server: bool,
    pub tls: bool,
}
