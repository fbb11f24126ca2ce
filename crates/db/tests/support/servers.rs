//! Real servers on loopback, with their data in a temporary folder, stopped when they are dropped. Each is a file of
//! `tests/servers`, called as its driver and with a function `start`; the build script finds them.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// A running server.
pub struct Server {
    child: Option<Child>,
    folder: TempDir,
    pub port: u16,
    /// Of the database that tests use.
    pub url: String,
    command: Vec<String>,
    user: Option<(u32, u32)>,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Server {
    /// Kills it.
    pub fn stop(&mut self) {
        if let Some(mut child) = self.child.take() {
            // The whole group: some servers have children of their own.
            let _ = Command::new("kill").args(["-9", "--", &format!("-{}", child.id())]).status();
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Starts it (again), on the same port and data.
    pub fn start(&mut self) {
        let mut command = Command::new(&self.command[0]);
        command.args(&self.command[1..]).stdin(Stdio::null()).process_group(0);
        let log = fs::File::create(self.folder.path().join("log")).unwrap();
        command.stdout(log.try_clone().unwrap()).stderr(log);
        if let Some((uid, gid)) = self.user {
            command.uid(uid).gid(gid);
        }
        self.child = Some(command.spawn().unwrap_or_else(|error| panic!("{:?}: {error}", self.command)));
        let deadline = Instant::now() + Duration::from_secs(60);
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.as_mut().is_some_and(|child| matches!(child.try_wait(), Ok(Some(_)) | Err(_)));
            let log = || fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
            assert!(!ended && Instant::now() < deadline, "{:?} does not come up: {}", self.command, log());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// A path in its folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// A port that nobody uses at the moment.
pub fn free_port() -> u16 {
    TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port()
}

/// Finds a program in the usual places. When it is missing, the test is left out; on CI that is a failure.
pub fn find(names: &[&str]) -> Option<PathBuf> {
    let path = std::env::var("PATH").unwrap_or_default();
    let folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
    let found = folders.flat_map(|folder| names.iter().map(move |name| Path::new(folder).join(name)));
    let mut found = found.filter(|path| path.is_file());
    let program = found.next();
    need(program.is_some(), names[0]);
    program
}

/// What is missing is told, and is a failure on CI.
pub fn need(there: bool, what: &str) {
    if !there {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI needs it");
        eprintln!("skipped: {what} is missing");
    }
}

/// A folder for RocksDB, which needs no server but its library.
pub fn rocksdb() -> Option<TempDir> {
    let reason = plimsoll_db::drivers().into_iter().find(|row| row.caps.name == "rocksdb").and_then(|row| row.reason);
    need(reason.is_none(), "librocksdb.so");
    reason.is_none().then(|| tempfile::tempdir().unwrap())
}

fn account(name: &str) -> Option<(u32, u32)> {
    let line = fs::read_to_string("/etc/passwd").ok()?;
    let line = line.lines().find(|line| line.split(':').next() == Some(name))?.to_owned();
    let fields: Vec<&str> = line.split(':').collect();
    Some((fields[2].parse().ok()?, fields[3].parse().ok()?))
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").unwrap_or_default().contains("\nUid:\t0\t")
}

/// A folder that the server's own account can use: these servers refuse to run as root.
pub fn folder(user: &str) -> (TempDir, Option<(u32, u32)>) {
    let folder = tempfile::Builder::new().prefix("plimsoll-test-").tempdir_in("/tmp").unwrap();
    let owner = if is_root() { account(user) } else { None };
    if let Some((uid, gid)) = owner {
        std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).unwrap();
    }
    (folder, owner)
}

/// A command that makes a server's data.
pub fn prepare(mut command: Command, user: Option<(u32, u32)>) {
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// A server that answers.
pub fn started(folder: TempDir, port: u16, url: String, command: &[&str], user: Option<(u32, u32)>) -> Server {
    let command = command.iter().map(|&word| word.to_owned()).collect();
    let mut server = Server { child: None, folder, port, url, command, user };
    server.start();
    server
}

macro_rules! servers {
    ($($name:ident,)+) => {
        /// The server that a driver is tested with; nothing where it is not on this machine.
        pub fn start(driver: &str) -> Option<Server> {
            match driver {
                $(stringify!($name) => $name::start(),)+
                _ => panic!("the driver {driver} has no server to be tested with: add tests/servers/{driver}.rs"),
            }
        }
    };
}

include!(concat!(env!("OUT_DIR"), "/servers.rs"));
