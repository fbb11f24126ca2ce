//! What a driver gets to know about the job.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::fault::JobError;
use crate::spec::{DbSpec, TlsMode, Workload, Ycsb};
use crate::wire::Wait;

/// The request, and the password that it names.
pub struct Setup {
    /// As it came.
    pub spec: DbSpec,
    /// Never shown.
    pub password: Option<String>,
    /// The job is to end.
    pub stopped: Arc<AtomicBool>,
}

impl Setup {
    /// Reads the password.
    pub fn new(spec: DbSpec, stopped: Arc<AtomicBool>) -> Result<Self, JobError> {
        let password = match &spec.password_env {
            None => None,
            Some(name) => match std::env::var(name) {
                Ok(password) => Some(password),
                Err(_) => {
                    return Err(JobError::spec(format!(
                        "there is no environment variable {name}, which is to hold the password: set it"
                    )));
                }
            },
        };
        Ok(Self { spec, password, stopped })
    }

    /// The YCSB workload, if it is one.
    pub fn ycsb(&self) -> Option<&Ycsb> {
        match &self.spec.workload {
            Workload::Ycsb(ycsb) => Some(ycsb),
            Workload::Tpcb(_) | Workload::Web(_) => None,
        }
    }

    /// Limit of everything that waits for the server outside of the measured part.
    pub fn patience(&self) -> Duration {
        Duration::from_nanos(self.spec.timeout_ns)
    }

    /// The same for connections, which a stop request ends as well.
    pub fn wait(&self) -> Wait {
        Wait { server: String::new(), patience: Some(self.patience()), stopped: Arc::clone(&self.stopped) }
    }

    /// Refuses what a driver without these abilities would silently leave out.
    pub fn refuse(&self, driver: &str, settings: bool, secrets: bool) -> Result<(), JobError> {
        if settings && !self.spec.settings.is_empty() {
            return Err(JobError::spec(format!("the driver {driver} has no settings: leave `settings` empty")));
        }
        if secrets && (self.password.is_some() || self.spec.tls.mode != TlsMode::Off) {
            return Err(JobError::spec(format!("the driver {driver} knows neither passwords nor TLS: leave them off")));
        }
        Ok(())
    }
}

impl fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Setup").field("driver", &self.spec.driver).finish_non_exhaustive()
    }
}
