//! PostgreSQL.

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use super::super::spec;
use super::{Server, folder, free_port, need, prepare, started};

/// As conformance is tested.
pub fn start() -> Option<Server> {
    server(None, None)
}

/// PostgreSQL; user `postgres` with a password when there is one, and TLS when there is a certificate.
pub fn server(password: Option<&str>, certificate: Option<&(PathBuf, PathBuf)>) -> Option<Server> {
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
    let asked = || plimsoll_db::made(spec("postgresql", &server.url, &[]));
    let deadline = Instant::now() + Duration::from_secs(60);
    while asked().is_err_and(|message| message.contains("starting up")) && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    Some(server)
}
