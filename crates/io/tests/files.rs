//! Several files in one job: every engine that takes them opens and closes them on the way, and makes them anew.

mod common;

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use common::{BLOCK, real, refused, run_ok, spec};
use plimsoll_io::engine::Caps;
use plimsoll_io::spec::{DropEach, FileOrder, Files, JobSpec, Layout, Mode, SyncKind};
use tempfile::tempdir;

const PARTS: [u64; 6] = [3, 1, 0, 40, 9, 11];

/// A job over files of many sizes, which are there and hold zeros.
fn job(caps: Caps, dir: &Path, mode: Mode, open: Option<usize>) -> JobSpec {
    let paths: Vec<_> = (0..PARTS.len()).map(|number| dir.join(format!("{}.{number}", caps.name))).collect();
    for (path, part) in paths.iter().zip(PARTS) {
        fs::write(path, vec![0; (part * BLOCK) as usize]).unwrap();
    }
    let more = paths[1..].iter().map(|path| path.to_str().unwrap().to_owned()).collect();
    let parts = PARTS.map(|blocks| blocks * BLOCK).to_vec();
    let size = parts.iter().sum();
    let files = Files { more, order: FileOrder::Turns, turn: 1, favour: None, parts, open, endless: false };
    JobSpec {
        mode,
        size,
        files: Some(files),
        layout: Layout::Keep,
        runtime_ns: 60_000_000_000,
        max_bytes: Some(size),
        max_operations: None,
        ..spec(caps, &paths[0])
    }
}

#[test]
fn every_block_of_every_file_is_written_however_few_are_open() {
    let dir = tempdir().unwrap();
    for caps in real().filter(|caps| caps.files) {
        for mode in [Mode::Write, Mode::Randwrite] {
            for open in [None, Some(1), Some(2), Some(6)] {
                let sync = SyncKind::Fdatasync;
                let request = JobSpec { sync, sync_every: 5, sync_at_end: true, ..job(caps, dir.path(), mode, open) };
                let outcome = run_ok(request);
                let blocks: u64 = PARTS.iter().sum();
                assert_eq!(outcome.operations["write"].operations, blocks, "{} {mode:?} {open:?}", caps.name);
                for (number, part) in PARTS.iter().enumerate() {
                    let content = fs::read(dir.path().join(format!("{}.{number}", caps.name))).unwrap();
                    assert_eq!(content.len() as u64, part * BLOCK, "{} {mode:?} {open:?}", caps.name);
                    let untouched = content.chunks(BLOCK as usize).filter(|block| block.iter().all(|&b| b == 0));
                    assert_eq!(untouched.count(), 0, "{} {mode:?} {open:?} file {number}", caps.name);
                }
            }
        }
    }
}

#[test]
fn files_are_made_anew_after_each_pass() {
    let dir = tempdir().unwrap();
    for caps in real().filter(|caps| caps.files) {
        for open in [None, Some(2)] {
            let mut request = job(caps, dir.path(), Mode::Write, open);
            let path = request.path.clone();
            // The old one is kept by a second name, so that its number is not given to another one.
            let kept = dir.path().join("kept");
            fs::hard_link(&path, &kept).unwrap();
            request.drop_each = DropEach::Files;
            // Two passes, and the first block of the first file once more.
            request.max_bytes = Some(2 * request.size + 1);
            run_ok(request);
            assert_ne!(fs::metadata(&path).unwrap().ino(), fs::metadata(&kept).unwrap().ino(), "{}", caps.name);
            assert_eq!(fs::metadata(&path).unwrap().len(), BLOCK, "{} {open:?}", caps.name);
            assert_eq!(fs::metadata(dir.path().join(format!("{}.3", caps.name))).unwrap().len(), 0, "{}", caps.name);
            fs::remove_file(kept).unwrap();
        }
    }
}

#[test]
fn an_engine_for_one_file_refuses() {
    let dir = tempdir().unwrap();
    for caps in real().filter(|caps| !caps.files) {
        let path = dir.path().join("f");
        let request = JobSpec { mode: Mode::Write, drop_each: DropEach::Files, ..spec(caps, &path) };
        assert!(refused(request).contains("one file"), "{}", caps.name);
    }
}
