//! What the clients do: the workloads and their parameters.

use plimsoll_core::parameters::{OutOfBounds, Parameter, Unit, bytes, count, parameters, share, word};
use serde::{Deserialize, Serialize};

const MAX_FIELD: u64 = 1 << 20;
const MAX_SCAN: u64 = 1 << 20;
/// pgbench's account numbers are 32-bit up to here.
const MAX_BRANCHES: u64 = 20_000;

/// One of the workloads with its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
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

/// The parameters of a workload.
pub type Table = fn() -> Vec<Parameter>;

/// Every workload by its `kind`, with its own parameters.
pub const WORKLOADS: [(&str, Table); 3] = [("ycsb", Ycsb::table), ("tpcb", Tpcb::table), ("web", Web::table)];

impl Default for Workload {
    fn default() -> Self {
        Self::Ycsb(Ycsb::default())
    }
}

impl Workload {
    /// Its `kind`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Ycsb(_) => "ycsb",
            Self::Tpcb(_) => "tpcb",
            Self::Web(_) => "web",
        }
    }

    /// Refuses a value that is not within its bounds.
    pub fn check_bounds(&self) -> Result<(), OutOfBounds> {
        match self {
            Self::Ycsb(ycsb) => ycsb.check_bounds(),
            Self::Tpcb(tpcb) => tpcb.check_bounds(),
            Self::Web(web) => web.check_bounds(),
        }
    }
}

parameters! {
    /// Parameters of YCSB's core workload, with its meaning and defaults.
    pub struct Ycsb {
        /// Share of reads.
        read: f64 = 0.95, in share();
        /// Share of updates.
        update: f64 = 0.05, in share();
        /// Share of inserts.
        insert: f64 = 0.0, in share();
        /// Share of scans.
        scan: f64 = 0.0, in share();
        /// Share of reads followed by an update of the record.
        read_modify_write: f64 = 0.0, in share();
        /// Run: the workload; load: loading its records.
        measure: Measure = Measure::Run, in word::<Measure>();
        /// Records in the table (recordcount).
        /// When the run begins.
        records: u64 = 1000, in count(1..);
        /// First record that is loaded or asked for.
        insert_start: u64 = 0, in count(..);
        /// Records from insert_start on; none: the rest.
        insert_count: Option<u64> = None, in count(1..);
        /// Records asked for: uniform, zipfian, latest, hotspot, ….
        request: Request = Request::Uniform, in Unit::Requests;
        /// Fields of a record (fieldcount).
        fields: u32 = 10, in count(1..=1000);
        /// Bytes of a field, or its longest.
        field_length: u32 = 100, in bytes(1..=MAX_FIELD);
        /// Bytes of the shortest field.
        field_length_min: u32 = 1, in bytes(1..=MAX_FIELD);
        /// How the length of fields varies.
        field_length_distribution: Spread = Spread::Constant, in word::<Spread>();
        /// Read whole records; otherwise one random field.
        read_all_fields: bool = true, in Unit::Flag;
        /// Update whole records; otherwise one random field.
        write_all_fields: bool = false, in Unit::Flag;
        /// Records of the shortest scan.
        scan_length_min: u64 = 1, in count(1..=MAX_SCAN);
        /// Records of the longest scan.
        scan_length_max: u64 = 1000, in count(1..=MAX_SCAN);
        /// How the length of scans varies.
        /// `constant` is always the longest.
        scan_length_distribution: Spread = Spread::Uniform, in word::<Spread>();
        /// Keys by hash or in order.
        insert_order: InsertOrder = InsertOrder::Hashed, in word::<InsertOrder>();
        /// Digits that key numbers are padded to.
        zero_padding: u32 = 1, in count(1..=100);
        /// Name of the table.
        /// Letters, digits and underscores. Redis has no tables and ignores it.
        table: String = "usertable".to_owned(), in Unit::Text;
        /// Values computed from the key, and checked when read.
        /// Needs fields of constant length.
        data_integrity: bool = false, in Unit::Flag;
    }
}

parameters! {
    /// pgbench's tables and scripts.
    #[derive(Copy, Eq)]
    pub struct Tpcb {
        /// pgbench's built-in script.
        script: Script = Script::Tpcb, in word::<Script>();
        /// Branches; 100,000 accounts each.
        /// And 10 tellers each.
        scale: u32 = 1, in count(1..=MAX_BRANCHES);
    }
}

parameters! {
    /// A page that is fetched.
    #[derive(Copy, Eq)]
    pub struct Web {
        /// One connection for all requests of a client.
        /// Otherwise a new one for each (HTTP/1.0, as Apache Benchmark does).
        keep_alive: bool = false, in Unit::Flag;
        /// Bytes of the page of a private server.
        page_bytes: u64 = 1024, in bytes(..);
    }
}

/// What the measured part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Measure {
    /// The workload.
    Run,
    /// The load itself, as kind `insert`: with `data` `keep`, records are added to the table, which is made when there is
    /// none (to go on after a break or to load from several machines, with `insert_start` and `insert_count`); with
    /// `create` and `recreate` it starts from nothing; `reuse` is refused. `max_operations` must be `null`; the load ends
    /// when all records are in. A rate is that of the inserts.
    Load,
}

/// Which records are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Request {
    /// All alike.
    Uniform,
    /// YCSB's scrambled zipfian.
    Zipfian {
        /// 0.99 is YCSB's.
        theta: f64,
    },
    /// The newest most.
    Latest {
        /// As before.
        theta: f64,
    },
    /// A share of the records gets a share of the operations.
    Hotspot {
        /// Of the records.
        data: f64,
        /// Of the operations.
        operations: f64,
    },
    /// One after the other, over all clients.
    Sequential,
    /// So many of the operations go to the newest share of the records.
    Exponential {
        /// Percent of the operations.
        percentile: f64,
        /// Of the records.
        share: f64,
    },
}

/// How a key number becomes a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum InsertOrder {
    /// By its FNV hash.
    Hashed,
    /// By its number, in order.
    Ordered,
}

/// How a length varies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Spread {
    /// It does not.
    Constant,
    /// All alike.
    Uniform,
    /// Short ones most, θ 0.99.
    Zipfian,
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

impl Ycsb {
    /// Number of keys from `insert_start` on.
    pub fn keys(&self) -> u64 {
        self.insert_count.unwrap_or_else(|| self.records.saturating_sub(self.insert_start))
    }

    /// Share of inserts among the operations, 0…1.
    pub fn insert_share(&self) -> f64 {
        self.insert / self.shares().iter().sum::<f64>()
    }

    /// Shares of the operations, relative to their sum, in the order of YCSB's operation chooser.
    pub fn shares(&self) -> [f64; 5] {
        [self.read, self.update, self.insert, self.scan, self.read_modify_write]
    }
}
