//! Log files of other tools, chunk by chunk.

use std::sync::Mutex;

use plimsoll_logs::Reader;
use plimsoll_logs::stream::Refusal;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Adds the class of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<LogReader>()
}

/// A log file while it is read.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct LogReader(Mutex<Option<Reader>>);

#[pymethods]
impl LogReader {
    #[new]
    fn new(kind: &str) -> PyResult<Self> {
        let reader =
            Reader::of(kind).ok_or_else(|| PyValueError::new_err(format!("there is no log of kind {kind}")))?;
        Ok(Self(Mutex::new(Some(reader))))
    }

    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| self.reader().as_mut().map(|reader| reader.feed(chunk)));
        fed.ok_or_else(ended)?.map_err(|refusal| refused(&refusal))
    }

    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let answer = py.detach(|| self.reader().take().map(Reader::finish));
        crate::to_json(&answer.ok_or_else(ended)?.map_err(|refusal| refused(&refusal))?)
    }
}

impl LogReader {
    fn reader(&self) -> std::sync::MutexGuard<'_, Option<Reader>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("this log has been finished")
}

fn refused(refusal: &Refusal) -> PyErr {
    match crate::to_json(refusal) {
        Ok(text) => PyValueError::new_err(text),
        Err(error) => error,
    }
}
