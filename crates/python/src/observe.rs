//! The recording of what goes to block devices: pages of the kernel's ring buffers in, a trace out.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_logs::stream::Why;
use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::kernel::tap::{Setup, Tap};
use plimsoll_logs::trace::sample::Sample;
use plimsoll_logs::trace::writer::Writer;
use plimsoll_logs::trace::{Header, Totals};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::DeserializeOwned;

use crate::traces::faulty;

/// Adds the classes of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<KernelTap>()?;
    module.add_class::<SampleWriter>()
}

/// A recording under way.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct KernelTap(Mutex<(Tap, Vec<u8>)>);

#[pymethods]
impl KernelTap {
    #[new]
    fn new(setup_json: &str) -> PyResult<Self> {
        let (setup, mut out): (Setup, _) = (parsed(setup_json)?, Vec::new());
        let tap = Tap::new(setup, &mut out).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new((tap, out))))
    }

    /// A page of one processor's buffer.
    fn page(&self, py: Python<'_>, page: &[u8]) {
        py.detach(|| self.tap().0.page(page));
    }

    /// When the devices' counters were read, the first time and the last.
    fn edge(&self, begin_ns: u64, end_ns: u64) {
        self.tap().0.edge(begin_ns, end_ns);
    }

    /// Everything before this moment has been given: what the trace goes on with.
    fn advance<'py>(&self, py: Python<'py>, until_ns: u64, whole: bool) -> PyResult<Bound<'py, PyBytes>> {
        self.out(py, |tap, out| {
            tap.advance(until_ns, out)?;
            if whole { tap.flush(out) } else { Ok(()) }
        })
    }

    /// How a file begins that goes on with what comes from now on.
    fn begin<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.out(py, |tap, out| tap.begin(out))
    }

    /// A `State` as JSON.
    fn state(&self) -> PyResult<String> {
        crate::to_json(self.tap().0.state())
    }

    /// The end of the trace, given `Totals` with what only the caller knows; and all totals, as JSON.
    fn finish<'py>(&self, py: Python<'py>, totals_json: &str) -> PyResult<(Bound<'py, PyBytes>, String)> {
        let mut totals: Totals = parsed(totals_json)?;
        let out = self.out(py, |tap, out| tap.finish(&mut totals, out))?;
        Ok((out, crate::to_json(&totals)?))
    }
}

impl KernelTap {
    fn tap(&self) -> MutexGuard<'_, (Tap, Vec<u8>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn out<'py>(
        &self,
        py: Python<'py>,
        work: impl FnOnce(&mut Tap, &mut Vec<u8>) -> Result<(), Fault> + Send,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let out = py.detach(|| {
            let (tap, out) = &mut *self.tap();
            work(tap, out).map(|()| std::mem::take(out))
        });
        Ok(PyBytes::new(py, &out.map_err(|fault| faulty(&fault))?))
    }
}

/// A trace of counters under way.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct SampleWriter(Mutex<Option<(Writer, Vec<u8>)>>);

#[pymethods]
impl SampleWriter {
    #[new]
    fn new(header_json: &str) -> PyResult<Self> {
        let (header, mut out): (Header, _) = (parsed(header_json)?, Vec::new());
        let writer = Writer::new(&header, &mut out).map_err(refused)?;
        Ok(Self(Mutex::new(Some((writer, out)))))
    }

    /// What the trace goes on with, for these samples in JSON.
    fn samples<'py>(&self, py: Python<'py>, samples_json: &str) -> PyResult<Bound<'py, PyBytes>> {
        let samples: Vec<Sample> = parsed(samples_json)?;
        let mut held = self.held();
        let (writer, out) = held.as_mut().ok_or_else(ended)?;
        writer.samples(&samples, out).map_err(refused)?;
        Ok(PyBytes::new(py, &std::mem::take(out)))
    }

    /// How it ends.
    fn finish<'py>(&self, py: Python<'py>, totals_json: &str) -> PyResult<Bound<'py, PyBytes>> {
        let totals: Totals = parsed(totals_json)?;
        let (writer, mut out) = self.held().take().ok_or_else(ended)?;
        writer.finish(&totals, &mut out).map_err(refused)?;
        Ok(PyBytes::new(py, &out))
    }
}

impl SampleWriter {
    fn held(&self) -> MutexGuard<'_, Option<(Writer, Vec<u8>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn parsed<T: DeserializeOwned>(json: &str) -> PyResult<T> {
    serde_json::from_str(json).map_err(|error| PyValueError::new_err(error.to_string()))
}

fn ended() -> PyErr {
    PyValueError::new_err("this trace has been finished")
}

fn refused(why: Why) -> PyErr {
    faulty(&why.into())
}
