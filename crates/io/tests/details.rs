//! What only some callers ask for: single operations, alternating kinds, sizes per kind, fixed starts, kept histograms.

mod common;

use std::path::Path;
use std::time::Duration;

use common::{run_ok, spec};
use plimsoll_core::outcome::{Outcome, phase};
use plimsoll_io::spec::{DropEach, JobSpec, Mode, SizeWeight, SyncKind, ThinkFrom};
use plimsoll_io::{Job, engines};

fn psync(folder: &Path, change: impl FnOnce(&mut JobSpec)) -> Outcome {
    let caps = engines::find("psync").unwrap().caps;
    let mut request = spec(caps, &folder.join("data"));
    request.max_operations = Some(40);
    request.trace = true;
    change(&mut request);
    run_ok(request)
}

#[test]
fn a_trace_tells_every_operation_once_and_kinds_can_take_turns() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = psync(folder.path(), |request| (request.alternate, request.drop_each) = (true, DropEach::Operation));
    let kinds: Vec<&str> = outcome.trace.iter().map(|(kind, ..)| kind.as_str()).collect();
    assert_eq!(kinds, ["write", "read"].repeat(20));
    let told: u64 = outcome.trace.iter().map(|(_, _, latency, ..)| latency).sum();
    assert_eq!(told, outcome.operations.values().map(|totals| totals.latency_sum_ns).sum::<u64>());
    assert!(outcome.trace.windows(2).all(|pair| pair[0].1 < pair[1].1), "starts are in order");
}

#[test]
fn a_traced_write_with_sync_lasts_until_it_is_durable() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = psync(folder.path(), |request| {
        request.mode = Mode::Randwrite;
        request.sync = SyncKind::Fdatasync;
    });
    assert!(outcome.trace.iter().all(|(kind, ..)| kind == "write"));
    let told: u64 = outcome.trace.iter().map(|(_, _, latency, ..)| latency).sum();
    assert_eq!(told, outcome.operations["commit"].latency_sum_ns);
}

#[test]
fn starts_keep_their_distance_with_and_without_a_sync() {
    for kind in [SyncKind::None, SyncKind::Fdatasync] {
        let folder = tempfile::tempdir().unwrap();
        let outcome = psync(folder.path(), |request| {
            request.mode = Mode::Randwrite;
            request.max_operations = Some(10);
            request.sync = kind;
            (request.think_time_ns, request.think_from) = (20_000_000, ThinkFrom::Start);
        });
        let starts: Vec<u64> = outcome.trace.iter().map(|(_, start, ..)| *start).collect();
        assert_eq!(starts.len(), 10);
        // A busy machine starts late, never early, and what was late once does not shorten the whole.
        assert!(starts.iter().zip(0..).all(|(&start, i)| start + 1_000_000 >= i * 20_000_000), "{starts:?}");
    }
}

#[test]
fn writes_can_have_sizes_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = psync(folder.path(), |request| {
        request.write_block_sizes = Some(vec![SizeWeight { size: 16_384, weight: 1.0 }]);
        request.sync = SyncKind::Sync;
    });
    let totals = &outcome.operations;
    assert_eq!(totals["read"].bytes, totals["read"].operations * common::BLOCK);
    assert_eq!(totals["write"].bytes, totals["write"].operations * 16_384);
}

#[test]
fn histograms_of_intervals_are_kept_when_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let outcome = psync(folder.path(), |request| {
        (request.interval_histograms, request.trace) = (true, false);
        (request.interval_ns, request.runtime_ns) = (Some(10_000_000), 60_000_000_000);
        request.think_time_ns = 2_000_000;
    });
    assert!(outcome.trace.is_empty());
    assert_eq!(outcome.interval_histograms.len(), outcome.intervals.len());
    assert!(outcome.interval_histograms.iter().any(|kinds| !kinds.is_empty()));
    assert!(outcome.cpu.context_switches > 0);
}

#[test]
fn a_job_tells_what_it_has_measured_so_far() {
    let folder = tempfile::tempdir().unwrap();
    let job = Job::start(JobSpec {
        so_far: true,
        interval_ns: Some(10_000_000),
        runtime_ns: 60_000_000_000,
        max_bytes: None,
        max_operations: None,
        ..spec(engines::find("psync").unwrap().caps, &folder.path().join("f"))
    })
    .unwrap();
    let told_after = |elapsed_ns: u64| loop {
        let progress = job.poll();
        assert_ne!(progress.phase, phase::FINISHED, "ended too early: {:?}", job.result(None));
        match progress.so_far {
            Some(so_far) if so_far.elapsed_ns >= elapsed_ns && so_far.operations.contains_key("read") => break so_far,
            _ => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let told = told_after(30_000_000);
    let later = told_after(told.elapsed_ns + 1);
    assert!(told.cpu.context_switches <= later.cpu.context_switches);
    assert!(told.operations["read"].operations <= later.operations["read"].operations);
    job.stop();
    let outcome = job.result(None).unwrap();
    let (before, after) = (&told.operations["read"], &outcome.operations["read"]);
    assert!(before.operations > 0 && before.operations <= after.operations);
    assert_eq!(before.bytes, before.operations * common::BLOCK);
    let shown: u64 = outcome.intervals[..(told.elapsed_ns / 10_000_000) as usize]
        .iter()
        .map(|interval| interval.operations["read"].operations)
        .sum();
    assert_eq!(shown, before.operations, "the totals are those of the intervals");
    assert!(told.histograms.contains_key("read"));
}
