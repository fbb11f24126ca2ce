//! Another file in the place of the one that a job began with ends the job, and stays as it is.

mod common;

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};

use common::{SIZE, real, run, run_ok, spec};
use plimsoll_core::outcome::Status;
use plimsoll_io::spec::{DropEach, JobSpec, Layout, Mode};
use tempfile::tempdir;

/// A path in a folder that is held open.
fn held(folder: &File, name: &str) -> PathBuf {
    Path::new("/proc/self/fd").join(folder.as_raw_fd().to_string()).join(name)
}

fn identity(path: &Path) -> (u64, u64) {
    let metadata = fs::metadata(path).unwrap();
    (metadata.dev(), metadata.ino())
}

#[test]
fn a_job_stays_in_the_folder_that_is_held() {
    for caps in real() {
        let dir = tempdir().unwrap();
        let (name, moved) = (dir.path().join("name"), dir.path().join("moved"));
        fs::create_dir(&name).unwrap();
        let folder = File::open(&name).unwrap();
        fs::rename(&name, &moved).unwrap();
        fs::create_dir(&name).unwrap();
        fs::write(name.join("f"), "theirs").unwrap();
        run_ok(spec(caps, &held(&folder, "f")));
        assert_eq!(fs::metadata(moved.join("f")).unwrap().len(), SIZE, "{}", caps.name);
        assert_eq!(fs::read(name.join("f")).unwrap(), b"theirs", "{}", caps.name);
    }
}

#[test]
fn a_link_in_the_folder_is_not_followed() {
    for caps in real() {
        for layout in [Layout::Keep, Layout::Fill, Layout::Refill, Layout::Random] {
            let dir = tempdir().unwrap();
            let (inside, precious) = (dir.path().join("in"), dir.path().join("precious"));
            fs::create_dir(&inside).unwrap();
            fs::write(&precious, vec![7; SIZE as usize]).unwrap();
            symlink(&precious, inside.join("f")).unwrap();
            symlink(dir.path().join("new"), inside.join("g")).unwrap();
            let folder = File::open(&inside).unwrap();
            for name in ["f", "g"] {
                let outcome = run(JobSpec { layout, ..spec(caps, &held(&folder, name)) });
                let failure = outcome.error.unwrap();
                assert_eq!((failure.kind.as_str(), failure.errno), ("open", Some(libc::ELOOP)), "{}", caps.name);
                assert!(failure.message.contains("a link is in its place"), "{}", failure.message);
            }
            assert!(fs::read(&precious).unwrap().iter().all(|&byte| byte == 7), "{} {layout:?}", caps.name);
            assert!(!dir.path().join("new").exists());
        }
    }
}

#[test]
fn a_file_that_is_not_the_known_one_ends_the_job_untouched() {
    for caps in real() {
        let dir = tempdir().unwrap();
        let (path, other) = (dir.path().join("f"), dir.path().join("other"));
        fs::write(&path, vec![0; SIZE as usize]).unwrap();
        fs::write(&other, vec![7; SIZE as usize]).unwrap();
        let made = vec![identity(&path)];
        run_ok(JobSpec { made: made.clone(), layout: Layout::Keep, ..spec(caps, &path) });
        fs::rename(&other, &path).unwrap();
        for layout in [Layout::Keep, Layout::Refill] {
            let outcome = run(JobSpec { made: made.clone(), layout, ..spec(caps, &path) });
            assert_eq!(outcome.status, Status::Failed);
            let message = outcome.error.unwrap().message;
            assert!(message.contains("is not the file that was there when the job began"), "{message}");
            assert!(fs::read(&path).unwrap().iter().all(|&byte| byte == 7), "{}", caps.name);
        }
    }
}

#[test]
fn files_that_are_made_anew_are_others_each_time() {
    for caps in real().filter(|caps| caps.files) {
        let dir = tempdir().unwrap();
        let folder = File::open(dir.path()).unwrap();
        let path = dir.path().join("f");
        fs::write(&path, vec![0; SIZE as usize]).unwrap();
        let request = JobSpec {
            made: vec![identity(&path)],
            mode: Mode::Write,
            layout: Layout::Keep,
            drop_each: DropEach::Files,
            runtime_ns: 60_000_000_000,
            max_bytes: Some(3 * SIZE),
            max_operations: None,
            ..spec(caps, &held(&folder, "f"))
        };
        // As long as it is open, its number is not given to another one.
        let before = File::open(&path).unwrap();
        run_ok(request);
        assert_eq!(fs::metadata(&path).unwrap().len(), SIZE, "{}", caps.name);
        assert_eq!(before.metadata().unwrap().nlink(), 0, "{}", caps.name);
    }
}
