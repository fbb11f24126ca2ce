//! Conformance with the originals: operation counts and byte volumes, by the published figures.

mod common;

use common::{counted, memory, phase, run_ok, spec, total};

/// One test per original.
mod fs_mark {
    use super::*;

    fn classic(files: u64, directories: u32, method: u8, placement: &str) -> String {
        format!(
            r#"{{"files":{files},"size":1048576,"write_size":16384,"sync_method":{method},"directories":{directories},"placement":"{placement}"}}"#
        )
    }

    #[test]
    fn a_file_is_64_writes_and_one_fsync() {
        let dir = memory();
        let outcome = run_ok(spec("fs_mark", &classic(50, 0, 1, "time"), dir.path()));
        let create = phase(&outcome, "create");
        assert_eq!((create.operations, create.bytes), (50, 50 << 20));
        assert_eq!(counted(create, "write"), (50 * 64, 50 << 20));
        for kind in ["create", "close", "fsync", "mkdir"] {
            assert_eq!(counted(create, kind), (50, 0), "{kind}");
        }
        assert_eq!(counted(create, "delete"), (0, 0), "removal is not timed");
        let [rate, overhead] = &create.scores[..] else { panic!("{:?}", create.scores) };
        assert_eq!((rate.name.as_str(), rate.unit.as_str()), ("files_per_second", "files/s"));
        assert!((rate.value - 50e9 / create.elapsed_ns as f64).abs() < 1e-6 * rate.value);
        assert!(overhead.value >= 0.0 && overhead.value * 1000.0 < create.elapsed_ns as f64);
    }

    #[test]
    fn files_are_per_thread_and_rates_add_up() {
        let dir = memory();
        let mut request = spec("fs_mark", &classic(10, 32, 1, "spread"), dir.path());
        request.threads = 4;
        let outcome = run_ok(request);
        let create = phase(&outcome, "create");
        assert_eq!(counted(create, "fsync").0, 40);
        assert_eq!(create.operations, 40);
        let slowest = 40e9 / create.elapsed_ns as f64;
        assert!(create.scores[0].value >= slowest * 0.999, "a sum over workers is at least that of the slowest");
    }

    #[test]
    fn sync_methods_sync_what_they_say() {
        let dir = memory();
        let calls = |method, placement| {
            let outcome = run_ok(spec("fs_mark", &classic(6, 3, method, placement), dir.path()));
            (total(&outcome, "fsync").0, total(&outcome, "sync").0)
        };
        let found: Vec<_> = (0..=6).map(|method| calls(method, "spread")).collect();
        assert_eq!(found, [(0, 0), (6, 0), (3, 1), (6, 0), (6, 1), (6, 0), (6, 1)]);
        assert_eq!(calls(2, "time"), (1, 1), "by time, a short run uses one folder");
    }
}

mod postmark {
    use super::*;

    const CLASSIC: &str = r#"{"transactions":25000,"files":500,"size_low":5120,"size_high":524288,"read_block":512,
        "write_block":512,"read_bias":5,"create_bias":5}"#;

    /// The fixed counters of 25,000 transactions with seed 42.
    #[test]
    fn the_classic_run_has_the_counters_of_the_original() {
        let dir = memory();
        let outcome = run_ok(spec("postmark", CLASSIC, dir.path()));
        assert_eq!(counted(phase(&outcome, "create"), "create").0, 500);
        let transactions = phase(&outcome, "transactions");
        assert_eq!(transactions.operations, 25_000);
        let of = |kind| counted(transactions, kind).0;
        assert_eq!((of("create"), of("read"), of("append"), of("delete")), (12_478, 12_475, 12_512, 12_522));
        assert_eq!(counted(phase(&outcome, "delete"), "delete").0, 456);
        let [.., read, written] = &phase(&outcome, "delete").scores[..] else { panic!("two volumes are missing") };
        assert_eq!(
            (format!("{:.2}", read.value), format!("{:.2}", written.value)),
            ("4142.43".into(), "4324.33".into())
        );
        let exact = |bytes: u64| format!("{:.2}", bytes as f64 / f64::from(1 << 20));
        assert_eq!(exact(total(&outcome, "read").1), "4142.43");
        let written = total(&outcome, "create").1 + total(&outcome, "append").1;
        assert_eq!(exact(written), "4324.35", "exact where the original adds up 32-bit floating point");
        let [whole, exact] = &transactions.scores[..] else { panic!("{:?}", transactions.scores) };
        assert_eq!(whole.value.fract(), 0.0);
        assert!((exact.value - 25_000e9 / transactions.elapsed_ns as f64).abs() < 1e-6 * exact.value);
    }
}

mod sqlite {
    use super::*;

    #[test]
    fn each_insert_is_a_commit() {
        let dir = memory();
        let outcome = run_ok(spec("sqlite", r#"{"inserts":2500,"passes":5,"page_size":1024}"#, dir.path()));
        let insert = phase(&outcome, "insert");
        assert_eq!((insert.operations, counted(insert, "commit").0), (12_500, 12_500));
        assert_eq!((insert.scores[0].unit.as_str(), insert.scores[0].value), ("s", insert.elapsed_ns as f64 / 1e9));
    }
}

mod compilebench {
    use super::*;

    #[test]
    fn one_full_tree_is_made_compiled_and_read() {
        let dir = memory();
        let outcome = run_ok(spec("compilebench", r#"{"trees":1,"reads":1,"scale":1.0}"#, dir.path()));
        let bytes = |name| phase(&outcome, name).bytes;
        assert_eq!(bytes("initial_create"), 233_176_153);
        assert_eq!(bytes("compile"), 713_696_760);
        assert_eq!(bytes("read_compiled_tree"), 946_872_913);
        assert_eq!(counted(phase(&outcome, "initial_create"), "create").0, 21_280);
        assert_eq!(counted(phase(&outcome, "compile"), "create").0, 3_263);
        let read = phase(&outcome, "read_compiled_tree");
        assert_eq!((counted(read, "open").0, counted(read, "read").1), (24_543, 946_872_913));
        assert_eq!(counted(phase(&outcome, "delete"), "delete").0, 24_543);
    }

    #[test]
    fn the_score_is_the_mean_over_trees() {
        let dir = memory();
        let outcome = run_ok(spec("compilebench", r#"{"trees":4,"reads":3,"scale":0.01}"#, dir.path()));
        for (name, count) in [("initial_create", 4), ("compile", 4), ("read_compiled_tree", 3)] {
            let found = phase(&outcome, name);
            let rates = found.points.iter().map(|p| p.bytes as f64 / f64::from(1 << 20) / (p.elapsed_ns as f64 / 1e9));
            assert_eq!(found.points.len(), count, "{name}");
            assert!((found.scores[0].value - rates.sum::<f64>() / count as f64).abs() < 1e-6 * found.scores[0].value);
        }
    }
}

mod dbench {
    use super::*;

    #[test]
    fn a_loop_has_the_operations_and_bytes_of_the_original() {
        let dir = memory();
        let mut request = spec("dbench", r#"{"runtime_ns":1,"warmup_ns":0,"loops":1}"#, dir.path());
        request.threads = 2;
        let outcome = run_ok(request);
        let run = phase(&outcome, "run");
        assert_eq!(run.operations, 2 * 458_344);
        assert_eq!(run.bytes, 2 * (1_472_088_767 + 1_015_974_170));
        for (kind, operations) in [
            ("read", 124_199),
            ("write", 39_502),
            ("close", 58_200),
            ("stat", 71_814),
            ("list", 27_765),
            ("delete", 16_000),
            ("system_stat", 13_168),
            ("file_stat", 12_585),
            ("set_times", 6_454),
            ("fsync", 5_553),
            ("rename", 3_355),
            ("lock", 258),
            ("unlock", 258),
            ("delete_tree", 2),
            ("mkdir", 1),
        ] {
            assert_eq!(counted(run, kind).0, 2 * operations, "{kind}");
        }
        assert_eq!(counted(run, "open").0 + counted(run, "create").0, 2 * 79_230);
        assert_eq!((counted(run, "read").1, counted(run, "write").1), (2 * 1_472_088_767, 2 * 1_015_974_170));
    }

    #[test]
    fn only_what_follows_the_warm_up_counts() {
        let dir = memory();
        let mut request = spec("dbench", r#"{"runtime_ns":400000000,"warmup_ns":300000000,"loops":0}"#, dir.path());
        request.threads = 3;
        let outcome = run_ok(request);
        let run = phase(&outcome, "run");
        assert_eq!(run.start_ns, 0);
        assert!((400_000_000..600_000_000).contains(&run.elapsed_ns), "{}", run.elapsed_ns);
        let mbps = run.bytes as f64 * 1e3 / run.elapsed_ns as f64;
        assert!((run.scores[0].value - mbps).abs() < 1e-6 * mbps && run.scores[0].unit == "MB/s");
        let calls: u64 = run.kinds.values().map(|totals| totals.operations).sum();
        assert_eq!(calls, run.operations);
        // A client that is in the middle of an operation when the time is over adds it to the calls only.
        let bytes: u64 = run.kinds.values().map(|totals| totals.bytes).sum();
        assert!(bytes.abs_diff(run.bytes) <= 2 * 3 * 65_536, "{bytes} {}", run.bytes);
        let longest = run.scores[1].value;
        assert!(longest > 0.0 && longest < 700.0, "{longest}");
    }
}
