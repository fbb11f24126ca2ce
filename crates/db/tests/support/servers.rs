//! Real servers on loopback, with their data in a temporary folder, stopped when they are dropped.

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
fn free_port() -> u16 {
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

fn need(there: bool, what: &str) {
    if !there {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "{what} is missing, and CI needs it");
        eprintln!("skipped: {what} is missing");
    }
}

/// A folder for RocksDB, which needs no server but its library.
pub fn rocksdb() -> Option<TempDir> {
    let (_, message) = super::failure(super::spec("rocksdb", "rocksdb:/nowhere/at/all", &[]));
    let there = !message.contains("is not on this machine");
    need(there, "librocksdb.so");
    there.then(|| tempfile::tempdir().unwrap())
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
fn folder(user: &str) -> (TempDir, Option<(u32, u32)>) {
    let folder = tempfile::Builder::new().prefix("plimsoll-test-").tempdir_in("/tmp").unwrap();
    let owner = if is_root() { account(user) } else { None };
    if let Some((uid, gid)) = owner {
        std::os::unix::fs::chown(folder.path(), Some(uid), Some(gid)).unwrap();
    }
    (folder, owner)
}

fn prepare(mut command: Command, user: Option<(u32, u32)>) {
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
    let output = command.stdin(Stdio::null()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

fn started(folder: TempDir, port: u16, url: String, command: &[&str], user: Option<(u32, u32)>) -> Server {
    let command = command.iter().map(|&word| word.to_owned()).collect();
    let mut server = Server { child: None, folder, port, url, command, user };
    server.start();
    server
}

/// Redis; with a password when there is one.
pub fn redis(password: Option<&str>) -> Option<Server> {
    let program = find(&["redis-server"])?;
    let (folder, user) = folder("redis");
    let port = free_port();
    let (place, text) = (folder.path().display().to_string(), port.to_string());
    let mut words = vec![program.to_str()?, "--port", &text, "--bind", "127.0.0.1", "--save", "", "--dir", &place];
    if let Some(password) = password {
        words.extend(["--requirepass", password]);
    }
    Some(started(folder, port, format!("redis://127.0.0.1:{port}/0"), &words, user))
}

/// PostgreSQL; user `postgres` with a password when there is one, and TLS when there is a certificate.
pub fn postgresql(password: Option<&str>, certificate: Option<&(PathBuf, PathBuf)>) -> Option<Server> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut programs: Vec<PathBuf> =
        versions.map(|version| version.path().join("bin")).filter(|path| path.join("postgres").is_file()).collect();
    programs.sort();
    need(!programs.is_empty(), "PostgreSQL");
    let programs = programs.pop()?;
    let (folder, user) = folder("postgres");
    let (data, port) = (folder.path().join("data"), free_port());
    let secret = folder.path().join("secret");
    fs::write(&secret, password.unwrap_or("none")).unwrap();
    let mut init = Command::new(programs.join("initdb"));
    init.arg("-D").arg(&data).args(["-U", "postgres", "-E", "UTF8", "--locale=C", "--no-sync"]);
    init.args(["-A", if password.is_some() { "scram-sha-256" } else { "trust" }]);
    init.arg(format!("--pwfile={}", secret.display())).current_dir(folder.path());
    if let Some((uid, gid)) = user {
        std::os::unix::fs::chown(&secret, Some(uid), Some(gid)).unwrap();
    }
    prepare(init, user);
    let (program, place) = (programs.join("postgres").display().to_string(), data.display().to_string());
    let sockets = format!("unix_socket_directories={}", folder.path().display());
    let text = port.to_string();
    let mut words = vec![
        program.as_str(),
        "-D",
        &place,
        "-p",
        &text,
        "-c",
        "listen_addresses=127.0.0.1",
        "-c",
        &sockets,
        "-c",
        "fsync=off",
        "-c",
        "shared_buffers=16MB",
    ];
    let files;
    if let Some((certificate, key)) = certificate {
        let own = folder.path().join("key.pem");
        fs::copy(key, &own).unwrap();
        std::fs::set_permissions(&own, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
        if let Some((uid, gid)) = user {
            std::os::unix::fs::chown(&own, Some(uid), Some(gid)).unwrap();
        }
        let shown = folder.path().join("certificate.pem");
        fs::copy(certificate, &shown).unwrap();
        files = (format!("ssl_cert_file={}", shown.display()), format!("ssl_key_file={}", own.display()));
        words.extend(["-c", "ssl=on", "-c", &files.0, "-c", &files.1]);
    }
    let url = format!("postgresql://postgres@127.0.0.1:{port}/postgres");
    let server = started(folder, port, url, &words, user);
    // It listens before it lets anyone in.
    let asked = || plimsoll_db::made(super::spec("postgresql", &server.url, &[]));
    let deadline = Instant::now() + Duration::from_secs(60);
    while asked().is_err_and(|message| message.contains("starting up")) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(server)
}

/// MariaDB or MySQL; user `tester` with a password, and `root` without.
pub fn mysql(password: &str) -> Option<Server> {
    let program = find(&["mariadbd"])?;
    let install = find(&["mariadb-install-db"])?;
    let (folder, user) = folder("mysql");
    let (data, port) = (folder.path().join("data"), free_port());
    let mut command = Command::new(install);
    command.args(["--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db"]);
    command.arg(format!("--datadir={}", data.display())).arg(format!("--tmpdir={}", folder.path().display()));
    prepare(command, user);
    let start = folder.path().join("start.sql");
    fs::write(
        &start,
        format!(
            "CREATE DATABASE IF NOT EXISTS ycsb;\n\
             CREATE USER IF NOT EXISTS tester@'%' IDENTIFIED BY '{password}';\n\
             GRANT ALL ON ycsb.* TO tester@'%';\n"
        ),
    )
    .unwrap();
    let words = [
        program.display().to_string(),
        "--no-defaults".to_owned(),
        format!("--datadir={}", data.display()),
        format!("--port={port}"),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--socket={}", folder.path().join("socket").display()),
        format!("--pid-file={}", folder.path().join("pid").display()),
        format!("--init-file={}", start.display()),
        "--innodb-flush-log-at-trx-commit=0".to_owned(),
        "--innodb-buffer-pool-size=64M".to_owned(),
        "--skip-log-bin".to_owned(),
    ];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Some(started(folder, port, format!("mysql://root@127.0.0.1:{port}/ycsb"), &words, user))
}

/// nginx with one page of `PAGE` bytes.
pub const PAGE: usize = 3064;

/// nginx with a page at `/page.html`.
pub fn nginx() -> Option<Server> {
    let program = find(&["nginx"])?;
    let (folder, _) = folder("root");
    let (place, port) = (folder.path().display().to_string(), free_port());
    fs::create_dir(folder.path().join("html")).unwrap();
    fs::write(folder.path().join("html/page.html"), vec![b'x'; PAGE]).unwrap();
    // The workers' account must get in.
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let settings = folder.path().join("nginx.conf");
    let text = format!(
        "daemon off; pid {place}/pid; error_log {place}/error.log; worker_rlimit_nofile 8192;\n\
         events {{ worker_connections 4096; }}\n\
         http {{ access_log off; client_body_temp_path {place}/a; proxy_temp_path {place}/b; fastcgi_temp_path {place}/c;\n\
         uwsgi_temp_path {place}/d; scgi_temp_path {place}/e; keepalive_requests 100;\n\
         server {{ listen 127.0.0.1:{port} backlog=4096; root {place}/html; }} }}\n"
    );
    fs::write(&settings, text).unwrap();
    let shown = settings.display().to_string();
    let words = [program.to_str()?, "-c", &shown];
    Some(started(folder, port, format!("http://127.0.0.1:{port}/page.html"), &words, None))
}
