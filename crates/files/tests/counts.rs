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
        request.common.threads = 4;
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
        let mut request = spec("dbench", r#"{"runtime":1,"warmup":0,"loops":1}"#, dir.path());
        request.common.threads = 2;
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
        let mut request = spec("dbench", r#"{"runtime":400000000,"warmup":300000000,"loops":0}"#, dir.path());
        request.common.threads = 3;
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

mod bonnie {
    use super::*;

    fn request(version: u8, unbuffered: bool, file_bytes: u64) -> String {
        format!(
            r#"{{"version":"{version}","size":16777216,"chunk":8192,"skip_characters":false,"unbuffered":{unbuffered},
                "seeks":8192,"seekers":{},"files":1024,"file_size_min":{},"file_size_max":{file_bytes}}}"#,
            if version == 1 { 3 } else { 5 },
            file_bytes / 2,
        )
    }

    /// As strace of 2.00a with a file of 16 MiB shows it.
    #[test]
    fn version_2_makes_the_calls_of_the_original() {
        let dir = memory();
        let outcome = run_ok(spec("bonnie", &request(2, false, 0), dir.path()));
        let of = |name, kind| counted(phase(&outcome, name), kind);
        assert_eq!(of("char_write", "write"), (3 << 20, 3 << 20));
        assert_eq!(of("char_read", "read"), (3 << 20, 3 << 20));
        assert_eq!(of("block_write", "write"), (2048, 16 << 20));
        assert_eq!((of("rewrite", "read"), of("rewrite", "write")), ((2048, 16 << 20), (2048, 16 << 20)));
        assert_eq!(of("block_read", "read"), (2048, 16 << 20));
        for name in ["char_write", "block_write", "rewrite", "char_read", "block_read"] {
            assert_eq!(of(name, "fsync").0, 1, "{name}");
        }
        assert_eq!((of("seeks", "seek"), of("seeks", "fsync").0), ((8192, 8192 * 8192), 5));
        let back = of("seeks", "write").0;
        assert!((600..1050).contains(&back), "about a tenth are written back: {back}");
        for order in ["sequential", "random"] {
            let of = |what: &str, kind| counted(phase(&outcome, &format!("{order}_{what}")), kind).0;
            assert_eq!((of("create", "create"), of("create", "sync")), (1024, 1));
            assert_eq!((of("stat", "stat"), of("stat", "sync")), (1024, 0));
            assert_eq!((of("delete", "delete"), of("delete", "rmdir"), of("delete", "sync")), (1024, 1, 1));
        }
        let written = phase(&outcome, "block_write");
        assert!((written.scores[0].value - 16384e9 / written.elapsed_ns as f64).abs() < 1e-6 * written.scores[0].value);
        assert_eq!(written.scores[0].unit, "KiB/s");
    }

    fn asking(parameters: &str, more: &str) -> String {
        parameters.replace(r#""version""#, &format!(r#"{more},"version""#))
    }

    #[test]
    fn without_the_data_only_the_tests_of_many_files_are_left() {
        let dir = memory();
        let outcome = run_ok(spec("bonnie", &asking(&request(2, false, 0), r#""skip_data":true"#), dir.path()));
        let names: Vec<&str> = outcome.results.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names.len(), 6);
        assert!(names.iter().all(|name| name.starts_with("sequential_") || name.starts_with("random_")), "{names:?}");
        assert_eq!(total(&outcome, "write"), (0, 0));
    }

    #[test]
    fn blocks_go_directly_to_the_disk_if_asked_to() {
        let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
        let outcome = run_ok(spec("bonnie", &asking(&request(2, false, 0), r#""direct":true"#), dir.path()));
        assert_eq!(counted(phase(&outcome, "block_write"), "write"), (2048, 16 << 20));
        assert_eq!(counted(phase(&outcome, "block_read"), "read"), (2048, 16 << 20));
    }

    #[test]
    fn version_1_goes_through_streams_and_syncs_only_unbuffered() {
        let dir = memory();
        let outcome = run_ok(spec("bonnie", &request(1, false, 0), dir.path()));
        let of = |name, kind| counted(phase(&outcome, name), kind);
        assert_eq!((of("char_write", "write").1, of("char_read", "read").1), (16 << 20, 16 << 20));
        assert_eq!((total(&outcome, "fsync").0, total(&outcome, "sync").0), (0, 0));
        let back = of("seeks", "write").0;
        // The first and every tenth of each of three seekers.
        assert!((819..=823).contains(&back), "{back}");
        let outcome = run_ok(spec("bonnie", &request(1, true, 3000), dir.path()));
        let of = |name, kind| counted(phase(&outcome, name), kind);
        assert_eq!((of("char_write", "fsync").0, of("block_write", "fsync").0, of("rewrite", "fsync").0), (1, 1, 1));
        assert_eq!((of("char_read", "fsync").0, of("block_read", "fsync").0), (0, 0));
        assert_eq!(of("sequential_create", "fsync").0, 2 * 1024, "each file and its folder");
        let (written, read) = (of("random_create", "write").1, of("random_stat", "read").1);
        assert_eq!(written, read);
        assert!((1024 * 1500..=1024 * 3000).contains(&written), "{written}");
    }
}

mod iozone {
    use super::*;

    fn request(tests: &str, sync_in_time: bool) -> String {
        format!(
            r#"{{"size":4194304,"record":65536,"tests":{tests},"stride":17,"sync_in_time":{sync_in_time},"direct":false}}"#
        )
    }

    #[test]
    fn the_classic_entries_write_and_read_twice() {
        let dir = memory();
        let outcome = run_ok(spec("iozone", &request(r#"["read","write"]"#, true), dir.path()));
        let names: Vec<&str> = outcome.results.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["write", "rewrite", "read", "reread"]);
        for found in &outcome.results {
            let kind = if found.name.contains("write") { "write" } else { "read" };
            assert_eq!(counted(found, kind), (64, 4 << 20), "{}", found.name);
            assert_eq!(counted(found, "fsync").0, 1, "{}: -e", found.name);
            let kib = (4096e9 / found.elapsed_ns as f64).floor();
            assert_eq!((found.scores[0].value, found.scores[0].unit.as_str()), (kib, "KiB/s"));
        }
        let outcome = run_ok(spec("iozone", &request(r#"["write"]"#, false), dir.path()));
        assert_eq!(total(&outcome, "fsync").0, 0);
    }

    #[test]
    fn every_pass_of_automatic_mode_moves_the_whole_file() {
        let dir = memory();
        let all = r#"["write","read","random","backward","record_rewrite","stride","fwrite","fread","pwrite","pread","pwritev","preadv"]"#;
        let outcome = run_ok(spec("iozone", &request(all, true), dir.path()));
        let names: Vec<&str> = outcome.results.iter().map(|phase| phase.name.as_str()).collect();
        let columns = [
            "write",
            "rewrite",
            "read",
            "reread",
            "random_read",
            "random_write",
            "backward_read",
            "record_rewrite",
            "stride_read",
            "fwrite",
            "frewrite",
            "fread",
            "freread",
        ];
        assert_eq!(names[..13], columns);
        assert_eq!(names.len(), 21);
        for found in &outcome.results {
            let kind = if found.name.contains("write") { "write" } else { "read" };
            assert_eq!(counted(found, kind), (64, 4 << 20), "{}", found.name);
        }
    }
}

mod tiotest {
    use super::*;

    fn request(open_sync: bool) -> String {
        format!(
            r#"{{"file_size":1048576,"block":4096,"random_operations":1000,"open_sync":{open_sync},"direct":false,
                "tests":["write","random_write","read","random_read"]}}"#
        )
    }

    #[test]
    fn every_thread_has_its_file_and_its_thousand_blocks() {
        let dir = memory();
        for threads in [1, 32] {
            let mut asked = spec("tiotest", &request(threads == 1), dir.path());
            asked.common.threads = threads;
            let outcome = run_ok(asked);
            let threads = u64::from(threads);
            for (name, kind, blocks) in [
                ("write", "write", 256),
                ("random_write", "write", 1000),
                ("read", "read", 256),
                ("random_read", "read", 1000),
            ] {
                let found = phase(&outcome, name);
                assert_eq!(counted(found, kind), (blocks * threads, blocks * threads * 4096), "{name}");
                let syncs = if kind == "write" { threads } else { 0 };
                assert_eq!((counted(found, "fsync").0, counted(found, "close").0), (syncs, threads), "{name}");
                let mib = found.bytes as f64 * 1e9 / found.elapsed_ns as f64 / f64::from(1 << 20);
                assert!((found.scores[0].value - mib).abs() < 1e-6 * mib);
            }
        }
    }
}

mod aio_stress {
    use super::*;

    #[test]
    fn random_writing_is_32768_transfers_per_2_gib() {
        let dir = memory();
        let asked =
            r#"{"size":134217728,"record":65536,"depth":64,"batch":8,"direct":false,"stages":["random_write"]}"#;
        let mut asked = spec("aio_stress", asked, dir.path());
        asked.common.seed = 1;
        let outcome = run_ok(asked);
        let found = phase(&outcome, "random_write");
        // 128 MiB, a sixteenth of the classic size.
        assert_eq!((found.operations, counted(found, "write")), (32_768 / 16, (2048, 128 << 20)));
        assert_eq!(counted(found, "submit").0, 2048 / 8);
        assert_eq!(counted(found, "fsync").0, 1);
        assert!(found.scores[0].value >= found.scores[1].value, "the fsync is not in the first score");
    }
}

mod unpack {
    use super::*;

    #[test]
    fn archive_and_tree_agree_and_tar_writes_at_most_a_record() {
        let dir = memory();
        for compressed in [false, true] {
            let asked = format!(r#"{{"scale":0.01,"compressed":{compressed}}}"#);
            let outcome = run_ok(spec("unpack", &asked, dir.path()));
            let found = phase(&outcome, "unpack");
            assert_eq!((found.operations, found.bytes), (305, 3_600_000));
            for kind in ["create", "close"] {
                assert_eq!(counted(found, kind).0, 305, "{kind}");
            }
            let (writes, bytes) = counted(found, "write");
            assert_eq!(bytes, 3_600_000);
            assert!(writes > 3_600_000 / 10_240 && writes < 305 + 3_600_000 / 10_240 + 305, "{writes}");
            let folders = counted(found, "mkdir").0;
            assert_eq!(counted(found, "set_times").0, 305 + folders, "files when written, folders when left");
            assert_eq!((found.scores[0].unit.as_str(), found.scores[0].value), ("s", found.elapsed_ns as f64 / 1e9));
        }
    }
}

mod gzip {
    use super::*;

    #[test]
    fn zeros_shrink_a_thousandfold_and_text_does_not() {
        let dir = memory();
        let ratio = |content: &str| {
            let asked = format!(r#"{{"size":8388608,"level":6,"content":"{content}"}}"#);
            let outcome = run_ok(spec("gzip", &asked, dir.path()));
            let found = phase(&outcome, "compress");
            assert_eq!(counted(found, "read"), (64, 8 << 20));
            assert_eq!(counted(found, "write"), (0, 0), "making the file is not timed");
            found.scores[2].value
        };
        let zeros = ratio("zeros");
        assert!((950.0..1050.0).contains(&zeros), "{zeros}");
        let text = ratio("text");
        assert!((2.0..8.0).contains(&text), "{text}");
    }
}

mod zcav {
    use super::*;

    #[test]
    fn every_block_has_a_point_and_nothing_foreign_is_changed() {
        let dir = memory();
        let foreign = tempfile::NamedTempFile::new().unwrap();
        foreign.as_file().set_len(5 << 20).unwrap();
        let path = foreign.path().to_str().unwrap();
        let asked = format!(
            r#"{{"path":"{path}","size":0,"start":0,"block":1048576,"chunk":65536,"step":1,"passes":3,"direct":false}}"#
        );
        let outcome = run_ok(spec("zcav", &asked, dir.path()));
        let found = phase(&outcome, "read");
        let positions: Vec<u64> = found.points.iter().map(|point| point.position).collect();
        assert_eq!(positions, [0, 1 << 20, 2 << 20, 3 << 20, 4 << 20]);
        assert!(found.points.iter().all(|point| point.bytes == 1 << 20 && point.elapsed_ns > 0));
        assert_eq!(counted(found, "read"), (3 * 80, 15 << 20));
        assert_eq!(found.bytes, 15 << 20);
        assert_eq!(std::fs::read(foreign.path()).unwrap(), vec![0; 5 << 20]);
    }

    /// As strace of 2.00a shows it: a sync after each piece; what is beyond the part stays.
    #[test]
    fn writing_leaves_zeros_in_its_part_alone() {
        let dir = memory();
        let foreign = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(foreign.path(), vec![7; 5 << 20]).unwrap();
        let path = foreign.path().to_str().unwrap();
        let asked = |path: &str| {
            format!(
                r#"{{"path":{path},"size":2097152,"start":1048576,"block":1048576,"chunk":65536,"step":1,"passes":1,
                "direct":false,"write":true}}"#
            )
        };
        let outcome = run_ok(spec("zcav", &asked(&format!("\"{path}\"")), dir.path()));
        let found = phase(&outcome, "write");
        assert_eq!((counted(found, "write"), counted(found, "fsync").0), ((32, 2 << 20), 32));
        let left = std::fs::read(foreign.path()).unwrap();
        assert_eq!(left.len(), 5 << 20);
        assert!(left[..1 << 20].iter().chain(&left[3 << 20..]).all(|byte| *byte == 7));
        assert!(left[1 << 20..3 << 20].iter().all(|byte| *byte == 0));
        assert!(
            plimsoll_files::validate(&spec("zcav", &asked("null"), dir.path())).is_err(),
            "a new file is no device"
        );
    }
}

mod sysbench {
    use super::*;

    fn asked(test: &str, changes: &[(&str, &str)]) -> String {
        let mut text = format!(
            r#"{{"files":8,"total_size":2097152,"block":16384,"test":"{test}","ratio":1.5,"fsync_every":100,
            "fsync_each":false,"fsync_end":true,"fdatasync":false,"open":"none","runtime":60000000000,"events":600}}"#
        );
        for (from, to) in changes {
            assert!(text.contains(from), "{from}");
            text = text.replace(from, to);
        }
        text
    }

    #[test]
    fn calls_are_those_that_were_counted_of_the_original() {
        let dir = memory();
        let found = run_ok(spec("sysbench", &asked("rndrw", &[]), dir.path()));
        let run = phase(&found, "run");
        assert_eq!(counted(run, "read"), (336, 336 << 14));
        assert_eq!(counted(run, "write"), (224, 224 << 14));
        assert_eq!(counted(run, "fsync"), (5 * 8 + 8, 0));
        assert_eq!((run.operations, run.bytes), (560, 560 << 14));
        let names: Vec<&str> = run.scores.iter().map(|score| score.name.as_str()).collect();
        let all = ["requests", "reads", "writes", "fsyncs", "read_throughput", "write_throughput", "event_mean"];
        assert_eq!(names, all);
    }

    #[test]
    fn every_write_may_be_synced_instead_and_the_end_left_out() {
        let dir = memory();
        let changes =
            [(r#""fsync_each":false"#, r#""fsync_each":true"#), (r#""fsync_end":true"#, r#""fsync_end":false"#)];
        let found = run_ok(spec("sysbench", &asked("rndwr", &changes), dir.path()));
        // Events that would sync are taken, and do nothing.
        assert_eq!(counted(phase(&found, "run"), "write").0, 560);
        assert_eq!(counted(phase(&found, "run"), "fsync").0, 560);
    }

    #[test]
    fn time_ends_it_and_reads_never_sync() {
        let dir = memory();
        let changes = [(r#""runtime":60000000000,"events":600"#, r#""runtime":20000000,"events":0"#)];
        let found = run_ok(spec("sysbench", &asked("rndrd", &changes), dir.path()));
        let run = phase(&found, "run");
        assert!(counted(run, "read").0 > 0 && run.elapsed_ns >= 20_000_000);
        assert_eq!((counted(run, "write").0, counted(run, "fsync").0), (0, 0));
    }
}
