//! What coverage-guided fuzzing found worth keeping, with the checks that only tests are built with.

#[path = "../../../fuzz/logs.rs"]
mod logs;

#[path = "../../../fuzz/recordings.rs"]
mod recordings;

use logs::{add_histogram, read, read_by_all, row};
use plimsoll_logs::KINDS;
use plimsoll_logs::answer::Answer;

fn kept(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let paths = std::fs::read_dir(folder).expect("the corpus is in the tree");
    let paths = paths.map(|entry| entry.expect("it can be listed").path());
    let name = |path: &std::path::Path| path.file_name().expect("it has one").to_string_lossy().into_owned();
    paths.map(|path| (name(&path), std::fs::read(&path).expect("it can be read"))).collect()
}

#[test]
fn traces_that_fuzzing_kept_read_alike_however_they_are_cut() {
    for (_, bytes) in kept("recordings") {
        recordings::read_by_all(&bytes);
    }
}

#[test]
fn the_first_traces_are_those_that_their_names_say() {
    let formats = plimsoll_logs::trace::text::FORMATS.iter().map(|format| format.name);
    for name in formats.chain([plimsoll_logs::trace::source::OWN]) {
        let begins = format!("seed-{}", name.replace('_', "-"));
        let first = kept("recordings").into_iter().filter(|(known, _)| known.starts_with(&begins));
        let found: Vec<_> = first.map(|(_, bytes)| recordings::read(Some(name), &bytes, 7)).collect();
        assert!(!found.is_empty(), "{name}");
        assert!(
            found.iter().all(|told| told.as_ref().is_ok_and(|(events, _)| !events.is_empty())),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn blocks_that_fuzzing_kept_harm_nobody() {
    for (_, bytes) in kept("blocks") {
        recordings::unpack(&bytes);
    }
    let seeds = kept("blocks").into_iter().filter(|(name, _)| name.starts_with("seed-"));
    let told: Vec<_> = seeds
        .map(|(_, bytes)| {
            let (count, payload) = bytes.split_first_chunk::<2>().unwrap();
            let count = u16::from_le_bytes(*count);
            let read = recordings::read(Some("plimsoll"), &recordings::own(u32::from(count), payload), 61);
            read.is_ok_and(|(events, _)| events.len() == usize::from(count))
        })
        .collect();
    assert!(!told.is_empty() && told.iter().all(|each| *each), "{told:?}");
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
