//! Emulated volumes: describe, simulate, serve.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use plimsoll_volume::error::VolumeError;
use plimsoll_volume::serve as served;
use plimsoll_volume::simulate::simulate_json;
use plimsoll_volume::spec::{ArraySpec, VolumeSpec};
use pyo3::exceptions::{PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;

use crate::job::no_thread;
use crate::record::Record;

/// How often a long call looks for Ctrl-C.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(50);

/// The options that the model itself knows.
pub fn records() -> Vec<Record> {
    let parameters = [VolumeSpec::table(), ArraySpec::table()].concat();
    vec![Record { name: "volume", base: None, parameters }]
}

/// Adds the functions of this file to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(volume_validate, module)?)?;
    module.add_function(wrap_pyfunction!(simulate, module)?)?;
    module.add_function(wrap_pyfunction!(serve, module)?)
}

#[pyfunction]
fn volume_validate(spec_json: &str) -> PyResult<u64> {
    VolumeSpec::from_json(spec_json).map(|spec| spec.device_bytes()).map_err(|error| refused(&error))
}

#[pyfunction]
fn simulate(py: Python<'_>, request_json: String) -> PyResult<String> {
    let (sender, receiver) = channel();
    // On a thread of its own, so that this one can look for Ctrl-C; an abandoned simulation ends with the process.
    let spawned = std::thread::Builder::new().name("simulate".to_owned()).spawn(move || {
        // Nobody listens any more after an interrupt.
        let _ = sender.send(simulate_json(&request_json));
    });
    spawned.map_err(|error| no_thread(&error))?;
    wait(py, receiver)?.map_err(|error| refused(&error))
}

fn wait<T: Send>(py: Python<'_>, mut receiver: Receiver<T>) -> PyResult<T> {
    loop {
        // Moved in and out: a receiver may be used by one thread only.
        let waited = py.detach(move || (receiver.recv_timeout(SIGNAL_INTERVAL), receiver));
        receiver = waited.1;
        match waited.0 {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => return Err(PyRuntimeError::new_err("the simulation panicked")),
        }
    }
}

#[pyfunction]
fn serve(
    py: Python<'_>,
    spec_json: &str,
    mountpoint: PathBuf,
    socket: PathBuf,
    ready: Bound<'_, PyAny>,
) -> PyResult<()> {
    let ready = ready.unbind();
    let result = py.detach(|| {
        let mut called = Ok(());
        let served = served::serve(spec_json, &mountpoint, &socket, &mut || {
            called = Python::attach(|py| ready.call0(py)).map(drop);
        });
        (called, served)
    });
    result.0?;
    result.1.map_err(|error| refused(&error))
}

fn refused(error: &VolumeError) -> PyErr {
    match error {
        VolumeError::Spec(message) => PyValueError::new_err(message.clone()),
        VolumeError::System { source, .. } => PyOSError::new_err((source.raw_os_error(), error.to_string())),
    }
}
