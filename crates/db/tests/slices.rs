//! Jobs that pause and go on, with every driver of the list against a real database each.

mod support;

use std::time::Duration;

use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::outcome::{Status, phase};
use plimsoll_db::Job;
use serde_json::{Value, json};
use support::{check_sums, database, recorded, row, spec};

const MS: u64 = 1_000_000;
/// Long enough for any job here on any machine; only a hang reaches it.
const FOR_EVER: Duration = Duration::from_secs(120);

/// Three slices of 40 ms, and as long a rest after each, from `first_ns` on.
fn turns(first_ns: u64) -> Vec<(u64, u64)> {
    (0..3).map(|number| (first_ns + number * 80 * MS, 40 * MS)).collect()
}

fn wait_until_ready(job: &Job) {
    while job.poll().phase != phase::READY {
        assert_ne!(job.poll().phase, phase::FINISHED, "{:?}", job.result(None));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// One test per driver, so that servers start at the same time and failures are told apart.
macro_rules! suites {
    ($($driver:ident,)+) => {
        $(#[test] fn $driver() { take_turns(stringify!($driver)); })+
    };
}

include!(concat!(env!("OUT_DIR"), "/suites.rs"));

/// Two jobs pause in turn: on one server, or on two embedded databases.
fn take_turns(driver: &str) {
    let row = row(driver);
    let Some((url, _keep)) = database(&row) else { return };
    let second = if row.caps.server { None } else { database(&row) };
    let urls = [&url, second.as_ref().map_or(&url, |(url, _)| url)];
    let web = row.caps.workloads == ["web"];
    let starts = [5 * MS, 45 * MS];
    let jobs: Vec<Job> = std::iter::zip(urls, starts)
        .map(|(url, first_ns)| {
            let slices = json!({"slices": turns(first_ns), "discard_ns": 5 * MS, "max_operations": null});
            let workload = if web { json!({"kind": "web"}) } else { json!({"table": format!("turns_{first_ns}")}) };
            let data = if driver == "null" || web { "keep" } else { "recreate" };
            let changes = [("workload", workload), ("", slices), ("data", json!(data))];
            Job::start(spec(driver, url, &changes)).unwrap()
        })
        .collect();
    jobs.iter().for_each(wait_until_ready);
    let begin_ns = monotonic_ns() + 50 * MS;
    jobs.iter().for_each(|job| assert_eq!(job.go(begin_ns), Ok(())));
    for (job, first_ns) in jobs.iter().zip(starts) {
        let outcome = job.result(Some(FOR_EVER)).expect("the job ends");
        let common = &outcome.common;
        assert_eq!((&common.error, outcome.reconnects), (&None, 0), "{driver}: {:?}", outcome.messages);
        assert!(outcome.completed > 0 && outcome.errors.is_empty(), "{driver}: {:?}", outcome.messages);
        let spans: Vec<_> = common.intervals.iter().map(|row| (row.start_ns, row.duration_ns)).collect();
        let counted = turns(first_ns).into_iter().map(|(start_ns, length_ns)| (start_ns + 5 * MS, length_ns - 5 * MS));
        assert!(counted.eq(spans), "{driver}: {:?}", common.intervals);
        assert_eq!((common.elapsed_ns, common.interval_histograms.len()), (3 * 35 * MS, 3), "{driver}");
        assert!(common.intervals.iter().all(|row| row.drain_ns.is_some()), "{driver}: {:?}", common.intervals);
        check_sums(&outcome);
        for (row, histograms) in common.intervals.iter().zip(&common.interval_histograms) {
            for (kind, found) in &row.operations {
                assert_eq!(histograms.get(kind).map_or(0, |one| recorded(one)), found.operations, "{driver}: {kind}");
            }
        }
    }
}

#[test]
fn a_stop_in_a_rest_ends_the_job_with_the_slices_before() {
    let slices = json!({"slices": [[0, 10 * MS], [3_600_000 * MS, 10 * MS]], "max_operations": null});
    for told in [false, true] {
        let job = Job::start(spec("null", "", &[("", slices.clone()), ("data", json!("keep"))])).unwrap();
        wait_until_ready(&job);
        if told {
            assert_eq!(job.go(monotonic_ns() + 20 * MS), Ok(()));
            while job.poll().interval.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        job.stop();
        // Far sooner than the hour that the rest lasts.
        let outcome = job.result(Some(FOR_EVER)).expect("the job ends").common;
        assert_eq!((outcome.status, outcome.error), (Status::Stopped, None), "{told}");
        assert_eq!((outcome.elapsed_ns, outcome.intervals.len()), if told { (10 * MS, 1) } else { (0, 0) });
    }
}

#[test]
fn what_cannot_pause_and_go_on_is_refused_with_what_to_change() {
    let slices = json!({"slices": [[0, 100], [150, 100]], "discard_ns": 50, "max_operations": null});
    let message = |changes: &[(&str, Value)]| {
        let all = [&[("", slices.clone()), ("data", json!("keep"))], changes].concat();
        plimsoll_db::validate(&spec("null", "", &all)).map_or_else(|error| error.to_string(), |()| String::new())
    };
    assert_eq!(message(&[]), "");
    for (word, name, value) in [
        ("steady state", "workload/measure", json!("load")),
        ("leave max_operations out", "max_operations", json!(5)),
        ("slice 2 starts at 99 ns", "slices", json!([[0, 100], [99, 100]])),
        ("slice 1 lasts 50 ns", "slices", json!([[0, 50]])),
        ("give slices", "slices", json!([])),
    ] {
        let message = message(&[(name, value)]);
        assert!(message.contains(word), "{name}: {message:?}");
    }
}
