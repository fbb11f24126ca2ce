//! What the file or device that a request names can do.

use std::path::Path;

use crate::spec::{DropEach, JobSpec, Layout};
use plimsoll_core::error::JobError;
use plimsoll_core::parameters::Implementation;

use crate::beneath::Identity;
use crate::direct;
use crate::engine::Caps;
use crate::rotation;
use crate::target::Target;

use super::refuse;

/// Refuses what it cannot do, and says what it is: nothing for engines that touch none.
pub fn validate(spec: &JobSpec, caps: &Caps) -> Result<Option<Target>, JobError> {
    if spec.implementation == Implementation::Original {
        return refuse("implementation is original: the core has none, start the original tool");
    }
    if !caps.real {
        return Ok(None);
    }
    if caps.names {
        return names(spec);
    }
    let mut target = Target::look(Path::new(&spec.path))?;
    length(spec, &target, 0)?;
    let mut known = vec![target.known[0]];
    for (path, index) in spec.files.iter().flat_map(|files| &files.more).zip(1..) {
        let beside = Target::look(Path::new(path))?;
        length(spec, &beside, index)?;
        known.push(beside.known[0]);
    }
    same(spec, &known)?;
    target.known = known.into();
    if target.is_device && spec.drop_each == DropEach::Files {
        return refuse(format!("{} is a device, which cannot be removed and made anew", target.path.display()));
    }
    if spec.direct {
        alignment(spec, &target)?;
    }
    if spec.trims() && !(if target.is_device { caps.trim_device } else { caps.trim_file }) {
        let what = if target.is_device { "a block device" } else { "a file" };
        return refuse(format!("engine {} cannot trim {what}: use psync with depth 1", caps.name));
    }
    Ok(Some(target))
}

/// Names may stand for nothing yet; files that the caller knows are those that are there.
fn names(spec: &JobSpec) -> Result<Option<Target>, JobError> {
    let paths = std::iter::once(&spec.path).chain(spec.files.iter().flat_map(|files| &files.more));
    let look = |path: &String| Target::look(Path::new(path)).map(|target| target.known[0]);
    if !spec.made.is_empty() {
        same(spec, &paths.map(look).collect::<Result<Vec<_>, _>>()?)?;
    }
    Ok(None)
}

/// The files that are there are those that the caller knows.
fn same(spec: &JobSpec, known: &[Option<Identity>]) -> Result<(), JobError> {
    let paths = std::iter::once(&spec.path).chain(spec.files.iter().flat_map(|files| &files.more));
    let changed = paths.zip(known).zip(&spec.made).find(|((_, found), made)| **found != Some(**made));
    changed.map_or(Ok(()), |((path, _), _)| Err(crate::target::exchanged(Path::new(path))))
}

fn length(spec: &JobSpec, target: &Target, index: usize) -> Result<(), JobError> {
    let end = spec.offset + rotation::part(spec, index);
    let path = target.path.display();
    let Some(length) = target.length else {
        if spec.layout == Layout::Keep {
            return Err(JobError::Open {
                message: format!("{path} does not exist: create it or use layout fill"),
                errno: Some(libc::ENOENT),
            });
        }
        return free_space(target, end);
    };
    if length >= end || (spec.grows() && !target.is_device) {
        return Ok(());
    }
    if target.is_device || spec.layout == Layout::Keep {
        let hint = if target.is_device { "use a smaller size" } else { "use a smaller size or layout fill" };
        return refuse(format!("{path} has {length} bytes, the region ends at {end}: {hint}"));
    }
    free_space(target, end - length)
}

fn free_space(target: &Target, needed: u64) -> Result<(), JobError> {
    let path = &target.path;
    let directory = match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => path,
    };
    let free = direct::free_bytes(directory).map_err(|error| JobError::Open {
        message: format!("cannot look at directory {}: {error}", directory.display()),
        errno: error.raw_os_error(),
    })?;
    if free < needed {
        let path = path.display();
        return refuse(format!("{path} needs {needed} more bytes but only {free} are free: use a smaller size"));
    }
    Ok(())
}

fn alignment(spec: &JobSpec, target: &Target) -> Result<(), JobError> {
    let probed = match (target.length, target.path.parent()) {
        (Some(_), _) => target.path.as_path(),
        (None, Some(parent)) if !parent.as_os_str().is_empty() => parent,
        (None, _) => Path::new("."),
    };
    let found = match direct::alignment(probed) {
        Ok(found) => found,
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => {
            let path = target.path.display();
            return refuse(format!("the file system refuses direct I/O on {path}: leave direct off"));
        }
        // No temporary files here: the real open will tell.
        Err(_) if target.length.is_none() => return Ok(()),
        Err(error) => return Err(crate::target::open_failed(&target.path, &error)),
    };
    let unit = found.offset;
    if let Some(odd) = spec.sizes().find(|size| size % unit != 0) {
        return refuse(format!(
            "direct I/O here needs block sizes that are multiples of {unit} bytes, not {odd}: change the block size or leave direct off"
        ));
    }
    if !spec.offset.is_multiple_of(unit) {
        return refuse(format!("direct I/O here needs an offset that is a multiple of {unit} bytes"));
    }
    Ok(())
}
