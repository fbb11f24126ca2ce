//! What coverage-guided fuzzing kept of recorded loads and requests, with the checks that only tests are built with.

use plimsoll_volume::simulate::Trace;
use plimsoll_volume::spec::VolumeSpec;

fn texts(target: &str) -> Vec<String> {
    let folder = format!("{}/../../fuzz/corpus/{target}", env!("CARGO_MANIFEST_DIR"));
    let paths = std::fs::read_dir(folder).expect("the corpus is in the tree");
    let texts = paths.map(|entry| std::fs::read(entry.expect("it can be listed").path()).expect("it can be read"));
    texts.filter_map(|bytes| String::from_utf8(bytes).ok()).collect()
}

#[test]
fn recorded_loads_are_read_or_refused() {
    let read = texts("trace").iter().filter(|text| Trace::parse(text, 1 << 40).is_ok()).count();
    assert!(read > 0, "nothing of the corpus is a recorded load");
}

#[test]
fn requests_are_read_or_refused() {
    let read: Vec<_> = texts("jobs").iter().filter_map(|text| VolumeSpec::from_json(text).ok()).collect();
    assert!(!read.is_empty(), "nothing of the corpus is a request");
    assert!(read.iter().all(|spec| spec.device_bytes() > 0));
}
