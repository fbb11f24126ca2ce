//! What a trace holds, device by device, before it is replayed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::{Event, Header, Source, Totals};
use pyo3::prelude::*;
use serde::Serialize;

use crate::traces::faulty;

/// Adds the class of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TraceSurvey>()
}

/// A trace while it is looked through.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceSurvey(Mutex<Surveying>);

struct Surveying {
    source: Source,
    batch: Vec<Event>,
    devices: Vec<Part>,
}

/// What one device was asked for.
#[derive(Debug, Clone, Default, Serialize)]
struct Part {
    /// Reads, writes, trims, flushes.
    events: [u64; 4],
    /// Behind the last byte that was used.
    extent: u64,
    longest: u32,
    last_ns: u64,
}

#[derive(Serialize)]
struct Survey<'a> {
    header: &'a Header,
    totals: &'a Totals,
    devices: &'a [Part],
}

#[pymethods]
impl TraceSurvey {
    #[new]
    #[pyo3(signature = (head, whole, format=None))]
    fn new(head: &[u8], whole: bool, format: Option<&str>) -> PyResult<Self> {
        let source = Source::new(head, whole, format).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new(Surveying { source, batch: Vec::new(), devices: Vec::new() })))
    }

    /// Reads on.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed: Result<(), Fault> = py.detach(|| {
            let own = &mut *self.own();
            own.source.feed(chunk)?;
            own.source.take(&mut own.batch);
            own.count();
            Ok(())
        });
        fed.map_err(|fault| faulty(&fault))
    }

    /// No byte is left: header, totals and what each device was asked for, as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let own = &mut *self.own();
        let totals: Result<Totals, Fault> = py.detach(|| {
            let totals = own.source.finish(&mut own.batch)?;
            own.count();
            Ok(totals)
        });
        let totals = totals.map_err(|fault| faulty(&fault))?;
        let header = own.source.header().cloned().unwrap_or_default();
        crate::to_json(&Survey { header: &header, totals: &totals, devices: &own.devices })
    }
}

impl TraceSurvey {
    fn own(&self) -> MutexGuard<'_, Surveying> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Surveying {
    fn count(&mut self) {
        for event in &self.batch {
            let number = usize::from(event.device);
            if number >= self.devices.len() {
                self.devices.resize(number + 1, Part::default());
            }
            let part = &mut self.devices[number];
            part.events[event.kind as usize] += 1;
            part.extent = part.extent.max(event.end());
            part.longest = part.longest.max(event.bytes);
            part.last_ns = part.last_ns.max(event.arrival_ns);
        }
    }
}
