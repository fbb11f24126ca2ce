//! Nothing that was not made by us is dropped, emptied or loaded anew, unless the user has typed its name; on real servers.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

use plimsoll_db::{drop_made, made};
use serde_json::{Value, json};
use support::{RECORDS, failure, mix, run_well, servers, spec};

/// A database whose owner speaks to it in another way than we do.
struct Owned {
    driver: &'static str,
    url: String,
    /// As `--destroy` wants it, without the table.
    place: String,
    command: Vec<String>,
    _keep: Box<dyn std::any::Any>,
}

impl Owned {
    /// What its own client prints.
    fn sql(&self, text: &str) -> String {
        if self.driver == "sqlite" {
            let connection = rusqlite::Connection::open(&self.command[0]).unwrap();
            if !text.starts_with("SELECT") {
                connection.execute_batch(text).unwrap();
                return String::new();
            }
            return connection.query_row(text, [], |row| row.get::<_, i64>(0)).unwrap().to_string();
        }
        let output = Command::new(&self.command[0]).args(&self.command[1..]).arg(text).output().unwrap();
        assert!(output.status.success(), "{text}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    }

    fn job(&self, changes: &[(&str, Value)]) -> plimsoll_db::spec::DbSpec {
        let mut spec = spec(self.driver, &self.url, changes);
        spec.session_settings.clear();
        spec
    }

    /// 777 rows under the name of YCSB's table.
    fn fill(&self, columns: &str, row: &str) {
        self.sql("DROP TABLE IF EXISTS usertable");
        self.sql(&format!("CREATE TABLE usertable ({columns})"));
        let digits: Vec<String> = (0..10).map(|digit| format!("SELECT {digit} AS d")).collect();
        let digits = digits.join(" UNION ALL ");
        self.sql(&format!(
            "INSERT INTO usertable SELECT {row} FROM ({digits}) a, ({digits}) b, ({digits}) c \
             WHERE a.d + 10*b.d + 100*c.d < 777"
        ));
        assert_eq!(self.rows(), "777");
    }

    fn rows(&self) -> String {
        self.sql("SELECT count(*) FROM usertable")
    }
}

fn sql_databases() -> Vec<Owned> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("theirs.db").display().to_string();
    let mut found = vec![Owned {
        driver: "sqlite",
        url: format!("sqlite:{file}"),
        place: file.clone(),
        command: vec![file],
        _keep: Box::new(folder),
    }];
    found.extend(postgresql());
    found.extend(servers::find(&["mariadb"]).and_then(|_| servers::mysql::server("secret")).map(|server| Owned {
        driver: "mysql",
        url: server.url.clone(),
        place: format!("127.0.0.1:{}/ycsb", server.port),
        command: words(&format!("mariadb --no-defaults -h127.0.0.1 -uroot -P{} -N ycsb -e", server.port)),
        _keep: Box::new(server),
    }));
    found
}

fn postgresql() -> Option<Owned> {
    servers::find(&["psql"])?;
    servers::postgresql::server(None, None).map(|server| Owned {
        driver: "postgresql",
        url: server.url.clone(),
        place: format!("127.0.0.1:{}/postgres", server.port),
        command: words(&format!("psql -X -q -A -t -h 127.0.0.1 -p {} -U postgres postgres -c", server.port)),
        _keep: Box::new(server),
    })
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

const EVERY_WAY: [&str; 4] = ["keep", "create", "reuse", "recreate"];

#[test]
fn a_table_of_another_shape_is_kept_until_its_name_is_typed() {
    for theirs in sql_databases() {
        theirs.fill("invoice INT, total INT", "a.d + 10*b.d + 100*c.d, 9");
        let name = format!("{}/usertable", theirs.place);
        for data in EVERY_WAY {
            for measure in ["run", "load"] {
                if (data, measure) == ("reuse", "load") {
                    continue;
                }
                let changes =
                    [("data", json!(data)), ("workload/measure", json!(measure)), ("max_operations", json!(null))];
                let (kind, message) = failure(theirs.job(&changes));
                assert_eq!(kind, "schema", "{}: {message}", theirs.driver);
                assert!(message.contains("somebody else's"), "{message}");
                assert!(message.contains(&format!("--destroy '{name}'")), "{message}");
                assert_eq!(theirs.rows(), "777", "{} {data}", theirs.driver);
            }
        }
        // Another name is no permission, and neither is a permission without what it is for.
        for (data, typed) in
            [("recreate", format!("{name}2")), ("recreate", "shop".to_owned()), ("reuse", name.clone())]
        {
            let (_, message) = failure(theirs.job(&[("data", json!(data)), ("destroy", json!([typed]))]));
            assert!(message.contains("data=recreate (--recreate)"), "{message}");
            assert_eq!(theirs.rows(), "777", "{}", theirs.driver);
        }
        run_well(theirs.job(&[("data", json!("recreate")), ("destroy", json!([name]))]));
        assert_eq!(theirs.rows(), RECORDS.to_string());
        // Now it is ours.
        run_well(theirs.job(&[("data", json!("recreate"))]));
    }
}

#[test]
fn a_table_that_only_looks_like_ours_is_used_and_never_emptied() {
    let columns = "YCSB_KEY VARCHAR(255) PRIMARY KEY, FIELD0 TEXT, FIELD1 TEXT, FIELD2 TEXT";
    for theirs in sql_databases() {
        let key = if theirs.driver == "mysql" {
            "concat('user', a.d + 10*b.d + 100*c.d), 'a', 'b', 'c'"
        } else {
            "'user' || (a.d + 10*b.d + 100*c.d), 'a', 'b', 'c'"
        };
        theirs.fill(columns, key);
        let ordered = ("workload/insert_order", json!("ordered"));
        let of = |records: u64| ("workload/records", json!(records));
        for (data, records) in [("recreate", 777), ("create", 777), ("reuse", 777), ("reuse", 300)] {
            let (kind, message) = failure(theirs.job(&[("data", json!(data)), of(records), ordered.clone()]));
            assert_eq!(kind, "schema", "{}: {message}", theirs.driver);
            assert!(message.contains("carries no mark of Plimsoll's") && message.contains("data=keep"), "{message}");
            assert!(message.contains(&format!("--destroy '{}/usertable'", theirs.place)), "{message}");
            assert_eq!(theirs.rows(), "777");
        }
        let before = theirs.sql("SELECT count(*) FROM usertable WHERE FIELD0='a' AND FIELD1='b' AND FIELD2='c'");
        // Reading changes nothing, so nobody has to be asked.
        let reads = ("workload", mix(1.0, 0.0, 0.0, 0.0, 0.0));
        let read = run_well(theirs.job(&[("data", json!("reuse")), of(777), ordered.clone(), reads]));
        assert!(read.not_found.is_empty() && read.loaded_records.is_none());
        assert_eq!(theirs.sql("SELECT count(*) FROM usertable WHERE FIELD0='a' AND FIELD1='b' AND FIELD2='c'"), before);
        // What is named is worked on, and stays theirs.
        run_well(theirs.job(&[("data", json!("keep")), of(777), ordered.clone()]));
        assert_ne!(theirs.sql("SELECT count(*) FROM usertable WHERE FIELD0='a' AND FIELD1='b' AND FIELD2='c'"), before);
        assert_eq!(theirs.rows(), "777");
        assert_eq!(made(theirs.job(&[])).unwrap(), []);
        assert!(drop_made(theirs.job(&[]), &["usertable".to_owned()]).unwrap_err().contains("no mark"));

        // Made by hand as YCSB's users do, and empty: a load fills this very table.
        theirs.sql("DELETE FROM usertable");
        theirs.sql("CREATE INDEX byhand ON usertable (YCSB_KEY)");
        for data in ["create", "reuse", "recreate"] {
            failure(theirs.job(&[("data", json!(data))]));
        }
        let load = [("data", json!("create")), ("workload/measure", json!("load")), ("max_operations", json!(null))];
        assert_eq!(run_well(theirs.job(&load)).completed, RECORDS);
        assert_eq!(theirs.rows(), RECORDS.to_string());
        theirs.sql("CREATE INDEX onlyonce ON usertable (YCSB_KEY)");
        theirs.sql(if theirs.driver == "mysql" { "DROP INDEX byhand ON usertable" } else { "DROP INDEX byhand" });
        let (_, message) = failure(theirs.job(&load));
        assert!(message.contains("carries no mark"), "{message}");
    }
}

#[test]
fn what_a_load_made_is_listed_and_removed_and_nothing_else() {
    for theirs in sql_databases() {
        theirs.sql("CREATE TABLE invoices (n INT)");
        run_well(theirs.job(&[("workload/table", json!("one"))]));
        run_well(theirs.job(&[("workload", json!({"kind": "tpcb", "script": "tpcb", "scale": 1}))]));
        let names = |rows: &[plimsoll_db::outcome::Made]| rows.iter().map(|row| row.name.clone()).collect::<Vec<_>>();
        let all = ["one", "pgbench_accounts", "pgbench_branches", "pgbench_history", "pgbench_tellers"];
        let found = made(theirs.job(&[])).unwrap();
        assert_eq!(names(&found), all, "{}", theirs.driver);
        assert_eq!((found[0].records, found[1].records), (RECORDS, 100_000));
        let removed = drop_made(theirs.job(&[]), &["one".to_owned()]).unwrap();
        assert_eq!(names(&removed), ["one"]);
        let both = ["pgbench_accounts".to_owned(), "invoices".to_owned()];
        assert!(drop_made(theirs.job(&[]), &both).unwrap_err().contains("invoices"));
        assert_eq!(names(&made(theirs.job(&[])).unwrap()), all[1..], "refused as a whole");
        drop_made(theirs.job(&[]), &all[1..].iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap();
        assert_eq!(theirs.sql("SELECT count(*) FROM invoices"), "0");
    }
}

#[test]
fn a_table_of_pgbench_in_another_schema_is_not_dropped() {
    let Some(theirs) = postgresql() else { return };
    theirs.sql("CREATE TABLE public.pgbench_history (precious int)");
    theirs.sql("INSERT INTO public.pgbench_history SELECT generate_series(1, 777)");
    let script = ("workload", json!({"kind": "tpcb", "script": "tpcb", "scale": 1}));
    let (_, message) = failure(theirs.job(std::slice::from_ref(&script)));
    assert!(message.contains("somebody else's") && message.contains("/postgres/pgbench'"), "{message}");
    theirs.sql("CREATE SCHEMA postgres");
    for _ in 0..2 {
        run_well(theirs.job(&[script.clone(), ("max_operations", json!(20))]));
    }
    // Left in the middle of making or dropping the tables, of which one is missing in ours.
    theirs.sql("DROP TABLE postgres.pgbench_history");
    run_well(theirs.job(&[script, ("max_operations", json!(20))]));
    assert_eq!(theirs.sql("SELECT count(*) FROM public.pgbench_history"), "777");
}

#[test]
fn a_redis_that_is_shared_loses_only_our_keys() {
    let (Some(_), Some(server)) = (servers::find(&["redis-cli"]), servers::redis::server(None)) else { return };
    let port = server.port.to_string();
    let redis = |words: &[&str]| {
        let output = Command::new("redis-cli").args(["-p", &port]).args(words).output().unwrap();
        String::from_utf8_lossy(&output.stdout).trim().to_owned()
    };
    let job = |changes: &[(&str, Value)]| spec("redis", &server.url, changes);
    let name = format!("127.0.0.1:{port}/0/_indices");
    // A prefix that is shared but no key that could be ours.
    redis(&["HSET", "user:1000", "name", "Ada"]);
    run_well(job(&[("data", json!("reuse"))]));
    run_well(job(&[("data", json!("recreate"))]));
    assert_eq!(made(job(&[])).unwrap()[0].records, RECORDS);
    // Without the mark it is somebody's data of the same shape.
    redis(&["DEL", "_indices_made_by_plimsoll"]);
    for data in ["reuse", "recreate", "create"] {
        let (kind, message) = failure(job(&[("data", json!(data))]));
        assert!(kind == "schema" && message.contains("no mark") && message.contains(&name), "{message}");
        assert_eq!(redis(&["ZCARD", "_indices"]), RECORDS.to_string());
    }
    run_well(job(&[("data", json!("keep"))]));
    assert_eq!(made(job(&[])).unwrap(), []);
    run_well(job(&[("data", json!("recreate")), ("destroy", json!([name]))]));
    drop_made(job(&[]), &["_indices".to_owned()]).unwrap();
    assert_eq!(redis(&["DBSIZE"]), "1");
    assert_eq!(redis(&["HGET", "user:1000", "name"]), "Ada");
    // A key that a load could overwrite.
    redis(&["HSET", "user1", "name", "Grace"]);
    for data in ["reuse", "recreate", "create"] {
        let (kind, message) = failure(job(&[("data", json!(data)), ("workload/insert_order", json!("ordered"))]));
        assert!(kind == "schema" && message.contains("user1") && message.contains(&name), "{message}");
    }
    assert_eq!(redis(&["HGETALL", "user1"]), "name\nGrace");
    redis(&["DEL", "user1"]);
    // An index of another kind.
    redis(&["SET", "_indices", "theirs"]);
    let (_, message) = failure(job(&[("data", json!("recreate"))]));
    assert!(message.contains("_indices") && redis(&["GET", "_indices"]) == "theirs", "{message}");
}

/// Names, sizes and times of all files below.
fn picture(folder: &Path) -> BTreeMap<String, (u64, SystemTime)> {
    let entries = fs::read_dir(folder).unwrap().flatten();
    entries
        .map(|entry| {
            let about = entry.metadata().unwrap();
            (entry.file_name().to_string_lossy().into_owned(), (about.len(), about.modified().unwrap()))
        })
        .collect()
}

#[test]
fn a_rocksdb_of_somebody_else_is_not_even_opened() {
    let Some(folder) = servers::rocksdb() else { return };
    let place = folder.path().join("db");
    let url = format!("rocksdb:{}", place.display());
    let job = |changes: &[(&str, Value)]| spec("rocksdb", &url, changes);
    run_well(job(&[]));
    run_well(job(&[("data", json!("recreate")), ("workload/table", json!("two"))]));
    assert_eq!(made(job(&[])).unwrap().len(), 2);
    drop_made(job(&[]), &["two".to_owned()]).unwrap();
    assert_eq!(made(job(&[])).unwrap().len(), 1);
    fs::remove_file(place.join("MADE_BY_PLIMSOLL")).unwrap();
    let before = picture(&place);
    for data in ["reuse", "recreate", "create"] {
        for table in ["usertable", "new"] {
            let (kind, message) = failure(job(&[("data", json!(data)), ("workload/table", json!(table))]));
            assert!(kind == "schema" && message.contains("--destroy"), "{message}");
        }
    }
    assert_eq!(picture(&place), before);
    run_well(job(&[("data", json!("keep"))]));
    let (_, message) = failure(job(&[("data", json!("keep")), ("workload/table", json!("new"))]));
    assert!(message.contains("somebody else's"), "{message}");
    run_well(job(&[("data", json!("recreate")), ("destroy", json!([format!("{}/usertable", place.display())]))]));
    // A folder of other things.
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::write(home.join("LOG"), "dear diary").unwrap();
    let before = picture(&home);
    let (_, message) = failure(spec("rocksdb", &format!("rocksdb:{}", home.display()), &[]));
    assert!(message.contains("holds other files"), "{message}");
    assert_eq!(picture(&home), before);
}

#[test]
fn a_database_file_of_somebody_else_is_looked_at_without_a_trace() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("theirs #1?.db");
    for mode in ["delete", "wal"] {
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.execute_batch(&format!("PRAGMA journal_mode={mode}; DROP TABLE IF EXISTS usertable;")).unwrap();
        connection.execute_batch("CREATE TABLE usertable (a); INSERT INTO usertable VALUES (1);").unwrap();
        connection.close().unwrap();
        let (bytes, before) = (fs::read(&path).unwrap(), picture(folder.path()));
        for data in EVERY_WAY {
            let wants = ("session_settings", json!({"journal_mode": "wal", "user_version": "7"}));
            let job = spec("sqlite", &format!("sqlite:{}", path.display()), &[("data", json!(data)), wants]);
            let (kind, message) = failure(job);
            assert_eq!(kind, "schema", "{message}");
        }
        assert_eq!((fs::read(&path).unwrap(), picture(folder.path())), (bytes, before), "{mode}");
    }
}

#[test]
fn our_own_file_is_used_after_a_change_that_was_cut_off() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ours.db");
    let job = |data: &str| {
        let mut job = spec("sqlite", &format!("sqlite:{}", path.display()), &[("data", json!(data))]);
        job.session_settings.clear();
        job
    };
    run_well(job("recreate"));
    // What a process leaves that is killed in the middle of a transaction: a copy of the files at that moment.
    let mut connection = rusqlite::Connection::open(&path).unwrap();
    let change = connection.transaction().unwrap();
    change
        .execute_batch("PRAGMA cache_size=1; PRAGMA cache_spill=1; UPDATE usertable SET FIELD0=hex(zeroblob(9000))")
        .unwrap();
    let journal = format!("{}-journal", path.display());
    let (data, log) = (fs::read(&path).unwrap(), fs::read(&journal).unwrap());
    assert!(!log.is_empty());
    change.rollback().unwrap();
    drop(connection);
    fs::write(&path, data).unwrap();
    fs::write(&journal, log).unwrap();
    run_well(job("reuse"));
}
