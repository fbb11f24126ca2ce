//! Bad input and faults, against real servers.

mod support;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use plimsoll_core::outcome::{Status, phase};
use plimsoll_db::Job;
use serde_json::json;
use support::{failure, mix, run, run_well, servers, spec};

/// Sets a variable of this process. Tests of this file read variables of different names only.
fn set(name: &str, value: &str) {
    // SAFETY: no other thread of this test changes or lists the environment at the same time.
    unsafe { std::env::set_var(name, value) };
}

/// Waits until a job has measured for an interval.
fn measuring(job: &Job) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while job.poll().phase != phase::MEASURE || job.poll().elapsed_ns < 300_000_000 {
        assert!(Instant::now() < deadline, "the job does not get to measuring: {:?}", job.poll());
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn impossible_requests_are_refused_before_anything_is_opened() {
    for (changes, words) in [
        (vec![("driver", json!("oracle"))], "no driver"),
        (vec![("driver", json!("http"))], "cannot run ycsb"),
        (vec![("clients", json!(0))], "clients is 0"),
        (vec![("url", json!("redis://me:hunter2@localhost"))], "holds a password"),
        (vec![("url", json!("localhost:6379"))], "no scheme"),
        (vec![("password_env", json!("PLIMSOLL_TEST_NO_SUCH_VARIABLE"))], "which should hold the password"),
        (vec![("session_settings", json!({"x": "1"}))], "has no settings"),
        (vec![("workload", mix(0.0, 0.0, 0.0, 0.0, 0.0))], "shares"),
        (vec![("workload/table", json!("x; DROP TABLE y"))], "table name"),
        (vec![("workload/insert_start", json!(250)), ("workload/insert_count", json!(100))], "beyond records"),
        (vec![("workload/measure", json!("load")), ("data", json!("reuse"))], "cannot reuse data: say data=keep"),
        (
            vec![("workload/measure", json!("load")), ("data", json!("create")), ("max_operations", json!(5))],
            "max_operations=",
        ),
        (vec![("rate", json!({"per_second": 0.0, "unit": "operations"}))], "rate"),
        (vec![("workload/request", json!({"kind": "zipfian", "theta": 1.5}))], "out of range"),
    ] {
        let (kind, message) = failure(spec("redis", "redis://127.0.0.1:1", &changes));
        assert_eq!(kind, "spec", "{message}");
        assert!(message.contains(words), "{message}");
        assert!(!message.contains("hunter2"), "{message}");
    }
}

#[test]
fn a_load_keeps_a_rate_and_tells_the_histogram_of_every_interval_once() {
    let changes = [
        ("workload/measure", json!("load")),
        ("max_operations", json!(null)),
        ("rate", json!({"per_second": 3000.0, "unit": "operations"})),
        ("interval_histograms", json!(true)),
        ("interval", json!(20_000_000)),
    ];
    let job = Job::start(spec("memory", "", &changes)).unwrap();
    let mut told = Vec::new();
    let outcome = loop {
        told.extend(job.poll().interval_histograms);
        if let Some(outcome) = job.result(Some(Duration::from_millis(10))) {
            break outcome;
        }
    };
    assert!(!told.is_empty(), "some are told while it runs");
    told.extend(outcome.common.interval_histograms);
    let all = support::RECORDS;
    for kind in ["insert", "insert_service"] {
        assert_eq!(told.iter().filter_map(|each| each.get(kind)).map(|text| support::recorded(text)).sum::<u64>(), all);
        assert_eq!(support::recorded(&outcome.common.histograms[kind]), all);
    }
    assert_eq!((outcome.completed, outcome.common.offered_operations), (all, Some(all)));
    // The last one is due 299 gaps after the first.
    assert!(outcome.common.elapsed_ns >= (all - 1) * 1_000_000_000 / 3000, "{}", outcome.common.elapsed_ns);
}

#[test]
fn nobody_there() {
    for (driver, scheme) in [("redis", "redis"), ("postgresql", "postgresql"), ("mysql", "mysql")] {
        let (kind, message) = failure(spec(driver, &format!("{scheme}://127.0.0.1:1/0"), &[]));
        assert_eq!(kind, "connect");
        assert!(message.contains("127.0.0.1:1") && message.contains("refused"), "{message}");
    }
    // Where the folder is missing, the address is wrong: nobody else can be late with it.
    let (kind, message) = failure(spec("sqlite", "sqlite:/nowhere/at/all.db", &[]));
    assert_eq!(kind, "spec");
    assert!(message.contains("/nowhere/at/all.db"), "{message}");
}

#[test]
fn passwords_open_doors_and_are_never_told() {
    set("PLIMSOLL_TEST_RIGHT", "open sesame");
    set("PLIMSOLL_TEST_WRONG", "hunter2hunter2");
    let doors = [
        ("redis", servers::redis::server(Some("open sesame")), "redis", "redis"),
        ("postgresql", servers::postgresql::server(Some("open sesame"), None), "postgres", "postgres"),
        ("mysql", servers::mysql::server("open sesame"), "root@", "tester@"),
    ];
    for (driver, server, from, to) in doors {
        let Some(server) = server else { continue };
        let url = server.url.replace(from, to);
        let with = |name: &str| spec(driver, &url, &[("password_env", json!(name)), ("max_operations", json!(20))]);
        assert_eq!(run_well(with("PLIMSOLL_TEST_RIGHT")).completed, 20, "{driver}");
        let outcome = run(with("PLIMSOLL_TEST_WRONG"));
        let text = serde_json::to_string(&outcome).unwrap();
        assert_eq!(outcome.common.error.as_ref().map(|error| error.kind.as_str()), Some("connect"), "{driver}: {text}");
        assert!(!text.contains("hunter2"), "{text}");
        let (kind, message) = failure(spec(driver, &url, &[]));
        assert_eq!(kind, "connect", "{driver}: {message}");
    }
}

#[test]
fn a_server_that_restarts_costs_errors_and_no_more() {
    let Some(mut server) = servers::redis::server(None) else { return };
    let changes = [("", json!({"runtime": 3_000_000_000u64, "max_operations": null}))];
    let job = Job::start(spec("redis", &server.url, &changes)).unwrap();
    measuring(&job);
    server.stop();
    server.start();
    let outcome = job.result(Some(Duration::from_secs(60))).expect("it ends");
    assert_eq!((outcome.common.status, &outcome.common.error), (Status::Ok, &None));
    assert_eq!(outcome.reconnects, 4, "each client comes back");
    let lost: u64 = outcome.errors.values().flat_map(|kinds| kinds.values()).sum();
    assert_eq!(lost, 4, "one operation of each client: {:?}", outcome.errors);
    assert!(outcome.not_found["read"] > 0, "the new server has no records, and that is seen");
    let [outage] = outcome.outages[..] else { panic!("one outage: {:?}", outcome.outages) };
    assert!(outage.back && outage.start_ns > 0, "{outage:?}");
    assert!(outage.duration_ns < outcome.common.elapsed_ns, "{outage:?}");
    assert_eq!(outcome.kept, None, "nobody asked to count");
}

/// A web server, one thread a connection, that treats one of its requests as `treat` does: false closes the connection.
fn web_server(treat: fn() -> bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/page", listener.local_addr().unwrap());
    let asked = Arc::new(std::sync::atomic::AtomicU32::new(0));
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let asked = Arc::clone(&asked);
            std::thread::spawn(move || {
                let mut request = [0; 4096];
                while stream.read(&mut request).is_ok_and(|bytes| bytes > 0) {
                    if asked.fetch_add(1, Ordering::Relaxed) == 20 && !treat() {
                        return;
                    }
                    if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok").is_err() {
                        return;
                    }
                }
            });
        }
    });
    url
}

#[test]
fn a_late_answer_or_one_broken_connection_is_no_outage() {
    let slow = || {
        std::thread::sleep(Duration::from_millis(300));
        true
    };
    let outcome = |treat: fn() -> bool| {
        let changes = [
            ("workload", json!({"kind": "web", "keep_alive": true})),
            ("clients", json!(1)),
            ("threads", json!(1)),
            ("timeout", json!(50_000_000)),
            ("interval", json!(20_000_000)),
            ("", json!({"runtime": 500_000_000u64, "max_operations": null})),
        ];
        run(spec("http", &web_server(treat), &changes))
    };
    for (treat, cause) in [(slow as fn() -> bool, "timeout"), (|| false, "closed")] {
        let outcome = outcome(treat);
        assert_eq!(outcome.errors["get"][cause], 1, "{:?}", outcome.errors);
        assert_eq!((outcome.reconnects, outcome.failed_reconnects), (1, 0));
        assert!(outcome.completed > 20, "it goes on");
        assert_eq!(outcome.outages, [], "after {cause}");
    }
}

#[test]
fn a_table_of_somebody_else_is_left_alone() {
    let Some(server) = servers::redis::server(None) else { return };
    let mut stream = TcpStream::connect(server.url.trim_start_matches("redis://").trim_end_matches("/0")).unwrap();
    stream.write_all(b"ZADD _indices 1 invoice:1\r\nHSET invoice:1 total 9\r\n").unwrap();
    let mut answer = [0; 8];
    stream.read_exact(&mut answer).unwrap();
    for data in ["reuse", "recreate", "create"] {
        let (kind, message) = failure(spec("redis", &server.url, &[("data", json!(data))]));
        assert_eq!(kind, "schema", "{message}");
        assert!(message.contains("somebody else") && message.contains("--destroy"), "{message}");
    }
    stream.write_all(b"HLEN invoice:1\r\n").unwrap();
    let mut left = [0; 4];
    stream.read_exact(&mut left).unwrap();
    assert_eq!(&left, b":1\r\n", "nothing was dropped");

    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}/x.db", folder.path().display());
    run_well(spec("sqlite", &url, &[("max_operations", json!(5))]));
    let table = [("workload/table", json!("sqlite_master")), ("data", json!("recreate"))];
    let (_, message) = failure(spec("sqlite", &url, &table));
    assert!(!message.contains("recreate"), "{message}");
}

#[test]
fn what_is_to_be_kept_is_kept() {
    let Some(server) = servers::postgresql::server(None, None) else { return };
    let script = json!({"kind": "tpcb", "script": "tpcb", "scale": 1});
    let run = |data: &str| {
        let changes = [
            ("workload", script.clone()),
            ("data", json!(data)),
            ("fault", json!("expected")),
            ("max_operations", json!(50)),
        ];
        run_well(spec("postgresql", &server.url, &changes)).kept.expect("it was counted")
    };
    assert_eq!((run("recreate").before, run("keep").before), (0, 50));
    assert_eq!(run("keep").before, 100, "the history of both runs before");
    assert_eq!(run("reuse").before, 0, "as pgbench begins");
}

#[test]
fn acknowledged_writes_that_a_crash_lost_are_counted() {
    let Some(mut server) = servers::redis::server(None) else { return };
    let changes = [
        ("", json!({"runtime": 3_000_000_000u64, "max_operations": null})),
        ("fault", json!("expected")),
        ("workload", mix(0.0, 0.0, 1.0, 0.0, 0.0)),
    ];
    let job = Job::start(spec("redis", &server.url, &changes)).unwrap();
    measuring(&job);
    server.stop();
    server.start();
    let kept = job.result(Some(Duration::from_secs(60))).expect("it ends").kept.expect("it was counted");
    assert_eq!(kept.before, support::RECORDS);
    // It stores nothing: what was there at the crash is lost, what was inserted after it is there.
    let after = kept.after.expect("it is back");
    assert!(0 < after && after < kept.acknowledged, "{kept:?}");

    let nothing = run_well(spec("redis", &server.url, &[("fault", json!("expected")), ("data", json!("recreate"))]));
    let kept = nothing.kept.expect("it was counted");
    assert_eq!(kept.after, Some(kept.before + kept.acknowledged), "without a fault nothing is lost");
    assert_eq!(nothing.outages, []);

    let inserts = |data: &str| {
        let mix = ("workload", mix(0.0, 0.0, 1.0, 0.0, 0.0));
        run_well(spec("redis", &server.url, &[("fault", json!("expected")), ("data", json!(data)), mix])).kept
    };
    let first = inserts("reuse").expect("its keys are new");
    assert_eq!(first.after, Some(first.before + first.acknowledged));
    assert_eq!(inserts("keep"), None, "the same keys once more are no rows, and nothing is lost");
}

#[test]
fn a_server_that_stays_away_ends_the_job_and_keeps_what_was_measured() {
    let Some(mut server) = servers::redis::server(None) else { return };
    let changes =
        [("", json!({"runtime": 60_000_000_000u64, "max_operations": null})), ("give_up", json!(300_000_000))];
    let job = Job::start(spec("redis", &server.url, &changes)).unwrap();
    measuring(&job);
    server.stop();
    let outcome = job.result(Some(Duration::from_secs(20))).expect("it gives up");
    assert_eq!(outcome.common.status, Status::Failed);
    let error = outcome.common.error.expect("it says why");
    assert!(error.kind == "connect" && error.message.contains("away"), "{error:?}");
    assert!(outcome.completed > 0 && outcome.failed_reconnects > 0);
    let [outage] = outcome.outages[..] else { panic!("one outage: {:?}", outcome.outages) };
    assert!(!outage.back && outage.duration_ns >= 300_000_000, "{outage:?}");
}

#[test]
fn a_stop_request_is_answered_soon_with_what_there_is() {
    let Some(server) = servers::redis::server(None) else { return };
    let changes = [("", json!({"runtime": 60_000_000_000u64, "max_operations": null}))];
    let job = Job::start(spec("redis", &server.url, &changes)).unwrap();
    measuring(&job);
    let asked = Instant::now();
    job.stop();
    let outcome = job.result(Some(Duration::from_secs(10))).expect("it stops");
    assert_eq!(outcome.common.status, Status::Stopped);
    assert!(outcome.completed > 0);
    assert!(asked.elapsed() < Duration::from_secs(5), "far below the ten seconds that were allowed");
}

#[test]
fn preparing_may_take_longer_than_an_answer_and_can_be_stopped() {
    let Some(server) = servers::postgresql::server(None, None) else { return };
    let changes =
        [("workload", json!({"kind": "tpcb", "script": "select_only", "scale": 200})), ("timeout", json!(200_000_000))];
    let job = Job::start(spec("postgresql", &server.url, &changes)).unwrap();
    // 200 branches take a minute or more, and each longer than the time for an answer.
    std::thread::sleep(Duration::from_millis(1500));
    assert!(job.result(Some(Duration::ZERO)).is_none(), "it goes on");
    job.stop();
    let outcome = job.result(Some(Duration::from_secs(30))).expect("it stops");
    assert_eq!((outcome.common.status, outcome.common.error), (Status::Stopped, None));
}

#[test]
fn conflicts_are_counted_or_tried_again() {
    let Some(server) = servers::postgresql::server(None, None) else { return };
    // All clients update the same branch in serializable transactions: most of them cannot be ordered.
    let tries = |tries: u32, data: &str| {
        let changes = [
            ("workload", json!({"kind": "tpcb", "script": "tpcb", "scale": 1})),
            ("session_settings", json!({"default_transaction_isolation": "serializable"})),
            ("data", json!(data)),
            ("max_tries", json!(tries)),
            ("max_operations", json!(200)),
        ];
        run(spec("postgresql", &server.url, &changes))
    };
    let once = tries(1, "recreate");
    let failed = once.errors["transaction"]["serialization"];
    assert!(failed > 0);
    assert_eq!(once.completed + failed, 200);
    let often = tries(1000, "reuse");
    assert_eq!((often.completed, often.errors.len()), (200, 0), "{:?}", often.messages);
    assert!(often.retries > 0);
}

#[test]
fn the_first_error_ends_a_job_that_counts_none() {
    let Some(server) = servers::http::start() else { return };
    let changes = [("workload", json!({"kind": "web", "keep_alive": true})), ("count_errors", json!(false))];
    let (kind, message) = failure(spec("http", &server.url.replace("page", "none"), &changes));
    assert_eq!(kind, "operation");
    assert!(message.contains("404"), "{message}");
}

#[test]
fn connections_can_be_encrypted() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
    let made = std::process::Command::new("openssl")
        .args(["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"])
        .args(["-addext", "subjectAltName=DNS:localhost", "-addext", "basicConstraints=critical,CA:FALSE"])
        .arg("-keyout")
        .arg(&key)
        .arg("-out")
        .arg(&certificate)
        .output();
    if !made.is_ok_and(|output| output.status.success()) {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "openssl is missing, and CI needs it");
        return;
    }
    let Some(server) = servers::postgresql::server(None, Some(&(certificate.clone(), key))) else { return };
    let url = server.url.replace("127.0.0.1", "localhost");
    let tls = |mode: &str, file: Option<&std::path::Path>| {
        spec("postgresql", &url, &[("", json!({"tls": mode, "ca_file": file})), ("max_operations", json!(50))])
    };
    assert_eq!(run_well(tls("require", None)).completed, 50);
    assert_eq!(run_well(tls("verify", Some(&certificate))).completed, 50);
    let (kind, message) = failure(tls("verify", None));
    assert_eq!(kind, "connect");
    assert!(message.contains("certificate") || message.contains("TLS"), "{message}");
}

#[test]
fn a_server_that_never_says_a_word_ends_the_job_and_a_stop_request_ends_it_sooner() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    for (driver, tls) in [("redis", "off"), ("redis", "require"), ("mysql", "off"), ("postgresql", "require")] {
        let at = |timeout_ns: u64| {
            let url = format!("{driver}://me@127.0.0.1:{port}/0");
            spec(driver, &url, &[("tls", json!(tls)), ("timeout", json!(timeout_ns))])
        };
        let (kind, message) = failure(at(100_000_000));
        assert_eq!(kind, "connect", "{driver}: {message}");
        assert!(message.contains("did not answer in time (0.1 s)"), "{driver}: {message}");
        let job = Job::start(at(3_600_000_000_000)).unwrap();
        job.stop();
        let stopped = job.result(Some(Duration::from_secs(60))).expect("it does not wait for the server");
        assert_eq!(stopped.common.status, Status::Stopped, "{driver}");
        // Stopped before it connected, it was not waiting for anybody.
        if let Some(error) = stopped.common.error {
            assert!(error.message.contains(&format!("127.0.0.1:{port} had not answered for ")), "{}", error.message);
        }
    }
}

/// Answers every request with a page, until it is to be silent.
fn answer(mut stream: TcpStream, silent: &AtomicBool) {
    let mut request = [0; 4096];
    while stream.read(&mut request).is_ok_and(|length| length > 0) {
        if !silent.load(Ordering::SeqCst) {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    }
}

#[test]
fn a_stopped_job_says_which_server_fell_silent_and_for_how_long() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let place = listener.local_addr().unwrap();
    let silent = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&silent);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let flag = Arc::clone(&flag);
            std::thread::spawn(move || answer(stream, &flag));
        }
    });
    let changes = [
        ("workload", json!({"kind": "web", "keep_alive": true})),
        ("max_operations", json!(null)),
        ("data", json!("keep")),
    ];
    let job = Job::start(spec("http", &format!("http://{place}/"), &changes)).unwrap();
    measuring(&job);
    silent.store(true, Ordering::SeqCst);
    std::thread::sleep(Duration::from_millis(1300));
    job.stop();
    let stopped = job.result(Some(Duration::from_secs(60))).expect("it stops");
    assert_eq!(stopped.common.status, Status::Stopped);
    assert!(stopped.completed > 0);
    let error = stopped.common.error.expect("it was waiting");
    assert!(error.message.starts_with(&format!("{place} had not answered for ")), "{}", error.message);
}

#[test]
fn a_rocksdb_database_is_used_by_one_at_a_time_and_says_what_is_wrong() {
    let Some(folder) = servers::rocksdb() else { return };
    let url = format!("rocksdb:{}", folder.path().join("db").display());
    let endless = [("", json!({"runtime": 60_000_000_000u64, "max_operations": null}))];
    let job = Job::start(spec("rocksdb", &url, &endless)).unwrap();
    measuring(&job);
    let (kind, message) = failure(spec("rocksdb", &url, &[("data", json!("keep"))]));
    assert_eq!(kind, "connect", "{message}");
    assert!(message.contains("only one can") && message.contains("/db"), "{message}");
    job.stop();
    let stopped = job.result(Some(Duration::from_secs(60))).expect("it stops");
    assert_eq!(stopped.common.status, Status::Stopped);
    for (settings, kind, words) in [
        (json!({"sync": "yes"}), "spec", "true or false"),
        (json!({"sync": "true", "disableWAL": "true"}), "spec", "contradict"),
        (json!({"a;b": "1"}), "spec", "not the name"),
        (json!({"no_such_option": "1"}), "connect", "no_such_option"),
    ] {
        let (found, message) = failure(spec("rocksdb", &url, &[("session_settings", settings)]));
        assert_eq!(found, kind, "{message}");
        assert!(message.contains(words), "{message}");
    }
    // After all that it still opens, and settings are among the facts.
    let settings = json!({"sync": "true", "write_buffer_size": "1048576"});
    let outcome = run_well(spec("rocksdb", &url, &[("session_settings", settings)]));
    let fact = |name: &str| outcome.server.get(name).map(String::as_str);
    assert_eq!((fact("sync"), fact("wal"), fact("write_buffer_size")), (Some("true"), Some("on"), Some("1048576")));
    assert!(fact("rocksdb_version").is_some_and(|version| version.contains('.')), "{:?}", outcome.server);
}
