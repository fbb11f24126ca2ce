//! `plimsoll._core`: the measuring core as a Python module. The only crate that knows Python.
//!
//! Everything crosses the boundary as JSON, so that the records have one definition per side and no glue in between. What
//! users of the module read is in `python/plimsoll/_core.pyi`.

mod db;
mod files;
mod job;
mod logs;
mod observe;
mod parameters;
mod profile;
mod record;
mod replay;
mod request;
mod traces;
mod volume;

use std::path::Path;

use plimsoll_io::direct;
use plimsoll_io::engines as list;
use pyo3::exceptions::{PyOSError, PyRuntimeError};
use pyo3::prelude::*;
use serde::Serialize;

use crate::job::{Job, malformed};
use crate::request::Unreadable;

#[pyfunction]
fn start(py: Python<'_>, spec_json: &str) -> PyResult<Job> {
    let spec = request::read(spec_json).map_err(|reason| malformed(&reason.into_message()))?;
    Job::start::<plimsoll_io::Runner>(py, spec)
}

#[pyfunction]
fn validate(py: Python<'_>, spec_json: &str) -> PyResult<Option<String>> {
    match request::read(spec_json) {
        Ok(spec) => Ok(py.detach(|| plimsoll_io::validate(&spec)).err().map(|error| error.to_string())),
        Err(Unreadable::NotFinite(message)) => Ok(Some(message)),
        Err(Unreadable::Malformed(message)) => Err(malformed(&message)),
    }
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
    stores: bool,
    dataless: bool,
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
        stores: caps.stores,
        dataless: caps.dataless,
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
    module.add_function(wrap_pyfunction!(validate, module)?)?;
    module.add_function(wrap_pyfunction!(engines, module)?)?;
    module.add_function(wrap_pyfunction!(alignment, module)?)?;
    db::register(module)?;
    files::register(module)?;
    logs::register(module)?;
    observe::register(module)?;
    parameters::register(module)?;
    traces::register(module)?;
    profile::register(module)?;
    replay::register(module)?;
    volume::register(module)
}
