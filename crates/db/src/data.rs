//! What loads of ours have left in a database: listing it and removing it, without a job.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use crate::driver::Driver;
use crate::drivers;
use crate::fault::{Fault, JobError};
use crate::outcome::Made;
use crate::setup::Setup;
use crate::spec::DbSpec;

/// Everything that carries our mark in the database of a request, whatever its workload.
pub fn made(spec: DbSpec) -> Result<Vec<Made>, String> {
    at(spec, None).map_err(|error| error.to_string())
}

/// Removes what is called `names` of that, and says what is gone. A name without our mark is refused before any is.
pub fn drop_made(spec: DbSpec, names: &[String]) -> Result<Vec<Made>, String> {
    at(spec, Some(names)).map_err(|error| error.to_string())
}

fn at(spec: DbSpec, names: Option<&[String]>) -> Result<Vec<Made>, JobError> {
    let name = spec.driver.clone();
    drivers::with(&name, With { spec, names })
        .unwrap_or_else(|| Err(JobError::spec(format!("there is no driver {name:?}"))))
}

/// Works with the driver that its name has chosen.
struct With<'a> {
    spec: DbSpec,
    /// To be removed; nothing: only listed.
    names: Option<&'a [String]>,
}

impl drivers::Visitor for With<'_> {
    type Output = Result<Vec<Made>, JobError>;

    fn visit<D: Driver>(self) -> Self::Output {
        let encrypted = self.spec.encrypted();
        let setup = Arc::new(Setup::new(self.spec, D::CAPS, Arc::new(AtomicBool::new(false)))?);
        let driver = D::new(setup)?;
        let reaching = |fault: Fault| JobError::reaching(&fault, encrypted);
        let made = driver.made().map_err(reaching)?;
        let Some(names) = self.names else { return Ok(made) };
        if let Some(stranger) = names.iter().find(|name| made.iter().all(|each| each.name != **name)) {
            return Err(JobError::schema(format!("{stranger} carries no mark of Plimsoll's there, and is left alone")));
        }
        let chosen = made.into_iter().filter(|each| names.contains(&each.name));
        chosen.map(|each| driver.unmake(&each.name).map(|()| each).map_err(reaching)).collect()
    }
}
