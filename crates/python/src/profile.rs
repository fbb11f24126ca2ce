//! The load of a trace, device by device.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::profile::{Device, Profile};
use plimsoll_logs::trace::{Event, Header, Source, Totals};
use pyo3::prelude::*;
use serde::Serialize;

use crate::traces::faulty;

/// So many devices of one trace are profiled.
const MOST_DEVICES: usize = 8;

/// Adds the class of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TraceProfile>()
}

/// A trace while its load is summed up.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceProfile(Mutex<Profiling>);

struct Profiling {
    source: Source,
    batch: Vec<Event>,
    devices: BTreeMap<u16, Device>,
    wanted: Option<String>,
}

#[derive(Serialize)]
struct Found<'a> {
    header: &'a Header,
    totals: &'a Totals,
    devices: BTreeMap<u16, Profile>,
}

#[pymethods]
impl TraceProfile {
    #[new]
    #[pyo3(signature = (head, whole, format=None, device=None))]
    fn new(head: &[u8], whole: bool, format: Option<&str>, device: Option<String>) -> PyResult<Self> {
        let source = Source::new(head, whole, format).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new(Profiling { source, batch: Vec::new(), devices: BTreeMap::new(), wanted: device })))
    }

    /// Reads on.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| {
            let own = &mut *self.own();
            own.source.feed(chunk)?;
            own.source.take(&mut own.batch);
            own.source.skip_samples();
            own.add()
        });
        fed.map_err(|fault| faulty(&fault))
    }

    /// No byte is left: header, totals and the profile of each device, as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let own = &mut *self.own();
        let found = py.detach(|| {
            let totals = own.source.finish(&mut own.batch)?;
            own.add()?;
            Ok((totals, own.devices.iter().map(|(number, device)| (*number, device.profile())).collect()))
        });
        let (totals, devices) = found.map_err(|fault: Fault| faulty(&fault))?;
        let header = own.source.header().cloned().unwrap_or_default();
        crate::to_json(&Found { header: &header, totals: &totals, devices })
    }
}

impl TraceProfile {
    fn own(&self) -> MutexGuard<'_, Profiling> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Profiling {
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
