//! What a trace holds, device by device, before it is replayed.

use std::sync::{Mutex, PoisonError};

use plimsoll_logs::trace::Source;
use plimsoll_logs::trace::survey::Survey;
use pyo3::prelude::*;

use crate::traces::faulty;

/// Adds the class of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<TraceSurvey>()
}

/// A trace while it is looked through.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceSurvey(Mutex<Survey>);

#[pymethods]
impl TraceSurvey {
    #[new]
    #[pyo3(signature = (head, whole, format=None))]
    fn new(head: &[u8], whole: bool, format: Option<&str>) -> PyResult<Self> {
        let source = Source::new(head, whole, format).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new(Survey::new(source))))
    }

    /// Reads on.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| self.0.lock().unwrap_or_else(PoisonError::into_inner).feed(chunk));
        fed.map_err(|fault| faulty(&fault))
    }

    /// No byte is left: header, totals and what each device was asked for, as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let survey = &mut *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = py.detach(|| survey.finish());
        crate::to_json(&found.map_err(|fault| faulty(&fault))?)
    }
}
