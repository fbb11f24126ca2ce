//! Events as bytes and back: column by column, each column byte by byte, so that what hardly changes packs to nothing.
//!
//! A column is the planes of its numbers: all lowest bytes, then all second ones, as many as the largest number has.
//! Each plane is a frame of zstd of its own: high bytes would spoil the code of low ones.

use zstd::bulk::{Compressor, Decompressor};

use crate::stream::Why;
use crate::trace::event::{Event, OpKind, UNKNOWN};

/// No block has more events.
pub const MOST_EVENTS: usize = 65_536;

const COLUMNS: usize = 7;
const LEVEL: i32 = 1;
/// A plane whose bytes are all the same is that byte.
const SAME: u32 = u32::MAX;
const DAMAGED: Why = "holds a block that is damaged";
const NO_MEMORY: Why = "cannot be packed: zstd refuses to start";

/// Packs blocks, one after another.
pub struct Packer {
    zstd: Compressor<'static>,
    column: Vec<u64>,
    plane: Vec<u8>,
}

/// Unpacks them.
pub struct Unpacker {
    zstd: Decompressor<'static>,
    columns: [Vec<u64>; COLUMNS],
    plane: Vec<u8>,
}

impl Packer {
    /// Before the first block.
    pub fn new() -> Result<Self, Why> {
        let zstd = Compressor::new(LEVEL).map_err(|_| NO_MEMORY)?;
        Ok(Self { zstd, column: Vec::new(), plane: Vec::new() })
    }

    /// Appends at most [`MOST_EVENTS`] events, ordered by arrival, to `out`.
    pub fn pack(&mut self, events: &[Event], out: &mut Vec<u8>) -> Result<(), Why> {
        let ones = events.iter().fold(0, |ones, event| ones | event.offset | u64::from(event.bytes));
        let shift = if ones == 0 { 0 } else { ones.trailing_zeros() };
        out.extend_from_slice(&shift.to_le_bytes());
        let first = events.first().map_or(0, |event| event.arrival_ns);
        out.extend_from_slice(&first.to_le_bytes());
        let mut before = first;
        let arrivals = events.iter().map(|event| {
            let gap = event.arrival_ns.wrapping_sub(before);
            before = event.arrival_ns;
            gap
        });
        self.column(arrivals, out)?;
        self.column(events.iter().map(|event| issue(event).wrapping_add(1)), out)?;
        // Most of what is waited for comes after the issue, and varies less from there.
        let latencies = events.iter().map(|event| match (event.latency_ns, issue(event)) {
            (UNKNOWN, _) => 0,
            (latency, UNKNOWN) => latency + 1,
            (latency, issue) => latency.wrapping_sub(issue).wrapping_add(1),
        });
        self.column(latencies, out)?;
        let kinds = events.iter().map(|event| event.kind as u64 | u64::from(event.device) << 2);
        self.column(kinds, out)?;
        self.column(events.iter().map(|event| u64::from(event.process)), out)?;
        self.column(events.iter().map(|event| event.offset >> shift), out)?;
        self.column(events.iter().map(|event| u64::from(event.bytes) >> shift), out)
    }

    fn column(&mut self, values: impl Iterator<Item = u64>, out: &mut Vec<u8>) -> Result<(), Why> {
        self.column.clear();
        self.column.extend(values);
        let ones = self.column.iter().fold(0, |ones, value| ones | value);
        let planes = (u64::BITS - ones.leading_zeros()).div_ceil(8);
        out.push(planes as u8);
        for place in 0..planes {
            self.plane.clear();
            self.plane.extend(self.column.iter().map(|value| (value >> (8 * place)) as u8));
            if self.plane.iter().all(|byte| *byte == self.plane[0]) {
                out.extend_from_slice(&SAME.to_le_bytes());
                out.push(self.plane[0]);
                continue;
            }
            let begin = out.len() + 4;
            out.resize(begin + zstd::zstd_safe::compress_bound(self.plane.len()), 0);
            let length = self.zstd.compress_to_buffer(&self.plane, &mut out[begin..]).map_err(|_| NO_MEMORY)?;
            out.truncate(begin + length);
            out[begin - 4..begin].copy_from_slice(&(length as u32).to_le_bytes());
        }
        Ok(())
    }
}

impl Unpacker {
    /// Before the first block.
    pub fn new() -> Result<Self, Why> {
        let zstd = Decompressor::new().map_err(|_| NO_MEMORY)?;
        Ok(Self { zstd, columns: Default::default(), plane: Vec::new() })
    }

    /// Appends the `count` events of a block to `events`, none of which is allowed to be of a device or process beyond
    /// these numbers of them.
    pub fn unpack(
        &mut self,
        mut bytes: &[u8],
        count: usize,
        names: (usize, usize),
        events: &mut Vec<Event>,
    ) -> Result<(), Why> {
        let shift = u32::from_le_bytes(take(&mut bytes)?);
        let mut arrival = u64::from_le_bytes(take(&mut bytes)?);
        if shift >= u64::BITS || count > MOST_EVENTS {
            return Err(DAMAGED);
        }
        for index in 0..COLUMNS {
            self.column(&mut bytes, count, index)?;
        }
        let [gaps, issues, latencies, kinds, processes, offsets, lengths] = &self.columns;
        events.reserve(count);
        for index in 0..count {
            arrival = arrival.checked_add(gaps[index]).ok_or(DAMAGED)?;
            let issue_ns = issues[index].wrapping_sub(1);
            let latency_ns = match (latencies[index], issue_ns) {
                (0, _) => UNKNOWN,
                (latency, UNKNOWN) => latency - 1,
                (latency, issue) => issue.wrapping_add(latency - 1),
            };
            let kind = OpKind::of((kinds[index] & 3) as u8).ok_or(DAMAGED)?;
            let device = (kinds[index] >> 2) as usize;
            let process = processes[index] as usize;
            let bytes = u32::try_from(lengths[index].wrapping_shl(shift)).map_err(|_| DAMAGED)?;
            if device >= names.0 || process >= names.1 {
                return Err(DAMAGED);
            }
            let (device, process, offset) = (device as u16, process as u16, offsets[index] << shift);
            events.push(Event { arrival_ns: arrival, issue_ns, latency_ns, kind, offset, bytes, device, process });
        }
        Ok(())
    }

    fn column(&mut self, bytes: &mut &[u8], count: usize, index: usize) -> Result<(), Why> {
        let [planes] = take(bytes)?;
        let column = &mut self.columns[index];
        column.clear();
        column.resize(count, 0);
        if planes > 8 {
            return Err(DAMAGED);
        }
        for place in 0..u32::from(planes) {
            let length = u32::from_le_bytes(take(bytes)?);
            if length == SAME {
                let [byte] = take(bytes)?;
                let value = u64::from(byte) << (8 * place);
                column.iter_mut().for_each(|slot| *slot |= value);
                continue;
            }
            let (packed, rest) = bytes.split_at_checked(length as usize).ok_or(DAMAGED)?;
            *bytes = rest;
            // Nothing longer than the plane comes out, whatever the frame says.
            self.plane.resize(count, 0);
            let length = self.zstd.decompress_to_buffer(packed, &mut self.plane[..]).map_err(|_| DAMAGED)?;
            if length != count {
                return Err(DAMAGED);
            }
            for (slot, byte) in column.iter_mut().zip(&self.plane) {
                *slot |= u64::from(*byte) << (8 * place);
            }
        }
        Ok(())
    }
}

/// Nothing is issued after its completion; where a clock says so, the issue is not known.
fn issue(event: &Event) -> u64 {
    if event.issue_ns > event.latency_ns { UNKNOWN } else { event.issue_ns }
}

fn take<const LENGTH: usize>(bytes: &mut &[u8]) -> Result<[u8; LENGTH], Why> {
    let (found, rest) = bytes.split_first_chunk::<LENGTH>().ok_or(DAMAGED)?;
    *bytes = rest;
    Ok(*found)
}
