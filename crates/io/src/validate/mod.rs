//! Whether a job can work, asked before anything is written: of the request alone (`request`), of the engine and this
//! machine (`machine`), of pausing (`slices`), and of the file or device that it names (`target`).

mod machine;
mod request;
mod slices;
mod target;

use plimsoll_core::error::JobError;

use crate::engine::Caps;
use crate::spec::JobSpec;
use crate::target::Target;

/// Refuses what cannot work on any file or device of this machine, and says what the engine can do. Opens no target.
pub fn validate(spec: &JobSpec) -> Result<Caps, JobError> {
    request::validate(spec)?;
    let caps = machine::validate(spec)?;
    slices::validate(spec, &caps)?;
    Ok(caps)
}

/// Refuses also what cannot work on this target, and says what that is: nothing for engines that touch none.
pub fn validate_target(spec: &JobSpec) -> Result<Option<Target>, JobError> {
    let caps = validate(spec)?;
    target::validate(spec, &caps)
}

fn refuse<T>(message: impl Into<String>) -> Result<T, JobError> {
    Err(JobError::spec(message))
}

#[cfg(test)]
mod tests;
