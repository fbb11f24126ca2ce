//! Traces that a stranger wrote: whatever the bytes, I/Os in order or a refusal, the same wherever they are cut.
//!
//! Fuzzing calls what is here, and `crates/logs/tests/corpus.rs` repeats what fuzzing keeps, so both see the same.

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::header::Device;
use plimsoll_logs::trace::source::{HEAD_BYTES, OWN, Source};
use plimsoll_logs::trace::text::FORMATS;
use plimsoll_logs::trace::writer::{EVENTS, HEADER, MARK, checksum};
use plimsoll_logs::trace::{Event, Header, Totals};

/// Shorter than most lines, and no part of their lengths.
const CHUNK: usize = 61;

/// What a trace says: its I/Os, and what is told at its end.
pub type Told = (Vec<Event>, Totals);

/// Gives the bytes to the readers of every format, as if somebody had named it. Panics where the answer depends on the
/// chunks that they arrive in, or goes back in time.
pub fn read_by_all(bytes: &[u8]) {
    for name in FORMATS.iter().map(|format| format.name).chain([OWN]) {
        let whole = read(Some(name), bytes, bytes.len().max(1));
        let cut = read(Some(name), bytes, CHUNK);
        match (&whole, &cut) {
            (Ok(one), Ok(other)) => assert!(one == other, "{name}: {one:?}, in pieces {other:?}"),
            (Err(one), Err(other)) => assert_eq!(one.why, other.why, "{name}"),
            _ => panic!("{name}: {whole:?}, in pieces {cut:?}"),
        }
        if let Ok((events, _)) = whole {
            assert!(events.is_sorted_by_key(|event| event.arrival_ns), "{name}");
        }
    }
    drop(read(None, bytes, CHUNK));
}

/// Reads a trace of our own with one block, whose packed events are these bytes: mutated bytes would not get through its
/// checksum. The first two say how many events that are.
pub fn unpack(bytes: &[u8]) {
    let Some((count, payload)) = bytes.split_first_chunk::<2>() else { return };
    drop(read(Some(OWN), &own(u32::from(u16::from_le_bytes(*count)), payload), CHUNK));
}

/// A trace with such a block.
pub fn own(count: u32, payload: &[u8]) -> Vec<u8> {
    let mut out = MARK.to_vec();
    let (devices, processes) = (vec![Device::default(); 8], vec![String::new(); 64]);
    let header = Header { devices, processes, ..Header::of("observe", 1) };
    let header = serde_json::to_vec(&header).expect("it is text");
    for (kind, count, payload) in [(HEADER, 1, header.as_slice()), (EVENTS, count, payload)] {
        out.push(kind);
        out.extend_from_slice(&count.to_le_bytes());
        out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
        out.extend_from_slice(&checksum(kind, count, payload).to_le_bytes());
        out.extend_from_slice(payload);
    }
    out
}

/// What a trace says that arrives in pieces.
pub fn read(format: Option<&str>, bytes: &[u8], piece: usize) -> Result<Told, Fault> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    let mut source = Source::new(head, bytes.len() <= HEAD_BYTES, format)?;
    let (mut events, mut batch) = (Vec::new(), Vec::new());
    for chunk in bytes.chunks(piece) {
        source.feed(chunk)?;
        source.take(&mut batch);
        events.append(&mut batch);
    }
    let totals = source.finish(&mut batch)?;
    events.append(&mut batch);
    Ok((events, totals))
}
