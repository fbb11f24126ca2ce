//! What the kernel sees: sync calls counted by strace, not by the program that makes them.

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::process::{Command, Stdio};

use common::{FOR_EVER, in_ci, memory, spec};
use plimsoll_files::Job;
use plimsoll_files::common::Durable;
use plimsoll_files::spec::FilesSpec;
use plimsoll_files::workloads::LIST;

const REQUEST: &str = "PLIMSOLL_TEST_REQUEST";

/// Not a test: the job of a test that watches it from outside.
#[test]
fn child() {
    let Ok(request) = std::env::var(REQUEST) else { return };
    let request: FilesSpec = serde_json::from_str(&request).unwrap();
    let outcome = Job::start(request).unwrap().result(Some(FOR_EVER)).unwrap();
    assert_eq!(outcome.common.error, None);
}

/// Without strace the test is skipped, but never in CI.
fn has_strace() -> bool {
    let found = Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_ok();
    assert!(found || !in_ci(), "CI must have strace");
    found
}

/// Each thread makes this call when it begins. strace lets a thread run at full speed only after the first call that it
/// watches; a job that makes none would be stopped at every call, 25 times slower.
const AT_FIRST: &str = "set_robust_list";

/// How often a job made each of the calls, in all its threads.
fn calls(request: &FilesSpec, names: &str) -> BTreeMap<String, u64> {
    let place = memory();
    let log = place.path().join("log");
    let status = Command::new("strace")
        .args([
            "-f",
            "--seccomp-bpf",
            "-qq",
            "-e",
            "signal=none",
            "-e",
            &format!("trace={names},{AT_FIRST}"),
            "-o",
            log.to_str().unwrap(),
        ])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "child"])
        .env(REQUEST, serde_json::to_string(request).unwrap())
        // A sanitizer would look for leaks as strace does for calls, and a process has room for one of them.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .stdout(Stdio::null())
        .status();
    assert!(status.unwrap().success(), "{:?}", request.workload);
    let mut counts = BTreeMap::new();
    for line in fs::read_to_string(log).unwrap().lines() {
        // "1234  fsync(5) = 0"; a call that is interrupted by another thread is resumed on a line that has no such name.
        let call = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
        if let Some((name, _)) = call.split_once('(')
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            *counts.entry(name.to_owned()).or_insert(0) += 1;
        }
    }
    assert!(counts.remove(AT_FIRST).is_some(), "strace saw no thread begin");
    counts
}

const SYNCS: &str = "fsync,fdatasync,sync,syncfs,msync,sync_file_range";

fn syncs(kind: &str, parameters: &str, change: impl FnOnce(&mut FilesSpec)) -> u64 {
    let dir = memory();
    let mut request = spec(kind, parameters, dir.path());
    change(&mut request);
    calls(&request, SYNCS).values().sum()
}

#[test]
fn without_durability_no_workload_makes_a_sync_call() {
    if !has_strace() {
        return;
    }
    for entry in LIST {
        // Random data for zcav is written back before it is read, outside the time.
        let found = syncs(entry.name, entry.example, |request| request.common.durable = Durable::None);
        assert_eq!(found, 0, "{}", entry.name);
    }
}

#[test]
fn sync_calls_are_those_of_the_originals() {
    if !has_strace() {
        return;
    }
    let as_is = |_: &mut FilesSpec| {};
    let fs_mark = |method: u8| {
        format!(
            r#"{{"files":7,"size":40000,"write_size":16384,"sync_method":{method},"directories":0,"placement":"time"}}"#
        )
    };
    assert_eq!(syncs("fs_mark", &fs_mark(0), as_is), 0);
    assert_eq!(syncs("fs_mark", &fs_mark(1), as_is), 7);
    assert_eq!(syncs("fs_mark", &fs_mark(1), |request| request.common.threads = 4), 28);
    assert_eq!(syncs("fs_mark", &fs_mark(4), as_is), 8);
    assert_eq!(syncs("fs_mark", &fs_mark(0), |request| request.common.durable = Durable::Timed), 1);

    let postmark = LIST.iter().find(|entry| entry.name == "postmark").unwrap().example;
    assert_eq!(syncs("postmark", postmark, as_is), 0);

    // Four per transaction: journal, folder, journal, database; making the table is one more.
    let sqlite = |inserts: u64| format!(r#"{{"inserts":{inserts},"passes":1,"page_size":1024}}"#);
    let (few, more) = (syncs("sqlite", &sqlite(10), as_is), syncs("sqlite", &sqlite(30), as_is));
    assert_eq!(more - few, 20 * 4);
    assert_eq!(few, 11 * 4);
}

/// As strace of GNU tar shows it for a file, and of `fs_mark`.
#[test]
fn files_are_made_with_the_calls_of_the_originals() {
    if !has_strace() {
        return;
    }
    let dir = memory();
    let request = spec("unpack", r#"{"scale":0.001,"compressed":true}"#, dir.path());
    let found = calls(&request, "fchown,fchmod,fchmodat,mkdirat,utimensat");
    // 31 files in all; each folder has its times and mode set when it is left.
    let folders = found["mkdirat"];
    assert_eq!((found["fchown"], found["fchmod"]), (31, 31));
    assert_eq!((found["fchmodat"], found["utimensat"]), (folders, 31 + folders));
}
