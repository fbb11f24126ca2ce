//! Traces of I/O, chunk by chunk.

use std::sync::{Mutex, MutexGuard, PoisonError};

use plimsoll_logs::trace::conversion::Conversion;
use plimsoll_logs::trace::fault::Fault;
use plimsoll_logs::trace::merged::{Merged, Part};
use plimsoll_logs::trace::source::HEAD_BYTES;
use plimsoll_logs::trace::{Event, Header, Source};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Adds the classes of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("TRACE_HEAD_BYTES", HEAD_BYTES)?;
    module.add_class::<TraceReader>()?;
    module.add_class::<TraceMerge>()?;
    module.add_class::<TraceWriter>()
}

/// An event as Python sees it.
type Row = (u64, Option<u64>, Option<u64>, u8, u64, u32, u16, u16);

/// A trace while it is read: what is in it, and its samples.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceReader(Mutex<Reading>);

struct Reading {
    source: Source,
    batch: Vec<Event>,
}

#[pymethods]
impl TraceReader {
    #[new]
    #[pyo3(signature = (head, whole, format=None))]
    fn new(head: &[u8], whole: bool, format: Option<&str>) -> PyResult<Self> {
        let source = Source::new(head, whole, format).map_err(|fault| faulty(&fault))?;
        Ok(Self(Mutex::new(Reading { source, batch: Vec::new() })))
    }

    /// Reads on; the events of the chunk are counted.
    fn feed(&self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        let fed = py.detach(|| {
            let reading = &mut *self.reading();
            reading.source.feed(chunk)?;
            reading.source.take(&mut reading.batch);
            Ok(())
        });
        fed.map_err(|fault: Fault| faulty(&fault))
    }

    /// The header as JSON, or None before it has arrived.
    fn header(&self) -> PyResult<Option<String>> {
        self.reading().source.header().map(crate::to_json).transpose()
    }

    /// The events of the last chunk, as `(arrival_ns, issue_ns, latency_ns, kind, offset, bytes, device, process)`.
    fn events(&self) -> Vec<Row> {
        self.reading().batch.iter().map(row).collect()
    }

    /// The samples since the last call, as JSON.
    fn samples(&self) -> PyResult<String> {
        crate::to_json(&self.reading().source.take_samples())
    }

    /// No byte is left: the totals as JSON. `events` then has the last ones.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let totals = py.detach(|| {
            let reading = &mut *self.reading();
            reading.source.finish(&mut reading.batch)
        });
        crate::to_json(&totals.map_err(|fault| faulty(&fault))?)
    }
}

impl TraceReader {
    fn reading(&self) -> MutexGuard<'_, Reading> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn row(event: &Event) -> Row {
    let known = |time| (time != plimsoll_logs::trace::UNKNOWN).then_some(time);
    let Event { arrival_ns, issue_ns, latency_ns, kind, offset, bytes, device, process } = *event;
    (arrival_ns, known(issue_ns), known(latency_ns), kind as u8, offset, bytes, device, process)
}

/// Several traces while they become one in our own format.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceMerge(Mutex<(Option<Merged>, Vec<u8>)>);

#[pymethods]
impl TraceMerge {
    /// `parts` are `(head, whole, device, offset)` of each trace.
    #[new]
    fn new(parts: Vec<(Vec<u8>, bool, u16, u64)>, header_json: &str) -> PyResult<Self> {
        let header: Header =
            serde_json::from_str(header_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let opened = parts
            .iter()
            .map(|(head, whole, device, offset)| Ok(Part::new(Source::new(head, *whole, None)?, *device, *offset)));
        let mut out = Vec::new();
        let merged = opened.collect::<Result<_, Fault>>().and_then(|parts| Merged::new(parts, &header, &mut out));
        Ok(Self(Mutex::new((Some(merged.map_err(|fault| faulty(&fault))?), out))))
    }

    /// The number of the trace of which more is needed; None where all have ended.
    fn wants(&self) -> Option<usize> {
        self.merging().0.as_ref().and_then(Merged::wants)
    }

    /// Reads on in one of them; without a byte, to its end. The bytes of the merged trace.
    fn feed<'py>(&self, py: Python<'py>, number: usize, chunk: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let out = py.detach(|| {
            let (merged, out) = &mut *self.merging();
            if let Some(merged) = merged {
                merged.feed(number, chunk, out)?;
            }
            Ok(std::mem::take(out))
        });
        Ok(PyBytes::new(py, &out.map_err(|fault: Fault| faulty(&fault))?))
    }

    /// The end of the merged trace.
    fn finish<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let (merged, out) = &mut *self.merging();
        if let Some(merged) = merged.take() {
            merged.finish(out).map_err(|fault| faulty(&fault))?;
        }
        Ok(PyBytes::new(py, &std::mem::take(out)))
    }
}

impl TraceMerge {
    fn merging(&self) -> MutexGuard<'_, (Option<Merged>, Vec<u8>)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A trace in our own format while another one is converted to it.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct TraceWriter(Mutex<Conversion>);

#[pymethods]
impl TraceWriter {
    #[new]
    #[pyo3(signature = (from_first=false))]
    fn new(from_first: bool) -> Self {
        Self(Mutex::new(Conversion::new(from_first)))
    }

    /// What the last chunk of a reader held, as bytes of our own format.
    fn copy<'py>(&self, py: Python<'py>, reader: &TraceReader) -> PyResult<Bound<'py, PyBytes>> {
        let out = py.detach(|| {
            let reading = reader.reading();
            self.converting().add(&reading.source, &reading.batch)
        });
        Ok(PyBytes::new(py, &out.map_err(|fault| faulty(&fault))?))
    }

    /// The end of the file. `totals_json` are those of the reader.
    fn finish<'py>(&self, py: Python<'py>, totals_json: &str) -> PyResult<Bound<'py, PyBytes>> {
        let told = serde_json::from_str(totals_json).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &self.converting().finish(told).map_err(|fault| faulty(&fault))?))
    }
}

impl TraceWriter {
    fn converting(&self) -> MutexGuard<'_, Conversion> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fault as an exception, whose text is JSON.
pub fn faulty(fault: &Fault) -> PyErr {
    match crate::to_json(fault) {
        Ok(text) => PyValueError::new_err(text),
        Err(error) => error,
    }
}
