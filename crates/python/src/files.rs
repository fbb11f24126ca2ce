//! File-system tests: validate and run.

use std::iter;

use plimsoll_files::common::Common;
use plimsoll_files::spec::FilesSpec;
use plimsoll_files::workloads::LIST;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::job::{Job, read};
use crate::record::Record;
use crate::to_json;

/// The records of parameters of this kind of job: the common one, then those of the workloads.
pub fn records() -> Vec<Record> {
    let common = Record { name: "files", base: None, parameters: Common::table() };
    let own = LIST.iter().map(|each| Record { name: each.name, base: Some("files"), parameters: (each.table)() });
    iter::once(common).chain(own).collect()
}

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(files_validate, module)?)?;
    module.add_function(wrap_pyfunction!(files_start, module)?)
}

#[pyfunction]
fn files_validate(spec_json: &str) -> PyResult<String> {
    let spec: FilesSpec = read(spec_json)?;
    let plan = plimsoll_files::validate(&spec).map_err(|fault| PyValueError::new_err(fault.to_string()))?;
    to_json(&plan)
}

#[pyfunction]
fn files_start(py: Python<'_>, spec_json: &str) -> PyResult<Job> {
    Job::start::<plimsoll_files::Runner>(py, read(spec_json)?)
}
