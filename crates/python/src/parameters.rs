//! The declared parameters of all jobs, from which `tools/parameters.py` makes Python's records.

use plimsoll_core::parameters::Parameter;
use plimsoll_io::spec::JobSpec;
use pyo3::prelude::*;
use serde::Serialize;

use crate::{db, files, to_json, volume};

/// The parameters of a workload, or those that several have.
#[derive(Clone, Serialize)]
pub struct Record {
    /// Of the workload, or of the kind of workload.
    pub name: &'static str,
    /// The record whose parameters it has as well.
    pub base: Option<&'static str>,
    /// In the order of the declaration.
    pub parameters: Vec<Parameter>,
}

/// Adds the function of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parameters, module)?)
}

#[pyfunction]
fn parameters() -> PyResult<String> {
    let io = Record { name: "io", base: None, parameters: JobSpec::table() };
    to_json(&[vec![io], files::records(), db::records(), volume::records()].concat())
}
