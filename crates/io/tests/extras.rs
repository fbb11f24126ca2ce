//! What only some front ends ask for: times of submission, given orders, zones, flows, what others have written, and the
//! engines that do not move data.

mod common;

use std::fs;
use std::path::Path;

use common::{BLOCK, SIZE, refused, run, run_ok, spec};
use plimsoll_core::outcome::{Outcome, Status};
use plimsoll_io::engine::Caps;
use plimsoll_io::spec::{
    Burn, Distribution, Draws, FileOrder, Files as Several, Flow, JobSpec, Layout, Mix, Mode, OpKind, Piece,
    Priorities, PriorityShare, Replay, Sequence, SizeWeight, Strides, Verification,
};
use plimsoll_io::{Job, engines};
use tempfile::tempdir;

fn engine(name: &str) -> Caps {
    engines::find(name).unwrap().caps
}

fn count(outcome: &Outcome, kind: &str) -> u64 {
    outcome.operations.get(kind).map_or(0, |totals| totals.operations)
}

/// Blocks of a traced job in their order.
fn blocks(outcome: &Outcome) -> Vec<u64> {
    outcome.trace.iter().map(|(.., offset, _, _, _)| offset / BLOCK).collect()
}

fn traced(name: &str, path: &Path, mode: Mode, operations: u64) -> JobSpec {
    let mut request = JobSpec { mode, depth: 1, trace: true, ..spec(engine(name), path) };
    request.max_operations = Some(operations);
    request
}

#[test]
fn submission_and_completion_are_the_two_parts_of_each_latency() {
    let dir = tempdir().unwrap();
    for name in ["libaio", "io_uring", "null"] {
        for depth in [1, 8] {
            let request = JobSpec { submission: true, depth, ..spec(engine(name), &dir.path().join("f")) };
            let outcome = run_ok(request);
            for kind in ["read", "write"] {
                let totals = outcome.operations[kind];
                let sum = |part: &str| outcome.latency_sums_ns[&format!("{kind}_{part}")];
                assert_eq!(sum("submission") + sum("completion"), totals.latency_sum_ns, "{name} {depth} {kind}");
                assert!(sum("submission") > 0, "{name} {depth}");
                assert!(outcome.histograms.contains_key(&format!("{kind}_completion")));
            }
        }
    }
    let outcome = run_ok(spec(engine("libaio"), &dir.path().join("f")));
    assert!(outcome.latency_sums_ns.is_empty(), "nobody asked");
}

const BEST_EFFORT_7: u16 = 2 << 13 | 7;
const IDLE: u16 = 3 << 13;

#[test]
fn operations_have_their_priorities_and_each_has_its_latencies() {
    let dir = tempdir().unwrap();
    let share = |percent, priority| PriorityShare { size: 0, percent, priority };
    for name in ["libaio", "io_uring"] {
        for (whole, submission) in [(false, true), (true, true), (false, false)] {
            let mut request = JobSpec { trace: true, submission, ..spec(engine(name), &dir.path().join("f")) };
            let reads = vec![share(30, BEST_EFFORT_7), share(50, IDLE)];
            request.priorities = Some(Priorities { seed: 5, reads, writes: Vec::new(), whole });
            let outcome = run_ok(request);
            let told = |wanted: u16| {
                let found = outcome.trace.iter().filter(|(kind, .., priority)| kind == "read" && *priority == wanted);
                found.map(|&(_, _, latency, _, _, until, _)| if whole { latency } else { latency - until }).sum::<u64>()
            };
            let sum = |name: &str| outcome.latency_sums_ns[&format!("read_priority_{name}")];
            let expected = [told(0), told(BEST_EFFORT_7), told(IDLE)];
            assert!(expected.iter().all(|&sum| sum > 0), "{name}: {expected:?}");
            let found = [sum("own"), sum(&BEST_EFFORT_7.to_string()), sum(&IDLE.to_string())];
            assert_eq!(found, expected, "{name} {whole} {submission}");
            assert!(outcome.trace.iter().all(|(kind, .., priority)| kind != "write" || *priority == 0));
            assert!(!outcome.histograms.keys().any(|name| name.starts_with("write_priority")));
        }
    }
    let mut request = JobSpec { depth: 1, ..spec(engine("psync"), &dir.path().join("f")) };
    request.priorities = Some(Priorities { seed: 5, reads: vec![share(30, IDLE)], writes: Vec::new(), whole: false });
    assert!(refused(request.clone()).contains("use libaio or io_uring"));
    request.engine = "libaio".to_owned();
    request.priorities =
        Some(Priorities { seed: 5, reads: vec![share(60, IDLE); 2], writes: Vec::new(), whole: false });
    assert!(refused(request).contains("120 %"));
}

#[test]
fn reads_and_writes_follow_each_other_as_in_fio() {
    let dir = tempdir().unwrap();
    // fio 3.33, first job of its invocation, --rw=randrw --size=64k --bs=16k: seed of its fourth stream.
    let mut request = traced("null", &dir.path().join("f"), Mode::Randrw, 4);
    request.mix = Some(Mix { seed: SEED_OF_FIRST_JOB });
    let kinds: Vec<String> = run_ok(request).trace.into_iter().map(|(kind, ..)| kind).collect();
    assert_eq!(kinds, ["read", "read", "read", "write"]);
}

/// 0x89 · 0x9e370001⁸ + 4, 32 bits.
const SEED_OF_FIRST_JOB: u32 = {
    let mut seed = 0x89u64;
    let mut step = 0;
    while step < 8 {
        seed = seed.wrapping_mul(0x9e37_0001);
        step += 1;
    }
    seed.wrapping_add(4) as u32
};

#[test]
fn zones_are_used_one_after_the_other() {
    let dir = tempdir().unwrap();
    let mut request = traced("psync", &dir.path().join("f"), Mode::Read, 10);
    request.size = 32 * BLOCK;
    request.strides = Some(Strides { bytes: 2 * BLOCK, range: 4 * BLOCK, skip: 6 * BLOCK });
    // As fio 3.33 goes: the last zone, at 30, is cut short by the end of the file, behind what is read of it.
    assert_eq!(blocks(&run_ok(request.clone())), [0, 1, 10, 11, 20, 21, 30, 31, 0, 1]);
    request.mode = Mode::Randread;
    request.strides = Some(Strides { bytes: 4 * BLOCK, range: 4 * BLOCK, skip: 0 });
    request.max_operations = Some(32);
    for (zone, part) in blocks(&run_ok(request)).chunks(4).enumerate() {
        let mut part = part.to_vec();
        part.sort_unstable();
        assert!(part.into_iter().eq(zone as u64 * 4..zone as u64 * 4 + 4), "every block of each zone");
    }
}

#[test]
fn blocks_come_backwards_and_begin_anew_at_the_end() {
    let dir = tempdir().unwrap();
    let mut request = traced("psync", &dir.path().join("f"), Mode::Read, 9);
    request.size = 8 * BLOCK;
    request.sequence = Some(Sequence { every: 1, stay: false, skip: -2 * BLOCK as i64 });
    // As fio 3.33 with --rw=read:-8k.
    assert_eq!(blocks(&run_ok(request)), [0, 6, 5, 4, 3, 2, 1, 0, 6]);
}

#[test]
fn random_places_are_multiples_of_what_is_asked_for() {
    let dir = tempdir().unwrap();
    let mut request = traced("psync", &dir.path().join("f"), Mode::Randread, 100);
    (request.align, request.block_sizes) = (4 * BLOCK, vec![SizeWeight { size: 512, weight: 1.0 }]);
    assert!(blocks(&run_ok(request)).iter().all(|block| block % 4 == 0));
}

#[test]
fn a_recorded_load_is_what_it_was() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    let operations = vec![
        (0, OpKind::Write, 3 * BLOCK, BLOCK as u32),
        (1_000_000, OpKind::Fdatasync, 0, 0),
        (20_000_000, OpKind::Read, 0, 512),
        (20_000_000, OpKind::Trim, BLOCK, BLOCK as u32),
    ];
    for name in ["psync", "null"] {
        for timed in [true, false] {
            let mut request = traced(name, &path, Mode::Rw, 100);
            (request.max_operations, request.trace) = (None, true);
            request.replay = Some(Replay { operations: operations.clone(), timed });
            let outcome = run_ok(request);
            let told: Vec<_> =
                outcome.trace.iter().map(|(kind, _, _, at, length, ..)| (&kind[..], *at, *length)).collect();
            assert_eq!(told, [("write", 3 * BLOCK, BLOCK), ("read", 0, 512), ("trim", BLOCK, BLOCK)], "{name}");
            assert_eq!(count(&outcome, "sync"), 1);
            assert!(!timed || outcome.trace[1].1 + 1_000_000 >= 20_000_000, "{name}: not before its time");
        }
    }
    let mut request = traced("psync", &path, Mode::Rw, 1);
    request.replay = Some(Replay { operations: vec![(0, OpKind::Read, SIZE, 512)], timed: false });
    assert!(refused(request).contains("beyond the region"));
}

#[test]
fn jobs_of_one_flow_keep_their_ratio() {
    let dir = tempdir().unwrap();
    let start = |weight, operations| {
        let mut request = traced("null", &dir.path().join("f"), Mode::Read, 1);
        (request.trace, request.max_operations) = (false, operations);
        request.flow = Some(Flow { id: 77, weight, sleep_ns: 0, jobs: 2, weights: 5 });
        Job::start(request).unwrap()
    };
    let fast = start(4, None);
    let slow = start(1, Some(50_000));
    slow.result(Some(common::FOR_EVER)).unwrap();
    fast.stop();
    let found = count(&fast.result(Some(common::FOR_EVER)).unwrap(), "read");
    assert!(found > 150_000, "{found}");
}

/// A write whose block is in use is put off: it counts when it is issued, not as often as it is tried.
#[test]
fn what_is_put_off_counts_once_in_a_flow() {
    let dir = tempdir().unwrap();
    let flow = Some(Flow { id: 78, weight: 1, sleep_ns: 0, jobs: 2, weights: 2 });
    let mut busy = JobSpec {
        mode: Mode::Randwrite,
        verify: true,
        size: 2 * BLOCK,
        ..spec(engine("io_uring"), &dir.path().join("f"))
    };
    (busy.distribution, busy.max_operations, busy.flow) = (Distribution::Uniform, None, flow);
    let mut measured = traced("null", &dir.path().join("f"), Mode::Read, 4000);
    (measured.trace, measured.flow) = (false, flow);
    let busy = Job::start(busy).unwrap();
    run_ok(measured);
    busy.stop();
    let found = count(&busy.result(Some(common::FOR_EVER)).unwrap(), "write");
    assert!(found > 3900, "{found} beside 4000");
}

#[test]
fn a_job_that_fails_is_waited_for_by_no_other_of_its_flow() {
    let dir = tempdir().unwrap();
    let flow = |id, weight| Some(Flow { id, weight, sleep_ns: 0, jobs: 2, weights: 9 });
    let fails = |id| JobSpec { flow: flow(id, 8), ..traced("psync", &dir.path().join("nowhere/f"), Mode::Read, 10) };
    let works = |id| JobSpec { flow: flow(id, 1), ..traced("null", &dir.path().join("f"), Mode::Read, 100) };
    let first = Job::start(works(79)).unwrap();
    assert_eq!(run(fails(79)).status, Status::Failed);
    assert_eq!(count(&first.result(Some(common::FOR_EVER)).expect("the job hangs"), "read"), 100);
    assert_eq!(run(fails(80)).status, Status::Failed);
    assert_eq!(count(&run_ok(works(80)), "read"), 100, "whoever has failed before comes no more");
}

#[test]
fn what_another_job_has_written_is_verified() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    let how = Verification {
        interval: BLOCK,
        pattern: Vec::new(),
        checksums: true,
        backlog: None,
        stop_at_first: false,
        read_back: false,
        existing: false,
    };
    let mut write = JobSpec { mode: Mode::Randwrite, verify: true, ..spec(engine("psync"), &path) };
    (write.max_operations, write.verification) = (Some(SIZE / BLOCK), Some(how.clone()));
    run_ok(write.clone());
    let mut read = JobSpec { mode: Mode::Read, seed: 99, ..write };
    read.verification = Some(Verification { existing: true, ..how });
    let found = run_ok(read.clone()).verified.unwrap();
    assert_eq!((found.blocks, found.bad_blocks), (SIZE / BLOCK, 0));
    let mut bytes = fs::read(&path).unwrap();
    bytes[5 * BLOCK as usize + 100] ^= 1;
    fs::write(&path, bytes).unwrap();
    let outcome = run(read);
    assert_eq!(outcome.status, Status::Failed);
    assert_eq!(outcome.verified.unwrap().first_bad_offset, Some(5 * BLOCK));
}

#[test]
fn a_pattern_is_written_in_place_of_random_bytes() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    let mut request = JobSpec { mode: Mode::Write, ..spec(engine("psync"), &path) };
    request.pattern = vec![Piece::Bytes(b"abc".to_vec())];
    request.max_operations = Some(SIZE / BLOCK);
    run_ok(request);
    let block: Vec<u8> = b"abc".iter().copied().cycle().take(BLOCK as usize).collect();
    assert!(fs::read(&path).unwrap().chunks(BLOCK as usize).all(|found| found == block));
}

#[test]
fn jobs_share_the_blocks_that_they_repeat() {
    let dir = tempdir().unwrap();
    let written = |name: &str, seed, shared_seed| {
        let path = dir.path().join(name);
        let mut request = JobSpec { mode: Mode::Write, seed, ..spec(engine("psync"), &path) };
        request.max_operations = Some(SIZE / BLOCK);
        (request.dedupe, request.working_set, request.shared_seed) = (0.5, 10, shared_seed);
        run_ok(request);
        fs::read(&path).unwrap().chunks(BLOCK as usize).map(<[u8]>::to_vec).collect::<std::collections::HashSet<_>>()
    };
    let (one, two) = (written("a", 1, Some(5)), written("b", 2, Some(5)));
    assert!((90..170).contains(&one.len()), "{}: half of 256, and up to ten", one.len());
    assert!((5..=10).contains(&one.intersection(&two).count()));
    assert_eq!(written("c", 3, None).intersection(&one).count(), 0);
}

#[test]
fn space_is_reserved_and_given_back_in_place_of_data() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    fs::write(&path, b"").unwrap();
    let request = |mode, name| {
        let mut request = JobSpec { mode, ..spec(engine(name), &path) };
        (request.max_operations, request.layout) = (Some(SIZE / BLOCK), Layout::Fill);
        request
    };
    assert_eq!(count(&run_ok(request(Mode::Write, "falloc")), "write"), SIZE / BLOCK);
    assert_eq!(count(&run_ok(request(Mode::Randtrim, "falloc")), "trim"), SIZE / BLOCK);
    assert!(fs::read(&path).unwrap().iter().all(|&byte| byte == 0));
    assert_eq!(count(&run_ok(request(Mode::Write, "ftruncate")), "write"), SIZE / BLOCK);
    assert_eq!(fs::metadata(&path).unwrap().len(), SIZE - BLOCK, "the place of the last write");
    assert!(refused(request(Mode::Read, "ftruncate")).contains("cannot read"));
    let verify = JobSpec { verify: true, ..request(Mode::Write, "falloc") };
    assert!(refused(verify).contains("nothing to verify"));
}

#[test]
fn random_places_are_those_of_fio() {
    let dir = tempdir().unwrap();
    // fio 3.33, first job of its invocation, --rw=randread --size=64k --bs=4k.
    let mut request = traced("null", &dir.path().join("f"), Mode::Randread, 9);
    (request.size, request.seed) = (16 * BLOCK, 0);
    let draws = Draws { places: 0xb189_9bed, sizes: [0; 2], ranged: false, map: true, endless: false, pass: None };
    request.draws = Some(draws);
    assert_eq!(blocks(&run_ok(request)), [0, 11, 13, 7, 6, 14, 8, 5, 15]);
}

#[test]
fn names_are_made_looked_at_and_removed_once_each() {
    let dir = tempdir().unwrap();
    let path = |number: u32| dir.path().join(number.to_string());
    let request = |name| {
        let more = (1..5).map(|number| path(number).to_str().unwrap().to_owned()).collect();
        let (order, turn) = (FileOrder::Turns, 1);
        let files = Several { more, order, turn, favour: None, parts: Vec::new(), open: None, endless: false };
        let mut request = traced(name, &path(0), Mode::Read, 5);
        (request.size, request.files, request.layout) = (5 * BLOCK, Some(files), Layout::Keep);
        request
    };
    assert_eq!(count(&run_ok(request("filecreate")), "read"), 5);
    assert!((0..5).all(|number| path(number).metadata().unwrap().len() == 0));
    assert_eq!(count(&run_ok(request("filestat")), "read"), 5);
    assert_eq!(count(&run_ok(request("filedelete")), "read"), 5);
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    let outcome = run(request("filestat"));
    assert_eq!(outcome.status, Status::Failed, "nothing is there any more");
}

#[test]
fn an_operation_of_a_burning_processor_lasts_as_long_as_it_is_told() {
    let dir = tempdir().unwrap();
    for sorts in [false, true] {
        let mut request = traced("cpuio", &dir.path().join("f"), Mode::Read, 3);
        request.burn = Some(Burn { ns: 2_000_000, sorts });
        let outcome = run_ok(request);
        assert!(outcome.trace.iter().all(|(_, _, latency_ns, ..)| *latency_ns >= 2_000_000));
        assert_eq!(count(&outcome, "read"), 3);
    }
}
