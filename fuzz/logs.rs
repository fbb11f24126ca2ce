//! Logs that a stranger wrote: whatever the bytes, an answer or a refusal, and the same one wherever they are cut.
//!
//! Fuzzing calls what is here, and `crates/logs/tests/corpus.rs` repeats what fuzzing keeps, so both see the same.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use plimsoll_logs::answer::Answer;
use plimsoll_logs::stream::Refusal;
use plimsoll_logs::{KINDS, Reader};

/// Shorter than most lines, and no part of their lengths.
const CHUNK: usize = 61;
/// The cookie before a compressed histogram.
const COMPRESSED: u32 = 0x1c84_9314;

/// Gives the bytes to the readers of every kind. Panics where the answer depends on the chunks that they arrive in.
pub fn read_by_all(bytes: &[u8]) {
    for kind in KINDS {
        let whole = read(kind, std::iter::once(bytes));
        assert_eq!(read(kind, bytes.chunks(CHUNK)), whole, "{kind}");
    }
}

/// Reads a log with one row, whose histogram is these bytes packed: mutated bytes would not get through its checksum.
pub fn add_histogram(plain: &[u8]) {
    let Ok(Answer::Hdr(log)) = read("hdr", std::iter::once(row(plain).as_bytes())) else { return };
    let mut highest = 0;
    for (low, high, count) in log.found.tags.iter().flat_map(|tag| &tag.buckets) {
        assert!(highest <= *low && low <= high && *count > 0, "{low} to {high}: {count}, after {highest}");
        highest = *high;
    }
}

/// The row of an interval log with this histogram.
pub fn row(plain: &[u8]) -> String {
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain).expect("memory takes all");
    let packed = packed.finish().expect("memory takes all");
    let length = u32::try_from(packed.len()).expect("inputs are short");
    let bytes = [&COMPRESSED.to_be_bytes(), &length.to_be_bytes(), packed.as_slice()].concat();
    format!("0.0,1.0,1.0,{}\n", STANDARD.encode(bytes))
}

/// What the reader of a kind says.
pub fn read<'a>(kind: &str, mut chunks: impl Iterator<Item = &'a [u8]>) -> Result<Answer, Refusal> {
    let mut reader = Reader::of(kind).expect("it is one of the list");
    chunks.try_for_each(|chunk| reader.feed(chunk))?;
    reader.finish()
}
