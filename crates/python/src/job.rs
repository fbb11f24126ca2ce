//! The handle of a running job, the same for every kind.

use std::time::Duration;

use plimsoll_core::go::NotNow;
use plimsoll_core::job::{self, Work};
use plimsoll_core::outcome::Progress;
use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::to_json;

/// A running job of any kind.
#[pyclass(frozen, module = "plimsoll._core")]
pub struct Job(Box<dyn Handle>);

/// What Python may ask of a job, whatever its kind.
trait Handle: Send + Sync {
    fn poll(&self) -> Progress;
    fn go(&self, begin_ns: u64) -> Result<(), NotNow>;
    fn stop(&self);
    fn result(&self, timeout: Option<Duration>) -> PyResult<Option<String>>;
}

impl<W: Work<Outcome: Serialize>> Handle for job::Job<W> {
    fn poll(&self) -> Progress {
        self.poll()
    }

    fn go(&self, begin_ns: u64) -> Result<(), NotNow> {
        self.go(begin_ns)
    }

    fn stop(&self) {
        self.stop();
    }

    fn result(&self, timeout: Option<Duration>) -> PyResult<Option<String>> {
        self.result(timeout).as_ref().map(to_json).transpose()
    }
}

impl Job {
    /// Starts a job of kind `W`.
    pub fn start<W: Work<Outcome: Serialize>>(py: Python<'_>, spec: W::Spec) -> PyResult<Self> {
        match py.detach(|| job::Job::<W>::start(spec)) {
            Ok(job) => Ok(Self(Box::new(job))),
            Err(error) => Err(no_thread(&error)),
        }
    }
}

#[pymethods]
impl Job {
    fn poll(&self) -> PyResult<String> {
        to_json(&self.0.poll())
    }

    fn go(&self, begin_ns: u64) -> PyResult<()> {
        self.0.go(begin_ns).map_err(|refused| PyValueError::new_err(refused.to_string()))
    }

    fn stop(&self) {
        self.0.stop();
    }

    #[pyo3(signature = (timeout_s=None))]
    fn result(&self, py: Python<'_>, timeout_s: Option<f64>) -> PyResult<Option<String>> {
        let timeout = timeout_s.map(Duration::try_from_secs_f64).transpose();
        let timeout = timeout.map_err(|_| PyValueError::new_err("timeout_s must be a number of seconds, 0 or more"))?;
        py.detach(|| self.0.result(timeout))
    }
}

/// A request.
pub fn read<T: DeserializeOwned>(spec_json: &str) -> PyResult<T> {
    serde_json::from_str(spec_json).map_err(|error| malformed(&error.to_string()))
}

/// What is no request.
pub fn malformed(reason: &str) -> PyErr {
    PyValueError::new_err(format!("not a job spec: {reason}"))
}

/// That a thread cannot be started; with two arguments Python chooses the subclass, here BlockingIOError.
pub fn no_thread(error: &std::io::Error) -> PyErr {
    PyOSError::new_err((error.raw_os_error(), format!("cannot start a thread: {error}")))
}
