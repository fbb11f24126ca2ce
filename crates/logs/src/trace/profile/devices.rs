//! The load of a trace, device by device.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Header, Totals};
use crate::trace::profile::device::{Device, Profile};
use crate::trace::source::Source;

/// So many devices of one trace are profiled.
const MOST_DEVICES: usize = 8;

/// A trace while its load is summed up: `feed`, again and again, then `finish`.
pub struct Devices {
    source: Source,
    batch: Vec<Event>,
    devices: BTreeMap<u16, Device>,
    wanted: Option<String>,
}

/// All that was found.
#[derive(Serialize)]
pub struct Found {
    header: Header,
    totals: Totals,
    devices: BTreeMap<u16, Profile>,
}

impl Devices {
    /// Of what this reads: all devices, or the one of that name.
    pub fn new(source: Source, wanted: Option<String>) -> Self {
        Self { source, batch: Vec::new(), devices: BTreeMap::new(), wanted }
    }

    /// Reads on.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), Fault> {
        self.source.feed(chunk)?;
        self.source.take(&mut self.batch);
        self.source.skip_samples();
        self.add()
    }

    /// No byte is left.
    pub fn finish(&mut self) -> Result<Found, Fault> {
        let totals = self.source.finish(&mut self.batch)?;
        self.add()?;
        let devices = self.devices.iter().map(|(number, device)| (*number, device.profile())).collect();
        Ok(Found { header: self.source.header().cloned().unwrap_or_default(), totals, devices })
    }

    fn add(&mut self) -> Result<(), Fault> {
        let Some(header) = self.source.header() else { return Ok(()) };
        let name = |number: u16| header.devices.get(usize::from(number)).map(|device| device.name.as_str());
        for event in &self.batch {
            if self.wanted.is_some() && name(event.device) != self.wanted.as_deref() {
                continue;
            }
            if !self.devices.contains_key(&event.device) && self.devices.len() >= MOST_DEVICES {
                let why = format!("has more than {MOST_DEVICES} devices; say which with --device NAME");
                return Err(Fault::of_file(why));
            }
            if !self.devices.entry(event.device).or_default().add(event) {
                return Err(Fault::of_file("spans more than six weeks; cut it, or look for a wrong time"));
            }
        }
        Ok(())
    }
}
