//! What a driver gets to know about the job.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::caps::Caps;
use crate::fault::JobError;
use crate::socket::Wait;
use crate::spec::{DbSpec, TlsMode, Workload, Ycsb};

/// The request, and the password that it names.
pub struct Setup {
    /// As it came.
    pub spec: DbSpec,
    /// Of its driver.
    pub caps: Caps,
    /// Never shown.
    pub password: Option<String>,
    /// The job is to end.
    pub stopped: Arc<AtomicBool>,
}

impl Setup {
    /// Reads the password. Refuses what the driver does not have.
    pub fn new(spec: DbSpec, caps: Caps, stopped: Arc<AtomicBool>) -> Result<Self, JobError> {
        refuse(&spec, &caps)?;
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
        Ok(Self { spec, caps, password, stopped })
    }

    /// The YCSB workload, if it is one.
    pub fn ycsb(&self) -> Option<&Ycsb> {
        match &self.spec.workload {
            Workload::Ycsb(ycsb) => Some(ycsb),
            Workload::Tpcb(_) | Workload::Web(_) => None,
        }
    }

    /// Limit of everything that waits for the server outside of the measured part.
    pub fn timeout(&self) -> Duration {
        Duration::from_nanos(self.spec.timeout_ns)
    }

    /// The same for connections, which a stop request ends as well.
    pub fn wait(&self) -> Wait {
        Wait { server: String::new(), timeout: Some(self.timeout()), stopped: Arc::clone(&self.stopped) }
    }
}

/// Refuses what a driver that does not have it would silently leave out.
pub fn refuse(spec: &DbSpec, caps: &Caps) -> Result<(), JobError> {
    let name = caps.name;
    let message = if !caps.settings && !spec.settings.is_empty() {
        format!("the driver {name} has no settings: leave `settings` empty")
    } else if !caps.server && (spec.password_env.is_some() || spec.tls.mode != TlsMode::Off) {
        format!("the driver {name} knows neither passwords nor TLS: leave them off")
    } else if !caps.passwords && spec.password_env.is_some() {
        format!("the driver {name} knows no passwords: leave password_env out")
    } else {
        return Ok(());
    };
    Err(JobError::spec(message))
}

impl fmt::Debug for Setup {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Setup").field("driver", &self.spec.driver).finish_non_exhaustive()
    }
}
