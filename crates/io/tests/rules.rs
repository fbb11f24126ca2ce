//! Rules that jobs of fio ask for: paces of each kind, checks during the run, second syncs, trims before writes.

mod common;

use std::fs;

use common::{BLOCK, SIZE, real, run_ok, spec};
use plimsoll_core::outcome::Outcome;
use plimsoll_io::engines;
use plimsoll_io::spec::{
    Apart, Arrival, Backlog, Distribution, JobSpec, Layout, Mode, Piece, Rate, RateUnit, SyncBeside, SyncKind,
    Verification,
};
use tempfile::tempdir;

fn count(outcome: &Outcome, kind: &str) -> u64 {
    outcome.operations.get(kind).map_or(0, |totals| totals.operations)
}

fn psync() -> plimsoll_io::engine::Caps {
    engines::find("psync").unwrap().caps
}

#[test]
fn the_kind_without_a_pace_has_the_rest_of_the_time() {
    let dir = tempdir().unwrap();
    for (unit, slow) in [(RateUnit::Operations, 0.001), (RateUnit::Bytes, 1.0)] {
        let apart = Some(Apart { read: Some(slow), write: None });
        let rate = Some(Rate { per_second: slow, unit, apart });
        let outcome = run_ok(JobSpec { rate, ..spec(psync(), &dir.path().join("f")) });
        // The second read is due after a thousand seconds and more.
        assert_eq!((count(&outcome, "read"), count(&outcome, "write")), (1, 499));
        assert_eq!(outcome.histograms.len(), 4, "{:?}", outcome.histograms.keys());
    }
}

#[test]
fn a_kind_without_a_share_is_never_switched_to() {
    let dir = tempdir().unwrap();
    let apart = Some(Apart { read: Some(20_000.0), write: None });
    let rate = Some(Rate { per_second: 20_000.0, unit: RateUnit::Operations, apart });
    let outcome =
        run_ok(JobSpec { rate, arrival: Arrival::Poisson, read_share: 1.0, ..spec(psync(), &dir.path().join("f")) });
    assert_eq!((count(&outcome, "read"), count(&outcome, "write")), (500, 0));
    assert_eq!(outcome.offered_operations, Some(500));
}

fn verification(every: Option<u64>) -> Verification {
    Verification {
        interval: 512,
        pattern: vec![Piece::Bytes(b"plimsoll".to_vec()), Piece::Offset],
        checksums: true,
        backlog: every.map(|every| Backlog { every, batch: every }),
        stop_at_first: true,
        read_back: true,
        existing: false,
    }
}

#[test]
fn a_backlog_is_checked_while_the_job_runs_and_the_rest_afterwards() {
    let dir = tempdir().unwrap();
    for caps in real() {
        for (mode, distribution) in [(Mode::Write, Distribution::Once), (Mode::Randwrite, Distribution::Uniform)] {
            let path = dir.path().join(caps.name);
            let request = JobSpec { mode, distribution, verify: true, ..spec(caps, &path) };
            let outcome = run_ok(JobSpec { verification: Some(verification(Some(16))), ..request });
            // 500 writes have 31 times 16 of them; how many are still under way at the end is up to the depth.
            let reads = count(&outcome, "read");
            assert_eq!(count(&outcome, "write"), 500, "{}", caps.name);
            let full = if caps.max_depth == Some(1) { 496..=496 } else { 1..=500 };
            assert!(full.contains(&reads), "{}: {reads}", caps.name);
            let verified = outcome.verified.unwrap();
            assert_eq!((verified.bad_blocks, verified.first_bad_offset), (0, None), "{} {mode:?}", caps.name);
            assert!(verified.blocks >= 8 * reads, "{}: {} blocks", caps.name, verified.blocks);
        }
    }
}

#[test]
fn a_pattern_alone_is_what_the_file_then_holds() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let path = dir.path().join(caps.name);
        let mut how = Verification { checksums: false, interval: BLOCK, ..verification(None) };
        let mut request = JobSpec { mode: Mode::Write, verify: true, ..spec(caps, &path) };
        request.max_operations = Some(SIZE / BLOCK);
        let outcome = run_ok(JobSpec { verification: Some(how.clone()), ..request.clone() });
        assert_eq!(outcome.verified.unwrap().blocks, SIZE / BLOCK);
        for (index, block) in fs::read(&path).unwrap().chunks(BLOCK as usize).enumerate() {
            let round = [b"plimsoll".as_slice(), &(index as u64 * BLOCK).to_le_bytes()].concat();
            assert_eq!(block, round.repeat(256), "{} block {index}", caps.name);
        }
        how.read_back = false;
        let verified = run_ok(JobSpec { verification: Some(how), ..request }).verified.unwrap();
        assert_eq!(verified.blocks, 0, "{}", caps.name);
    }
}

#[test]
fn an_fsync_takes_the_place_of_an_fdatasync_that_is_due_with_it() {
    let dir = tempdir().unwrap();
    let sync_beside = Some(SyncBeside { fdatasync_every: 4, opened: SyncKind::Dsync });
    let (sync, sync_every) = (SyncKind::Fsync, 6);
    let mut request =
        JobSpec { mode: Mode::Write, sync, sync_every, sync_beside, ..spec(psync(), &dir.path().join("f")) };
    request.max_operations = Some(24);
    // After 4, 6, 8, 12, 16, 18, 20 and 24.
    assert_eq!(count(&run_ok(request), "sync"), 8);
}

#[test]
fn blocks_are_trimmed_and_then_written() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    let mut request = JobSpec { mode: Mode::Trimwrite, layout: Layout::Fill, verify: true, ..spec(psync(), &path) };
    request.max_operations = Some(2 * SIZE / BLOCK - 1);
    let outcome = run_ok(request);
    assert_eq!((count(&outcome, "trim"), count(&outcome, "write")), (SIZE / BLOCK, SIZE / BLOCK - 1));
    let last = fs::read(&path).unwrap().split_off((SIZE - BLOCK) as usize);
    assert!(last.iter().all(|&byte| byte == 0), "the last block was trimmed and not written");
}
