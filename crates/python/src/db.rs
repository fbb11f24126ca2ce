//! Database tests: drivers, jobs, and what loads have left.

use std::iter;

use plimsoll_db::parameters::WORKLOADS;
use plimsoll_db::spec::DbSpec;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

use crate::job::{Job, read};
use crate::record::Record;
use crate::to_json;

/// The records of parameters of this kind of job: the common one, then those of the workloads.
pub fn records() -> Vec<Record> {
    let common = Record { name: "db", base: None, parameters: DbSpec::table() };
    let own = WORKLOADS.iter().map(|&(name, table)| Record { name, base: Some("db"), parameters: table() });
    iter::once(common).chain(own).collect()
}

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(db_drivers, module)?)?;
    module.add_function(wrap_pyfunction!(db_validate, module)?)?;
    module.add_function(wrap_pyfunction!(db_validate_address, module)?)?;
    module.add_function(wrap_pyfunction!(db_start, module)?)?;
    module.add_function(wrap_pyfunction!(db_made, module)?)?;
    module.add_function(wrap_pyfunction!(db_drop_made, module)?)
}

#[pyfunction]
fn db_drivers() -> PyResult<String> {
    to_json(&plimsoll_db::drivers())
}

#[pyfunction]
fn db_validate(py: Python<'_>, spec_json: &str) -> PyResult<Option<String>> {
    let spec: DbSpec = read(spec_json)?;
    Ok(py.detach(|| plimsoll_db::validate(&spec)).err().map(|error| error.to_string()))
}

#[pyfunction]
fn db_validate_address(py: Python<'_>, spec_json: &str) -> PyResult<Option<String>> {
    let spec: DbSpec = read(spec_json)?;
    Ok(py.detach(|| plimsoll_db::validate_address(&spec)).err().map(|error| error.to_string()))
}

#[pyfunction]
fn db_start(py: Python<'_>, spec_json: &str) -> PyResult<Job> {
    Job::start::<plimsoll_db::Runner>(py, read(spec_json)?)
}

#[pyfunction]
fn db_made(py: Python<'_>, spec_json: &str) -> PyResult<String> {
    let spec: DbSpec = read(spec_json)?;
    to_json(&py.detach(|| plimsoll_db::made(spec)).map_err(PyRuntimeError::new_err)?)
}

#[pyfunction]
fn db_drop_made(py: Python<'_>, spec_json: &str, names: Vec<String>) -> PyResult<String> {
    let spec: DbSpec = read(spec_json)?;
    to_json(&py.detach(|| plimsoll_db::drop_made(spec, &names)).map_err(PyRuntimeError::new_err)?)
}
