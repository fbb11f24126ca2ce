//! `plimsoll._core`: the measuring core as a Python module. The only crate that knows Python.
//!
//! Everything crosses the boundary as JSON, so that the records have one definition per side and no glue in between. What
//! users of the module read is in `python/plimsoll/_core.pyi`.

mod db;
mod files;
mod request;
mod volume;

use std::path::Path;
use std::time::Duration;

use plimsoll_io::check as possible;
use plimsoll_io::direct;
use plimsoll_io::engines as list;
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::request::Unreadable;

/// A running job.
#[pyclass(frozen, module = "plimsoll._core")]
struct Job(plimsoll_io::Job);

#[pymethods]
impl Job {
    fn poll(&self) -> PyResult<String> {
        to_json(&self.0.poll())
    }

    fn stop(&self) {
        self.0.stop();
    }

    #[pyo3(signature = (timeout_s=None))]
    fn result(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<Option<String>> {
        let timeout = match timeout_s.map(Duration::try_from_secs_f64).transpose() {
            Ok(timeout) => timeout,
            Err(_) => return Err(PyValueError::new_err("timeout_s must be a number of seconds, 0 or more")),
        };
        let outcome = py.detach(|| self.0.result(timeout));
        outcome.map(|outcome| to_json(&outcome)).transpose()
    }
}

#[pyfunction]
fn start(py: Python<'_>, spec_json: &str) -> PyResult<Job> {
    let spec = request::read(spec_json).map_err(|reason| malformed(&reason.into_message()))?;
    let job = py.detach(|| plimsoll_io::Job::start(spec));
    job.map(Job).map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))
}

#[pyfunction]
fn check(py: Python<'_>, spec_json: &str) -> PyResult<Option<String>> {
    match request::read(spec_json) {
        Ok(spec) => Ok(py.detach(|| possible::check(&spec)).err().map(|error| error.to_string())),
        Err(Unreadable::NotFinite(message)) => Ok(Some(message)),
        Err(Unreadable::Malformed(message)) => Err(malformed(&message)),
    }
}

fn malformed(reason: &str) -> PyErr {
    PyValueError::new_err(format!("not a job spec: {reason}"))
}

/// One engine as Python sees it.
#[derive(Serialize)]
struct EngineRow {
    name: &'static str,
    description: &'static str,
    max_depth: Option<u32>,
    direct: bool,
    trim: bool,
    asynchronous: bool,
    available: bool,
    reason: Option<String>,
}

#[pyfunction]
fn engines(py: Python<'_>) -> PyResult<String> {
    let rows: Vec<EngineRow> = py.detach(|| list::LIST.iter().map(row).collect());
    to_json(&rows)
}

fn row(entry: &list::Entry) -> EngineRow {
    let (caps, reason) = (entry.caps, (entry.available)().err());
    EngineRow {
        name: caps.name,
        description: caps.description,
        max_depth: caps.max_depth,
        direct: caps.direct,
        trim: caps.trim_file || caps.trim_device,
        asynchronous: caps.asynchronous,
        available: reason.is_none(),
        reason,
    }
}

#[pyfunction]
fn alignment(py: Python<'_>, path: &str) -> PyResult<String> {
    let found = py.detach(|| direct::alignment(Path::new(path))).map_err(|error| {
        // Three arguments make Python choose the subclass (FileNotFoundError, …) and keep errno and file name.
        PyOSError::new_err((error.raw_os_error(), error.to_string(), path.to_owned()))
    })?;
    to_json(&serde_json::json!({ "memory": found.memory, "offset": found.offset }))
}

fn to_json(value: &impl Serialize) -> PyResult<String> {
    serde_json::to_string(value).map_err(|error| PyRuntimeError::new_err(format!("cannot encode a record: {error}")))
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("version", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<Job>()?;
    module.add_function(wrap_pyfunction!(start, module)?)?;
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(engines, module)?)?;
    module.add_function(wrap_pyfunction!(alignment, module)?)?;
    db::register(module)?;
    files::register(module)?;
    volume::register(module)
}
