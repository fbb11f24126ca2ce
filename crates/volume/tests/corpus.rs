//! What coverage-guided fuzzing kept of requests, with the checks that only tests are built with.

use plimsoll_volume::spec::VolumeSpec;

fn texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/jobs");
    let paths = std::fs::read_dir(folder).expect("the corpus is in the tree");
    let texts = paths.map(|entry| std::fs::read(entry.expect("it can be listed").path()).expect("it can be read"));
    texts.filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}

#[test]
fn requests_are_read_or_refused() {
    let read: Vec<_> = texts().iter().filter_map(|text| VolumeSpec::from_json(text).ok()).collect();
    assert!(!read.is_empty(), "nothing of the corpus is a request");
    assert!(read.iter().all(|spec| spec.device_bytes() > 0));
}
