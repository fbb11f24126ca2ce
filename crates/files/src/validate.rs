//! Whether a job can work, asked before anything is written.

use std::path::Path;

use plimsoll_core::parameters::Implementation;

use crate::fault::{Fault, Result};
use crate::outcome::Plan;
use crate::scratch_dir;
use crate::spec::FilesSpec;

/// The longest time series that is kept.
const MAX_INTERVALS: u64 = 100_000;
/// What a job may hold in memory, whatever the size of its data.
const MAX_MEMORY: u64 = 224 << 20;
/// File systems need room for more than contents.
const OVERHEAD: f64 = 1.02;

/// Refuses what cannot work in any folder, and says what the job would do.
pub fn validate(spec: &FilesSpec) -> Result<Plan> {
    spec.common.check_bounds()?;
    spec.workload.check_bounds()?;
    limits(spec)?;
    let kind = spec.workload.kind();
    kind.validate(&spec.common)?;
    let plan = kind.plan(&spec.common);
    if plan.memory_bytes > MAX_MEMORY {
        return Err(Fault::spec(format!(
            "this needs {} MiB of memory for lists and buffers, more than {} MiB: use fewer threads, fewer files or smaller blocks",
            plan.memory_bytes >> 20,
            MAX_MEMORY >> 20
        )));
    }
    match spec.disk_bytes {
        Some(limit) if plan.disk_bytes > limit => Err(Fault::spec(format!(
            "this puts {} bytes on disk, more than the limit of {limit}: use a smaller size or a larger limit",
            plan.disk_bytes
        ))),
        _ => Ok(plan),
    }
}

/// Refuses what this folder cannot take.
pub fn validate_target(spec: &FilesSpec, plan: &Plan) -> Result<()> {
    if spec.common.implementation == Implementation::Original {
        return Err(Fault::spec("implementation is original: the core has none, start the original tool"));
    }
    let directory = Path::new(&spec.directory);
    if !directory.is_dir() {
        return Err(Fault::spec(format!("{} is not a folder: name an existing one", spec.directory)));
    }
    let (bytes, inodes) =
        scratch_dir::free(directory).map_err(|error| Fault::call("system_stat", &spec.directory, None, &error))?;
    let needed = (plan.disk_bytes as f64 * OVERHEAD) as u64;
    if needed > bytes {
        return Err(Fault::spec(format!(
            "{} has {bytes} bytes free and this needs {needed}: free some, or use a smaller size",
            spec.directory
        )));
    }
    if plan.files > inodes {
        return Err(Fault::spec(format!(
            "{} has {inodes} inodes free and this makes {} files: use fewer files",
            spec.directory, plan.files
        )));
    }
    Ok(())
}

fn limits(spec: &FilesSpec) -> Result<()> {
    if spec.interval_ns < 1_000_000 {
        return Err(Fault::spec("intervals must last at least 1 ms"));
    }
    if spec.common.timeout_ns / spec.interval_ns > MAX_INTERVALS {
        return Err(Fault::spec(format!(
            "the time limit has more than {MAX_INTERVALS} intervals: use longer intervals or a shorter limit"
        )));
    }
    Ok(())
}
