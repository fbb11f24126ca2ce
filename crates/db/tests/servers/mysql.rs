//! MariaDB or MySQL.

use std::fs;
use std::process::Command;

use super::{Server, find, folder, free_port, prepare, started};

/// As conformance is tested.
pub fn start() -> Option<Server> {
    server("secret")
}

/// MariaDB or MySQL; user `tester` with a password, and `root` without.
pub fn server(password: &str) -> Option<Server> {
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
