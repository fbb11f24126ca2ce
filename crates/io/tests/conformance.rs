//! What every engine must do. The engine list drives the tests, so no engine can opt out; what an engine cannot do it
//! says in its capabilities, and then it must refuse.

mod common;

use std::fs;
use std::os::unix::fs::FileExt;

use base64::Engine as _;
use common::{BLOCK, FOR_EVER, SIZE, all, real, refused, run, run_ok, spec, wait_for};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use plimsoll_core::outcome::{Outcome, Status, phase};
use plimsoll_io::Job;
use plimsoll_io::buffer::Pool;
use plimsoll_io::engine::{Completion, Engine, OpKind, Operation, Setup, Submitted};
use plimsoll_io::engines::{self, Visitor};
use plimsoll_io::files::Files;
use plimsoll_io::spec::{Arrival, Distribution, JobSpec, Layout, Mode, Rate, RateUnit, SizeWeight, SyncKind};
use tempfile::tempdir;

fn count(outcome: &Outcome, kind: &str) -> u64 {
    outcome.operations.get(kind).map_or(0, |totals| totals.operations)
}

fn histogram(outcome: &Outcome, kind: &str) -> Histogram<u64> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(&outcome.histograms[kind]).unwrap();
    Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap()
}

#[test]
fn names_are_unique_and_lead_to_their_engine() {
    for caps in all() {
        assert_eq!(engines::find(caps.name).unwrap().caps, caps);
        assert_eq!(engines::LIST.iter().filter(|entry| entry.caps.name == caps.name).count(), 1);
    }
}

#[test]
fn every_mode_counts_exactly_what_was_asked_for() {
    let dir = tempdir().unwrap();
    for caps in all() {
        for mode in [Mode::Read, Mode::Write, Mode::Rw, Mode::Randread, Mode::Randwrite, Mode::Randrw] {
            let outcome = run_ok(JobSpec { mode, ..spec(caps, &dir.path().join("f")) });
            let total = count(&outcome, "read") + count(&outcome, "write");
            assert_eq!(total, 500, "{} {mode:?}", caps.name);
            for kind in ["read", "write"] {
                let n = count(&outcome, kind);
                let expected = if kind == "read" { mode.reads() } else { mode.writes() };
                assert_eq!(n > 0, expected, "{} {mode:?} {kind}", caps.name);
                if n > 0 {
                    assert_eq!(outcome.operations[kind].bytes, n * BLOCK);
                    assert_eq!(histogram(&outcome, kind).len(), n);
                    assert_eq!(outcome.intervals.iter().map(|i| i.operations[kind].operations).sum::<u64>(), n);
                }
            }
            assert!(outcome.mean_in_flight <= f64::from(caps.max_depth.unwrap_or(8)) + 1e-9);
        }
    }
}

/// Puts operations through the trait itself and looks at what comes back.
struct ReadsWhatIsThere<'a>(&'a fs::File);

impl Visitor for ReadsWhatIsThere<'_> {
    type Output = ();

    fn visit<E: Engine + 'static>(self) {
        let depth = E::CAPS.max_depth.unwrap_or(8);
        let (pool, buffers) = Pool::new(depth as usize, BLOCK as usize).unwrap();
        let setup = Setup {
            files: &Files::one(self.0.try_clone().unwrap()),
            paths: &[],
            is_device: false,
            depth,
            pool: &pool,
            region: (0, SIZE),
            writes: false,
            random: true,
            sqpoll: false,
            iopoll: false,
            flags: 0,
            burn: None,
        };
        let mut engine = E::open(&setup).unwrap();
        let mut finished = Vec::new();
        for mut buffer in buffers {
            buffer.bytes_mut().fill(0xEE);
            let tag = u32::from(buffer.index());
            let offset = u64::from(tag) * 3 * BLOCK;
            let operation =
                Operation { tag, kind: OpKind::Read, offset, length: BLOCK as u32, priority: 0, buffer: Some(buffer) };
            match engine.submit(operation) {
                Submitted::Done(completion) => finished.push(completion),
                Submitted::Queued => {}
                Submitted::Full(_) => panic!("{}: full below its depth", E::CAPS.name),
            }
        }
        while finished.len() < depth as usize {
            engine.reap(1, None, &mut finished).unwrap();
        }
        let mut tags: Vec<u32> = finished.iter().map(|completion| completion.tag).collect();
        tags.sort_unstable();
        assert!(tags.into_iter().eq(0..depth), "{}: every tag once", E::CAPS.name);
        for Completion { tag, result, buffer } in finished {
            assert_eq!(result, BLOCK as i64, "{}", E::CAPS.name);
            let buffer = buffer.expect("the buffer comes back");
            assert_eq!(u32::from(buffer.index()), tag);
            let want = if E::CAPS.real { (tag * 3) as u8 } else { 0xEE };
            assert!(buffer.bytes().iter().all(|&byte| byte == want), "{} tag {tag}", E::CAPS.name);
        }
    }
}

#[test]
fn reads_bring_the_bytes_of_their_offset() {
    let dir = tempdir().unwrap();
    let path = dir.path().join("f");
    let content: Vec<u8> = (0..SIZE).map(|i| (i / BLOCK) as u8).collect();
    fs::write(&path, content).unwrap();
    let file = fs::File::open(&path).unwrap();
    for caps in all() {
        engines::with(caps.name, ReadsWhatIsThere(&file)).unwrap();
    }
}

#[test]
fn written_blocks_are_found_again() {
    let dir = tempdir().unwrap();
    for caps in real() {
        for mode in [Mode::Write, Mode::Randwrite, Mode::Randrw] {
            let path = dir.path().join("f");
            let base = JobSpec { mode, verify: true, threads: 2, ..spec(caps, &path) };
            let mixed = vec![SizeWeight { size: 512, weight: 3.0 }, SizeWeight { size: 4096, weight: 1.0 }];
            for request in [base.clone(), JobSpec { block_sizes: mixed, distribution: Distribution::Uniform, ..base }] {
                let verified = run_ok(request).verified.unwrap();
                assert!(verified.blocks > 0, "{}", caps.name);
                assert_eq!((verified.bad_blocks, verified.first_bad_offset), (0, None), "{} {mode:?}", caps.name);
            }
        }
    }
}

#[test]
fn writes_stay_inside_the_region() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let path = dir.path().join(caps.name);
        fs::write(&path, vec![7u8; SIZE as usize]).unwrap();
        let (offset, size) = (3 * BLOCK, 5 * BLOCK + 100);
        run_ok(JobSpec { mode: Mode::Randwrite, offset, size, layout: Layout::Keep, ..spec(caps, &path) });
        let bytes = fs::read(&path).unwrap();
        let (first, last) = (offset as usize, (offset + 5 * BLOCK) as usize);
        assert!(bytes[..first].iter().chain(&bytes[last..]).all(|&byte| byte == 7), "{}", caps.name);
        for block in bytes[first..last].chunks(BLOCK as usize) {
            assert!(block.iter().any(|&byte| byte != 7), "{}: every block is written", caps.name);
        }
    }
}

#[test]
fn syncs_and_commits_follow_the_policy() {
    let dir = tempdir().unwrap();
    for caps in all() {
        for sync in [SyncKind::Fsync, SyncKind::Fdatasync] {
            let request = JobSpec { mode: Mode::Write, sync, ..spec(caps, &dir.path().join("f")) };
            let outcome = run_ok(JobSpec { sync_every: 5, sync_at_end: true, ..request });
            assert_eq!(count(&outcome, "write"), 500, "{}", caps.name);
            // The last group of five ends the run before its own sync; the sync at the end follows.
            assert!((100..=101).contains(&count(&outcome, "sync")), "{}: {}", caps.name, count(&outcome, "sync"));
            assert!((99..=100).contains(&count(&outcome, "commit")), "{}", caps.name);
            // A commit contains its sync; at most two syncs have none.
            let longest = histogram(&outcome, "sync").max();
            let (commits, syncs) = (outcome.operations["commit"], outcome.operations["sync"]);
            assert!(commits.latency_sum_ns + 2 * longest >= syncs.latency_sum_ns, "{}", caps.name);
        }
    }
}

#[test]
fn synchronous_writes_work_or_are_refused() {
    let dir = tempdir().unwrap();
    for caps in all() {
        let request = JobSpec { mode: Mode::Write, sync: SyncKind::Dsync, ..spec(caps, &dir.path().join("f")) };
        if caps.dsync {
            assert_eq!(count(&run_ok(request), "write"), 500);
        } else {
            assert!(refused(request).contains("O_DSYNC"));
        }
    }
}

#[test]
fn limits_of_bytes_operations_and_time_hold() {
    let dir = tempdir().unwrap();
    for caps in all() {
        let path = dir.path().join("f");
        let mut by_bytes = JobSpec { threads: 3, mode: Mode::Randread, ..spec(caps, &path) };
        by_bytes.max_operations = None;
        by_bytes.max_bytes = Some(96 * BLOCK);
        let mut by_time = by_bytes.clone();
        assert_eq!(run_ok(by_bytes).operations["read"].bytes, 96 * BLOCK, "{}", caps.name);
        by_time.max_bytes = None;
        by_time.runtime_ns = 30_000_000;
        by_time.warmup_ns = 10_000_000;
        by_time.interval_ns = Some(10_000_000);
        let outcome = run_ok(by_time);
        assert_eq!(outcome.elapsed_ns, 30_000_000, "{}", caps.name);
        assert_eq!(outcome.phases.warmup_ns, 10_000_000);
        assert_eq!(outcome.intervals.len(), 3, "{}", caps.name);
        let end = outcome.intervals.last().map(|i| i.start_ns + i.duration_ns);
        assert_eq!(end, Some(outcome.phases.measure_ns), "{}: intervals last until all is back", caps.name);
    }
}

#[test]
fn open_loop_counts_from_the_intended_start() {
    let dir = tempdir().unwrap();
    for caps in all() {
        for arrival in [Arrival::Even, Arrival::Poisson] {
            let rate = Some(Rate { per_second: 20_000.0, unit: RateUnit::Operations, apart: None });
            let outcome = run_ok(JobSpec {
                rate,
                arrival,
                mode: Mode::Randread,
                threads: 2,
                ..spec(caps, &dir.path().join("f"))
            });
            assert_eq!(count(&outcome, "read"), 500, "{}", caps.name);
            assert_eq!(outcome.offered_operations, Some(500), "{}", caps.name);
            let (response, service) = (histogram(&outcome, "read"), histogram(&outcome, "read_service"));
            assert_eq!(service.len(), 500);
            assert!(response.max() >= service.max() && response.mean() >= service.mean(), "{}", caps.name);
        }
    }
}

#[test]
fn think_time_and_part_sequential_access_run() {
    let dir = tempdir().unwrap();
    for caps in all() {
        let request = JobSpec { random_share: 0.3, mode: Mode::Randread, ..spec(caps, &dir.path().join("f")) };
        let outcome = run_ok(JobSpec { think_time_ns: 10_000, think_every: 50, ..request });
        assert_eq!(count(&outcome, "read"), 500, "{}", caps.name);
        assert!(outcome.elapsed_ns >= 9 * 10_000, "{}", caps.name);
    }
}

#[test]
fn trim_frees_blocks_or_is_refused() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let path = dir.path().join(caps.name);
        let mut request = JobSpec { mode: Mode::Randtrim, layout: Layout::Fill, ..spec(caps, &path) };
        request.max_operations = Some(SIZE / BLOCK);
        if caps.trim_file {
            assert_eq!(count(&run_ok(request), "trim"), SIZE / BLOCK, "{}", caps.name);
            assert!(fs::read(&path).unwrap().iter().all(|&byte| byte == 0), "{}", caps.name);
        } else {
            assert!(refused(request).contains("trim"));
            assert!(!path.exists(), "{}: nothing was written", caps.name);
        }
    }
}

#[test]
fn direct_io_works_or_is_refused() {
    // The build directory is on a disk, unlike a temporary directory, which may be tmpfs.
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    for caps in all() {
        let path = dir.path().join(caps.name);
        let request = JobSpec { direct: true, ..spec(caps, &path) };
        if caps.direct {
            let outcome = run_ok(request);
            assert_eq!(count(&outcome, "read") + count(&outcome, "write"), 500, "{}", caps.name);
        } else {
            assert!(refused(request).contains("direct"));
            assert!(!path.exists(), "{}: nothing was written", caps.name);
        }
    }
}

#[test]
fn too_deep_is_refused() {
    let dir = tempdir().unwrap();
    for caps in all() {
        let Some(max) = caps.max_depth else { continue };
        let path = dir.path().join("f");
        assert!(refused(JobSpec { depth: max + 1, ..spec(caps, &path) }).contains("depth"));
        assert!(!path.exists());
    }
}

#[test]
fn a_file_cut_off_during_the_run_is_an_error_with_its_offset() {
    let dir = tempdir().unwrap();
    for caps in real() {
        for count_errors in [false, true] {
            let path = dir.path().join(caps.name);
            let mut request =
                JobSpec { mode: Mode::Randread, count_errors, layout: Layout::Refill, ..spec(caps, &path) };
            request.max_operations = None;
            let job = Job::start(request).unwrap();
            wait_for(&job, phase::MEASURE);
            fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(BLOCK).unwrap();
            if count_errors {
                while job.poll().interval.is_none_or(|interval| interval.errors == 0) {
                    assert_ne!(job.poll().phase, phase::FINISHED, "{}", caps.name);
                    std::thread::sleep(std::time::Duration::from_millis(20));
                }
                job.stop();
                let outcome = job.result(Some(FOR_EVER)).unwrap();
                assert_eq!(outcome.status, Status::Stopped, "{}", caps.name);
                assert!(outcome.operations["read"].errors > 0, "{}", caps.name);
            } else {
                let outcome = job.result(Some(FOR_EVER)).unwrap();
                assert_eq!(outcome.status, Status::Failed, "{}", caps.name);
                let failure = outcome.error.unwrap();
                assert_eq!((failure.kind.as_str(), failure.operation.as_deref()), ("io", Some("read")));
                assert!(failure.offset.unwrap() >= BLOCK, "{}", caps.name);
                // Who shows the message adds the offset.
                assert!(!failure.message.contains("offset"), "{}", failure.message);
            }
        }
    }
}

#[test]
fn a_stop_ends_any_job_with_what_it_measured() {
    let dir = tempdir().unwrap();
    for caps in all() {
        for rate in [None, Some(Rate { per_second: 0.5, unit: RateUnit::Operations, apart: None })] {
            let mut request = JobSpec { rate, threads: 2, ..spec(caps, &dir.path().join("f")) };
            request.max_operations = None;
            let job = Job::start(request).unwrap();
            wait_for(&job, phase::MEASURE);
            std::thread::sleep(std::time::Duration::from_millis(20));
            job.stop();
            let outcome = job.result(Some(FOR_EVER)).expect("the job ends");
            assert_eq!((outcome.status, outcome.error), (Status::Stopped, None), "{}", caps.name);
            assert!(outcome.elapsed_ns > 0);
        }
    }
}

#[test]
fn the_same_seed_reads_the_same_blocks() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let written = |seed| {
            let path = dir.path().join("f");
            fs::write(&path, vec![0u8; SIZE as usize]).unwrap();
            let mut request = JobSpec { mode: Mode::Randwrite, seed, layout: Layout::Keep, ..spec(caps, &path) };
            request.max_operations = Some(60);
            run_ok(request);
            let file = fs::File::open(&path).unwrap();
            let mut block = [0u8; BLOCK as usize];
            (0..SIZE / BLOCK)
                .filter(|i| {
                    file.read_exact_at(&mut block, i * BLOCK).unwrap();
                    block.iter().any(|&byte| byte != 0)
                })
                .collect::<Vec<_>>()
        };
        let first = written(1);
        assert_eq!(first.len(), 60, "{}: each block once", caps.name);
        assert_eq!(first, written(1), "{}", caps.name);
        assert_ne!(first, written(2), "{}", caps.name);
    }
}

#[test]
fn a_target_that_is_not_there_or_too_short_is_refused_untouched() {
    let dir = tempdir().unwrap();
    for caps in real() {
        let path = dir.path().join("missing");
        let outcome = run(JobSpec { layout: Layout::Keep, ..spec(caps, &path) });
        let failure = outcome.error.unwrap();
        assert_eq!((failure.kind.as_str(), failure.errno), ("open", Some(libc::ENOENT)), "{}", caps.name);
        let short = dir.path().join("short");
        fs::write(&short, b"abc").unwrap();
        assert!(refused(JobSpec { layout: Layout::Keep, ..spec(caps, &short) }).contains("3 bytes"));
        assert_eq!(fs::read(&short).unwrap(), b"abc");
        assert!(refused(spec(caps, dir.path())).contains("neither"));
    }
}
