//! Database tests: drivers, checks, jobs.

use std::time::Duration;

use plimsoll_db::spec::DbSpec;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::to_json;

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<DbJob>()?;
    module.add_function(wrap_pyfunction!(db_drivers, module)?)?;
    module.add_function(wrap_pyfunction!(db_check, module)?)?;
    module.add_function(wrap_pyfunction!(db_start, module)?)
}

/// A running database job.
#[pyclass(frozen, module = "plimsoll._core")]
struct DbJob(plimsoll_db::Job);

#[pymethods]
impl DbJob {
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
fn db_drivers() -> PyResult<String> {
    to_json(&plimsoll_db::drivers())
}

#[pyfunction]
fn db_check(py: Python<'_>, spec_json: &str) -> PyResult<Option<String>> {
    let spec = read(spec_json)?;
    Ok(py.detach(|| plimsoll_db::check(&spec)))
}

#[pyfunction]
fn db_start(py: Python<'_>, spec_json: &str) -> PyResult<DbJob> {
    let spec = read(spec_json)?;
    let job = py.detach(|| plimsoll_db::Job::start(spec));
    job.map(DbJob).map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))
}

fn read(spec_json: &str) -> PyResult<DbSpec> {
    serde_json::from_str(spec_json).map_err(|error| PyValueError::new_err(format!("not a job spec: {error}")))
}
