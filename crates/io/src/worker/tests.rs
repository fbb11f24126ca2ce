//! What a thread issues, and when, as an engine of the tests takes it down. Times of the clock are compared only where
//! the machine being late cannot change the answer.

mod noting;

use std::sync::Arc;
use std::time::Duration;

use plimsoll_core::clock::monotonic_ns;
use plimsoll_core::job::Control;
use plimsoll_core::outcome::{Outcome, phase};
use plimsoll_core::pool::Observer;
use plimsoll_core::summary::sum_up;
use plimsoll_core::timeline::Timeline;
use plimsoll_core::window::Window;

use super::Exchange;
use crate::engines::Visitor;
use crate::launch::{Launch, batch, series};
use crate::recorder::Batch;
use crate::spec::{Arrival, JobSpec, Mode, Rate, RateUnit, SyncKind};
use noting::{Noted, NotingEngine};

const MS: u64 = 1_000_000;

struct Silent;

impl Observer<Exchange> for Silent {
    fn merged(&mut self, _timeline: &mut Timeline<Batch>) {}
}

/// What a job of one thread found, and what its engine was asked for: the moments are counted from when it went.
struct Done {
    outcome: Outcome,
    noted: Vec<Noted>,
    slices: Vec<(u64, u64)>,
}

impl Done {
    fn rows(&self, kind: &str) -> Vec<u64> {
        self.outcome.intervals.iter().map(|row| row.operations[kind].operations).collect()
    }

    fn submitted_in(&self, slice: usize) -> impl Iterator<Item = &Noted> {
        let begin_ns = self.slices[slice].0;
        let next_ns = self.slices.get(slice + 1).map_or(u64::MAX, |next| next.0);
        self.noted.iter().filter(move |noted| (begin_ns..next_ns).contains(&noted.submitted_ns))
    }
}

/// `count` slices of `length_ms`, each after a rest of `rest_ms`.
fn turns(count: u64, length_ms: u64, rest_ms: u64) -> Vec<(u64, u64)> {
    (0..count).map(|number| ((rest_ms + number * (length_ms + rest_ms)) * MS, length_ms * MS)).collect()
}

/// Carries out a job on the engine that takes everything down, and whose operations last as long as `latency` says of
/// their number.
fn carry_out(latency: fn(usize) -> u64, change: impl FnOnce(&mut JobSpec)) -> Done {
    let mut spec = JobSpec { warmup_ns: 0, size: 1 << 20, mode: Mode::Randread, ..JobSpec::default() };
    change(&mut spec);
    let (spec, control) = (Arc::new(spec), Arc::new(Control::new(phase::LAYOUT)));
    let (slices, series) = (spec.slices(), series(&spec));
    let launch = Launch { spec: Arc::clone(&spec), target: None, flow: None, control: Arc::clone(&control) };
    let mut pool = noting::prepared(latency, || launch.visit::<NotingEngine>()).unwrap();
    assert!(pool.ready().unwrap());
    let begin_ns = monotonic_ns() + 10 * MS;
    let window = if slices.is_none() {
        Window::new(begin_ns, spec.warmup_ns, spec.runtime_ns, 1000 * MS)
    } else {
        slices.whole(begin_ns)
    };
    let mut timeline = Timeline::new(spec.threads, window.interval_ns, || batch(&spec, &series)).in_slices(&slices);
    pool.run(window, Duration::from_secs(1), &mut timeline, &mut Silent);
    let mut outcome = Outcome::nothing_yet();
    sum_up(&mut outcome, &mut timeline, &window, &pool.reports(), spec.rate.is_some());
    pool.into_found().unwrap();
    Done { outcome, noted: noting::taken(window.begin_ns), slices: spec.slices.clone() }
}

#[test]
fn nothing_is_issued_outside_of_slices_and_all_that_is_counts_once() {
    // Of different lengths, so that some are always in flight.
    let latency = |number: usize| 150_000 + number as u64 % 7 * 50_000;
    let done = carry_out(latency, |s| (s.slices, s.depth) = (turns(4, 80, 80), 4));
    for noted in &done.noted {
        // A thread that the machine has kept from running between the clock and the call is late, but not by so much.
        let within = |&(start_ns, length_ns): &(u64, u64)| {
            noted.submitted_ns + MS >= start_ns && noted.submitted_ns < start_ns + length_ns + 40 * MS
        };
        assert!(done.slices.iter().any(within), "{noted:?}");
    }
    for (index, rows) in done.rows("read").into_iter().enumerate() {
        assert_eq!(done.submitted_in(index).count() as u64, rows, "slice {index} counts what it has issued");
        let first = done.submitted_in(index).next().expect("each slice has operations").submitted_ns;
        assert!(first < done.slices[index].0 + 40 * MS, "slice {index} begins at once, not {first}");
    }
    assert_eq!(done.outcome.operations["read"].operations, done.noted.len() as u64);
}

#[test]
fn the_loop_allocates_nothing_from_its_first_operation_to_its_last() {
    let done = carry_out(|_| 100_000, |s| (s.slices, s.depth) = (turns(5, 10, 10), 4));
    let first = done.noted.first().unwrap().allocations;
    assert!(first > 0, "the counter counts");
    assert!(done.noted.iter().all(|noted| noted.allocations == first), "{:?}", done.noted);
}

#[test]
fn what_is_issued_in_the_discard_does_not_count() {
    let done = carry_out(|_| 200_000, |s| (s.slices, s.discard_ns) = (turns(3, 30, 20), 10 * MS));
    let counted = done.outcome.operations["read"].operations;
    assert!(counted > 0 && counted < done.noted.len() as u64, "{counted} of {}", done.noted.len());
    assert_eq!(done.outcome.elapsed_ns, 60 * MS);
}

#[test]
fn the_drain_lasts_until_what_was_issued_is_back() {
    const LATENCY_NS: u64 = 8 * MS;
    let done = carry_out(|_| LATENCY_NS, |s| (s.slices, s.depth) = (turns(3, 40, 40), 3));
    for (index, row) in done.outcome.intervals.iter().enumerate() {
        let last_ns = done.submitted_in(index).last().unwrap().submitted_ns + LATENCY_NS;
        let end_ns = row.start_ns + row.duration_ns;
        // Less the difference between two clocks.
        assert!(row.drain_ns.unwrap() + MS >= last_ns.saturating_sub(end_ns), "{row:?} {last_ns}");
    }
}

#[test]
fn a_slice_that_a_stalled_device_has_kept_the_thread_from_has_no_operations() {
    // The first operation lasts until the second slice is over.
    const STALLED_NS: u64 = 160 * MS;
    let done = carry_out(|number| if number == 0 { STALLED_NS } else { MS }, |s| s.slices = turns(4, 50, 50));
    let back_ns = done.noted[0].submitted_ns + STALLED_NS;
    let rows = done.rows("read");
    for (&(start_ns, length_ns), row) in done.slices.iter().zip(&rows).skip(1) {
        assert!(*row == 0 || back_ns < start_ns + length_ns, "{start_ns}: {rows:?}");
    }
    assert_eq!(rows[..2], [1, 0]);
    let drain_ns = done.outcome.intervals[0].drain_ns.unwrap();
    assert!(drain_ns + MS >= back_ns - (done.slices[0].0 + done.slices[0].1), "{drain_ns}");
    assert_eq!(rows.iter().sum::<u64>(), done.noted.len() as u64);
}

fn rate(per_second: f64) -> Option<Rate> {
    Some(Rate { per_second, unit: RateUnit::Operations, apart: None })
}

#[test]
fn a_rest_makes_no_operation_of_an_open_loop_late() {
    let change = |s: &mut JobSpec| {
        (s.slices, s.discard_ns, s.rate, s.arrival) = (turns(3, 100, 400), 10 * MS, rate(1000.0), Arrival::Even);
    };
    let done = carry_out(|_| 0, change);
    // One is due every millisecond of the part that counts, however late the machine is.
    assert_eq!(done.outcome.offered_operations, Some(3 * 90));
    let latest_ns = done.outcome.intervals.iter().map(|row| row.operations["read"].max_ns).max().unwrap();
    assert!(latest_ns < 400 * MS, "a rest was counted as lateness: {latest_ns}");
    assert!(done.rows("read").iter().all(|&row| row > 0), "{:?}", done.rows("read"));
}

#[test]
fn what_a_slow_device_leaves_undone_was_offered_in_the_slice_that_it_was_due_in() {
    let change = |s: &mut JobSpec| {
        (s.slices, s.discard_ns, s.rate, s.arrival) = (turns(4, 30, 30), 10 * MS, rate(1000.0), Arrival::Even);
    };
    let done = carry_out(|_| 5 * MS, change);
    assert_eq!(done.outcome.offered_operations, Some(4 * 20));
    assert!(done.outcome.operations["read"].operations < 4 * 20);
}

#[test]
fn a_group_of_writes_that_a_rest_cuts_in_two_is_one_commit_without_the_rest() {
    const EVERY: u64 = 25;
    let change = |s: &mut JobSpec| {
        (s.mode, s.sync, s.sync_every, s.slices) = (Mode::Randwrite, SyncKind::Fsync, EVERY, turns(4, 20, 500));
    };
    let done = carry_out(|_| MS, change);
    let count = |kind: &str| done.outcome.operations[kind].operations;
    assert_eq!((count("sync"), count("commit")), (count("write") / EVERY, count("write") / EVERY));
    assert!(count("commit") > 0);
    let longest_ns = done.outcome.intervals.iter().map(|row| row.operations["commit"].max_ns).max().unwrap();
    assert!(longest_ns < 500 * MS, "a commit has the rest in it: {longest_ns}");
}

#[test]
fn a_sync_that_is_due_at_the_end_of_a_slice_is_a_part_of_the_drain() {
    let change = |s: &mut JobSpec| {
        (s.mode, s.sync, s.slices) = (Mode::Randwrite, SyncKind::Fsync, turns(5, 10, 30));
    };
    let done = carry_out(|_| 2 * MS, change);
    let count = |kind: &str| done.outcome.operations[kind].operations;
    assert_eq!((count("sync"), count("commit")), (count("write"), count("write")));
    assert_eq!(done.rows("sync"), done.rows("write"));
}

#[test]
fn a_pause_goes_on_after_the_rest() {
    // Slices are shorter than the pause after each operation: were it forgotten, or begun anew, each would have one.
    let change = |s: &mut JobSpec| (s.think_time_ns, s.slices) = (30 * MS, turns(6, 20, 10));
    let done = carry_out(|_| 0, change);
    let operations = done.noted.len() as u64;
    assert!((2..=5).contains(&operations), "{operations} in 120 ms, with pauses of 30");
}

/// Of four operations under way one comes back every 100 ms, and the next one is issued, which lasts 400. The measured part
/// is from 650 to 1650 ms: moments that are far from those.
fn slow(change: impl FnOnce(&mut JobSpec)) -> Outcome {
    let slow = |s: &mut JobSpec| {
        (s.depth, s.warmup_ns, s.runtime_ns) = (4, 650 * MS, 1000 * MS);
        change(s);
    };
    carry_out(|number| if number < 4 { (number as u64 + 1) * 100 * MS } else { 400 * MS }, slow).outcome
}

#[test]
fn after_a_warm_up_a_slow_device_does_as_much_as_its_time_is_worth() {
    let outcome = slow(|_| ());
    assert_eq!((outcome.operations["read"].operations, outcome.elapsed_ns), (10, 1000 * MS));
    // The rows have what came back, until all was back: also the four that were under way when the measured part began.
    let rows = outcome.intervals.iter().map(|row| row.operations["read"].operations);
    assert_eq!((rows.sum::<u64>(), outcome.discarded["read"].operations), (14, 4));
    assert!(outcome.intervals.iter().all(|row| row.operations["read"].p50_ns > 350 * MS), "{:?}", outcome.intervals);
    let last = outcome.intervals.last().unwrap();
    assert!(last.start_ns + last.duration_ns > 1000 * MS, "{last:?}");
    assert!((3.99..4.01).contains(&outcome.mean_in_flight), "of the measured time: {}", outcome.mean_in_flight);
}

#[test]
fn without_a_warm_up_the_time_is_until_all_is_back() {
    let outcome = slow(|s| s.warmup_ns = 0);
    assert_eq!(outcome.operations["read"].operations, 13);
    assert!(outcome.elapsed_ns >= 1300 * MS, "{}", outcome.elapsed_ns);
}

#[test]
fn a_limit_counts_what_is_issued_after_the_warm_up() {
    let outcome = slow(|s| s.max_operations = Some(5));
    assert_eq!(outcome.operations["read"].operations, 5);
    // The last one is issued at 1100, and the time ends with it.
    assert!((850 * MS..1000 * MS).contains(&outcome.elapsed_ns), "{}", outcome.elapsed_ns);
}

#[test]
fn a_final_sync_is_a_part_of_the_measured_time() {
    let outcome = slow(|s| (s.mode, s.sync_at_end) = (Mode::Randwrite, true));
    assert!(outcome.elapsed_ns >= 1000 * MS, "{}", outcome.elapsed_ns);
}
