//! Where the rows of a text go: names become numbers, times become order.

use std::collections::HashMap;

use crate::stream::Why;
use crate::trace::event::Event;
use crate::trace::fault::Fault;
use crate::trace::header::{Device, Header, MOST_NAMES, Totals};
use crate::trace::order::Order;

const TOO_MANY: Why = "names the 65,536th device or process, which is more than a trace has; split the file";
const LONGEST_NAME: usize = 256;

/// What a text has told so far.
pub struct Sink {
    /// Grows with the names.
    pub header: Header,
    /// What is left out is said here; the events are counted later.
    pub totals: Totals,
    /// Rows that are I/Os, or say something of one.
    pub rows: u64,
    order: Order,
    devices: HashMap<Vec<u8>, u16>,
    processes: HashMap<Vec<u8>, u16>,
    last_device: (Vec<u8>, u16),
    unix: bool,
}

impl Sink {
    /// Of a source with this header; `unix` says that its times count from 1970.
    pub fn new(header: Header, unix: bool) -> Self {
        Self {
            unix,
            header,
            totals: Totals::default(),
            rows: 0,
            order: Order::default(),
            devices: HashMap::new(),
            processes: HashMap::new(),
            last_device: (Vec::new(), 0),
        }
    }

    /// The number of a device with this name; `describe` tells what is known of a new one.
    #[inline]
    pub fn device(&mut self, name: &[u8], describe: impl FnOnce(String) -> Device) -> Result<u16, Why> {
        if self.last_device.0 == name && !self.devices.is_empty() {
            return Ok(self.last_device.1);
        }
        let number = match self.devices.get(name) {
            Some(number) => *number,
            None => {
                let number = fresh(self.devices.len())?;
                self.devices.insert(name.to_vec(), number);
                self.header.devices.push(describe(shown(name)));
                number
            }
        };
        self.last_device = (name.to_vec(), number);
        Ok(number)
    }

    /// The number of a process with this name; 0 is nobody.
    pub fn process(&mut self, name: &[u8]) -> Result<u16, Why> {
        if name.is_empty() {
            return Ok(0);
        }
        if let Some(number) = self.processes.get(name) {
            return Ok(*number);
        }
        let number = fresh(self.header.processes.len())?;
        self.processes.insert(name.to_vec(), number);
        self.header.processes.push(shown(name));
        Ok(number)
    }

    /// Takes an event in the source's own time.
    #[inline]
    pub fn event(&mut self, event: Event, line: u64) -> Result<(), Fault> {
        self.order.push(event, line)
    }

    /// Takes what is in order.
    pub fn take(&mut self, events: &mut Vec<Event>) {
        self.order.take(events);
        if self.unix && self.header.start_unix_ns.is_none() {
            self.header.start_unix_ns = self.order.first_ns().and_then(|first| i64::try_from(first).ok());
        }
    }

    /// No row is left.
    pub fn finish(&mut self) {
        self.order.finish();
        self.order.tell(&mut self.totals);
    }
}

fn fresh(known: usize) -> Result<u16, Why> {
    if known >= MOST_NAMES { Err(TOO_MANY) } else { Ok(known as u16) }
}

fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(&name[..name.len().min(LONGEST_NAME)]).into_owned()
}
