//! Settings of a job: how writes are made durable, and options of RocksDB in its own words.

use crate::fault::JobError;
use crate::setup::Setup;

/// As the job asks for them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Each write waits until the log is on stable storage.
    pub sync: bool,
    /// There is a write-ahead log.
    pub log: bool,
    /// `name=value;…`, for the library to read.
    pub others: String,
}

impl Settings {
    /// Reads `sync`, `disableWAL` and all others.
    pub fn new(setup: &Setup) -> Result<Self, JobError> {
        let mut found = Self { sync: false, log: true, others: String::new() };
        for (name, value) in &setup.settings {
            match name.as_str() {
                "sync" => found.sync = truth(name, value)?,
                "disableWAL" => found.log = !truth(name, value)?,
                _ if plain(name) => found.others.push_str(&format!("{name}={value};")),
                _ => return Err(JobError::spec(format!("the setting {name:?} is not the name of a RocksDB option"))),
            }
        }
        if found.sync && !found.log {
            return Err(JobError::spec("sync=true and disableWAL=true contradict each other: there is no log to sync"));
        }
        Ok(found)
    }

    /// An option of the library, if it was asked for and is a plain number.
    pub fn number(&self, name: &str) -> Option<usize> {
        let mut pairs = self.others.split(';').filter_map(|pair| pair.split_once('='));
        pairs.find(|(known, _)| *known == name)?.1.parse().ok()
    }
}

fn plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn truth(name: &str, value: &str) -> Result<bool, JobError> {
    value.parse().map_err(|_| JobError::spec(format!("the setting {name} is {value:?}: it must be true or false")))
}
