//! What every driver must do, against a real database each. Driven by the driver list: none can be left out.

mod support;

use plimsoll_db::{drop_made, made};
use serde_json::json;
use support::{RECORDS, check_sums, count, database, failure, mix, row, run, run_well, servers, spec};

/// What it has written is there for the next job.
fn keeps(driver: &str) -> bool {
    let caps = row(driver).caps;
    caps.server || !caps.data.is_empty()
}

fn suite(driver: &str) {
    let row = row(driver);
    let Some((url, _keep)) = database(&row) else { return };
    let runs = |kind: &str| row.caps.workloads.contains(&kind);
    if driver == "null" {
        return nothing();
    }
    if runs("ycsb") {
        reads_find_their_records(driver, &url);
        servers_count(driver, &url);
        values_are_right(driver, &url);
        mixes_do_what_they_say(driver, &url);
        variants(driver, &url);
        open_loop(driver, &url);
        if keeps(driver) {
            data_is_kept_apart(driver, &url);
            loads_join(driver, &url);
            missing_records_are_counted(driver, &url);
            what_is_made_is_marked(driver, &url);
        }
    }
    if runs("tpcb") {
        transactions(driver, &url);
    }
    if runs("web") {
        pages(driver, &url);
    }
}

/// One test per driver, so that servers start at the same time and failures are told apart.
macro_rules! suites {
    ($($driver:ident,)+) => {
        $(#[test] fn $driver() { suite(stringify!($driver)); })+
    };
}

include!(concat!(env!("OUT_DIR"), "/suites.rs"));

fn nothing() {
    let outcome = run_well(spec("null", "", &[("data", json!("keep"))]));
    assert_eq!(outcome.completed, 400);
    check_sums(&outcome);
}

fn reads_find_their_records(driver: &str, url: &str) {
    let outcome = run_well(spec(driver, url, &[("workload", mix(1.0, 0.0, 0.0, 0.0, 0.0))]));
    assert_eq!((outcome.completed, count(&outcome, "read")), (400, 400));
    assert_eq!(outcome.loaded_records, Some(RECORDS));
    assert!(outcome.not_found.is_empty(), "{:?}", outcome.not_found);
    assert_eq!(outcome.rows["read"], 400);
    assert_eq!(outcome.common.operations["read"].bytes, 400 * 120, "all fields of all records came");
    assert!(outcome.common.mean_in_flight > 0.0 && outcome.common.mean_in_flight <= 4.01);
    assert!(!outcome.server.is_empty());
    check_sums(&outcome);
}

fn servers_count(driver: &str, url: &str) {
    let counters = run_well(spec(driver, url, &[])).counters;
    let names = row(driver).caps.counters;
    assert!(counters.after.keys().eq(names), "{counters:?}");
    assert!(counters.before.keys().eq(names), "{counters:?}");
    for name in names.iter().copied().filter(|name| !name.ends_with("_bytes")) {
        assert!(counters.before[name] <= counters.after[name], "{name}: {counters:?}");
    }
    if names.contains(&"cache_hits") {
        assert!(counters.before["cache_hits"] < counters.after["cache_hits"], "{counters:?}");
    }
}

fn values_are_right(driver: &str, url: &str) {
    let changes = [("workload/data_integrity", json!(true)), ("workload", mix(0.4, 0.4, 0.0, 0.0, 0.2))];
    let outcome = run_well(spec(driver, url, &changes));
    let verified = outcome.common.verified.expect("values were checked");
    assert_eq!(verified.blocks, 3 * (count(&outcome, "read") + count(&outcome, "rmw_read")));
    assert_eq!(verified.bad_blocks, 0);
    if keeps(driver) {
        // Data that was written without this rule must not pass.
        run_well(spec(driver, url, &[]));
        let changes = [("workload/data_integrity", json!(true)), ("data", json!("keep"))];
        let wrong = run_well(spec(driver, url, &changes)).common.verified.expect("values were checked");
        assert!(wrong.bad_blocks > 0);
    }
}

fn mixes_do_what_they_say(driver: &str, url: &str) {
    let outcome = run_well(spec(driver, url, &[("workload", mix(0.3, 0.2, 0.1, 0.2, 0.2))]));
    assert_eq!(outcome.completed, 400);
    for kind in ["read", "update", "insert", "scan", "read_modify_write"] {
        assert!(count(&outcome, kind) > 10, "{kind}: {:?}", outcome.common.operations.keys());
    }
    let whole = count(&outcome, "read_modify_write");
    assert_eq!((count(&outcome, "rmw_read"), count(&outcome, "rmw_update")), (whole, whole));
    assert!(outcome.not_found.is_empty(), "{:?}", outcome.not_found);
    assert!(outcome.rows["scan"] > count(&outcome, "scan"), "{:?}", outcome.rows);
    assert!(outcome.rows["scan"] <= 20 * count(&outcome, "scan"));
    check_sums(&outcome);
}

fn variants(driver: &str, url: &str) {
    let changes = [
        ("workload", mix(0.4, 0.3, 0.1, 0.2, 0.0)),
        ("workload/request", json!({"kind": "latest", "theta": 0.99})),
        ("workload/insert_order", json!("ordered")),
        ("workload/zero_padding", json!(12)),
        ("workload/field_length_distribution", json!("uniform")),
        ("workload/read_all_fields", json!(false)),
        ("workload/write_all_fields", json!(true)),
        ("workload/fields", json!(12)),
        ("warmup", json!(50_000_000)),
    ];
    let outcome = run_well(spec(driver, url, &changes));
    assert_eq!(outcome.completed, 400);
    assert!(outcome.not_found.is_empty(), "{:?}", outcome.not_found);
    check_sums(&outcome);
}

fn open_loop(driver: &str, url: &str) {
    let changes = [
        ("rate", json!({"per_second": 1000.0, "unit": "operations"})),
        ("", json!({"runtime": 400_000_000u64, "max_operations": null})),
    ];
    let outcome = run_well(spec(driver, url, &changes));
    assert_eq!(outcome.common.offered_operations, Some(400));
    assert!(outcome.common.histograms.contains_key("read_service"));
    assert!(outcome.completed <= 400);
    check_sums(&outcome);
}

fn data_is_kept_apart(driver: &str, url: &str) {
    let first = run_well(spec(driver, url, &[("workload", mix(0.5, 0.0, 0.5, 0.0, 0.0))]));
    assert!(count(&first, "insert") > 100);
    let (kind, message) = failure(spec(driver, url, &[("data", json!("create"))]));
    assert_eq!(kind, "schema");
    assert!(message.contains("--reuse") && message.contains("--recreate"), "{message}");
    // What the inserts added is removed; the rest is used.
    let again = run_well(spec(driver, url, &[("data", json!("reuse")), ("workload", mix(0.5, 0.0, 0.5, 0.0, 0.0))]));
    assert_eq!(again.loaded_records, None);
    assert!(again.not_found.is_empty());
    run_well(spec(driver, url, &[("data", json!("reuse"))]));
    let (kind, message) =
        failure(spec(driver, url, &[("data", json!("reuse")), ("workload/records", json!(RECORDS + 1))]));
    assert_eq!(kind, "schema", "{message}");
    let (kind, _) = failure(spec(driver, url, &[("data", json!("reuse")), ("workload/fields", json!(5))]));
    assert_eq!(kind, "schema");
}

fn loads_join(driver: &str, url: &str) {
    let part = |data: &str, start: u64, count: u64| {
        let changes = [
            ("workload/measure", json!("load")),
            ("data", json!(data)),
            ("max_operations", json!(null)),
            ("workload/insert_start", json!(start)),
            ("workload/insert_count", json!(count)),
        ];
        spec(driver, url, &changes)
    };
    let first = run_well(part("recreate", 0, 100));
    assert_eq!((first.completed, count(&first, "insert")), (100, 100));
    check_sums(&first);
    run_well(part("keep", 100, RECORDS - 100));
    let read = [("data", json!("reuse")), ("workload", mix(1.0, 0.0, 0.0, 0.0, 0.0))];
    let outcome = run_well(spec(driver, url, &read));
    assert!(outcome.not_found.is_empty(), "{:?}", outcome.not_found);
    if !row(driver).caps.replaces {
        let twice = run(part("keep", 0, 100));
        assert_eq!(twice.errors["insert"]["constraint"], 100, "{:?}", twice.messages);
        assert_eq!(twice.completed, 0);
    }
}

fn missing_records_are_counted(driver: &str, url: &str) {
    run_well(spec(driver, url, &[]));
    let changes = [
        ("data", json!("keep")),
        ("workload/records", json!(2 * RECORDS)),
        ("workload/request", json!({"kind": "uniform"})),
        ("workload", mix(1.0, 0.0, 0.0, 0.0, 0.0)),
    ];
    let outcome = run_well(spec(driver, url, &changes));
    let missed = outcome.not_found["read"];
    assert!((120..280).contains(&missed), "{missed} of 400");
    assert_eq!(outcome.rows["read"], 400 - missed);
}

/// Without the mark nobody could tell, later, that it is ours to remove.
fn what_is_made_is_marked(driver: &str, url: &str) {
    run_well(spec(driver, url, &[]));
    let found = made(spec(driver, url, &[])).unwrap();
    assert_eq!(found.iter().map(|row| row.records).collect::<Vec<_>>(), [RECORDS], "{driver}");
    let names: Vec<String> = found.iter().map(|row| row.name.clone()).collect();
    assert_eq!(drop_made(spec(driver, url, &[]), &names).unwrap(), found);
    assert_eq!(made(spec(driver, url, &[])).unwrap(), []);
    let (_, message) = failure(spec(driver, url, &[("data", json!("keep"))]));
    assert!(message.contains("there is no data of this workload"), "{driver}: {message}");
}

fn transactions(driver: &str, url: &str) {
    let script = |name: &str, data: &str| {
        let changes = [
            ("workload", json!({"kind": "tpcb", "script": name, "scale": 1})),
            ("data", json!(data)),
            ("max_operations", json!(100)),
        ];
        run_well(spec(driver, url, &changes))
    };
    let outcome = script("tpcb", "recreate");
    assert_eq!(outcome.loaded_records, Some(100_000));
    let statements =
        ["begin", "update_accounts", "select_accounts", "update_tellers", "update_branches", "insert_history", "end"];
    assert!(statements.iter().all(|kind| count(&outcome, kind) == 100), "{:?}", outcome.common.operations);
    assert_eq!((outcome.completed, outcome.whole.as_slice()), (100, ["transaction".to_owned()].as_slice()));
    assert!(outcome.not_found.is_empty(), "{:?}", outcome.not_found);
    check_sums(&outcome);
    let outcome = script("simple_update", "reuse");
    assert_eq!((outcome.loaded_records, count(&outcome, "insert_history")), (None, 100));
    assert_eq!(count(&outcome, "update_branches"), 0);
    let outcome = script("select_only", "reuse");
    assert_eq!((outcome.completed, count(&outcome, "select_accounts")), (100, 100));
    assert_eq!(outcome.rows["transaction"], 100);
}

fn pages(driver: &str, url: &str) {
    for keep_alive in [true, false] {
        let workload = ("workload", json!({"kind": "web", "keep_alive": keep_alive}));
        let outcome = run_well(spec(driver, url, &[workload.clone(), ("max_operations", json!(1000))]));
        // More requests than nginx answers on one connection (100 here): it is opened anew, and nothing fails.
        assert_eq!((outcome.completed, outcome.reconnects), (1000, 0));
        assert_eq!(outcome.common.operations["get"].bytes, 1000 * servers::http::PAGE as u64);
        check_sums(&outcome);
        let missing = run(spec(driver, &url.replace("page", "none"), &[workload]));
        assert_eq!(missing.errors["get"]["status"], 400);
        assert!(missing.messages["status"].contains("404"));
    }
    let many = [("workload", json!({"kind": "web", "keep_alive": true})), ("clients", json!(2000))];
    let outcome = run_well(spec(driver, url, &[many.as_slice(), &[("max_operations", json!(8000))]].concat()));
    assert_eq!((outcome.completed, outcome.threads), (8000, 2));
}
