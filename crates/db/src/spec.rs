//! What a database job is asked to do: the record that Python sends as JSON, a plan's parameters by name.
//!
//! Base units only (bytes, nanoseconds, operations); nothing is optional that changes what is measured, except where
//! `null` has a meaning that is told. The parameters of a workload are in `workload`, beside its `kind`.

use std::collections::BTreeMap;

use plimsoll_core::parameters::{Unit, count, nanoseconds, parameters, word};
use plimsoll_core::slices::Slices;
use plimsoll_core::timeline;
use serde::{Deserialize, Serialize};

pub use crate::parameters::{InsertOrder, Measure, Request, Script, Spread, Tpcb, Web, Workload, Ycsb};
pub use plimsoll_core::pace::{Arrival, Rate, RateUnit};

/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;
/// Nine years: the end of a longer time would be beyond what a clock can say.
const MAX_RUNTIME: u64 = 9 * 365 * 24 * 3600 * SECOND;
const MAX_CLIENTS: u64 = 1_000_000;

parameters! {
    /// One database job: connect, prepare the data, warm up, measure. Its parameters are those of every database test.
    pub struct DbSpec {
        beside {
            /// One of the driver list.
            driver: String;
            /// Where it is, without a password (one in the URL is refused):
            /// `postgresql://user@host:5432/database`, `mysql://user@host:3306/database`, `redis://user@host:6379/0`,
            /// `http://host:80/path`; `?socket=/path` goes through a Unix socket (for PostgreSQL, of that folder).
            /// `sqlite:/path/of/file.db`, `rocksdb:/path/of/folder`. `null` and `memory` take `""`.
            url: String;
            /// What the clients do.
            workload: Workload;
            /// Data that may be dropped, emptied and loaded anew although they carry no mark of ours (see
            /// [`crate::ownership::identity`]): what the user has typed after `--destroy`.
            destroy: Vec<String>, default;
            /// Tell the histograms of every interval as well: by the progress, and by the outcome those that it did not
            /// tell.
            interval_histograms: bool, default;
            /// Works in these times only, and pauses in between: start and length of each, in nanoseconds from the moment
            /// that the job is told to go, in the order of time. Each is one interval; `runtime` and `interval` have no
            /// part in it, `warmup` is the beginning of the first one. Empty: the job does not pause, and begins by itself.
            slices: Vec<(u64, u64)>, default;
            /// The first nanoseconds of each slice, which do not count.
            discard_ns: u64, default;
        }
        /// Private server that is started on a directory target; none: the target is a database address.
        server: String = "none".to_owned(), in Unit::Server;
        /// Private server: full (commits on stable storage), relaxed (the last second may be lost), none (no syncs).
        durability: Durability = Durability::Full, in word::<Durability>();
        /// Of a private server, in its own words, such as shared_buffers=1GB.
        server_settings: BTreeMap<String, String> = BTreeMap::new(), in Unit::Settings;
        /// Of each connection, such as synchronous_commit=off.
        /// SQLite `PRAGMA`s (`journal_mode`, `synchronous`, …); PostgreSQL and MySQL session variables.
        session_settings: BTreeMap<String, String> = BTreeMap::new(), in Unit::Settings;
        /// Environment variable that holds the password.
        /// Of this process; it is read once, when the job starts, and never shown.
        password_env: Option<String> = None, in Unit::Text;
        /// Encryption of connections.
        tls: TlsMode = TlsMode::Off, in word::<TlsMode>();
        /// PEM file of the authorities trusted with tls=verify.
        /// `null`: those of the host.
        ca_file: Option<String> = None, in Unit::Text;
        /// Connections that work at the same time.
        clients: u32 = 8, in count(1..=MAX_CLIENTS);
        /// Threads that serve them; none: as many as are useful.
        /// One per client for embedded databases, at most one per CPU for servers.
        threads: Option<u32> = None, in count(1..=MAX_CLIENTS);
        /// Reuse fitting data or load it; keep what is there; create only where there is none; recreate drops it first. Data without Plimsoll's mark are only used with keep.
        data: Data = Data::Reuse, in word::<Data>();
        /// Longest measured time.
        runtime_ns as "runtime": u64 = 10 * SECOND, in nanoseconds(1..=MAX_RUNTIME);
        /// Stop after this many operations.
        /// Operations, transactions or requests of all clients together; `null`: only the time ends it.
        max_operations: Option<u64> = None, in count(1..);
        /// Load before anything is counted.
        warmup_ns as "warmup": u64 = 2 * SECOND, in nanoseconds(..);
        /// Open loop at `1000/s`; latency from the intended start.
        /// Over all clients, in operations; the plain kinds then hold response times from the intended start and
        /// `…_service` the time from the real start. `null`: closed loop.
        asked_rate as "rate": Option<AskedRate> = None, in Unit::Rate;
        /// Spacing of the operations of a rate.
        arrival: Arrival = Arrival::Even, in word::<Arrival>();
        /// Tries of an operation that ends in a deadlock.
        /// Or in a serialization failure, in all; 1: it counts as an error at once. The latency of a transaction runs from
        /// its first try; its statements are counted in every try.
        max_tries: u32 = 1, in count(1..=MAX_CLIENTS);
        /// Go on after a failed operation and count it; no: the first ends the run.
        count_errors: bool = true, in Unit::Flag;
        /// An operation without an answer for this long is an error.
        /// Its connection is opened anew.
        timeout_ns as "timeout": u64 = 30 * SECOND, in nanoseconds(1..);
        /// Without any connection for this long, the run fails.
        /// What was measured before stays in the outcome.
        give_up_ns as "give_up": u64 = 30 * SECOND, in nanoseconds(..);
        /// None: an outage of the server makes a run invalid; expected: it is what is measured, and has figures.
        /// Then it is asked after the run how many of the rows are there that were acknowledged.
        fault: Faults = Faults::None, in word::<Faults>();
        /// Length of one interval of the time series.
        interval_ns as "interval": Option<u64> = None, in nanoseconds(1..);
        /// Start of all random streams.
        seed: u64 = 1, in count(..);
    }
}

/// How safe a commit of a private server, or of an embedded database on a folder, is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Durability {
    /// It is on stable storage.
    Full,
    /// Those of the last second may be lost.
    Relaxed,
    /// Nothing is synced.
    None,
}

/// How far the other side is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TlsMode {
    /// Nothing is encrypted.
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
    /// Use it when it fits; make and load it when there is none; refuse anything else.
    Reuse,
    /// Use what is there, whatever it is, and leave it as it is: nothing is vacuumed or emptied before. No table is an
    /// error.
    Keep,
    /// Make and load it; a table with rows in it is refused and left as it is.
    Create,
    /// Drop it, make and load it.
    Recreate,
}

/// What an outage of the server is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Faults {
    /// What makes a run invalid.
    None,
    /// What is measured.
    Expected,
}

/// An open-loop schedule as it is asked for; how its operations are spaced is a parameter of its own.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AskedRate {
    /// Of the unit.
    pub per_second: f64,
    /// Only operations are possible.
    pub unit: RateUnit,
}

impl DbSpec {
    /// The schedule of all clients together.
    pub fn rate(&self) -> Option<Rate> {
        let rate = |AskedRate { per_second, unit }| Rate { per_second, unit, arrival: self.arrival };
        self.asked_rate.map(rate)
    }

    /// What the measured part is.
    pub fn measure(&self) -> Measure {
        match &self.workload {
            Workload::Ycsb(ycsb) => ycsb.measure,
            Workload::Tpcb(_) | Workload::Web(_) => Measure::Run,
        }
    }

    /// Connections are encrypted.
    pub fn encrypted(&self) -> bool {
        self.tls != TlsMode::Off
    }

    /// When the job works.
    pub fn slices(&self) -> Slices {
        Slices::new(&self.slices, self.discard_ns, self.warmup_ns)
    }

    /// Length of one interval of the time series.
    pub fn interval_length_ns(&self) -> u64 {
        self.interval_ns.unwrap_or_else(|| timeline::interval_ns(self.runtime_ns))
    }
}

/// Requests that tests of other modules begin with.
#[cfg(test)]
pub mod tests {
    use super::*;

    /// YCSB's workload A with 1000 records.
    pub fn workload_a() -> Ycsb {
        Ycsb { read: 0.5, update: 0.5, request: Request::Zipfian { theta: 0.99 }, ..Ycsb::default() }
    }

    /// A job of this workload against Redis.
    pub fn job(workload: Workload) -> DbSpec {
        let (driver, url) = ("redis".to_owned(), "redis://127.0.0.1:6379/0".to_owned());
        DbSpec { driver, url, workload, warmup_ns: 0, ..DbSpec::default() }
    }

    #[test]
    fn a_request_has_the_parameters_by_name() {
        let spec = job(Workload::Ycsb(workload_a()));
        let mut request = serde_json::json!(spec);
        assert_eq!((&request["runtime"], &request["workload"]["kind"]), (&(10 * SECOND).into(), &"ycsb".into()));
        assert_eq!(serde_json::from_value::<DbSpec>(request.clone()).unwrap(), spec);
        request["rate"] = serde_json::json!({"per_second": 100.0, "unit": "operations"});
        request["arrival"] = "poisson".into();
        let rate = serde_json::from_value::<DbSpec>(request.clone()).unwrap().rate().unwrap();
        assert_eq!((rate.per_second, rate.arrival), (100.0, Arrival::Poisson));
        request["runtimes"] = 1.into();
        assert!(serde_json::from_value::<DbSpec>(request).unwrap_err().to_string().contains("runtimes"));
    }
}
