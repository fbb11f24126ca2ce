//! The load of a trace, device by device.

use std::sync::{Mutex, PoisonError};

use plimsoll_logs::trace::Source;
use plimsoll_logs::trace::profile::Devices;
use pyo3::prelude::*;

use crate::traces::faulty;

/// Adds the class of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TraceProfile>()
}

/// A trace while its load is summed up.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceProfile(Mutex<Devices>);

#[pymethods]
impl TraceProfile {
    #[new]
    #[pyo3(signature = (head, whole, format=None, device=None))]
    fn new(head: &[u8], whole: bool, format: Option<&str>, device: Option<String>) -> PyResult<Self> {
        let source = Source::new(head, whole, format).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new(Devices::new(source, device))))
    }

    /// Reads on.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).feed(chunk));
        fed.map_err(|fault| faulty(&fault))
    }

    /// No byte is left: header, totals and the profile of each device, as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let found = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).finish());
        crate::to_json(&found.map_err(|fault| faulty(&fault))?)
    }
}
