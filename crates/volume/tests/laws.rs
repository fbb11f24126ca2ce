//! The model against numbers that were documented or measured, and against its own laws.

use plimsoll_volume::model::Volume;
use plimsoll_volume::model::fault_state::Fault;
use plimsoll_volume::model::instance::Cells;
use plimsoll_volume::model::layer::{Io, OpKind, Outcome};
use plimsoll_volume::simulate::{Pattern, Replayed, Simulation, Workload, simulate, simulate_trace};
use plimsoll_volume::spec::VolumeSpec;
use serde_json::json;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;
const SECOND: u64 = 1_000_000_000;

fn spec(more: serde_json::Value) -> VolumeSpec {
    let mut value = json!({
        "size": 100 * GIB, "queue": "fifo", "seed": 11, "time_scale": 1.0,
        "read_latency": {"median_ns": 300_000}, "write_latency": {"median_ns": 300_000},
    });
    value.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    VolumeSpec::from_json(&value.to_string()).unwrap()
}

fn load(block_bytes: u64, depth: u32, seconds: u64) -> Workload {
    Workload {
        block_bytes,
        depth,
        rate: None,
        read_share: 1.0,
        pattern: Pattern::Random,
        region_bytes: None,
        duration_ns: seconds * SECOND,
        interval_ns: SECOND,
        seed: 5,
    }
}

fn ops(found: &Simulation) -> u64 {
    found.series.read_latency.count() + found.series.write_latency.count()
}

/// Operations per second of interval `second`.
fn rate(found: &Simulation, second: usize) -> u64 {
    let interval = &found.series.intervals[second];
    interval.read_ops + interval.write_ops
}

/// The last second in which the volume still gave its burst.
fn burst_end(found: &Simulation, burst: u64) -> usize {
    found.series.intervals.iter().rposition(|i| i.read_ops >= burst * 99 / 100).unwrap()
}

fn gp2(gib: u64, base: u64) -> VolumeSpec {
    let credits = json!({"baseline": base, "capacity": 5_400_000});
    spec(json!({"size": gib * GIB, "iops": {"rate": 3000, "credits": credits}}))
}

#[test]
fn a_restart_brings_back_the_first_levels_and_keeps_what_was_fetched() {
    let touched = json!({"chunk_bytes": 524_288, "latency": {"median_ns": 15_000_000}});
    let credits = json!({"baseline": 100, "capacity": 10_000, "initial": 0.5});
    let limits = json!({"iops": {"rate": 1000, "initial": 0.25, "credits": credits}, "first_touch": touched});
    let mut volume = Volume::new(&spec(limits), None, 0).unwrap();
    let held = |volume: &Volume, at| volume.report(at).buckets.iter().map(|each| each.tokens).collect::<Vec<_>>();
    assert_eq!(held(&volume, 0), [250.0, 5000.0]);
    for _ in 0..1000 {
        volume.submit(&Io { kind: OpKind::Read, offset: 0, bytes: 4096 }, 0);
    }
    let fetched = volume.report(0).initialized_bytes;
    assert!(held(&volume, 0)[1] < 4001.0);
    volume.restart(0);
    assert_eq!(held(&volume, 0), [250.0, 5000.0]);
    assert_eq!((volume.report(0).initialized_bytes, fetched), (Some(524_288), Some(524_288)));
}

/// Seconds of burst at 3,000 IOPS, from the table of the EBS user guide as checked by `ebs_formulas_ref.py::gp2`.
#[test]
fn gp2_bursts_as_long_as_documented() {
    for (gib, base, burst_s) in [(20, 100, 1862.0), (100, 300, 2000.0), (334, 1002, 2703.0)] {
        let scaled = VolumeSpec { time_scale: 20.0, ..gp2(gib, base) };
        let found = simulate(&scaled, &Workload { interval_ns: SECOND / 4, ..load(4 * KIB, 32, 140) }).unwrap();
        let end_s = (burst_end(&found, 750) as f64 + 1.0) / 4.0 * 20.0;
        assert!((end_s / burst_s - 1.0).abs() < 0.005, "{gib} GiB: {end_s} s, documented {burst_s}");
        let last: u64 = (552..560).map(|quarter| rate(&found, quarter)).sum();
        assert!(last.abs_diff(2 * base) <= 1, "the baseline is all that is left, {last} in 2 s");
    }
}

/// Seconds to refill an empty bucket while idle, `ebs_formulas_ref.py::gp2`: 5.4e6 / base.
#[test]
fn gp2_credits_refill_at_the_baseline() {
    for (base, refill_s) in [(100, 54_000), (300, 18_000), (1002, 5389)] {
        let empty = json!({"baseline": base, "capacity": 5_400_000, "initial": 0.0});
        let volume = Volume::new(&spec(json!({"iops": {"rate": 3000, "credits": empty}})), None, 7 * SECOND).unwrap();
        let credits = |at_s: u64| volume.report((7 + at_s) * SECOND).buckets[1].tokens;
        assert_eq!(credits(0), 0.0);
        assert!((credits(refill_s / 2) - (refill_s / 2 * base) as f64).abs() < 1.0);
        assert!((credits(refill_s + 1) - 5_400_000.0).abs() < 1.0);
    }
}

#[test]
fn time_scale_shortens_credits_and_nothing_else() {
    let scaled = VolumeSpec { time_scale: 60.0, ..gp2(100, 300) };
    let found = simulate(&scaled, &load(4 * KIB, 32, 60)).unwrap();
    let end_s = burst_end(&found, 3000) as f64 + 1.0;
    assert!((end_s - 2000.0 / 60.0).abs() <= 1.0, "{end_s}");
    assert_eq!((rate(&found, 10), rate(&found, 50)), (3000, 300));
    assert_eq!(found.series.intervals[50].tokens[1], 0.0);
}

/// Hours to scan a whole volume with 1 MiB reads from a full bucket, `ebs_formulas_ref.py::hdd` and its scan table.
#[test]
fn hdd_volumes_scan_in_the_documented_time() {
    for (tib, base, burst, hours) in [(1, 40, 250, 1.17), (5, 200, 500, 2.91), (1, 12, 80, 3.64), (16, 192, 250, 18.64)]
    {
        // Volume and credits at 1/64 of the size take 1/64 of the time.
        let size = tib * 16 * GIB;
        let volume = spec(json!({
            "size": size,
            "throughput": {"rate": burst * MIB, "depth_s": 1.0 / 64.0, "credits": {"baseline": base * MIB, "capacity": size}},
            "accounting": {"unit_bytes": MIB, "merge_min_bytes": 1, "throughput_in_units": true},
            "read_latency": {"median_ns": 1_000_000},
        }));
        let mut work = load(MIB, 8, 20 * 3600 / 64);
        work.pattern = Pattern::Sequential;
        work.interval_ns = 36 * SECOND / 64;
        let found = simulate(&volume, &work).unwrap();
        let mut scanned = 0;
        let intervals = found.series.intervals.iter().take_while(|i| {
            scanned += i.bytes;
            scanned < size
        });
        let took = (intervals.count() + 1) as f64 / 100.0;
        assert!((took - hours).abs() <= 0.02, "{tib} TiB at {burst} MiB/s: {took} h, documented {hours}");
    }
}

/// 1 TiB st1: random small operations cost 1 MiB each, 250 per second with credits and 40 without.
#[test]
fn random_operations_empty_an_hdd_volume() {
    let volume = spec(json!({
        "throughput": {"rate": 250 * MIB, "credits": {"baseline": 40 * MIB, "capacity": 21_250 * MIB}},
        "accounting": {"unit_bytes": MIB, "merge_min_bytes": 1, "throughput_in_units": true},
    }));
    let found = simulate(&volume, &load(16 * KIB, 8, 150)).unwrap();
    assert_eq!((rate(&found, 50), rate(&found, 140)), (250, 40));
    assert_eq!(burst_end(&found, 250) + 1, 100);
}

/// 1 TiB st1 without credits and sc1 with all of them: what waits in the queue merges up to 1 MiB, so that a sequential
/// load of small requests gets the volume's rate once a mebibyte of them is in flight, as one of 1 MiB requests does.
#[test]
fn sequential_requests_that_wait_merge_up_to_a_unit() {
    for (burst, base, initial) in [(250, 40, 0.0), (80, 12, 1.0)] {
        let volume = spec(json!({
            "throughput": {"rate": burst * MIB, "credits": {"baseline": base * MIB, "capacity": 1024 * GIB, "initial": initial}},
            "accounting": {"unit_bytes": MIB, "merge_min_bytes": 4 * KIB, "throughput_in_units": true},
            "read_latency": {"floor_ns": 500_000, "median_ns": 5_000_000, "sigma": 0.6, "max_ns": 500_000_000},
        }));
        let limit = if initial == 0.0 { base } else { burst };
        for (kib, depth) in [(64, 16), (128, 8), (128, 32), (256, 4), (1024, 8)] {
            let work = Workload { pattern: Pattern::Sequential, ..load(kib * KIB, depth, 40) };
            let found = simulate(&volume, &work).unwrap();
            let bytes: u64 = found.series.intervals[20..].iter().map(|i| i.bytes).sum();
            let mib_s = bytes as f64 / 20.0 / MIB as f64;
            assert!((mib_s / limit as f64 - 1.0).abs() < 0.02, "{kib} KiB, depth {depth}: {mib_s} of {limit} MiB/s");
        }
        // What lies apart does not merge, however long it waits.
        let random = simulate(&volume, &load(128 * KIB, 8, 40)).unwrap();
        assert!(rate(&random, 20).abs_diff(limit) <= 1, "{} of {limit}", rate(&random, 20));
    }
}

/// The same law on SSD: an io1 of 100 IOPS, whose requests come 10 ms apart, still counts 64 KiB in units of 256 KiB.
#[test]
fn a_slow_ssd_merges_what_waits_too() {
    let volume = spec(json!({
        "iops": {"rate": 100}, "accounting": {"unit_bytes": 256 * KIB, "merge_min_bytes": 32 * KIB},
    }));
    let work = |kib| Workload { pattern: Pattern::Sequential, ..load(kib * KIB, 6, 40) };
    assert!(rate(&simulate(&volume, &work(64)).unwrap(), 30).abs_diff(400) <= 4);
    assert_eq!(rate(&simulate(&volume, &work(16)).unwrap(), 30), 100, "below 32 KiB nothing merges");
}

/// Runs of fio on r5b.large, 2020-12 (`token_bucket_calibration.csv`): block KiB, run ms, operations, and the idle time
/// before the run in seconds, at least one second before the first of a device.
#[test]
fn reproduces_the_measured_bucket_depth() {
    let gp3_4000: &[(u64, u64, u64, f64)] = &[
        (4, 10_036, 44_104, 1.0),
        (8, 10_037, 41_460, 0.37),
        (16, 10_037, 41_721, 0.42),
        (32, 10_036, 41_516, 0.39),
        (64, 10_039, 41_821, 0.46),
        (128, 10_042, 41_773, 0.41),
    ];
    let io2_16000: &[(u64, u64, u64, f64)] = &[
        (4, 10_010, 176_021, 1.0),
        (8, 10_015, 166_561, 0.41),
        (16, 10_012, 166_223, 0.38),
        (32, 10_016, 167_683, 0.47),
    ];
    for (iops, mib, runs) in [(4000, 1000, gp3_4000), (16_000, 4000, io2_16000)] {
        let volume = spec(json!({
            "size": 1000 * GIB, "iops": {"rate": iops}, "throughput": {"rate": mib * MIB},
            "read_latency": {"median_ns": 500_000},
        }));
        let mut model = Volume::new(&volume, None, SECOND).unwrap();
        let mut now_ns = SECOND;
        for &(kib, run_ms, measured, idle_s) in runs {
            now_ns += (idle_s * 1e9) as u64;
            let end_ns = now_ns + run_ms * 1_000_000;
            let mut slots = vec![now_ns; 256];
            let mut done = 0u64;
            // A closed loop over 256 slots; the limit lets them go in turn, so the earliest is always the next one.
            'run: loop {
                for slot in &mut slots {
                    let io = Io { kind: OpKind::Read, offset: done * 64 * MIB % (900 * GIB), bytes: kib * KIB };
                    *slot = model.submit(&io, (*slot).max(now_ns)).deadline_ns;
                    if *slot >= end_ns {
                        break 'run;
                    }
                    now_ns = now_ns.max(slot.saturating_sub(run_ms * 1_000_000));
                    done += 1;
                }
            }
            now_ns = end_ns;
            let off_s = (done as f64 - measured as f64) / iops as f64;
            assert!(off_s.abs() <= 0.06, "{iops} IOPS, {kib} KiB: {done} operations, measured {measured}");
        }
    }
}

/// Idle before: the stored second comes on top of the first. Busy before: the rate and nothing else, from the start.
#[test]
fn a_volume_that_was_busy_has_no_stored_second() {
    for (initial, first) in [(1.0, 8000), (0.5, 6000), (0.0, 4000)] {
        let volume = spec(json!({"iops": {"rate": 4000, "initial": initial}}));
        let found = simulate(&volume, &load(4 * KIB, 32, 3)).unwrap();
        assert!(rate(&found, 0).abs_diff(first) <= 32, "{initial}: {}", rate(&found, 0));
        assert!(rate(&found, 2).abs_diff(4000) <= 1, "{initial}: {}", rate(&found, 2));
    }
}

/// QD4 at 3,065 IOPS: 1.305 ms by Little's law, measured 1.303 ms on gp2 in 2017.
#[test]
fn a_throttled_queue_obeys_littles_law() {
    let found = simulate(&spec(json!({"iops": {"rate": 3065}})), &load(4 * KIB, 4, 60)).unwrap();
    let p50_ms = found.series.intervals[30].p50_ns as f64 / 1e6;
    assert!((p50_ms - 1.305).abs() < 0.002, "{p50_ms}");
    assert_eq!(found.series.intervals[30].limited_by, Some(0));
}

/// The saturated gp3 of 2020-12 (16 jobs of depth 16, 17,583 IOPS): p50 11.2, p90 27.3, p99 43.8, p99.9 56.6 ms.
#[test]
fn an_unfair_queue_has_the_measured_shape_and_the_same_rate() {
    let volume = spec(json!({"iops": {"rate": 17_583}, "queue": "unfair"}));
    let found = simulate(&volume, &load(4 * KIB, 256, 60)).unwrap();
    let sustained: u64 = (10..60).map(|s| rate(&found, s)).sum::<u64>() / 50;
    assert!((sustained as f64 / 17_583.0 - 1.0).abs() < 0.01, "{sustained}");
    for (q, measured_ms) in [(0.5, 11.2), (0.9, 27.3), (0.99, 43.8), (0.999, 56.6)] {
        let got_ms = found.series.read_latency.quantile_ns(q) as f64 / 1e6;
        assert!((got_ms / measured_ms - 1.0).abs() < 0.25, "{q}: {got_ms} ms, measured {measured_ms}");
    }
}

/// `ebs_formulas_ref.py::raid_iops` at 6 members of 2,000 IOPS: RAID 5 writes 3,000, RAID 0 writes 12,000, RAID 10 with
/// half reads 8,000.
#[test]
fn arrays_give_the_documented_rates() {
    for (level, read_share, expected) in [(5, 0.0, 3000.0), (0, 0.0, 12_000.0), (10, 0.5, 8000.0), (1, 0.0, 2000.0)] {
        let array = json!({"raid": level, "members": 6, "chunk": 65536});
        let volume = spec(json!({"iops": {"rate": 2000}, "array": array}));
        let work = Workload { read_share, ..load(4 * KIB, 512, 40) };
        let found = simulate(&volume, &work).unwrap();
        let sustained = (20..40).map(|s| rate(&found, s)).sum::<u64>() as f64 / 20.0;
        assert!((sustained / expected - 1.0).abs() < 0.03, "RAID {level}: {sustained}, documented {expected}");
    }
}

/// RAID 0 of two gp3 with 4,000 IOPS and 1,000 MiB/s on a 10 Gbit/s instance gave 8,273 to 8,349 IOPS and 1,192 MiB/s.
#[test]
fn the_instance_caps_the_array() {
    let volume = |kib| {
        let array = json!({"raid": 0, "members": 2, "chunk": 524_288});
        let instance = json!({"throughput": {"rate": 1192 * MIB}});
        let limits = json!({
            "iops": {"rate": 4000}, "throughput": {"rate": 1000 * MIB}, "array": array, "instance": instance,
        });
        simulate(&spec(limits), &load(kib * KIB, 64, 20)).unwrap()
    };
    let small = volume(16);
    assert_eq!(rate(&small, 15), 8000);
    let large = volume(256);
    let mib_s = large.series.intervals[15].bytes / MIB;
    assert!((1190..=1194).contains(&mib_s), "{mib_s}");
    assert_eq!(large.series.buckets[large.series.intervals[15].limited_by.unwrap()], "instance.throughput");
}

/// m5.large: 3,600 IOPS always, 18,750 for 30 minutes; two volumes draw on the same buckets.
#[test]
fn volumes_of_one_instance_share_its_buckets() {
    let credits = json!({"baseline": 3600, "capacity": (18_750 - 3600) * 1800});
    let instance = json!({"iops": {"rate": 18_750, "credits": credits}});
    let spec = spec(json!({"instance": instance}));
    let cells = Cells::memory();
    let mut left = Volume::new(&spec, Some(cells.clone()), SECOND).unwrap();
    let right = Volume::new(&spec, Some(cells), SECOND).unwrap();
    let io = Io { kind: OpKind::Read, offset: 0, bytes: 4096 };
    (0..1_000_000).for_each(|_| _ = left.submit(&io, SECOND));
    let full = f64::from(15_150 * 1800);
    assert!((right.report(SECOND).buckets[1].tokens - (full - 1e6)).abs() < 1.0);
    // 30 minutes of the maximum, then the baseline.
    let found = simulate(&VolumeSpec { time_scale: 60.0, ..spec }, &load(4096, 64, 40)).unwrap();
    assert!((burst_end(&found, 18_750) + 1).abs_diff(30) <= 1);
    assert_eq!(rate(&found, 38), 3600);
}

#[test]
fn first_touch_is_paid_once_and_not_where_initialisation_was() {
    let touch = json!({"chunk_bytes": MIB, "latency": {"median_ns": 20_000_000},
                       "initialization_bytes_per_s": 100 * MIB});
    let mut volume = Volume::new(&spec(json!({"first_touch": touch})), None, 0).unwrap();
    let read = |offset| Io { kind: OpKind::Read, offset, bytes: 4096 };
    let mut took = |offset, at| volume.submit(&read(offset), at).deadline_ns - at;
    assert_eq!(took(50 * GIB, 0), 20_300_000);
    assert_eq!(took(50 * GIB, 1), 300_000);
    assert_eq!(took(300 * MIB, SECOND), 20_300_000);
    assert_eq!(took(301 * MIB, 4 * SECOND + 1000), 300_000, "fetched in the background");
    let bytes = volume.report(5 * SECOND).initialized_bytes.unwrap();
    assert_eq!(bytes, 401 * MIB);
}

#[test]
fn degradation_lasts_as_long_as_asked_for() {
    let minute = 60 * SECOND;
    let episodes = json!({"events_per_day": 24.0, "duration_min_ns": minute, "duration_max_ns": 10 * minute,
        "loss_min": 0.4, "loss_max": 0.6, "latency_min_ns": 200_000_000u64, "latency_max_ns": 500_000_000u64});
    let volume = spec(json!({"iops": {"rate": 10}, "degradation": episodes}));
    let mut work = load(4096, 1, 4 * 86_400);
    work.interval_ns = 60 * SECOND;
    let found = simulate(&volume, &work).unwrap();
    let total = found.series.intervals.len() as f64;
    let degraded = found.series.intervals.iter().filter(|i| i.degraded).count() as f64 / total;
    // 24 a day of 5.5 minutes, the gaps between them drawn from the end of one to the start of the next.
    let expected = 5.5 / (60.0 + 5.5);
    assert!((degraded / expected - 1.0).abs() < 0.35, "{degraded} {expected}");
    let slow = found.series.intervals.iter().filter(|i| i.p50_ns > 150_000_000).count() as f64 / total;
    assert!((slow / degraded - 1.0).abs() < 0.15, "{slow} {degraded}");
}

#[test]
fn faults_do_what_they_say_and_end() {
    let mut volume = Volume::new(&spec(json!({})), None, 0).unwrap();
    let io = |kind, offset| Io { kind, offset, bytes: 4096 };
    volume.inject(Fault::Stall { duration_ns: 5 * SECOND }, SECOND);
    assert_eq!(volume.stalled_until_ns(), 6 * SECOND);
    assert_eq!(volume.submit(&io(OpKind::Read, 0), 2 * SECOND).deadline_ns, 2 * SECOND + 300_000, "not its deadline");
    volume.inject(Fault::Clear, 3 * SECOND);
    assert_eq!(volume.stalled_until_ns(), 0);
    volume.inject(Fault::Slow { factor: 10.0, duration_ns: Some(SECOND) }, 8 * SECOND);
    assert_eq!(volume.submit(&io(OpKind::Read, 0), 8 * SECOND).deadline_ns, 8 * SECOND + 3_000_000);
    volume.inject(Fault::Error { offset: 8192, bytes: 4096, kind: None }, 10 * SECOND);
    let mut outcome = |kind, offset| volume.submit(&io(kind, offset), 11 * SECOND).outcome;
    assert_eq!(outcome(OpKind::Read, 4096), Outcome::Done);
    assert_eq!(outcome(OpKind::Read, 8192), Outcome::Failed);
    assert_eq!(outcome(OpKind::Flush, 0), Outcome::Done);
    volume.inject(Fault::Clear, 12 * SECOND);
    assert_eq!(volume.submit(&io(OpKind::Read, 8192), 12 * SECOND).outcome, Outcome::Done);
    volume.inject(Fault::Detach, 13 * SECOND);
    volume.inject(Fault::Clear, 13 * SECOND);
    assert_eq!(volume.submit(&io(OpKind::Read, 0), 14 * SECOND).outcome, Outcome::Gone);
}

#[test]
fn a_change_of_the_volume_keeps_its_credits() {
    let mut volume = Volume::new(&gp2(100, 300), None, SECOND).unwrap();
    let io = Io { kind: OpKind::Write, offset: 0, bytes: 4096 };
    (0..100_000).for_each(|_| _ = volume.submit(&io, SECOND));
    volume.modify(&gp2(200, 600), SECOND).unwrap();
    let buckets = volume.report(SECOND).buckets;
    assert_eq!(buckets[0].tokens, 0.0, "no second helping of burst");
    assert!((buckets[1].tokens - 5_300_000.0).abs() < 1.0);
    assert!(volume.modify(&gp2(100, 300), SECOND).unwrap_err().to_string().contains("shrink"));
}

#[test]
fn the_same_seeds_give_the_same_result() {
    let volume = spec(json!({
        "iops": {"rate": 2000}, "queue": "unfair", "read_latency": {"median_ns": 300_000, "sigma": 0.4},
        "array": {"raid": 10, "members": 4, "chunk": 65536},
    }));
    let work = Workload { read_share: 0.7, ..load(8 * KIB, 16, 20) };
    let json = |volume: &VolumeSpec| serde_json::to_string(&simulate(volume, &work).unwrap()).unwrap();
    assert_eq!(json(&volume), json(&volume));
    assert_ne!(json(&volume), json(&VolumeSpec { seed: 12, ..volume.clone() }));
}

#[test]
fn an_open_load_above_the_limit_counts_the_wait_from_when_it_was_due() {
    let work = Workload { rate: Some(4000.0), ..load(4096, 1024, 20) };
    let found = simulate(&spec(json!({"iops": {"rate": 3000}})), &work).unwrap();
    assert_eq!(rate(&found, 15), 3000);
    // One second of depth is used up after 3 s; from then on the backlog grows by 1,000 operations a second.
    let last = found.series.intervals.last().unwrap();
    assert!((last.p50_ns as f64 / 1e9 - (19.5 - 3.0) / 4.0).abs() < 0.1, "{}", last.p50_ns);
    let below = Workload { rate: Some(2900.0), ..work };
    let found = simulate(&spec(json!({"iops": {"rate": 3000}})), &below).unwrap();
    assert_eq!(found.series.read_latency.max_ns() / 1000, 300);
    assert!(ops(&found).abs_diff(58_000) < 4);
}

/// 600 operations a second for 10 s: 3,000 IOPS do them as they come; 300 IOPS, with a second in the bucket, 300 · 12 of
/// them in the 11 s of the replay.
#[test]
fn a_replay_says_when_its_record_ended_and_what_was_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("load.iolog");
    let lines = (0..6000u64).map(|i| format!("{} /x read {} 4096\n", i * 10_000 / 6, i % 1000 * 4096));
    std::fs::write(&path, "fio version 3 iolog\n".to_owned() + &lines.collect::<String>()).unwrap();
    let replay = |iops: u64, duration_ns| {
        let volume = spec(json!({"iops": {"rate": iops}}));
        simulate_trace(&volume, &path, 256, duration_ns, SECOND).unwrap().replay.unwrap()
    };
    // It ends with the arrival of its last I/O, which is admitted in the nanosecond after it.
    let recorded_ns = 9_998_333_000;
    let all = Replayed { operations: 6000, recorded_ns, due: 6000, left: 0, last_done_ns: recorded_ns + 1 + 300_000 };
    assert_eq!(replay(3000, None), all);
    assert_eq!(replay(3000, Some(60 * SECOND)), all);
    let slow = replay(300, None);
    assert!((slow.due, slow.left.abs_diff(6000 - 300 * 12) <= 1) == (6000, true), "{slow:?}");
    let cut = replay(3000, Some(5 * SECOND));
    assert_eq!((cut.operations, cut.due, cut.left), (6000, 3000, 0));
}

/// Credits that are said to be empty at the start are empty for an instance too, alone and shared; the first volume on
/// an instance decides, and a second does not empty it again.
#[test]
fn an_instance_starts_with_the_credits_it_is_given() {
    let on = |initial: f64| {
        let credits = json!({"baseline": 3600, "capacity": 1_000_000, "initial": initial});
        spec(json!({"instance": {"iops": {"rate": 18_750, "credits": credits}}}))
    };
    let found = simulate(&on(0.0), &load(4096, 64, 10)).unwrap();
    assert_eq!(rate(&found, 5), 3600);
    let cells = Cells::memory();
    let first = Volume::new(&on(0.0), Some(cells.clone()), SECOND).unwrap();
    assert_eq!(first.report(SECOND).buckets[1].tokens, 0.0);
    let held = first.report(101 * SECOND).buckets[1].tokens;
    let second = Volume::new(&on(0.0), Some(cells), 101 * SECOND).unwrap();
    assert_eq!(second.report(101 * SECOND).buckets[1].tokens, held);
    assert!(held > 350_000.0, "{held}");
}
