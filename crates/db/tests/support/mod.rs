//! What the tests of databases share: real servers, requests, readings of outcomes.
#![allow(dead_code, clippy::print_stderr, reason = "each test file uses a part of it, and says what it skips")]

pub mod servers;

use std::time::Duration;

use plimsoll_db::Job;
use plimsoll_db::outcome::{DbOutcome, DriverRow};
use plimsoll_db::spec::{Data, DbSpec, Request, Tpcb, Web, Workload, Ycsb};
use serde_json::{Value, json};

/// Records of the tests' tables.
pub const RECORDS: u64 = 300;

/// A request: workload A on few records, with the fields in `changes` replaced (`"workload/records": 10`). Objects are merged
/// with what is there (`""`: the whole request), and a workload with another `kind` begins with the defaults of that.
pub fn spec(driver: &str, url: &str, changes: &[(&str, Value)]) -> DbSpec {
    let mut spec = json!(few_records(driver, url));
    for (path, value) in changes {
        let names = path.split('/').filter(|name| !name.is_empty());
        let place = names.fold(&mut spec, |place, name| &mut place[name]);
        if let Some(kind) = value.get("kind").filter(|_| *path == "workload") {
            *place = json!(match kind.as_str() {
                Some("tpcb") => Workload::Tpcb(Tpcb::default()),
                Some("web") => Workload::Web(Web::default()),
                kind => panic!("{kind:?} is no kind of workload"),
            });
        }
        match (place.as_object_mut(), value) {
            (Some(old), Value::Object(new)) if *path != "workload/request" => old.extend(new.clone()),
            _ => *place = value.clone(),
        }
    }
    serde_json::from_value(spec).expect("the tests' request is a request")
}

fn few_records(driver: &str, url: &str) -> DbSpec {
    let ycsb = Ycsb {
        read: 0.5,
        update: 0.5,
        records: RECORDS,
        request: Request::Zipfian { theta: 0.99 },
        fields: 3,
        field_length: 40,
        scan_length_max: 20,
        ..Ycsb::default()
    };
    // What is tested is not how fast this disk flushes.
    let settings: &[(&str, &str)] =
        if driver == "sqlite" { &[("journal_mode", "wal"), ("synchronous", "off")] } else { &[] };
    DbSpec {
        driver: driver.to_owned(),
        url: url.to_owned(),
        workload: Workload::Ycsb(ycsb),
        session_settings: settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect(),
        clients: 4,
        threads: Some(2),
        data: Data::Recreate,
        runtime_ns: 60_000_000_000,
        max_operations: Some(400),
        warmup_ns: 0,
        timeout_ns: 10_000_000_000,
        give_up_ns: 5_000_000_000,
        interval_ns: Some(100_000_000),
        ..DbSpec::default()
    }
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
        // Intervals show what was in progress when counting began, and no total has it.
        let shown = outcome.common.discarded.get(kind).map_or(0, |moved| moved.operations);
        assert_eq!(in_intervals, totals.operations + shown, "intervals of {kind}");
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

/// An address to test a driver at, and what keeps it there; nothing where it is not on this machine.
pub fn database(row: &DriverRow) -> Option<(String, Box<dyn std::any::Any>)> {
    servers::need(row.reason.is_none(), row.reason.as_deref().unwrap_or_default());
    if row.reason.is_some() {
        return None;
    }
    let caps = row.caps;
    if caps.server {
        return servers::start(caps.name)
            .map(|server| (server.url.clone(), Box::new(server) as Box<dyn std::any::Any>));
    }
    if caps.data.is_empty() {
        return Some((String::new(), Box::new(())));
    }
    let folder = tempfile::tempdir().unwrap();
    Some((format!("{}:{}", caps.schemes[0].0, folder.path().join(caps.data).display()), Box::new(folder)))
}

/// The driver called so.
pub fn row(driver: &str) -> DriverRow {
    plimsoll_db::drivers().into_iter().find(|row| row.caps.name == driver).expect("in the list")
}
