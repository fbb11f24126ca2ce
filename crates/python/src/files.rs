//! File-system tests: plan and run.

use std::time::Duration;

use plimsoll_files::spec::FilesSpec;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::to_json;

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FilesJob>()?;
    module.add_function(wrap_pyfunction!(files_plan, module)?)?;
    module.add_function(wrap_pyfunction!(files_start, module)?)
}

/// A running file-system job.
#[pyclass(frozen, module = "plimsoll._core")]
struct FilesJob(plimsoll_files::Job);

#[pymethods]
impl FilesJob {
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
fn files_plan(spec_json: &str) -> PyResult<String> {
    let plan = plimsoll_files::plan(&read(spec_json)?).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    to_json(&plan)
}

#[pyfunction]
fn files_start(py: Python<'_>, spec_json: &str) -> PyResult<FilesJob> {
    let spec = read(spec_json)?;
    let job = py.detach(|| plimsoll_files::Job::start(spec));
    job.map(FilesJob).map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))
}

fn read(spec_json: &str) -> PyResult<FilesSpec> {
    serde_json::from_str(spec_json).map_err(|error| PyValueError::new_err(format!("not a job spec: {error}")))
}
