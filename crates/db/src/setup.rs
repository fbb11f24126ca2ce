//! What a driver gets to know about the job.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::caps::Caps;
use crate::fault::JobError;
use crate::socket::Wait;
use crate::spec::{DbSpec, Workload, Ycsb};

/// The request, and the password that it names.
pub struct Setup {
    /// As it came.
    pub spec: DbSpec,
    /// Of its driver.
    pub caps: Caps,
    /// Of each connection.
    pub settings: BTreeMap<String, String>,
    /// Never shown.
    pub password: Option<String>,
    /// The job is to end.
    pub stopped: Arc<AtomicBool>,
}

impl Setup {
    /// Reads the password. Refuses what the driver does not have.
    pub fn new(spec: DbSpec, caps: Caps, stopped: Arc<AtomicBool>) -> Result<Self, JobError> {
        validate(&spec, &caps)?;
        let settings = settings(&spec, &caps);
        let password = match &spec.password_env {
            None => None,
            Some(name) => match std::env::var(name) {
                Ok(password) => Some(password),
                Err(_) => {
                    return Err(JobError::spec(format!(
                        "the environment variable {name}, which should hold the password, is not set: set it"
                    )));
                }
            },
        };
        Ok(Self { spec, caps, settings, password, stopped })
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

/// Settings of each connection. Those of an embedded database on a folder are its durability and its own as well; later
/// ones win.
fn settings(spec: &DbSpec, caps: &Caps) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    if !caps.server && spec.server != "none" {
        let level = caps.durability.iter().find(|level| level.durability == spec.durability);
        let settings = level.map_or(&[][..], |level| level.settings);
        found.extend(settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        found.extend(spec.server_settings.clone());
    }
    found.extend(spec.session_settings.clone());
    found
}

/// Refuses what a driver that does not have it would silently leave out.
pub fn validate(spec: &DbSpec, caps: &Caps) -> Result<(), JobError> {
    let name = caps.name;
    let message = if !caps.settings && !settings(spec, caps).is_empty() {
        format!("the driver {name} has no settings: leave session_settings and server_settings empty")
    } else if !caps.server && (spec.password_env.is_some() || spec.encrypted()) {
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
