//! fio's loops: how many operations a pass has, what is read back after it, and which syncs are counted.

mod common;

use std::fs;
use std::os::unix::fs::FileExt;

use common::{BLOCK, FOR_EVER, SIZE, real, refused, run_ok, spec};
use plimsoll_core::outcome::{Outcome, phase};
use plimsoll_io::Job;
use plimsoll_io::engine::Caps;
use plimsoll_io::spec::{
    Backlog, Distribution, FileOrder, Files, JobSpec, Layout, Mode, Passes, Sequence, SyncKind, Verification,
};
use tempfile::tempdir;

const BLOCKS: u64 = SIZE / BLOCK;
const ONCE: Passes = Passes { least: Some(1), bytes: 0, ends: true, again: true, read_back: true };

fn verification(backlog: Option<Backlog>) -> Option<Verification> {
    let (interval, pattern) = (BLOCK, Vec::new());
    let how = Verification {
        interval,
        pattern,
        checksums: true,
        backlog,
        stop_at_first: true,
        read_back: true,
        existing: false,
    };
    Some(how)
}

/// A job that verifies what it writes after each of so many passes.
fn job(caps: Caps, dir: &std::path::Path, mode: Mode, passes: u64) -> JobSpec {
    JobSpec {
        mode,
        verify: true,
        verification: verification(None),
        passes: Some(Passes { least: Some(passes), ..ONCE }),
        runtime_ns: 60_000_000_000,
        max_bytes: Some(passes * SIZE),
        max_operations: None,
        ..spec(caps, &dir.join(caps.name))
    }
}

fn count(outcome: &Outcome, kind: &str) -> u64 {
    outcome.operations.get(kind).map_or(0, |totals| totals.operations)
}

/// Reads, writes and syncs.
fn counts(outcome: &Outcome) -> [u64; 3] {
    ["read", "write", "sync"].map(|kind| count(outcome, kind))
}

#[test]
fn what_a_pass_wrote_is_read_back_and_measured() {
    let dir = tempdir().unwrap();
    for caps in real() {
        for mode in [Mode::Write, Mode::Randwrite, Mode::Randrw] {
            let outcome = run_ok(job(caps, dir.path(), mode, 3));
            let [reads, writes, _] = counts(&outcome);
            let name = format!("{} {mode:?}", caps.name);
            if mode == Mode::Randrw {
                assert_eq!(reads, 3 * BLOCKS, "{name}: each write is read back, and the others were reads");
            } else {
                assert_eq!([reads, writes], [3 * BLOCKS; 2], "{name}");
            }
            let verified = outcome.verified.unwrap();
            assert_eq!((verified.blocks, verified.bad_blocks), (writes, 0), "{name}");
            assert!(0 < outcome.phases.verify_ns && outcome.phases.verify_ns < outcome.elapsed_ns, "{name}");
            let shown: u64 = outcome.intervals.iter().map(|interval| interval.operations["read"].operations).sum();
            assert_eq!(shown, reads, "{name}");
        }
    }
}

#[test]
fn the_backlog_leaves_the_rest_to_the_end_of_the_pass() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let backlog = verification(Some(Backlog { every: 100, batch: 90 }));
        let request = JobSpec { verification: backlog, ..job(caps, dir.path(), Mode::Randwrite, 2) };
        let outcome = run_ok(request);
        assert_eq!(counts(&outcome), [2 * BLOCKS, 2 * BLOCKS, 0], "{}", caps.name);
    }
}

#[test]
fn blocks_that_were_written_again_are_read_once() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let passes = Some(Passes { ends: false, ..ONCE });
        let request =
            JobSpec { distribution: Distribution::Uniform, passes, ..job(caps, dir.path(), Mode::Randwrite, 2) };
        let outcome = run_ok(request);
        let [reads, writes, _] = counts(&outcome);
        assert_eq!(writes, 2 * BLOCKS);
        assert_eq!(outcome.verified.unwrap().blocks, reads, "{}", caps.name);
        // Two draws for each block leave one in seven or eight out.
        assert!((BLOCKS * 3 / 4..BLOCKS * 19 / 20).contains(&reads), "{}: {reads}", caps.name);
    }
}

#[test]
fn syncs_are_those_of_fio() {
    let dir = tempdir().unwrap();
    for caps in real() {
        // Of 32 writes in each pass; without those at the ends of passes, and without the one after the last write.
        for (every, passes, wanted) in [(4, 1, 7), (3, 1, 10), (4, 2, 15), (40, 2, 1)] {
            let mut request = JobSpec { size: 32 * BLOCK, ..job(caps, dir.path(), Mode::Write, passes) };
            (request.sync, request.sync_every, request.sync_at_end) = (SyncKind::Fsync, every, true);
            request.max_bytes = Some(passes * 32 * BLOCK);
            let outcome = run_ok(request);
            assert_eq!(count(&outcome, "sync"), wanted, "{} {every} {passes}", caps.name);
        }
    }
}

#[test]
fn passes_go_on_while_bytes_are_left() {
    let dir = tempdir().unwrap();
    let caps = real().next().unwrap();
    let passes = |read_back, bytes| Some(Passes { read_back, bytes, ..ONCE });
    let base = JobSpec { max_bytes: Some(SIZE * 5 / 2), ..job(caps, dir.path(), Mode::Write, 1) };
    // What is read back counts: two and a half times the region is reached in the second pass.
    let verified = run_ok(JobSpec { passes: passes(true, SIZE * 5 / 2), ..base.clone() });
    assert_eq!(counts(&verified), [2 * BLOCKS, 2 * BLOCKS, 0]);
    let plain = run_ok(JobSpec { passes: passes(false, SIZE * 5 / 2), verify: false, verification: None, ..base });
    assert_eq!(counts(&plain), [0, BLOCKS * 5 / 2, 0]);
}

#[test]
fn a_pass_of_reads_and_writes_is_over_when_one_of_them_is() {
    let dir = tempdir().unwrap();
    let caps = real().next().unwrap();
    let sequence = Some(Sequence { every: 1, stay: false, skip: 0 });
    let passes = Some(Passes { again: false, read_back: false, ..ONCE });
    let max_bytes = Some(10 * SIZE);
    let base = JobSpec {
        sequence,
        passes,
        max_bytes,
        verify: false,
        verification: None,
        ..job(caps, dir.path(), Mode::Rw, 1)
    };
    let outcome = run_ok(base);
    let [reads, writes, _] = counts(&outcome);
    assert_eq!(reads.max(writes), BLOCKS);
    assert!(reads.min(writes) > BLOCKS / 2, "{reads} {writes}");
}

#[test]
fn a_limit_of_operations_counts_what_is_read_back_for_later_passes() {
    let dir = tempdir().unwrap();
    let caps = real().next().unwrap();
    for (operations, passes, wanted) in [(10, 1, 10), (BLOCKS + 20, 2, BLOCKS)] {
        let request = job(caps, dir.path(), Mode::Randwrite, passes);
        let outcome = run_ok(JobSpec { max_bytes: None, max_operations: Some(operations), ..request });
        assert_eq!(counts(&outcome), [wanted, wanted, 0]);
    }
}

#[test]
fn several_files_are_verified_however_few_are_open() {
    let dir = tempdir().unwrap();
    for caps in real().filter(|caps| caps.files) {
        for open in [None, Some(1), Some(3)] {
            let paths: Vec<_> = (0..4).map(|number| dir.path().join(format!("{}.{number}", caps.name))).collect();
            paths.iter().for_each(|path| fs::write(path, vec![0; SIZE as usize / 4]).unwrap());
            let more = paths[1..].iter().map(|path| path.to_str().unwrap().to_owned()).collect();
            let files =
                Files { more, order: FileOrder::Turns, turn: 1, favour: None, parts: Vec::new(), open, endless: false };
            let base = job(caps, dir.path(), Mode::Randwrite, 2);
            let path = paths[0].to_str().unwrap().to_owned();
            let outcome = run_ok(JobSpec { files: Some(files), layout: Layout::Keep, path, ..base });
            assert_eq!(counts(&outcome), [2 * BLOCKS, 2 * BLOCKS, 0], "{} {open:?}", caps.name);
        }
    }
}

#[test]
fn a_changed_block_is_found_where_it_is_read_back() {
    let dir = tempdir().unwrap();
    for caps in real() {
        for stop_at_first in [true, false] {
            // 40 writes in 0.2 s or more, while blocks 3 and 9 are changed again and again.
            let how = verification(None).map(|how| Verification { stop_at_first, ..how });
            let mut request = JobSpec {
                think_time_ns: 5_000_000,
                verification: how,
                depth: 1,
                ..job(caps, dir.path(), Mode::Write, 1)
            };
            request.max_bytes = Some(40 * BLOCK);
            let path = request.path.clone();
            let job = Job::start(request).unwrap();
            common::wait_for(&job, phase::MEASURE);
            let file = fs::OpenOptions::new().write(true).open(path).unwrap();
            while job.poll().phase != phase::FINISHED {
                file.write_all_at(b"!", 3 * BLOCK + 1000).unwrap();
                file.write_all_at(b"!", 9 * BLOCK).unwrap();
                std::thread::sleep(std::time::Duration::from_millis(1));
            }
            let outcome = job.result(Some(FOR_EVER)).unwrap();
            let found = outcome.error.clone().unwrap();
            assert_eq!((found.kind.as_str(), found.offset), ("verify", Some(3 * BLOCK)), "{}", found.message);
            let reads = count(&outcome, "read");
            assert_eq!(reads, if stop_at_first { 3 } else { 40 }, "{}", caps.name);
        }
    }
}

#[test]
fn a_warm_up_goes_through_passes_that_do_not_count() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let request = JobSpec { warmup_ns: 50_000_000, ..job(caps, dir.path(), Mode::Write, 2) };
        let outcome = run_ok(request);
        assert_eq!(count(&outcome, "write"), 2 * BLOCKS, "{}", caps.name);
        assert!(outcome.phases.verify_ns < outcome.elapsed_ns, "{}", caps.name);
    }
}

#[test]
fn passes_that_cannot_be_are_refused() {
    let caps = real().next().unwrap();
    let dir = tempdir().unwrap();
    let base = job(caps, dir.path(), Mode::Write, 1);
    let cases = [
        ("one thread", JobSpec { threads: 2, ..base.clone() }),
        ("0 passes", JobSpec { passes: Some(Passes { least: Some(0), ..ONCE }), ..base.clone() }),
        ("set verify", JobSpec { verify: false, verification: None, ..base }),
    ];
    for (word, request) in cases {
        let message = refused(request);
        assert!(message.contains(word), "{word}: {message}");
    }
}
