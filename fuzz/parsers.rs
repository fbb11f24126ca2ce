//! Everything of ours in Rust that reads bytes of others, one target each; `PLIMSOLL_FUZZ` names the target.
//!
//! `tools/fuzz.py` builds and runs this. A finding goes into `corpus/TARGET`, where `cargo test` repeats it.

#![no_main]

mod logs;
mod recordings;

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

type Target = Box<dyn Fn(&[u8]) + Send + Sync>;

static TARGET: LazyLock<Target> = LazyLock::new(|| {
    let name = std::env::var("PLIMSOLL_FUZZ").unwrap_or_default();
    match name.as_str() {
        // Files of others.
        "logs" => Box::new(logs::read_by_all),
        "histograms" => Box::new(logs::add_histogram),
        "recordings" => Box::new(recordings::read_by_all),
        "blocks" => Box::new(recordings::unpack),
        // Study files, result files and the server's API bring these.
        "jobs" => Box::new(|bytes| text(bytes, jobs)),
        // A hostile server chooses every byte.
        _ if plimsoll_db::hostile::drivers().any(|caps| caps.name == name) => {
            Box::new(move |bytes| plimsoll_db::hostile::converse(&name, bytes))
        }
        _ => panic!("PLIMSOLL_FUZZ={name:?} is no target"),
    }
});

fn text(bytes: &[u8], read: impl FnOnce(&str)) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        read(text);
    }
}

/// Requests of every kind, as far as they are looked at before anything is opened.
fn jobs(text: &str) {
    if let Ok(spec) = serde_json::from_str::<plimsoll_io::spec::JobSpec>(text) {
        let _ = plimsoll_io::validate(&spec);
    }
    if let Ok(spec) = serde_json::from_str::<plimsoll_db::spec::DbSpec>(text) {
        let _ = plimsoll_db::validate(&spec);
    }
    if let Ok(spec) = plimsoll_volume::spec::VolumeSpec::from_json(text) {
        assert!(spec.device_bytes() > 0);
    }
}

fuzz_target!(|bytes: &[u8]| TARGET(bytes));
