//! What the tests of this crate share: requests, runs, and places to run them.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use plimsoll_core::outcome::Status;
use plimsoll_files::Job;
use plimsoll_files::common::Common;
use plimsoll_files::outcome::{FilesOutcome, PhaseResult};
use plimsoll_files::spec::FilesSpec;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Long enough for any job here on any machine; only a hang reaches it.
pub const FOR_EVER: Duration = Duration::from_secs(300);

/// A folder in memory, where there is one: what is counted here does not depend on the disk.
pub fn memory() -> TempDir {
    let memory = Path::new("/dev/shm");
    let root = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
    tempfile::Builder::new().prefix("plimsoll-test-").tempdir_in(root).unwrap()
}

/// A request for workload `kind` with `parameters` as JSON.
pub fn spec(kind: &str, parameters: &str, directory: &Path) -> FilesSpec {
    let mut workload: Value = serde_json::from_str(parameters).unwrap();
    workload["kind"] = json!(kind);
    FilesSpec {
        directory: directory.to_str().unwrap().to_owned(),
        workload: serde_json::from_value(workload).unwrap_or_else(|error| panic!("{kind}: {error}")),
        common: Common { seed: 42, timeout_ns: 600_000_000_000, ..Common::default() },
        disk_bytes: None,
        interval_ns: 1_000_000_000,
    }
}

/// Runs a job to its end and checks that it left nothing behind.
pub fn run(spec: FilesSpec) -> FilesOutcome {
    let directory = PathBuf::from(&spec.directory);
    let outcome = Job::start(spec).unwrap().result(Some(FOR_EVER)).expect("the job hangs");
    if directory.is_dir() {
        assert_eq!(left_in(&directory), Vec::<PathBuf>::new());
    }
    outcome
}

/// What is in a folder.
pub fn left_in(directory: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// Runs a job that must succeed.
pub fn run_ok(spec: FilesSpec) -> FilesOutcome {
    let outcome = run(spec);
    assert_eq!(outcome.common.error, None);
    assert_eq!(outcome.common.status, Status::Ok);
    outcome
}

/// Runs a job that must be refused, and returns the sentence.
pub fn refused(spec: FilesSpec) -> String {
    let outcome = run(spec);
    assert_eq!(outcome.common.status, Status::Failed);
    let failure = outcome.common.error.unwrap();
    assert_eq!(failure.kind, "spec", "{}", failure.message);
    failure.message
}

/// A phase by name.
pub fn phase<'a>(outcome: &'a FilesOutcome, name: &str) -> &'a PhaseResult {
    outcome.results.iter().find(|phase| phase.name == name).unwrap_or_else(|| panic!("no phase {name}"))
}

/// Operations and bytes of one kind in a phase; zeros when there were none.
pub fn counted(phase: &PhaseResult, kind: &str) -> (u64, u64) {
    phase.kinds.get(kind).map_or((0, 0), |totals| (totals.operations, totals.bytes))
}

/// Operations and bytes of one kind in the whole job.
pub fn total(outcome: &FilesOutcome, kind: &str) -> (u64, u64) {
    outcome.common.operations.get(kind).map_or((0, 0), |totals| (totals.operations, totals.bytes))
}

/// True when the test can do what only root can. Elsewhere the test is skipped, but never in CI.
pub fn is_root() -> bool {
    let root = command("id", &["-u"]) == "0";
    assert!(root || !in_ci(), "CI must run this test as root");
    root
}

/// Skipped tests are failures there.
pub fn in_ci() -> bool {
    std::env::var("CI").as_deref() == Ok("true")
}

/// Runs a command that must succeed and returns what it prints.
pub fn command(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    assert!(output.status.success(), "{program} {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A file system mounted for one test.
pub struct Mount(pub PathBuf);

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
