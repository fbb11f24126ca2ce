//! What a database job is asked to do: the record that Python sends as JSON.
//!
//! Base units only (bytes, nanoseconds, operations); unknown fields are refused; nothing is optional that changes what is
//! measured, except where `null` has a meaning that is told. An example, workload A against Redis:
//!
//! ```json
//! {"driver": "redis", "url": "redis://127.0.0.1:6379/0", "password_env": null,
//!  "tls": {"mode": "off", "ca_file": null}, "clients": 8, "threads": null,
//!  "data": "reuse", "measure": "run",
//!  "workload": {"kind": "ycsb", "table": "usertable", "record_count": 20000, "insert_start": 0, "insert_count": null,
//!    "operation_count": null,
//!    "mix": {"read": 0.5, "update": 0.5, "insert": 0.0, "scan": 0.0, "read_modify_write": 0.0},
//!    "request": {"kind": "zipfian", "theta": 0.99}, "insert_order": "hashed", "zero_padding": 1,
//!    "field_count": 10, "field_length": 100, "min_field_length": 1, "field_length_distribution": "constant",
//!    "read_all_fields": true, "write_all_fields": false,
//!    "scan_length": {"min": 1, "max": 1000, "distribution": "uniform"}, "data_integrity": false},
//!  "limit": {"runtime_ns": 10000000000, "operations": null}, "warmup_ns": 0, "rate": null,
//!  "max_tries": 1, "count_errors": true, "timeout_ns": 30000000000, "give_up_ns": 30000000000,
//!  "settings": {}, "seed": 1, "interval_ns": 1000000000}
//! ```

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use plimsoll_core::pace::{Arrival, Rate, RateUnit};

/// One database job: connect, prepare the data, warm up, measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DbSpec {
    /// One of the driver list: `null`, `memory`, `sqlite`, `rocksdb`, `postgresql`, `mysql` (and MariaDB), `redis`,
    /// `http`.
    pub driver: String,
    /// Where it is, without a password (one in the URL is refused):
    /// `postgresql://user@host:5432/database`, `mysql://user@host:3306/database`, `redis://user@host:6379/0`,
    /// `http://host:80/path`; `?socket=/path` goes through a Unix socket (for PostgreSQL, of that folder).
    /// `sqlite:/path/of/file.db`, `rocksdb:/path/of/folder`. `null` and `memory` take `""`.
    pub url: String,
    /// Environment variable of this process that holds the password; `null`: no password. It is read once, when the job
    /// starts, and never shown.
    pub password_env: Option<String>,
    pub tls: Tls,
    /// Connections that work at the same time; each is one client.
    pub clients: u32,
    /// Threads that serve the clients. `null`: one per client for embedded databases, at most one per CPU for servers.
    pub threads: Option<u32>,
    pub data: Data,
    /// Data that may be dropped, emptied and loaded anew although they carry no mark of ours (see
    /// [`crate::ownership::identity`]): what the user has typed after `--destroy`.
    #[serde(default)]
    pub destroy: Vec<String>,
    pub measure: Measure,
    pub workload: Workload,
    pub limit: Limit,
    /// Load that runs before anything is counted.
    pub warmup_ns: u64,
    /// Absent: closed loop. Present: open loop over all clients, `unit` must be `operations`; the plain kinds then hold
    /// response times from the intended start and `…_service` the time from the real start.
    pub rate: Option<Rate>,
    /// How often an operation or transaction that ends in a deadlock or a serialization failure is tried, in all; 1: it
    /// counts as an error at once. The latency of a transaction runs from its first try; its statements are counted in
    /// every try.
    pub max_tries: u32,
    /// Go on after a failed operation and count it; otherwise the first one ends the job.
    pub count_errors: bool,
    /// An operation without an answer for so long is an error, and its connection is opened anew.
    pub timeout_ns: u64,
    /// When no connection could be opened for so long, the job fails. What was measured before stays in the outcome.
    pub give_up_ns: u64,
    /// Settings of each connection, by name: SQLite `PRAGMA`s (`journal_mode`, `synchronous`, `cache_size`, …);
    /// PostgreSQL and MySQL session variables (`synchronous_commit`, …). The others take none.
    pub settings: BTreeMap<String, String>,
    pub seed: u64,
    /// After the run, ask how many of the rows are there that were acknowledged.
    #[serde(default)]
    pub count_kept: bool,
    /// Length of one interval of the time series.
    pub interval_ns: u64,
    /// Tell the histograms of every interval as well: by the progress, and by the outcome those that it did not tell.
    #[serde(default)]
    pub interval_histograms: bool,
}

/// Encryption of connections to servers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tls {
    pub mode: TlsMode,
    /// PEM file of the authorities that are trusted in `verify`; `null`: those of the host.
    pub ca_file: Option<String>,
}

/// How far the other side is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    Off,
    /// Encrypted, whoever it is.
    Require,
    /// Encrypted, with a certificate of a trusted authority for the host's name.
    Verify,
}

/// What is done about the workload's data before measuring. Data "fit" when the table has the workload's shape and
/// exactly its number of records; records that inserts of an earlier run added are removed first (YCSB only). Tables
/// without our mark are used with `keep`, loaded by a load when they are empty, and otherwise left alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Data {
    /// Use what is there, whatever it is, and leave it as it is: nothing is vacuumed or emptied before. No table is an
    /// error.
    Keep,
    /// Make and load it; a table with rows in it is refused and left as it is.
    Create,
    /// Use it when it fits; make and load it when there is none; refuse anything else.
    Reuse,
    /// Drop it, make and load it.
    Recreate,
}

/// What the measured part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The load itself, as kind `insert` (YCSB only): with `data` `keep`, records are added to the table, which is made
    /// when there is none (to go on after a break or to load from several machines, with `insert_start` and
    /// `insert_count`); with `create` and `recreate` it starts from nothing; `reuse` is refused. `limit.operations` must
    /// be `null`; the load ends when all records are in. A rate is that of the inserts.
    Load,
    /// The workload.
    Run,
}

/// The first limit reached ends the measured part. `runtime_ns` is always set: no job is endless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub runtime_ns: u64,
    /// Operations, transactions or requests of all clients together.
    pub operations: Option<u64>,
}

/// What the clients do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Workload {
    /// YCSB's core workload. Kinds `read`, `update`, `insert`, `scan`, `read_modify_write`; the two halves of the last
    /// one are `rmw_read` and `rmw_update` (YCSB counts them among READ and UPDATE).
    Ycsb(Ycsb),
    /// pgbench's built-in scripts on PostgreSQL, MySQL or SQLite. Kind `transaction`, and one kind per statement: `begin`,
    /// `update_accounts`, `select_accounts`, `update_tellers`, `update_branches`, `insert_history`, `end`.
    Tpcb(Tpcb),
    /// `GET` of the URL, driver `http`. Kind `get`.
    Web(Web),
}

/// Parameters of YCSB's core workload, with its meaning and defaults (in brackets).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ycsb {
    /// Letters, digits and underscores (`usertable`). Redis has no tables and ignores it.
    pub table: String,
    /// Records in the table when the run begins.
    pub record_count: u64,
    /// First key number of this load or of the keys that are chosen (0).
    pub insert_start: u64,
    /// Number of keys from there on (`null`: `record_count - insert_start`).
    pub insert_count: Option<u64>,
    /// How many operations to expect: widens the key space of `zipfian` by twice the expected inserts, as YCSB does.
    /// `null`: `limit.operations`, or else `record_count`.
    pub operation_count: Option<u64>,
    pub mix: Mix,
    pub request: Request,
    /// (`hashed`)
    pub insert_order: InsertOrder,
    /// Digits that key numbers are padded to (1).
    pub zero_padding: u32,
    /// (10)
    pub field_count: u32,
    /// Bytes; with other distributions than `constant`, the largest length (100).
    pub field_length: u32,
    /// (1)
    pub min_field_length: u32,
    /// (`constant`)
    pub field_length_distribution: Spread,
    /// Otherwise one random field (true).
    pub read_all_fields: bool,
    /// Otherwise one random field (false).
    pub write_all_fields: bool,
    pub scan_length: ScanLength,
    /// Values are computed from the key and checked when read (false). Needs `field_length_distribution` `constant`.
    pub data_integrity: bool,
}

/// Shares of the operations; relative to their sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    pub read: f64,
    pub update: f64,
    pub insert: f64,
    pub scan: f64,
    pub read_modify_write: f64,
}

/// Which records are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Request {
    Uniform,
    /// YCSB's scrambled zipfian; `theta` 0.99 is YCSB's.
    Zipfian {
        theta: f64,
    },
    /// The newest most; `theta` as before.
    Latest {
        theta: f64,
    },
    /// A share `data` of the records gets a share `operations` of the operations (0.2, 0.8).
    Hotspot {
        data: f64,
        operations: f64,
    },
    /// One after the other, over all clients.
    Sequential,
    /// `percentile` % of the operations go to the newest share `share` of the records (95, 0.8571428571).
    Exponential {
        percentile: f64,
        share: f64,
    },
}

/// How a key number becomes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InsertOrder {
    /// By its FNV hash.
    Hashed,
    /// As it is.
    Ordered,
}

/// How a length varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    Constant,
    Uniform,
    /// Short ones most, θ 0.99.
    Zipfian,
}

/// Records of one scan (1, 1000, `uniform`; workload E: 1, 100, `uniform`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScanLength {
    pub min: u64,
    pub max: u64,
    /// `constant` is always `max`.
    pub distribution: Spread,
}

/// pgbench's tables and scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tpcb {
    pub script: Script,
    /// Branches; 10 tellers and 100,000 accounts each.
    pub scale: u32,
}

/// One of pgbench's built-in scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Script {
    /// "TPC-B (sort of)": three updates, one select, one insert.
    Tpcb,
    /// Without the updates of tellers and branches (`-N`).
    SimpleUpdate,
    /// One select (`-S`).
    SelectOnly,
}

/// A page that is fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Web {
    /// One connection for all requests of a client; otherwise a new one for each (HTTP/1.0, as Apache Benchmark does).
    pub keep_alive: bool,
}

impl Ycsb {
    /// Number of keys from `insert_start` on.
    pub fn keys(&self) -> u64 {
        self.insert_count.unwrap_or_else(|| self.record_count.saturating_sub(self.insert_start))
    }

    /// Share of inserts among the operations, 0…1.
    pub fn insert_share(&self) -> f64 {
        self.mix.insert / self.mix.shares().iter().sum::<f64>()
    }
}

impl Mix {
    /// In the order of YCSB's operation chooser.
    pub fn shares(&self) -> [f64; 5] {
        [self.read, self.update, self.insert, self.scan, self.read_modify_write]
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// YCSB's workload A with 1000 records.
    pub fn workload_a() -> Ycsb {
        Ycsb {
            table: "usertable".to_owned(),
            record_count: 1000,
            insert_start: 0,
            insert_count: None,
            operation_count: None,
            mix: Mix { read: 0.5, update: 0.5, insert: 0.0, scan: 0.0, read_modify_write: 0.0 },
            request: Request::Zipfian { theta: 0.99 },
            insert_order: InsertOrder::Hashed,
            zero_padding: 1,
            field_count: 10,
            field_length: 100,
            min_field_length: 1,
            field_length_distribution: Spread::Constant,
            read_all_fields: true,
            write_all_fields: false,
            scan_length: ScanLength { min: 1, max: 1000, distribution: Spread::Uniform },
            data_integrity: false,
        }
    }

    /// A job of this workload, such as the documented example.
    pub fn job(workload: Workload) -> DbSpec {
        DbSpec { workload, ..documented() }
    }

    fn documented() -> DbSpec {
        let text: String = include_str!("spec.rs")
            .lines()
            .skip_while(|line| *line != "//! ```json")
            .skip(1)
            .take_while(|line| *line != "//! ```")
            .map(|line| line.trim_start_matches("//! "))
            .collect();
        serde_json::from_str(&text).unwrap()
    }

    /// The example in this file's documentation is a request.
    #[test]
    fn the_documented_example_is_read() {
        let spec = documented();
        let Workload::Ycsb(ycsb) = spec.workload else { panic!("not YCSB") };
        assert_eq!(ycsb, Ycsb { record_count: 20_000, ..workload_a() });
    }
}
