//! Several traces as one: their I/Os in order of arrival, each trace with addresses of its own.
//!
//! All begin together. Which trace an I/O is from stays known: it stands in the place of the process.

use std::collections::VecDeque;

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::source::Source;
use crate::trace::writer::Writer;

/// One of the traces, with what becomes of it.
pub struct Part {
    source: Source,
    /// Which of its devices is taken.
    device: u16,
    /// Where its addresses begin.
    offset: u64,
    pending: VecDeque<Event>,
    ended: bool,
}

impl Part {
    /// The I/Os of `device`, with addresses from `offset` on.
    pub fn new(source: Source, device: u16, offset: u64) -> Self {
        Self { source, device, offset, pending: VecDeque::new(), ended: false }
    }
}

/// Traces while they arrive and are written as one.
pub struct Merged {
    parts: Vec<Part>,
    writer: Writer,
    totals: Totals,
    batch: Vec<Event>,
}

impl Merged {
    /// Begins a trace in `out`, whose header names one device, and one process for each part after the first name.
    pub fn new(parts: Vec<Part>, header: &Header, out: &mut Vec<u8>) -> Result<Self, Fault> {
        Ok(Self { parts, writer: Writer::new(header, out)?, totals: Totals::default(), batch: Vec::new() })
    }

    /// The part of which more is needed; none where all have ended.
    pub fn wants(&self) -> Option<usize> {
        self.parts.iter().position(|part| part.pending.is_empty() && !part.ended)
    }

    /// Reads on in one part, or to its end where no byte is left, and writes what is in order.
    pub fn feed(&mut self, number: usize, chunk: &[u8], out: &mut Vec<u8>) -> Result<(), Fault> {
        let part = &mut self.parts[number];
        if chunk.is_empty() {
            let told = part.source.finish(&mut self.batch)?;
            self.totals.cut |= told.cut;
            self.totals.recorded_ns = self.totals.recorded_ns.max(told.recorded_ns);
            part.ended = true;
        } else {
            part.source.feed(chunk)?;
            part.source.take(&mut self.batch);
        }
        let (device, offset, process) = (part.device, part.offset, number as u16 + 1);
        let own = self.batch.iter().filter(|event| event.device == device);
        part.pending.extend(own.map(|event| Event {
            device: 0,
            process,
            offset: event.offset.saturating_add(offset),
            ..*event
        }));
        self.write(out)
    }

    /// Ends the trace.
    pub fn finish(self, out: &mut Vec<u8>) -> Result<(), Fault> {
        Ok(self.writer.finish(&self.totals, out)?)
    }

    fn write(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        while self.wants().is_none() {
            let next = self.parts.iter_mut().filter(|part| !part.pending.is_empty());
            let Some(part) = next.min_by_key(|part| part.pending[0].arrival_ns) else { break };
            let Some(event) = part.pending.pop_front() else { break };
            self.totals.add(&event);
            self.writer.push(&event, out)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::header::Device;

    fn text(times: &[u64]) -> String {
        let line =
            |&at: &u64| format!("8,0 1 1 {at}.000000000 7 Q R 16 + 8 [a]\n8,0 1 2 {at}.000100000 7 C R 16 + 8 [0]\n");
        times.iter().map(line).collect()
    }

    #[test]
    fn events_come_in_order_with_addresses_of_their_own() {
        let texts = [text(&[1, 4, 5]), text(&[2, 3, 9])];
        let parts = texts
            .iter()
            .zip([0, 1 << 20])
            .map(|(text, offset)| Part::new(Source::new(text.as_bytes(), true, None).unwrap(), 0, offset));
        let (mut out, mut fed) = (Vec::new(), [false; 2]);
        let processes = ["", "one", "other"].map(str::to_owned).to_vec();
        let header = Header { devices: vec![Device::default()], processes, ..Header::of("merged", 1) };
        let mut merged = Merged::new(parts.collect(), &header, &mut out).unwrap();
        while let Some(number) = merged.wants() {
            let chunk = if std::mem::replace(&mut fed[number], true) { &[][..] } else { texts[number].as_bytes() };
            merged.feed(number, chunk, &mut out).unwrap();
        }
        merged.finish(&mut out).unwrap();
        let mut source = Source::new(&out, true, None).unwrap();
        source.feed(&out).unwrap();
        let mut events = Vec::new();
        let totals = source.finish(&mut events).unwrap();
        let told: Vec<_> =
            events.iter().map(|event| (event.arrival_ns / 1_000_000_000, event.offset, event.process)).collect();
        let (low, high) = (16 * 512, (1 << 20) + 16 * 512);
        // Text begins with its first I/O.
        assert_eq!(told, [(0, low, 1), (0, high, 2), (1, high, 2), (3, low, 1), (4, low, 1), (7, high, 2)]);
        assert_eq!(totals.kinds[0].events, 6);
    }
}
