//! What the tests of databases share: real servers, requests, readings of outcomes.
#![allow(dead_code, clippy::print_stderr, reason = "each test file uses a part of it, and says what it skips")]

pub mod servers;

use std::time::Duration;

use plimsoll_db::Job;
use plimsoll_db::outcome::DbOutcome;
use plimsoll_db::spec::DbSpec;
use serde_json::{Value, json};

/// Records of the tests' tables.
pub const RECORDS: u64 = 300;

/// A request: workload A on few records, with the fields in `changes` replaced (`"workload/mix/read": 1.0`).
pub fn spec(driver: &str, url: &str, changes: &[(&str, Value)]) -> DbSpec {
    let mut spec = json!({
        "driver": driver, "url": url, "password_env": null, "tls": {"mode": "off", "ca_file": null},
        "clients": 4, "threads": 2, "data": "recreate", "measure": "run",
        "workload": {
            "kind": "ycsb", "table": "usertable", "record_count": RECORDS, "insert_start": 0, "insert_count": null,
            "operation_count": null,
            "mix": {"read": 0.5, "update": 0.5, "insert": 0.0, "scan": 0.0, "read_modify_write": 0.0},
            "request": {"kind": "zipfian", "theta": 0.99}, "insert_order": "hashed", "zero_padding": 1,
            "field_count": 3, "field_length": 40, "min_field_length": 1, "field_length_distribution": "constant",
            "read_all_fields": true, "write_all_fields": false,
            "scan_length": {"min": 1, "max": 20, "distribution": "uniform"}, "data_integrity": false,
        },
        "limit": {"runtime_ns": 60_000_000_000u64, "operations": 400}, "warmup_ns": 0, "rate": null,
        "max_tries": 1, "count_errors": true, "timeout_ns": 10_000_000_000u64, "give_up_ns": 5_000_000_000u64,
        "settings": {}, "seed": 1, "interval_ns": 100_000_000,
    });
    if driver == "sqlite" {
        // What is tested is not how fast this disk flushes.
        spec["settings"] = json!({"journal_mode": "wal", "synchronous": "off"});
    }
    for (path, value) in changes {
        let mut place = &mut spec;
        for name in path.split('/') {
            place = &mut place[name];
        }
        *place = value.clone();
    }
    serde_json::from_value(spec).expect("the tests' request is a request")
}

/// Shares of the five kinds.
pub fn mix(read: f64, update: f64, insert: f64, scan: f64, read_modify_write: f64) -> Value {
    json!({"read": read, "update": update, "insert": insert, "scan": scan, "read_modify_write": read_modify_write})
}

/// Runs a job to its end.
pub fn run(spec: DbSpec) -> DbOutcome {
    let job = Job::start(spec).expect("the job starts");
    job.result(Some(Duration::from_secs(120))).expect("the job ends within two minutes")
}

/// Runs a job that must end well.
pub fn run_well(spec: DbSpec) -> DbOutcome {
    let outcome = run(spec);
    assert_eq!(outcome.common.error, None, "{:?}", outcome.messages);
    assert!(outcome.errors.is_empty(), "{:?} {:?}", outcome.errors, outcome.messages);
    outcome
}

/// Runs a job that must fail; what it says.
pub fn failure(spec: DbSpec) -> (String, String) {
    let error = run(spec).common.error.expect("the job fails");
    (error.kind, error.message)
}

/// Operations of one kind that ended well.
pub fn count(outcome: &DbOutcome, kind: &str) -> u64 {
    outcome.common.operations.get(kind).map_or(0, |totals| totals.operations)
}

/// What must hold of every outcome: parts add up.
pub fn check_sums(outcome: &DbOutcome) {
    let whole: u64 = outcome.whole.iter().map(|kind| count(outcome, kind)).sum();
    assert_eq!(whole, outcome.completed);
    for (kind, totals) in &outcome.common.operations {
        let in_intervals: u64 =
            outcome.common.intervals.iter().map(|i| i.operations.get(kind).map_or(0, |o| o.operations)).sum();
        assert_eq!(in_intervals, totals.operations, "intervals of {kind}");
        if totals.operations > 0 {
            assert_eq!(recorded(&outcome.common.histograms[kind]), totals.operations, "histogram of {kind}");
        }
    }
}

/// Values of an encoded histogram.
pub fn recorded(encoded: &str) -> u64 {
    use base64::Engine as _;
    use hdrhistogram::serialization::Deserializer;
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
    let histogram: hdrhistogram::Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    histogram.len()
}
