//! What a trace holds, device by device, in one pass.

use serde::Serialize;

use crate::trace::event::{Event, OpKind, UNKNOWN};
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::source::Source;

/// What one device was asked for.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Part {
    /// Reads, writes, trims, flushes.
    events: [u64; 4],
    /// Behind the last byte that was used.
    extent: u64,
    longest: u32,
    last_ns: u64,
    /// Whose end is known.
    timed: u64,
    /// The most that arrived at one moment.
    together: u64,
    /// Those that do not begin and end at multiples of 512, and of 4,096 bytes.
    unaligned: [u64; 2],
    /// Of the last that arrived: when, and how many did so then.
    #[serde(skip)]
    moment: (u64, u64),
}

const UNITS: [u64; 2] = [512, 4096];

impl Part {
    fn add(&mut self, event: &Event) {
        self.events[event.kind as usize] += 1;
        self.extent = self.extent.max(event.end());
        self.longest = self.longest.max(event.bytes);
        self.last_ns = self.last_ns.max(event.arrival_ns);
        self.timed += u64::from(event.latency_ns != UNKNOWN);
        self.moment = (event.arrival_ns, if self.moment.0 == event.arrival_ns { self.moment.1 + 1 } else { 1 });
        self.together = self.together.max(self.moment.1);
        if matches!(event.kind, OpKind::Read | OpKind::Write) {
            for (count, unit) in self.unaligned.iter_mut().zip(UNITS) {
                *count += u64::from(!event.offset.is_multiple_of(unit) || !u64::from(event.bytes).is_multiple_of(unit));
            }
        }
    }
}

/// A trace while it is looked through: `feed`, again and again, then `finish`.
pub struct Survey {
    source: Source,
    batch: Vec<Event>,
    devices: Vec<Part>,
}

/// All that was found.
#[derive(Serialize)]
pub struct Found<'a> {
    header: Header,
    totals: Totals,
    devices: &'a [Part],
}

impl Survey {
    /// Of what this reads.
    pub fn new(source: Source) -> Self {
        Self { source, batch: Vec::new(), devices: Vec::new() }
    }

    /// Reads on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        self.source.feed(chunk)?;
        self.source.take(&mut self.batch);
        self.source.skip_samples();
        self.count();
        Ok(())
    }

    /// No byte is left.
    pub fn finish(&mut self) -> Result<Found<'_>, Fault> {
        let totals = self.source.finish(&mut self.batch)?;
        self.count();
        Ok(Found { header: self.source.header().cloned().unwrap_or_default(), totals, devices: &self.devices })
    }

    fn count(&mut self) {
        for event in &self.batch {
            let number = usize::from(event.device);
            if number >= self.devices.len() {
                self.devices.resize(number + 1, Part::default());
            }
            self.devices[number].add(event);
        }
    }
}
