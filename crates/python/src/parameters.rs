//! The declared parameters of all jobs, from which `tools/parameters.py` makes Python's records.

use plimsoll_io::spec::JobSpec;
use pyo3::prelude::*;

use crate::record::Record;
use crate::{db, files, to_json, volume};

/// Adds the function of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(parameters, module)?)
}

#[pyfunction]
fn parameters() -> PyResult<String> {
    let io = Record { name: "io", base: None, parameters: JobSpec::table() };
    to_json(&[vec![io], files::records(), db::records(), volume::records()].concat())
}
