use super::*;
use crate::spec::{Distribution, Mode, SyncKind};
use proptest::prelude::*;

/// What coverage-guided fuzzing found worth keeping, with the checks that only tests are built with.
#[test]
fn what_fuzzing_kept_is_allowed_or_refused() {
    let paths = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/jobs")).unwrap();
    let texts = paths.map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
    let specs: Vec<JobSpec> = texts.filter_map(|text| serde_json::from_slice(&text).ok()).collect();
    assert!(specs.iter().any(|spec| validate(spec).is_ok()), "none of {} is allowed", specs.len());
}

fn message(change: impl FnOnce(&mut JobSpec)) -> String {
    let mut spec = request::tests::plain();
    (spec.path, spec.engine) = ("/nowhere/f".to_owned(), "psync".to_owned());
    change(&mut spec);
    validate(&spec).map(|_| String::new()).unwrap_or_else(|error| error.to_string())
}

#[test]
fn what_engine_and_machine_cannot_do_is_refused_without_a_target() {
    assert_eq!(message(|_| ()), "");
    assert_eq!(message(|s| s.cpus = vec![0]), "");
    let cases: [(&str, String); 10] = [
        ("engine is \"aio\": use one of cpuio, falloc", message(|s| s.engine = "aio".to_owned())),
        ("at most 1", message(|s| s.depth = 2)),
        ("page cache", message(|s| (s.engine, s.direct) = ("mmap".to_owned(), true))),
        ("O_DSYNC", message(|s| (s.engine, s.sync) = ("mmap".to_owned(), SyncKind::Dsync))),
        ("cannot trim", message(|s| (s.engine, s.mode) = ("libaio".to_owned(), Mode::Randtrim))),
        ("sqpoll", message(|s| s.sqpoll = true)),
        ("nothing to verify", message(|s| (s.engine, s.verify) = ("null".to_owned(), true))),
        ("no path", message(|s| s.path.clear())),
        ("null character", message(|s| s.path.push('\0'))),
        ("no CPU", message(|s| s.cpus = vec![0, usize::MAX])),
    ];
    for (word, message) in cases {
        assert!(message.contains(word), "{word}: {message:?}");
    }
}

#[test]
fn buffers_beyond_the_memory_are_refused() {
    let huge = message(|s| {
        (s.engine, s.depth, s.threads) = ("null".to_owned(), 16_384, 1024);
        (s.block_sizes[0].size, s.size) = (1 << 30, 1 << 40);
    });
    assert!(huge.contains("of memory"), "{huge:?}");
}

proptest! {
    #[test]
    fn no_number_makes_it_panic(
        numbers in proptest::array::uniform4(any::<f64>()), sizes in proptest::array::uniform4(any::<u64>()),
        depth: u32, threads: u32, mode in 0usize..3,
    ) {
        message(|s| {
            (s.read_share, s.compressible, s.block_sizes[0].weight) = (numbers[0], numbers[1], numbers[2]);
            s.distribution = Distribution::Zipf { theta: numbers[3], centre: None };
            (s.block_sizes[0].size, s.offset, s.size, s.warmup_ns) = (sizes[0], sizes[1], sizes[2], sizes[3]);
            (s.depth, s.threads, s.mode) = (depth, threads, [Mode::Read, Mode::Randrw, Mode::Trim][mode]);
        });
    }
}
