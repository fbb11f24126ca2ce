//! The handle of a running job, the same for every kind.

use std::time::Duration;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::de::DeserializeOwned;

/// Defines the Python class of a kind of job: what it is, its name, and the job itself.
macro_rules! job {
    ($(#[$about:meta])* $name:ident, $job:ty) => {
        $(#[$about])*
        #[pyclass(frozen, module = "plimsoll._core")]
        pub struct $name($job);

        #[pymethods]
        impl $name {
            fn poll(&self) -> PyResult<String> {
                $crate::to_json(&self.0.poll())
            }

            fn stop(&self) {
                self.0.stop();
            }

            #[pyo3(signature = (timeout_s=None))]
            fn result(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<Option<String>> {
                let timeout = $crate::job::timeout(timeout_s)?;
                let outcome = py.detach(|| self.0.result(timeout));
                outcome.map(|outcome| $crate::to_json(&outcome)).transpose()
            }
        }
    };
}
pub(crate) use job;

/// A limit in seconds.
pub fn timeout(seconds: Option<f64>) -> PyResult<Option<Duration>> {
    let read = seconds.map(Duration::try_from_secs_f64).transpose();
    read.map_err(|_| PyValueError::new_err("timeout_s must be a number of seconds, 0 or more"))
}

/// A request.
pub fn read<T: DeserializeOwned>(spec_json: &str) -> PyResult<T> {
    serde_json::from_str(spec_json).map_err(|error| malformed(&error.to_string()))
}

/// What is no request.
pub fn malformed(reason: &str) -> PyErr {
    PyValueError::new_err(format!("not a job spec: {reason}"))
}

/// The job, started.
pub fn started<T>(job: std::io::Result<T>) -> PyResult<T> {
    job.map_err(|error| no_thread(&error))
}

/// That a thread cannot be started; with two arguments Python chooses the subclass, here BlockingIOError.
pub fn no_thread(error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), format!("cannot start a thread: {error}")))
}
