//! Our own trace file: a mark, then chunks. Whatever is cut off, the chunks before it can be read.
//!
//! A chunk is its kind, how many records it has, how many bytes follow, their CRC, and they: `H` the header in JSON, which
//! is written again when it has grown; `E` events (`planes.rs`); `S` samples, JSON packed by zstd; `F` the totals in JSON.

use crate::stream::Why;
use crate::trace::event::Event;
use crate::trace::header::{Header, Totals};
use crate::trace::planes::{MOST_EVENTS, Packer};
use crate::trace::sample::Sample;

/// What every file begins with; the last byte is the version of the format.
pub const MARK: [u8; 8] = *b"PLIMTRC\x01";

/// Kind, count, length, CRC.
pub const CHUNK_HEAD_BYTES: usize = 13;

/// What a chunk holds.
pub const HEADER: u8 = b'H';
/// The same.
pub const EVENTS: u8 = b'E';
/// The same.
pub const SAMPLES: u8 = b'S';
/// The same.
pub const TOTALS: u8 = b'F';

const NO_JSON: Why = "cannot be written: its header is not text";
const NO_ZSTD: Why = "cannot be written: zstd refuses";

/// The CRC of a chunk.
pub fn checksum(kind: u8, count: u32, payload: &[u8]) -> u32 {
    let mut crc = crc32fast::Hasher::new();
    crc.update(&[kind]);
    crc.update(&count.to_le_bytes());
    crc.update(payload);
    crc.finalize()
}

/// Writes one trace into buffers that the caller takes away.
pub struct Writer {
    packer: Packer,
    events: Vec<Event>,
    payload: Vec<u8>,
}

impl Writer {
    /// Begins a trace in `out`.
    pub fn new(header: &Header, out: &mut Vec<u8>) -> Result<Self, Why> {
        let writer = Self { packer: Packer::new()?, events: Vec::with_capacity(MOST_EVENTS), payload: Vec::new() };
        out.extend_from_slice(&MARK);
        put_json(HEADER, header, out)?;
        Ok(writer)
    }

    /// The header has grown: call this before the first event that needs it. Devices and processes keep their numbers.
    pub fn header(&mut self, header: &Header, out: &mut Vec<u8>) -> Result<(), Why> {
        self.flush(out)?;
        put_json(HEADER, header, out)
    }

    /// Adds an event, which did not arrive before the one before.
    #[inline]
    pub fn push(&mut self, event: &Event, out: &mut Vec<u8>) -> Result<(), Why> {
        self.events.push(*event);
        if self.events.len() == MOST_EVENTS { self.flush(out) } else { Ok(()) }
    }

    /// Packs what was added so far, so that it is not lost whatever comes.
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<(), Why> {
        if self.events.is_empty() {
            return Ok(());
        }
        self.payload.clear();
        self.packer.pack(&self.events, &mut self.payload)?;
        put(EVENTS, self.events.len(), &self.payload, out);
        self.events.clear();
        Ok(())
    }

    /// Adds samples of devices.
    pub fn samples(&mut self, samples: &[Sample], out: &mut Vec<u8>) -> Result<(), Why> {
        let json = serde_json::to_vec(samples).map_err(|_| NO_JSON)?;
        let packed = zstd::bulk::compress(&json, 1).map_err(|_| NO_ZSTD)?;
        put(SAMPLES, samples.len(), &packed, out);
        Ok(())
    }

    /// Ends the trace.
    pub fn finish(mut self, totals: &Totals, out: &mut Vec<u8>) -> Result<(), Why> {
        self.flush(out)?;
        put_json(TOTALS, totals, out)
    }
}

fn put_json(kind: u8, value: &impl serde::Serialize, out: &mut Vec<u8>) -> Result<(), Why> {
    let json = serde_json::to_vec(value).map_err(|_| NO_JSON)?;
    put(kind, 1, &json, out);
    Ok(())
}

fn put(kind: u8, count: usize, payload: &[u8], out: &mut Vec<u8>) {
    let count = count as u32;
    out.push(kind);
    out.extend_from_slice(&count.to_le_bytes());
    out.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    out.extend_from_slice(&checksum(kind, count, payload).to_le_bytes());
    out.extend_from_slice(payload);
}
