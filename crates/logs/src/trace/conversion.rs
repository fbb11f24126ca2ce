//! A trace in our own format, made of one that is read.

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::source::Source;
use crate::trace::writer::Writer;

/// A conversion under way: `add` for what each chunk of the other held, then `finish`.
pub struct Conversion {
    writer: Option<Writer>,
    header: Header,
    totals: Totals,
    /// Whether the trace begins with its first event, wherever that is in what is read.
    from_first: bool,
    /// What all times are moved back by.
    begin_ns: u64,
}

impl Conversion {
    /// All of the other, or what it holds `from_first` event on.
    pub fn new(from_first: bool) -> Self {
        Self { writer: None, header: Header::default(), totals: Totals::default(), from_first, begin_ns: 0 }
    }

    /// These events of `source`: what our file goes on with.
    pub fn add(&mut self, source: &Source, batch: &[Event]) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        let Some(header) = source.header() else { return Ok(out) };
        let grown = *header != self.header;
        if grown {
            self.header = header.clone();
        }
        let writer = match &mut self.writer {
            Some(writer) => {
                if grown {
                    writer.header(&moved(header, self.begin_ns), &mut out)?;
                }
                writer
            }
            empty => {
                if self.from_first {
                    let Some(first) = batch.first() else { return Ok(out) };
                    self.begin_ns = first.arrival_ns;
                }
                empty.insert(Writer::new(&moved(header, self.begin_ns), &mut out)?)
            }
        };
        for event in batch {
            let event = Event { arrival_ns: event.arrival_ns.saturating_sub(self.begin_ns), ..*event };
            writer.push(&event, &mut out)?;
            self.totals.add(&event);
        }
        Ok(out)
    }

    /// How our file ends, given the totals of the other.
    pub fn finish(&mut self, told: Totals) -> Result<Vec<u8>, Fault> {
        let mut out = Vec::new();
        // Nothing came that a beginning could have waited for.
        if self.writer.is_none() && self.from_first && self.header != Header::default() {
            self.writer = Some(Writer::new(&self.header, &mut out)?);
        }
        if let Some(writer) = self.writer.take() {
            let Totals { kinds, unfinished, last_arrival_ns, .. } = std::mem::take(&mut self.totals);
            let recorded_ns = told.recorded_ns.saturating_sub(self.begin_ns);
            let totals = Totals { kinds, unfinished, last_arrival_ns, recorded_ns, cut: false, ..told };
            writer.finish(&totals, &mut out)?;
        }
        Ok(out)
    }
}

/// The header of a trace that begins so much later.
fn moved(header: &Header, by_ns: u64) -> Header {
    let start_unix_ns = header.start_unix_ns.map(|start| start.saturating_add_unsigned(by_ns));
    Header { start_unix_ns, ..header.clone() }
}
