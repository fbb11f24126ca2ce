//! Real faults: full and faulty file systems, descriptors that run out, a killed process, stops and limits.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use common::{FOR_EVER, Mount, command, is_root, left_in, memory, refused, run, spec};
use plimsoll_core::outcome::{Failure, Status};
use plimsoll_files::Job;
use plimsoll_files::spec::FilesSpec;
use tempfile::{TempDir, tempdir};

/// Names the request of a job that a test runs in a process of its own.
const REQUEST: &str = "PLIMSOLL_TEST_REQUEST";

fn failure(request: FilesSpec) -> Failure {
    let outcome = run(request);
    assert_eq!(outcome.common.status, Status::Failed);
    outcome.common.error.unwrap()
}

fn fs_mark(files: u64, size: u64, directory: &Path) -> FilesSpec {
    let parameters = format!(
        r#"{{"files":{files},"size":{size},"write_size":16384,"sync_method":1,"directories":0,"placement":"time"}}"#
    );
    spec("fs_mark", &parameters, directory)
}

fn tmpfs(options: &str) -> (TempDir, Mount) {
    let dir = tempdir().unwrap();
    command("mount", &["-t", "tmpfs", "-o", options, "plimsoll-test", dir.path().to_str().unwrap()]);
    let mount = Mount(dir.path().to_owned());
    (dir, mount)
}

/// Not a test: the job of a test that needs a process of its own.
#[test]
fn child() {
    let Ok(request) = std::env::var(REQUEST) else { return };
    let request: FilesSpec = serde_json::from_str(&request).unwrap();
    let outcome = Job::start(request).unwrap().result(Some(FOR_EVER)).unwrap();
    let path = std::env::var("PLIMSOLL_TEST_OUTCOME").unwrap();
    fs::write(path, serde_json::to_string(&outcome).unwrap()).unwrap();
}

/// A command that runs `request` in a process of its own, behind `before`.
fn in_a_process(before: &[&str], request: &FilesSpec, outcome: &Path) -> Command {
    let this = std::env::current_exe().unwrap();
    let mut line: Vec<String> = before.iter().map(ToString::to_string).collect();
    line.extend([this.to_str().unwrap().to_owned(), "--exact".to_owned(), "child".to_owned()]);
    let mut command = Command::new(&line[0]);
    command.args(&line[1..]).stdout(Stdio::null()).stderr(Stdio::null());
    command.env(REQUEST, serde_json::to_string(request).unwrap()).env("PLIMSOLL_TEST_OUTCOME", outcome);
    command
}

#[test]
fn too_little_space_is_refused_before_anything_is_written() {
    if !is_root() {
        return;
    }
    let (dir, _mount) = tmpfs("size=4m");
    assert!(refused(fs_mark(10, 1 << 20, dir.path())).contains("bytes free"));
    let (dir, _mount) = tmpfs("size=4m,nr_inodes=20");
    assert!(refused(fs_mark(100, 100, dir.path())).contains("inodes free"));
}

#[test]
fn space_that_runs_out_is_told_with_the_file_and_nothing_is_left() {
    if !is_root() {
        return;
    }
    // Files of 100 bytes take a page each, which no check can know.
    let (dir, _mount) = tmpfs("size=4m");
    let found = failure(fs_mark(8000, 100, dir.path()));
    assert_eq!((found.kind.as_str(), found.errno), ("io", Some(libc::ENOSPC)), "{}", found.message);
    assert!(found.message.contains("plimsoll-files/scratch/"), "{}", found.message);
    assert!(found.message.contains("free space"), "{}", found.message);
    // One inode for the folder, one for the folder in it.
    let (dir, _mount) = tmpfs("size=4m,nr_inodes=50");
    let found = failure(fs_mark(49, 100, dir.path()));
    assert_eq!((found.errno, found.operation.as_deref()), (Some(libc::ENOSPC), Some("create")), "{}", found.message);
}

/// SQLite tells a full disk by a code of its own.
#[test]
fn space_that_somebody_else_takes_is_told() {
    if !is_root() {
        return;
    }
    let (dir, _mount) = tmpfs("size=160m");
    let job = Job::start(spec("sqlite", r#"{"inserts":100000,"passes":10,"page_size":1024}"#, dir.path())).unwrap();
    while job.poll().done == 0.0 {
        assert_ne!(job.poll().phase, "finished", "{:?}", job.result(None));
        std::thread::sleep(Duration::from_millis(1));
    }
    let mut hog = fs::File::create(dir.path().join("hog")).unwrap();
    let full = std::io::copy(&mut std::io::repeat(1), &mut hog).unwrap_err();
    assert_eq!(full.raw_os_error(), Some(libc::ENOSPC));
    let found = job.result(Some(FOR_EVER)).expect("the job hangs").common.error.unwrap();
    assert_eq!(found.errno, Some(libc::ENOSPC), "{}", found.message);
    assert_eq!(left_in(dir.path()), [dir.path().join("hog")]);
}

/// A file system whose device cannot keep what it took: a loop device over a sparse file in a file system that is full.
#[test]
fn a_device_that_loses_writes_is_told() {
    if !is_root() {
        return;
    }
    let (small, _small_mount) = tmpfs("size=12m");
    let backing = small.path().join("device");
    fs::File::create(&backing).unwrap().set_len(64 << 20).unwrap();
    command("mkfs.ext4", &["-q", "-F", "-O", "^has_journal", backing.to_str().unwrap()]);
    let dir = tempdir().unwrap();
    command("mount", &["-o", "loop", backing.to_str().unwrap(), dir.path().to_str().unwrap()]);
    let _mount = Mount(dir.path().to_owned());
    let request = fs_mark(40, 1 << 20, dir.path());
    let outcome = Job::start(request).unwrap().result(Some(FOR_EVER)).expect("the job hangs");
    let found = outcome.common.error.expect("the writes were lost");
    assert!(matches!(found.errno, Some(libc::EIO | libc::EROFS | libc::ENOSPC)), "{found:?}");
    assert!(found.message.contains("plimsoll-files"), "{}", found.message);
}

#[test]
fn descriptors_that_run_out_are_told() {
    let (dir, place) = (memory(), memory());
    let request = spec("dbench", r#"{"runtime":1,"warmup":0,"loops":1}"#, dir.path());
    let outcome = place.path().join("outcome");
    let line = "ulimit -n 12; exec \"$0\" \"$@\"";
    assert!(in_a_process(&["sh", "-c", line], &request, &outcome).status().unwrap().success());
    let outcome: serde_json::Value = serde_json::from_slice(&fs::read(outcome).unwrap()).unwrap();
    assert_eq!(outcome["error"]["errno"], libc::EMFILE, "{}", outcome["error"]);
    assert!(outcome["error"]["message"].as_str().unwrap().contains("ulimit -n"));
    assert_eq!(left_in(dir.path()), Vec::<PathBuf>::new());
}

/// Each worker has descriptors of its own: 128 clients with up to 23 files each do not need 2944.
#[test]
fn many_clients_need_no_higher_limit() {
    let (dir, place) = (memory(), memory());
    let mut request = spec("dbench", r#"{"runtime":200000000,"warmup":0,"loops":0}"#, dir.path());
    request.common.threads = 128;
    let outcome = place.path().join("outcome");
    let line = "ulimit -n 64; exec \"$0\" \"$@\"";
    assert!(in_a_process(&["sh", "-c", line], &request, &outcome).status().unwrap().success());
    let outcome: serde_json::Value = serde_json::from_slice(&fs::read(outcome).unwrap()).unwrap();
    assert_eq!(outcome["error"], serde_json::Value::Null);
    assert_eq!(outcome["status"], "ok");
}

#[test]
fn a_killed_job_leaves_one_folder_and_the_next_one_says_so() {
    let (dir, place) = (memory(), memory());
    let request = fs_mark(1_000_000, 4096, dir.path());
    let mut child = in_a_process(&["env"], &request, &place.path().join("outcome")).spawn().unwrap();
    let scratch = dir.path().join("plimsoll-files/scratch");
    while fs::read_dir(&scratch).map_or(0, Iterator::count) < 5 {
        assert_eq!(child.try_wait().unwrap(), None, "it has ended early");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(left_in(dir.path()), [dir.path().join("plimsoll-files")]);
    let outcome = Job::start(fs_mark(1, 1, dir.path())).unwrap().result(Some(FOR_EVER)).unwrap();
    let found = outcome.common.error.unwrap();
    assert!(found.kind == "spec" && found.message.contains("was killed there"), "{}", found.message);
    assert!(scratch.exists(), "what is there belongs to somebody else");
}

#[test]
fn a_stop_keeps_what_was_measured_and_removes_the_files() {
    let dir = memory();
    let job = Job::start(fs_mark(1_000_000, 4096, dir.path())).unwrap();
    while job.poll().done == 0.0 {
        assert_ne!(job.poll().phase, "finished", "{:?}", job.result(None));
        std::thread::sleep(Duration::from_millis(1));
    }
    let progress = job.poll();
    assert!(progress.phase == "create" && progress.done < 1.0, "{progress:?}");
    job.stop();
    let outcome = job.result(Some(FOR_EVER)).expect("the job hangs");
    assert_eq!((outcome.common.status, outcome.common.error), (Status::Stopped, None));
    assert!(outcome.common.operations["create"].operations > 0);
    assert!(outcome.common.elapsed_ns > 0 && !outcome.common.intervals.is_empty());
    assert!(outcome.results.is_empty(), "a phase that was cut short has no score");
    assert_eq!(left_in(dir.path()), Vec::<PathBuf>::new());
}

#[test]
fn the_time_limit_ends_a_job_with_a_reason() {
    let dir = memory();
    let mut request = fs_mark(1_000_000, 4096, dir.path());
    request.common.timeout_ns = 200_000_000;
    let found = failure(request);
    assert_eq!(found.kind, "limit");
    assert!(found.message.contains("0.2 s") && found.message.contains("create"), "{}", found.message);
}

/// Whatever the size of its data and the number of its threads.
#[test]
fn memory_is_bounded() {
    let (dir, place) = (memory(), memory());
    let text = r#"{"file_size":4194304,"block":4096,"random_operations":10,"open_sync":false,"direct":false,"tests":["write"]}"#;
    let mut tiotest = spec("tiotest", text, dir.path());
    tiotest.common.threads = 64;
    let mut dbench = spec("dbench", r#"{"runtime":200000000,"warmup":0,"loops":0}"#, dir.path());
    dbench.common.threads = 128;
    for request in [tiotest, dbench] {
        let outcome = place.path().join("outcome");
        let mut child = in_a_process(&["env"], &request, &outcome).spawn().unwrap();
        let mut most = 0;
        while child.try_wait().unwrap().is_none() {
            let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap_or_default();
            let field = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let kib = field.and_then(|field| field.trim().trim_end_matches(" kB").parse().ok());
            most = most.max(kib.unwrap_or(0_u64));
            std::thread::sleep(Duration::from_millis(5));
        }
        assert!(outcome.exists());
        assert!(most > 0 && most < 256 << 10, "{most} KiB");
    }
}
