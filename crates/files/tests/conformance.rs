//! What holds for every workload; driven by the list, so that none can opt out.

mod common;

use std::collections::BTreeMap;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use common::{memory, refused, run_ok, spec};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use plimsoll_core::outcome::{OperationTotals, Status};
use plimsoll_files::common::{Cold, Common, Durable};
use plimsoll_files::outcome::{Expected, FilesOutcome};
use plimsoll_files::spec::FilesSpec;
use plimsoll_files::workloads::{Entry, LIST};
use plimsoll_files::{Job, validate};
use tempfile::TempDir;

/// The example of each workload in a folder of its own.
fn examples() -> impl Iterator<Item = (Entry, FilesSpec, TempDir)> {
    LIST.iter().map(|&entry| {
        let dir = memory();
        let request = spec(entry.name, entry.example, dir.path());
        (entry, request, dir)
    })
}

fn histogram(text: &str) -> Histogram<u64> {
    Deserializer::new().deserialize(&mut STANDARD.decode(text).unwrap().as_slice()).unwrap()
}

fn counts(kinds: &BTreeMap<String, OperationTotals>) -> BTreeMap<&str, (u64, u64)> {
    kinds.iter().map(|(name, totals)| (name.as_str(), (totals.operations, totals.bytes))).collect()
}

#[test]
fn an_outcome_is_whole_and_consistent() {
    for (entry, request, _dir) in examples() {
        let name = entry.name;
        let plan = validate(&request).unwrap();
        let outcome = run_ok(request);
        let planned: Vec<&str> = plan.phases.iter().map(|phase| phase.name.as_str()).collect();
        let found: Vec<&str> = outcome.results.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(planned, found, "{name}");
        let mut sums: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for phase in &outcome.results {
            let place = format!("{name} {}", phase.name);
            assert!(phase.elapsed_ns > 0 && phase.operations > 0 && !phase.kinds.is_empty(), "{place}");
            assert!(!phase.scores.is_empty(), "{place}");
            assert!(phase.scores.iter().all(|score| score.value.is_finite() && score.value >= 0.0), "{place}");
            assert!(phase.start_ns + phase.elapsed_ns <= outcome.common.elapsed_ns + 1_000_000, "{place}");
            assert!((0.0..=1.0).contains(&phase.cpu.busiest_thread), "{place}");
            assert!((0.0..=1.0).contains(&phase.cpu.all_processors), "{place}");
            assert_eq!(phase.cold, "no", "{place}");
            for (kind, (operations, bytes)) in counts(&phase.kinds) {
                assert_eq!(histogram(&phase.histograms[kind]).len(), operations, "{place} {kind}");
                let sum = sums.entry(kind).or_default();
                *sum = (sum.0 + operations, sum.1 + bytes);
            }
        }
        assert_eq!(sums, counts(&outcome.common.operations), "{name}");
        intervals_add_up(name, &outcome, &sums);
        assert!(outcome.common.mean_in_flight > 0.0 && outcome.common.started_ns > 0, "{name}");
    }
}

fn intervals_add_up(name: &str, outcome: &FilesOutcome, sums: &BTreeMap<&str, (u64, u64)>) {
    let mut found: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    let mut end_ns = 0;
    for interval in &outcome.common.intervals {
        assert!(interval.start_ns >= end_ns, "{name}: intervals do not overlap");
        end_ns = interval.start_ns + interval.duration_ns;
        for (kind, row) in &interval.operations {
            let sum = found.entry(kind).or_default();
            *sum = (sum.0 + row.operations, sum.1 + row.bytes);
        }
    }
    assert_eq!(&found, sums, "{name}");
}

#[test]
fn the_same_seed_does_the_same() {
    for (entry, request, dir) in examples() {
        let plan = validate(&request).unwrap();
        if plan.phases.iter().any(|phase| matches!(phase.expected, Expected::Nanoseconds(_))) {
            // Time decides how much is done; what is done is tested where the load is made.
            continue;
        }
        let [one, other] = [(); 2].map(|()| run_ok(request.clone()));
        for (one, other) in one.results.iter().zip(&other.results) {
            // Seekers share their seeks as they come, so that the last ones may be drawn by another.
            if (entry.name, one.name.as_str()) != ("bonnie", "seeks") {
                assert_eq!(counts(&one.kinds), counts(&other.kinds), "{} {}", entry.name, one.name);
            }
        }
        drop(dir);
    }
}

#[test]
fn durable_decides_about_sync_calls() {
    for (entry, request, _dir) in examples() {
        let synced = |durable| {
            let outcome = run_ok(FilesSpec { common: Common { durable, ..request.common }, ..request.clone() });
            let kinds = |phase: &plimsoll_files::outcome::PhaseResult| {
                ["fsync", "sync"].iter().map(|kind| common::counted(phase, kind).0).sum::<u64>()
            };
            outcome.results.iter().map(kinds).collect::<Vec<u64>>()
        };
        assert!(synced(Durable::None).iter().all(|&count| count == 0), "{}", entry.name);
        let (original, timed) = (synced(Durable::Original), synced(Durable::Timed));
        for ((phase, original), timed) in validate(&request).unwrap().phases.iter().zip(original).zip(timed) {
            let place = format!("{} {}: {original} {timed}", entry.name, phase.name);
            // Time decides how often dbench flushes.
            let steady = !matches!(phase.expected, Expected::Nanoseconds(_));
            assert!(!phase.writes || timed > original || !steady, "{place}");
            assert!(phase.writes || timed == original, "{place}");
        }
    }
}

#[test]
fn cold_drops_caches_before_reading() {
    for (entry, request, _dir) in examples() {
        let plan = validate(&request).unwrap();
        let outcome = run_ok(FilesSpec { common: Common { cold: Cold::Files, ..request.common }, ..request });
        for (planned, found) in plan.phases.iter().zip(&outcome.results) {
            let expected = if planned.reads { "files" } else { "no" };
            assert_eq!(found.cold, expected, "{} {}", entry.name, found.name);
            assert!(planned.reads || !["read", "block_read", "random_read"].contains(&found.name.as_str()));
        }
    }
}

#[test]
fn any_moment_is_good_for_a_stop() {
    for (entry, request, dir) in examples() {
        for delay_ms in [0, 3, 20] {
            let job = Job::start(request.clone()).unwrap();
            std::thread::sleep(Duration::from_millis(delay_ms));
            job.stop();
            let outcome = job.result(Some(common::FOR_EVER)).expect("the job hangs");
            assert!(matches!(outcome.common.status, Status::Stopped | Status::Ok), "{} {outcome:?}", entry.name);
            assert_eq!(common::left_in(dir.path()), Vec::<std::path::PathBuf>::new(), "{}", entry.name);
            assert_eq!(job.poll().phase, "finished");
        }
    }
}

#[test]
fn requests_are_strict_and_round_trip() {
    for (entry, request, _dir) in examples() {
        let text = serde_json::to_string(&request).unwrap();
        assert_eq!(serde_json::from_str::<FilesSpec>(&text).unwrap(), request, "{}", entry.name);
        let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
        value["parameters"]["flies"] = 1.into();
        assert!(serde_json::from_value::<FilesSpec>(value.clone()).is_err(), "{}: an unknown field", entry.name);
        value["parameters"].as_object_mut().unwrap().remove("flies");
        for parameter in value["parameters"].as_object().unwrap().keys() {
            let mut less = value.clone();
            less["parameters"].as_object_mut().unwrap().remove(parameter);
            // A field that may be absent is one whose absence means something, or that only front ends ask for.
            let accepted = serde_json::from_value::<FilesSpec>(less).is_ok();
            let declared = (entry.table)().into_iter().find(|each| each.name == parameter);
            let may = declared.is_some_and(|each| each.optional || each.default.is_null());
            assert_eq!(accepted, may, "{} {parameter}", entry.name);
        }
    }
}

/// A zero in any number is either meant or refused with words, never a crash; so is a huge value.
#[test]
fn extreme_parameters_are_refused_or_work() {
    for (entry, request, _dir) in examples() {
        let value = serde_json::to_value(&request).unwrap();
        for (parameter, original) in value["parameters"].as_object().unwrap() {
            for extreme in [0_u64, 1 << 62] {
                let mut changed = value.clone();
                if original.is_u64() || original.is_null() {
                    changed["parameters"][parameter] = extreme.into();
                } else if original.is_f64() {
                    changed["parameters"][parameter] = (extreme as f64).into();
                } else {
                    continue;
                }
                if let Ok(request) = serde_json::from_value::<FilesSpec>(changed)
                    && let Err(fault) = validate(&request)
                {
                    assert!(fault.to_string().len() > 15, "{} {parameter}: {fault}", entry.name);
                }
            }
        }
    }
}

#[test]
fn general_limits_are_checked() {
    let dir = memory();
    let entry = LIST[0];
    let base = || spec(entry.name, entry.example, dir.path());
    let with = |change: fn(&mut FilesSpec)| {
        let mut request = base();
        change(&mut request);
        refused(request)
    };
    assert!(with(|request| request.common.threads = 0).contains("threads"));
    assert!(with(|request| request.common.threads = 100_000).contains("threads"));
    assert!(with(|request| request.common.timeout_ns = 0).contains("timeout is 0"));
    assert!(with(|request| request.interval_ns = 1).contains("intervals"));
    assert!(with(|request| request.disk_bytes = Some(10)).contains("limit of 10"));
    assert!(with(|request| request.directory = "/nonexistent-place".to_owned()).contains("not a folder"));
}
