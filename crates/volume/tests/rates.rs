//! Limits of a served volume as fio sees them. What it needs is what `served.rs` needs.

#![expect(clippy::print_stderr, reason = "measured figures and reasons to skip are shown, not asserted")]

#[allow(dead_code, reason = "shared with tests that do more")]
#[macro_use]
mod machine;

use machine::{MIB, Server, fio, spec};
use serde_json::json;

/// The limit holds over seconds, whatever else the machine does; how closely is for the benchmark to say.
#[test]
fn throttled_volumes_give_their_rate() {
    needs_machine!();
    let limits = json!({"iops": {"rate": 3000, "depth_s": 0.1}, "read_latency": {"median_ns": 500_000}});
    let server = Server::start(&spec(limits));
    for (mode, share) in [("randread", "100"), ("randwrite", "0"), ("randrw", "70")] {
        let job = ["--bs=4k", "--iodepth=32", "--runtime=4", &format!("--rw={mode}"), &format!("--rwmixread={share}")];
        let iops = fio(&server.loop_device(), &job).iops;
        eprintln!("{mode}: {iops:.0} of 3000 IOPS");
        assert!((2500.0..3200.0).contains(&iops), "{mode}: {iops}");
    }
    let stats = server.command(&json!({"command": "stats"}))["stats"].clone();
    assert!(stats["ebs_volume_performance_exceeded_iops"].as_u64().unwrap() > 8_000_000, "{stats}");
    assert_eq!(stats["ebs_volume_performance_exceeded_tp"], 0);
    assert!(stats["total_read_ops"].as_u64().unwrap() > 15_000);
}

#[test]
fn a_change_takes_effect_while_in_use() {
    needs_machine!();
    let server = Server::start(&spec(json!({"throughput": {"rate": 20 * MIB, "depth_s": 0.1}})));
    let job = ["--bs=256k", "--iodepth=4", "--runtime=3", "--rw=read"];
    let before = fio(&server.loop_device(), &job).bytes_per_s / MIB as f64;
    let faster = spec(json!({"throughput": {"rate": 60 * MIB, "depth_s": 0.1}}));
    assert_eq!(server.command(&json!({"command": "set", "spec": faster}))["ok"], true);
    let after = fio(&server.loop_device(), &job).bytes_per_s / MIB as f64;
    eprintln!("{before:.1} MiB/s of 20, then {after:.1} of 60");
    assert!((17.0..22.0).contains(&before), "{before}");
    assert!((50.0..66.0).contains(&after), "{after}");
    let answer = server.command(&json!({"command": "set", "spec": spec(json!({"size": MIB}))}));
    assert!(answer["error"].as_str().unwrap().contains("cannot shrink"), "{answer}");
}
