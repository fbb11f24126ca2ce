//! Jobs that pause and go on, with every engine of the list; what needs an engine that keeps a record is tested beside
//! the loop (`src/worker/slices`).

mod common;

use base64::Engine as _;
use common::{BLOCK, FOR_EVER, all, spec, wait_for};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::go::NotNow;
use plimsoll_core::outcome::{Outcome, Status, phase};
use plimsoll_io::Job;
use plimsoll_io::spec::{JobSpec, Layout};
use tempfile::tempdir;

const MS: u64 = 1_000_000;
/// Ahead of the moment to go: enough for any machine to tell both jobs before.
const AHEAD_NS: u64 = 50 * MS;

fn recorded(encoded: &str) -> u64 {
    let bytes = base64::engine::general_purpose::STANDARD.decode(encoded).unwrap();
    let histogram: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
    histogram.len()
}

/// Four slices of 20 ms, and as long a rest after each, from `first_ns` on.
fn turns(first_ns: u64) -> Vec<(u64, u64)> {
    (0..4).map(|number| (first_ns + number * 40 * MS, 20 * MS)).collect()
}

fn go_at_once(jobs: &[&Job]) {
    for job in jobs {
        wait_for(job, phase::READY);
    }
    let begin_ns = monotonic_ns() + AHEAD_NS;
    for job in jobs {
        assert_eq!(job.go(begin_ns), Ok(()));
    }
}

/// What must hold of every job that has worked in these slices.
fn adds_up(engine: &str, outcome: &Outcome, slices: &[(u64, u64)], discard_ns: u64) {
    assert_eq!((outcome.status, &outcome.error), (Status::Ok, &None), "{engine}");
    let spans: Vec<(u64, u64)> = outcome.intervals.iter().map(|row| (row.start_ns, row.duration_ns)).collect();
    let counted: Vec<(u64, u64)> =
        slices.iter().map(|(start_ns, length_ns)| (start_ns + discard_ns, length_ns - discard_ns)).collect();
    assert_eq!(spans, counted, "{engine}");
    assert_eq!(outcome.elapsed_ns, counted.iter().map(|(_, length_ns)| length_ns).sum::<u64>(), "{engine}");
    assert!(outcome.intervals.iter().all(|row| row.drain_ns.is_some()), "{engine}: {:?}", outcome.intervals);
    assert_eq!(outcome.interval_histograms.len(), slices.len(), "{engine}");
    assert!(!outcome.operations.is_empty(), "{engine}: nothing was done");
    for (kind, totals) in &outcome.operations {
        let rows: Vec<u64> = outcome.intervals.iter().map(|row| row.operations[kind].operations).collect();
        assert_eq!(rows.iter().sum::<u64>(), totals.operations, "{engine}");
        assert_eq!(totals.bytes, totals.operations * BLOCK, "{engine}");
        assert_eq!(recorded(&outcome.histograms[kind]), totals.operations, "{engine}");
        let by_slice = outcome.interval_histograms.iter().map(|row| row.get(kind).map_or(0, |one| recorded(one)));
        assert!(by_slice.eq(rows), "{engine}: each slice has its own histogram");
    }
}

#[test]
fn two_jobs_take_turns_and_nothing_is_lost_or_counted_twice() {
    let dir = tempdir().unwrap();
    for caps in all() {
        let starts = [5 * MS, 25 * MS];
        let jobs = starts.map(|first_ns| {
            let path = dir.path().join(format!("{}-{first_ns}", caps.name));
            let (slices, discard_ns, max_operations) = (turns(first_ns), 3 * MS, None);
            Job::start(JobSpec { slices, discard_ns, max_operations, threads: 2, ..spec(caps, &path) }).unwrap()
        });
        go_at_once(&jobs.each_ref());
        for (job, first_ns) in jobs.iter().zip(starts) {
            let outcome = job.result(Some(FOR_EVER)).expect("the job ends");
            adds_up(caps.name, &outcome, &turns(first_ns), 3 * MS);
            assert!(outcome.mean_in_flight > 0.0, "{}", caps.name);
            assert!(outcome.cpu.user_ns + outcome.cpu.system_ns > 0, "{}", caps.name);
        }
    }
}

/// A job of one slice now and one that never comes.
fn long_rest(path: &std::path::Path) -> Job {
    let caps = all().find(|caps| caps.name == "psync").unwrap();
    let slices = vec![(0, 10 * MS), (3_600_000 * MS, 10 * MS)];
    Job::start(JobSpec { slices, max_operations: None, layout: Layout::Fill, ..spec(caps, path) }).unwrap()
}

#[test]
fn a_stop_in_a_rest_ends_the_job_with_the_slices_before() {
    let dir = tempdir().unwrap();
    let job = long_rest(&dir.path().join("f"));
    go_at_once(&[&job]);
    while job.poll().interval.is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    job.stop();
    // Far sooner than the hour that the rest lasts.
    let outcome = job.result(Some(FOR_EVER)).expect("the job ends");
    assert_eq!((outcome.status, outcome.error), (Status::Stopped, None));
    assert_eq!((outcome.elapsed_ns, outcome.intervals.len()), (10 * MS, 1));
    let rows: u64 = outcome.operations.keys().map(|kind| outcome.intervals[0].operations[kind].operations).sum();
    assert_eq!(rows, outcome.operations.values().map(|totals| totals.operations).sum::<u64>());
}

#[test]
fn a_stop_before_the_first_slice_ends_the_job_with_nothing() {
    let dir = tempdir().unwrap();
    for told in [false, true] {
        let job = long_rest(&dir.path().join("f"));
        wait_for(&job, phase::READY);
        if told {
            assert_eq!(job.go(monotonic_ns() + 1_000_000 * MS), Ok(()));
        }
        job.stop();
        let outcome = job.result(Some(FOR_EVER)).expect("the job ends");
        assert_eq!((outcome.status, outcome.error), (Status::Stopped, None), "{told}");
        assert_eq!((outcome.elapsed_ns, outcome.intervals.len(), outcome.operations.len()), (0, 0, 0), "{told}");
    }
}

#[test]
fn a_job_goes_once_and_only_one_with_slices() {
    let dir = tempdir().unwrap();
    let job = long_rest(&dir.path().join("f"));
    wait_for(&job, phase::READY);
    assert!(matches!(job.go(5), Err(NotNow::WrongMoment { begin_ns: 5, .. })));
    go_at_once(&[&job]);
    assert_eq!(job.go(monotonic_ns() + AHEAD_NS), Err(NotNow::Twice));
    job.stop();
    job.result(Some(FOR_EVER)).expect("the job ends");
    assert_eq!(job.go(monotonic_ns() + AHEAD_NS), Err(NotNow::Over));
    let caps = all().find(|caps| caps.name == "null").unwrap();
    let other = Job::start(spec(caps, &dir.path().join("f"))).unwrap();
    assert_eq!(other.go(monotonic_ns() + AHEAD_NS), Err(NotNow::NoSlices));
}
