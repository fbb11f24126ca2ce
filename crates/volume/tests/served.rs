//! A served volume, as programs see it: mounted, attached to a loop device, driven by fio. Needs root, FUSE, loop devices
//! and fio; without them the tests pass and say why on standard error, unless `CI` is set. `served_uring.rs` runs the same
//! tests through io_uring.

#[allow(dead_code, reason = "shared with tests that measure")]
#[macro_use]
mod machine;

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use machine::{MIB, Server, fio, spec};
use serde_json::{Value, json};

/// One 4 KiB block at `block` filled with `value`, past the page cache.
fn write_block(device: &File, block: u64, value: u8) -> std::io::Result<()> {
    device.write_all_at(&machine::Aligned::filled(value).0, block * 4096)
}

fn read_block(device: &File, block: u64) -> std::io::Result<u8> {
    let mut buffer = machine::Aligned::filled(0);
    device.read_exact_at(&mut buffer.0, block * 4096)?;
    assert!(buffer.0.iter().all(|&b| b == buffer.0[0]), "a torn block");
    Ok(buffer.0[0])
}

/// Otherwise the tests of both ways would test one of them twice.
#[test]
fn requests_come_the_way_that_is_tested() {
    needs_machine!();
    assert_eq!(Server::start(&spec(json!({}))).has_ring(), machine::RINGS);
}

#[test]
fn what_was_written_is_read() {
    needs_machine!();
    let latency = json!({"median_ns": 50_000, "sigma": 0.6});
    let volumes = [spec(json!({})), spec(json!({"read_latency": latency, "write_latency": latency}))];
    for volume in volumes {
        let server = Server::start(&volume);
        let job =
            ["--bs=4k-64k", "--rw=randwrite", "--iodepth=32", "--size=64m", "--verify=crc32c", "--verify_fatal=1"];
        fio(&server.loop_device(), &job);
    }
}

#[test]
fn df_passes_over_a_served_file() {
    needs_machine!();
    let server = Server::start(&spec(json!({})));
    let asked = std::process::Command::new("df").arg(server.file()).output().unwrap();
    assert!(asked.status.success(), "{}", String::from_utf8_lossy(&asked.stderr));
}

#[test]
fn a_power_loss_keeps_what_was_flushed() {
    needs_machine!();
    let server = Server::start(&spec(json!({"backing": {"volatile_cache_bytes": 16 * MIB}})));
    let device = server.open();
    (0..8).for_each(|block| write_block(&device, block, 1).unwrap());
    device.sync_all().unwrap();
    (4..12).for_each(|block| write_block(&device, block, 2).unwrap());
    let lost = server.command(&json!({"command": "fault", "fault": {"fault": "power_loss", "off_ns": 0}}));
    assert_eq!(lost["lost_bytes"], 8 * 4096);
    let found: Vec<u8> = (0..12).map(|block| read_block(&device, block).unwrap()).collect();
    assert_eq!(found, [1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn faults_reach_the_program_and_go_away() {
    needs_machine!();
    let server = Server::start(&spec(json!({})));
    let device = server.open();
    let fault = |fault: Value| server.command(&json!({"command": "fault", "fault": fault}));
    fault(json!({"fault": "error", "offset": 8192, "bytes": 4096}));
    assert!(read_block(&device, 1).is_ok());
    assert_eq!(read_block(&device, 2).unwrap_err().raw_os_error(), Some(libc::EIO));
    fault(json!({"fault": "clear"}));
    assert!(read_block(&device, 2).is_ok());
    let started = std::time::Instant::now();
    fault(json!({"fault": "stall", "duration_ns": 400_000_000}));
    read_block(&device, 0).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(350), "{:?}", started.elapsed());
    fault(json!({"fault": "stall", "duration_ns": 3_600_000_000_000u64}));
    let waiting = server.open();
    let reader = std::thread::spawn(move || read_block(&waiting, 0));
    std::thread::sleep(Duration::from_millis(50));
    fault(json!({"fault": "clear"}));
    assert!(reader.join().unwrap().is_ok(), "a clear ends the wait of what is stalled");
    fault(json!({"fault": "detach"}));
    assert!(read_block(&device, 0).is_err());
}

#[test]
fn a_full_backing_is_an_error_of_the_write_only() {
    needs_machine!();
    let folder = machine::SmallFileSystem::mount(8 * MIB);
    let backing = folder.path().join("bytes");
    let server = Server::start(&spec(json!({"backing": {"path": backing}})));
    let device = server.open();
    let failed = (0..4096).find_map(|block| write_block(&device, block, 5).err().map(|error| (block, error)));
    let (block, error) = failed.expect("64 MiB do not fit in 8");
    assert!(
        matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::Other) || error.raw_os_error() == Some(libc::EIO),
        "{error}"
    );
    assert_eq!(read_block(&device, 0).unwrap(), 5, "the server lives after block {block}");
    assert_eq!(server.command(&json!({"command": "stats"}))["ok"], true);
    drop(device);
    drop(server);
}

#[test]
fn past_the_model_nothing_waits_and_nothing_counts() {
    needs_machine!();
    let server = Server::start(&spec(json!({"write_latency": {"median_ns": 3_600_000_000_000u64}})));
    let device = server.open();
    let writer = std::thread::spawn(move || write_block(&device, 0, 7));
    std::thread::sleep(Duration::from_millis(50));
    server.command(&json!({"command": "fault", "fault": {"fault": "stall", "duration_ns": 3_600_000_000_000u64}}));
    assert_eq!(server.command(&json!({"command": "bypass", "on": true}))["ok"], true);
    writer.join().unwrap().unwrap();
    assert_eq!(read_block(&server.open(), 0).unwrap(), 7);
    server.command(&json!({"command": "bypass", "on": false}));
    let stats = server.command(&json!({"command": "stats"}))["stats"].clone();
    assert_eq!(stats["total_write_ops"], 0, "{stats}");
    assert_eq!(stats["volume_queue_length"], 0, "{stats}");
    server.command(&json!({"command": "bypass", "on": true}));
}

#[test]
fn what_the_way_takes_comes_off_the_wait_and_is_part_of_the_latency() {
    needs_machine!();
    let long = 3_600_000_000_000u64;
    let server = Server::start(&spec(json!({"read_latency": {"median_ns": long}})));
    assert_eq!(server.command(&json!({"command": "compensate", "path_ns": 2 * long}))["ok"], true);
    read_block(&server.open(), 0).unwrap();
    let stats = server.command(&json!({"command": "stats"}))["stats"].clone();
    let told_us = stats["total_read_time"].as_u64().unwrap();
    assert!(told_us >= 2 * long / 1000, "{stats}");
}

#[test]
fn past_the_model_answers_may_be_given_a_wait_of_their_own() {
    needs_machine!();
    let server = Server::start(&spec(json!({})));
    let wait = Duration::from_millis(50);
    server.command(&json!({"command": "bypass", "on": true, "wait_ns": wait.as_nanos() as u64}));
    let before = std::time::Instant::now();
    read_block(&server.open(), 0).unwrap();
    assert!(before.elapsed() >= wait);
    server.command(&json!({"command": "bypass", "on": true}));
}

#[test]
fn a_stop_in_use_is_refused_and_forced_stops_fail_what_waits() {
    needs_machine!();
    let mut server = Server::start(&spec(json!({})));
    let device = server.open();
    let refused = server.command(&json!({"command": "stop"}));
    assert!(refused["error"].as_str().unwrap().contains("in use"), "{refused}");
    server.command(&json!({"command": "fault", "fault": {"fault": "stall", "duration_ns": 60_000_000_000u64}}));
    let reader = std::thread::spawn(move || read_block(&device, 0));
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(server.command(&json!({"command": "stop", "force": true}))["ok"], true);
    assert!(reader.join().unwrap().is_err());
    assert!(server.wait_for_end(), "the server ends by itself");
}

#[test]
fn a_killed_server_leaves_nothing_that_cannot_be_cleaned_up() {
    needs_machine!();
    let mut server = Server::start(&spec(json!({})));
    let device = server.open();
    server.kill();
    assert!(read_block(&device, 0).is_err(), "an error, not a hang");
    drop(device);
    server.clean_up();
    assert!(!server.left_anything());
}

#[test]
fn a_terminated_server_cleans_up_itself() {
    needs_machine!();
    let mut server = Server::start(&spec(json!({})));
    server.detach_loop();
    server.terminate();
    assert!(server.wait_for_end());
    assert!(!server.left_anything());
}

#[test]
fn bad_places_are_refused() {
    needs_machine!();
    let folder = tempfile::tempdir().unwrap();
    let full = folder.path().join("full");
    std::fs::write(&full, "content").unwrap();
    let refuse = |mountpoint: &std::path::Path| {
        let socket = folder.path().join("socket");
        plimsoll_volume::serve::serve(&spec(json!({})).to_string(), mountpoint, &socket, &mut || ())
            .unwrap_err()
            .to_string()
    };
    assert!(refuse(&full).contains("not an empty regular file"));
    assert!(refuse(folder.path()).contains("not an empty regular file"));
    assert!(refuse(&folder.path().join("absent")).contains("No such file"));
    assert_eq!(std::fs::read_to_string(&full).unwrap(), "content");
    assert!(OpenOptions::new().read(true).open(folder.path().join("socket")).is_err(), "the socket is gone");
}
