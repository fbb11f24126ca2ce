//! What the tests of this crate share: requests, runs, and places to run them.
#![allow(dead_code, reason = "each test binary uses its own part")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use plimsoll_core::outcome::{Outcome, Status, phase};
use plimsoll_io::Job;
use plimsoll_io::engine::Caps;
use plimsoll_io::engines;
use plimsoll_io::spec::{JobSpec, Mode};

/// Long enough for any job here on any machine; only a hang reaches it.
pub const FOR_EVER: Duration = Duration::from_secs(120);
/// Size of the region of most tests.
pub const SIZE: u64 = 1 << 20;
/// Block size of most tests.
pub const BLOCK: u64 = 4096;

/// All engines that move data, or would if they touched a file. Those that do something else to it have tests of their
/// own in `extras.rs`.
pub fn all() -> impl Iterator<Item = Caps> {
    let moving = engines::LIST.iter().filter(|entry| entry.caps.stores || !entry.caps.real);
    moving.map(|entry| {
        assert_eq!((entry.available)(), Ok(()), "{}", entry.caps.name);
        entry.caps
    })
}

/// The engines that touch a file.
pub fn real() -> impl Iterator<Item = Caps> {
    all().filter(|caps| caps.real)
}

/// A short random read/write job on `path`.
pub fn spec(caps: Caps, path: &Path) -> JobSpec {
    JobSpec {
        path: path.to_str().unwrap().to_owned(),
        engine: caps.name.to_owned(),
        mode: Mode::Randrw,
        depth: caps.max_depth.unwrap_or(8),
        size: SIZE,
        direct: false,
        runtime_ns: 3_600_000_000_000,
        max_operations: Some(500),
        warmup_ns: 0,
        drop_cache: false,
        ..JobSpec::default()
    }
}

/// Runs a job to its end.
pub fn run(spec: JobSpec) -> Outcome {
    Job::start(spec).unwrap().result(Some(FOR_EVER)).expect("the job hangs")
}

/// Runs a job that must succeed.
pub fn run_ok(spec: JobSpec) -> Outcome {
    let engine = spec.engine.clone();
    let outcome = run(spec);
    assert_eq!(outcome.error, None, "{engine}");
    assert_eq!(outcome.status, Status::Ok, "{engine}");
    outcome
}

/// Runs a job that must be refused, and returns the sentence.
pub fn refused(spec: JobSpec) -> String {
    let outcome = run(spec);
    assert_eq!(outcome.status, Status::Failed);
    let failure = outcome.error.unwrap();
    assert_eq!(failure.kind, "spec", "{}", failure.message);
    failure.message
}

/// Waits until the job is in its measured part.
pub fn wait_for(job: &Job, phase: &str) {
    while job.poll().phase != phase {
        assert_ne!(job.poll().phase, phase::FINISHED, "ended too early: {:?}", job.result(None));
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// True when the test can do what only root can. Elsewhere the test is skipped, but never in CI.
pub fn is_root() -> bool {
    // SAFETY: takes nothing and cannot fail.
    let root = unsafe { libc::geteuid() } == 0;
    assert!(root || std::env::var("CI").as_deref() != Ok("true"), "CI must run this test as root");
    root
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
