//! Real faults: a full file system, a device with errors, one that hangs, corrupted data. For every engine.

mod common;

use std::fs;
use std::io::Read;
use std::os::unix::fs::{FileExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::Duration;

use common::{BLOCK, FOR_EVER, Mount, SIZE, command, is_root, real, refused, run, run_ok, spec, wait_for};
use plimsoll_core::outcome::{Failure, Interval, Status, phase};
use plimsoll_io::engine::Caps;
use plimsoll_io::spec::{JobSpec, Layout, Mode, Rate, RateUnit, SyncKind, Tolerance};
use plimsoll_io::{Job, direct};
use tempfile::{TempDir, tempdir, tempdir_in};

fn failure(request: JobSpec) -> Failure {
    let outcome = run(request);
    assert_eq!(outcome.status, Status::Failed);
    outcome.error.unwrap()
}

/// A tmpfs of `size` bytes.
fn tiny(dir: &TempDir, size: u64) -> Mount {
    let options = format!("size={size}");
    command("mount", &["-t", "tmpfs", "-o", &options, "plimsoll-test", dir.path().to_str().unwrap()]);
    Mount(dir.path().to_owned())
}

/// A loop device over a file.
struct Loop {
    device: String,
    backing: PathBuf,
}

impl Loop {
    fn new(dir: &Path, size: u64) -> Self {
        let backing = dir.join("backing");
        fs::File::create(&backing).unwrap().set_len(size).unwrap();
        let device = command("losetup", &["--find", "--show", backing.to_str().unwrap()]);
        Self { device, backing }
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = std::process::Command::new("losetup").args(["--detach", &self.device]).status();
    }
}

#[test]
fn a_full_file_system_fails_the_layout_and_leaves_nothing() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let _mount = tiny(&dir, SIZE);
    for caps in real() {
        let path = dir.path().join("f");
        let too_large = JobSpec { size: 4 * SIZE, ..spec(caps, &path) };
        assert!(refused(too_large).contains("free"), "{}", caps.name);
        assert!(!path.exists());
    }
}

#[test]
fn space_that_vanishes_during_the_layout_is_told_and_taken_back() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let _mount = tiny(&dir, 2 * SIZE);
    let caps = real().next().unwrap();
    // Sparse and long enough, so that only writing finds out that there is no space.
    let path = dir.path().join("f");
    fs::File::create(&path).unwrap().set_len(8 * SIZE).unwrap();
    let found = failure(JobSpec { size: 8 * SIZE, layout: Layout::Refill, ..spec(caps, &path) });
    assert_eq!((found.kind.as_str(), found.errno), ("layout", Some(libc::ENOSPC)), "{}", found.message);
    assert!(found.message.contains("smaller size") && !found.message.contains("offset"), "{}", found.message);
    assert_eq!(fs::metadata(&path).unwrap().len(), 8 * SIZE, "the file is as long as it was");
}

/// Writes a sparse file that is longer than its file system has room for.
fn too_long(caps: Caps, path: &Path) -> JobSpec {
    fs::File::create(path).unwrap().set_len(4 * SIZE).unwrap();
    JobSpec { mode: Mode::Write, size: 4 * SIZE, layout: Layout::Keep, ..spec(caps, path) }
}

#[test]
fn a_full_file_system_during_the_run_is_an_error_of_the_write() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let _mount = tiny(&dir, SIZE);
    for caps in real() {
        let path = dir.path().join(caps.name);
        let mut request = too_long(caps, &path);
        request.max_operations = None;
        let found = failure(request);
        assert_eq!((found.kind.as_str(), found.operation.as_deref()), ("io", Some("write")), "{}", caps.name);
        // A mapping only learns that the page cannot be had, not why.
        assert!(matches!(found.errno, Some(libc::ENOSPC | libc::EIO)), "{}: {}", caps.name, found.message);
        assert!(found.offset.is_some_and(|offset| offset > 0), "{}: {}", caps.name, found.message);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn errors_that_are_let_pass_are_counted_and_others_end_the_job() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let _mount = tiny(&dir, SIZE);
    for caps in real() {
        let path = dir.path().join(caps.name);
        let mut request = too_long(caps, &path);
        request.max_operations = Some(4 * SIZE / BLOCK);
        let writes = vec![libc::ENOSPC, libc::EIO];
        let tolerance = Tolerance { writes, ..Tolerance::default() };
        let outcome = run_ok(JobSpec { tolerance: Some(tolerance), ..request.clone() });
        let totals = outcome.operations["write"];
        assert_eq!(totals.operations + totals.errors, 4 * SIZE / BLOCK, "{}", caps.name);
        assert!(totals.operations > 0 && totals.errors > 0, "{}", caps.name);
        assert!(matches!(outcome.first_errno, Some(libc::ENOSPC | libc::EIO)), "{}", caps.name);
        let tolerance =
            Tolerance { reads: vec![libc::ENOSPC, libc::EIO], writes: vec![libc::EINVAL], ..Tolerance::default() };
        assert_eq!(failure(JobSpec { tolerance: Some(tolerance), ..request }).kind, "io", "{}", caps.name);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_file_grows_until_the_file_system_is_full() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let _mount = tiny(&dir, SIZE);
    for caps in real().filter(|caps| caps.files) {
        let path = dir.path().join(caps.name);
        fs::File::create(&path).unwrap();
        let mut request = JobSpec { mode: Mode::Write, size: 4 * SIZE, layout: Layout::Keep, ..spec(caps, &path) };
        request.max_operations = None;
        let depth = u64::from(request.depth);
        assert!(refused(request.clone()).contains("0 bytes"), "{}", caps.name);
        let outcome =
            run_ok(JobSpec { tolerance: Some(Tolerance { until_full: true, ..Tolerance::default() }), ..request });
        let totals = outcome.operations["write"];
        let length = fs::metadata(&path).unwrap().len();
        assert_eq!((totals.bytes, totals.errors), (length, 0), "{}", caps.name);
        assert!((1..=depth).contains(&outcome.without_room), "{}", caps.name);
        assert!((SIZE / 2..=SIZE).contains(&length), "{}: {length}", caps.name);
        fs::remove_file(&path).unwrap();
    }
}

#[test]
fn a_device_with_errors_is_an_error_of_the_operation() {
    if !is_root() {
        return;
    }
    for caps in real() {
        let dir = tempdir().unwrap();
        let device = Loop::new(dir.path(), 4 * SIZE);
        let path = Path::new(&device.device);
        let request = JobSpec { layout: Layout::Keep, size: 4 * SIZE, ..spec(caps, path) };
        run_ok(JobSpec { mode: Mode::Randwrite, direct: caps.direct, ..request.clone() });
        // The device keeps its size, but there is nothing behind it any more.
        fs::OpenOptions::new().write(true).open(&device.backing).unwrap().set_len(0).unwrap();
        let mut request = JobSpec { mode: Mode::Randread, direct: caps.direct, drop_cache: true, ..request };
        request.max_operations = None;
        let found = failure(request);
        assert_eq!((found.kind.as_str(), found.errno), ("io", Some(libc::EIO)), "{}: {}", caps.name, found.message);
    }
}

#[test]
fn a_block_device_is_measured_and_trimmed() {
    if !is_root() {
        return;
    }
    let dir = tempdir().unwrap();
    let device = Loop::new(dir.path(), SIZE);
    let path = Path::new(&device.device);
    for caps in real() {
        let request = JobSpec { layout: Layout::Refill, ..spec(caps, path) };
        assert!(refused(JobSpec { size: 2 * SIZE, ..request.clone() }).contains("region"), "{}", caps.name);
        run_ok(JobSpec { direct: caps.direct, verify: true, ..request.clone() });
        let mut trim = JobSpec { mode: Mode::Randtrim, ..request };
        trim.max_operations = Some(SIZE / BLOCK);
        if caps.trim_device {
            assert_eq!(run_ok(trim).operations["trim"].bytes, SIZE, "{}", caps.name);
            let content = fs::read(&device.backing).unwrap();
            assert!(content.iter().all(|&byte| byte == 0), "{}", caps.name);
        } else {
            assert!(refused(trim).contains("trim"), "{}", caps.name);
        }
    }
    assert!(direct::alignment(path).unwrap().offset >= 512);
}

/// Thaws the file system whatever happens, so that nothing hangs on after the test.
///
/// A process of its own does that: a write into a mapped file may wait for the device with our address space locked, and
/// then this process could start none.
struct Frozen(Child);

impl Frozen {
    const LONGEST_S: &str = "60";

    fn new(path: &Path) -> Self {
        let script = r#"fsfreeze --freeze "$0" && echo frozen && timeout "$1" cat; fsfreeze --unfreeze "$0""#;
        let mut keeper = std::process::Command::new("sh")
            .args(["-c", script, path.to_str().unwrap(), Self::LONGEST_S])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = [0; 6];
        keeper.stdout.as_mut().unwrap().read_exact(&mut said).unwrap();
        assert_eq!(&said, b"frozen");
        Self(keeper)
    }

    /// Whether it was not thawed because that took too long.
    fn holds(&mut self) -> bool {
        self.0.try_wait().unwrap().is_none()
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        drop(self.0.stdin.take());
        let _ = self.0.wait();
    }
}

#[test]
fn a_stop_is_honoured_while_the_device_hangs() {
    if !is_root() {
        return;
    }
    for caps in real() {
        let dir = tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let device = Loop::new(dir.path(), 16 * SIZE);
        command("mkfs.ext4", &["-q", &device.device]);
        let point = dir.path().join("mnt");
        fs::create_dir(&point).unwrap();
        command("mount", &[&device.device, point.to_str().unwrap()]);
        let mount = Mount(point.clone());
        let mut request = JobSpec { mode: Mode::Randwrite, direct: caps.direct, ..spec(caps, &point.join("f")) };
        (request.sync, request.sync_every, request.sync_at_end) = (SyncKind::Fdatasync, 16, true);
        request.max_operations = None;
        request.interval_ns = Some(1_000_000);
        request.runtime_ns = 60_000_000_000;
        let job = Job::start(request).unwrap();
        wait_for(&job, phase::MEASURE);
        // On a busy machine the first intervals are over before the first write is.
        let has_written = |interval: Interval| interval.operations.get("write").is_some_and(|each| each.operations > 0);
        while !job.poll().interval.is_some_and(has_written) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let mut frozen = Frozen::new(&point);
        job.stop();
        let outcome = job.result(Some(FOR_EVER)).expect("the job does not wait for the device");
        // The kernel may lock our address space while it waits for a page of a mapped file; then nobody here goes on.
        assert!(frozen.holds() || caps.name == "mmap", "{}: it ended when the device came back", caps.name);
        drop(frozen);
        assert_eq!((outcome.status, outcome.error), (Status::Stopped, None), "{}", caps.name);
        assert!(outcome.operations["write"].operations > 0, "{}", caps.name);
        drop(mount);
    }
}

#[test]
fn a_layout_can_be_stopped_and_leaves_nothing() {
    let dir = tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let caps = real().next().unwrap();
    let path = dir.path().join("f");
    let job = Job::start(JobSpec { size: 2 << 30, ..spec(caps, &path) }).unwrap();
    while !path.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
    job.stop();
    let outcome = job.result(Some(FOR_EVER)).unwrap();
    assert_eq!((outcome.status, outcome.error), (Status::Stopped, None));
    // The thread that was writing tidies up when its last call returns.
    while path.exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_used_state_is_laid_out_completely() {
    let dir = tempdir().unwrap();
    let caps = real().next().unwrap();
    let path = dir.path().join("f");
    let outcome = run_ok(JobSpec { layout: Layout::Random, mode: Mode::Randread, ..spec(caps, &path) });
    assert_eq!(outcome.phases.layout_bytes, 2 * SIZE);
    assert_eq!(outcome.operations.keys().collect::<Vec<_>>(), ["read"], "the layout is not counted");
    let content = fs::read(&path).unwrap();
    assert!(content.chunks(BLOCK as usize).all(|block| block.iter().any(|&byte| byte != 0)));
}

#[test]
fn verify_names_the_first_block_that_was_changed() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let path = dir.path().join(caps.name);
        let rate = Some(Rate { per_second: 1000.0, unit: RateUnit::Operations, apart: None });
        let mut request = JobSpec { rate, mode: Mode::Write, verify: true, depth: 1, ..spec(caps, &path) };
        request.max_operations = Some(SIZE / BLOCK);
        let job = Job::start(request).unwrap();
        wait_for(&job, phase::MEASURE);
        let file = fs::OpenOptions::new().write(true).open(&path).unwrap();
        // Blocks 3 and 9 are written once, early in a run of a quarter of a second; afterwards they are changed again and
        // again until the job reads them back.
        while job.poll().phase != phase::FINISHED {
            file.write_all_at(b"!", 3 * BLOCK + 1000).unwrap();
            file.write_all_at(b"!", 9 * BLOCK).unwrap();
            std::thread::sleep(Duration::from_millis(1));
        }
        let outcome = job.result(Some(FOR_EVER)).unwrap();
        let verified = outcome.verified.unwrap();
        assert_eq!((verified.blocks, verified.bad_blocks), (SIZE / BLOCK, 2), "{}", caps.name);
        assert_eq!(verified.first_bad_offset, Some(3 * BLOCK), "{}", caps.name);
        let found = outcome.error.unwrap();
        assert_eq!((found.kind.as_str(), found.offset), ("verify", Some(3 * BLOCK)), "{}", found.message);
        assert!(!found.message.contains("offset"), "{}", found.message);
    }
}

#[test]
fn symbolic_links_are_followed_and_other_things_refused() {
    let dir = tempdir().unwrap();
    let caps = real().next().unwrap();
    let (path, link) = (dir.path().join("f"), dir.path().join("link"));
    fs::write(&path, vec![1; SIZE as usize]).unwrap();
    symlink(&path, &link).unwrap();
    run_ok(JobSpec { layout: Layout::Keep, ..spec(caps, &link) });
    assert!(refused(spec(caps, Path::new("/dev/random"))).contains("neither"));
}
