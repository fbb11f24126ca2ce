//! What coverage-guided fuzzing found worth keeping, with the checks that only tests are built with.

#[path = "../../../fuzz/logs.rs"]
mod logs;

use logs::{add_histogram, read, read_by_all, read_trace, row};
use plimsoll_logs::KINDS;
use plimsoll_logs::answer::Answer;

fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let paths = std::fs::read_dir(folder).expect("the corpus is in the tree");
    let paths = paths.map(|entry| entry.expect("it can be listed").path());
    let name = |path: &std::path::Path| path.file_name().expect("it has one").to_string_lossy().into_owned();
    paths.map(|path| (name(&path), std::fs::read(&path).expect("it can be read"))).collect()
}

fn buckets(plain: &[u8]) -> Vec<(u64, u64, u64)> {
    let answer = read("hdr", std::iter::once(row(plain).as_bytes())).unwrap();
    let Answer::Hdr(log) = answer else { panic!("an interval log") };
    log.found.tags.into_iter().flat_map(|tag| tag.buckets).collect()
}

#[test]
fn logs_that_fuzzing_kept_read_alike_however_they_are_cut() {
    for (_, bytes) in kept("logs") {
        read_by_all(&bytes);
    }
}

#[test]
fn traces_that_fuzzing_kept_read_alike_however_they_are_cut() {
    let read = kept("trace").into_iter().filter(|(_, bytes)| read_trace(bytes).is_ok()).count();
    assert!(read > 0, "nothing of the corpus is a trace");
}

/// Otherwise a fuzzer would begin with what is refused at its first line.
#[test]
fn the_first_logs_are_those_that_their_names_say() {
    for kind in KINDS {
        let begins = format!("seed-{}", kind.replace('_', "-"));
        let read = |bytes: &[u8]| read(kind, std::iter::once(bytes)).is_ok();
        let logs = kept("logs").into_iter().filter(|(name, bytes)| name.starts_with(&begins) && read(bytes));
        assert!(logs.count() > 1, "{kind}");
    }
}

#[test]
fn histograms_that_fuzzing_kept_harm_nobody() {
    for (_, plain) in kept("histograms") {
        add_histogram(&plain);
    }
}

#[test]
fn the_first_histograms_are_decoded() {
    let plain = |name: &str| kept("histograms").into_iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!(buckets(&plain("seed-one-value")), [(100, 100, 1)]);
    assert_eq!(buckets(&plain("seed-several")), [(0, 0, 1), (1, 1, 2), (2, 2, 3), (6, 6, 4)]);
    assert!(buckets(&plain("seed-not-possible")).is_empty());
}
