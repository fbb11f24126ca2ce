//! What a trace holds, device by device, before it is replayed.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::{Event, Header, OpKind, Source, Totals, UNKNOWN};
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
            own.source.skip_samples();
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
            self.devices[number].add(event);
        }
    }
}
