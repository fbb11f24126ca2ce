//! A server process with its loop device, cleaned up on every way out of a test.

use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader, Write};
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// What this machine lacks, if anything.
pub fn missing() -> Option<&'static str> {
    // SAFETY: takes nothing, touches nothing, cannot fail.
    if unsafe { libc::geteuid() } != 0 {
        return Some("root");
    }
    let has =
        |program: &str| Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    match () {
        () if !Path::new("/dev/fuse").exists() => Some("/dev/fuse"),
        () if !Path::new("/dev/loop-control").exists() => Some("/dev/loop-control"),
        () if !has("losetup") => Some("losetup"),
        () if !has("fio") => Some("fio"),
        () => None,
    }
}

/// Whether this binary tests the way through io_uring.
pub const RINGS: bool = is_uring(module_path!());

/// `str::starts_with` is not for constants.
const fn is_uring(path: &str) -> bool {
    let (path, start) = (path.as_bytes(), b"served_uring");
    let mut at = 0;
    while at < start.len() {
        if at >= path.len() || path[at] != start[at] {
            return false;
        }
        at += 1;
    }
    true
}

pub const MIB: u64 = 1 << 20;

/// Leaves a test that cannot run here; under CI that is a failure.
macro_rules! needs_machine {
    () => {
        if let Some(what) = machine::missing() {
            assert!(std::env::var_os("CI").is_none(), "CI lacks what this test needs: {what}");
            eprintln!("skipped: {what}");
            return;
        }
        if machine::RINGS && !machine::offers_rings() {
            assert!(std::env::var_os("CI").is_none(), "CI lacks what this test needs: FUSE over io_uring (Linux 6.14)");
            eprintln!("skipped: this kernel offers no FUSE over io_uring (Linux 6.14)");
            return;
        }
    };
}

/// A volume of 64 MiB without latency, and what `more` says.
pub fn spec(more: Value) -> Value {
    let mut value = json!({
        "size": 64 * MIB, "queue": "fifo", "seed": 3, "time_scale": 1.0,
        "read_latency": {"median_ns": 0}, "write_latency": {"median_ns": 0},
    });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    value
}

const OFFER: &str = "/sys/module/fuse/parameters/enable_uring";

/// Whether the kernel knows FUSE over io_uring; whether it offers it is for root to say.
pub fn offers_rings() -> bool {
    Path::new(OFFER).exists()
}

/// The kernel offers rings, or does not, while this lives. A server looks only when it mounts.
struct Offer {
    before: String,
    /// Tests take turns, in this process and others.
    _turn: File,
}

impl Offer {
    fn make(rings: bool) -> Option<Self> {
        let turn = File::create(std::env::temp_dir().join("plimsoll-test-offer")).unwrap();
        // SAFETY: a system call on an open descriptor; it touches no memory of ours.
        assert_eq!(unsafe { libc::flock(turn.as_raw_fd(), libc::LOCK_EX) }, 0);
        let before = fs::read_to_string(OFFER).ok()?;
        fs::write(OFFER, if rings { "Y" } else { "N" }).unwrap();
        Some(Self { before, _turn: turn })
    }
}

impl Drop for Offer {
    fn drop(&mut self) {
        let _ = fs::write(OFFER, self.before.trim());
    }
}

/// A block in memory that direct I/O accepts.
#[repr(align(4096))]
pub struct Aligned(pub [u8; 4096]);

impl Aligned {
    pub fn filled(value: u8) -> Self {
        Self([value; 4096])
    }
}

pub struct Server {
    folder: TempDir,
    process: Child,
    loop_device: Option<PathBuf>,
}

impl Server {
    /// Serves `spec` and attaches it to a loop device with direct I/O.
    pub fn start(spec: &Value) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let at = |name| folder.path().join(name);
        fs::write(at("spec.json"), spec.to_string()).unwrap();
        File::create(at("mount")).unwrap();
        let _offer = Offer::make(RINGS);
        let mut process = Command::new(example("serve"))
            .args([at("spec.json"), at("mount"), at("socket")])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut ready = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut ready).unwrap();
        let mut server = Self { folder, process, loop_device: None };
        assert_eq!(ready.trim(), "ready", "the server did not start");
        let attached = run("losetup", &["--find", "--show", "--direct-io=on", server.at("mount").to_str().unwrap()]);
        server.loop_device = Some(attached.expect("losetup").trim().into());
        server
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The served file.
    pub fn file(&self) -> PathBuf {
        self.at("mount")
    }

    pub fn loop_device(&self) -> PathBuf {
        self.loop_device.clone().expect("attached")
    }

    /// The device, past the page cache.
    pub fn open(&self) -> File {
        OpenOptions::new().read(true).write(true).custom_flags(libc::O_DIRECT).open(self.loop_device()).unwrap()
    }

    pub fn command(&self, command: &Value) -> Value {
        let mut stream = UnixStream::connect(self.at("socket")).unwrap();
        writeln!(stream, "{command}").unwrap();
        let mut answer = String::new();
        BufReader::new(stream).read_line(&mut answer).unwrap();
        serde_json::from_str(&answer).unwrap()
    }

    /// Whether the server has an io_uring.
    pub fn has_ring(&self) -> bool {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", self.process.id())).unwrap();
        let mut targets = descriptors.filter_map(|descriptor| fs::read_link(descriptor.unwrap().path()).ok());
        targets.any(|target| target.to_string_lossy().contains("[io_uring]"))
    }

    pub fn kill(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    pub fn terminate(&self) {
        run("kill", &["-TERM", &self.process.id().to_string()]).unwrap();
    }

    /// True if the process ends within ten seconds.
    pub fn wait_for_end(&mut self) -> bool {
        let deadline = Instant::now() + Duration::from_secs(10);
        while Instant::now() < deadline {
            if self.process.try_wait().unwrap().is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }

    pub fn detach_loop(&mut self) {
        if let Some(device) = self.loop_device.take() {
            // Already detached after a failed test.
            let _ = run("losetup", &["-d", device.to_str().unwrap()]);
        }
    }

    /// What a user would do after a crash.
    pub fn clean_up(&mut self) {
        self.detach_loop();
        let mount = self.at("mount");
        for _ in 0..50 {
            if !is_mounted(&mount) || run("umount", &[mount.to_str().unwrap()]).is_some() {
                break;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub fn left_anything(&self) -> bool {
        is_mounted(&self.at("mount")) || self.loop_device.is_some()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.detach_loop();
        if self.process.try_wait().is_ok_and(|ended| ended.is_none()) {
            self.terminate();
            if !self.wait_for_end() {
                let _ = self.process.kill();
                let _ = self.process.wait();
            }
        }
        self.clean_up();
    }
}

fn is_mounted(path: &Path) -> bool {
    fs::read_to_string("/proc/self/mounts").unwrap().contains(path.to_str().unwrap())
}

/// Standard output of a program that succeeded.
fn run(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).output().unwrap();
    output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
}

/// Examples are built together with tests, next to them.
fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().unwrap().parent().unwrap().join("examples").join(name)
}

/// A file system that is soon full.
pub struct SmallFileSystem(TempDir);

impl SmallFileSystem {
    pub fn mount(bytes: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let size = format!("size={bytes}");
        run("mount", &["-t", "tmpfs", "-o", &size, "plimsoll-test", folder.path().to_str().unwrap()]).expect("mount");
        Self(folder)
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for SmallFileSystem {
    fn drop(&mut self) {
        let _ = run("umount", &["-l", self.0.path().to_str().unwrap()]);
    }
}

/// What fio measured, reads and writes together.
pub struct Measured {
    pub iops: f64,
    pub bytes_per_s: f64,
}

/// Runs one fio job on the device with direct I/O; it must succeed.
pub fn fio(device: &Path, job: &[&str]) -> Measured {
    let fixed = ["--name=job", "--ioengine=libaio", "--direct=1", "--randrepeat=0", "--output-format=json"];
    let mut command = Command::new("fio");
    // With verification fio would leave a state file where it runs.
    command.arg("--verify_state_save=0").args(fixed).arg(format!("--filename={}", device.display())).args(job);
    if job.iter().any(|argument| argument.starts_with("--runtime")) {
        command.args(["--time_based", "--ramp_time=1"]);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "fio: {}", String::from_utf8_lossy(&output.stderr));
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    let job = &result["jobs"][0];
    assert_eq!(job["error"], 0);
    let sum = |key: &str| ["read", "write"].map(|side| job[side][key].as_f64().unwrap()).iter().sum();
    Measured { iops: sum("iops"), bytes_per_s: sum("bw_bytes") }
}
