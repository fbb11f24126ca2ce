//! The job's own folder: made at the start, removed on any exit.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use crate::common::Cold;
use crate::fault::{Fault, Result};
use crate::sys;

/// Name of the folder below the one that the request names.
pub const FOLDER: &str = "plimsoll-files";
/// Writing `3` here drops clean pages, directory entries and inodes of the whole machine.
const DROP_CACHES: &str = "/proc/sys/vm/drop_caches";

/// Makes the folder. One that is there already belongs to somebody else, or is left from a killed job.
pub fn create(directory: &Path) -> Result<PathBuf> {
    let scratch_dir = directory.join(FOLDER);
    match fs::DirBuilder::new().mode(0o700).create(&scratch_dir) {
        Ok(()) => Ok(scratch_dir),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(Fault::spec(format!(
            "{} exists: another job uses it, or was killed there; wait for it or remove the folder",
            scratch_dir.display()
        ))),
        Err(error) => Err(failed("make", &scratch_dir, &error)),
    }
}

/// Removes the folder and everything in it. Tries again when a call that was under way at the end of the job has made
/// something new meanwhile.
pub fn remove(scratch_dir: &Path) -> Result<()> {
    let mut tries = 0;
    loop {
        match fs::remove_dir_all(scratch_dir) {
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty && tries < 10 => tries += 1,
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed("remove", scratch_dir, &error)),
            _ => return Ok(()),
        }
    }
}

fn failed(what: &str, scratch_dir: &Path, error: &io::Error) -> Fault {
    let message = format!("cannot {what} the folder {}: {error}", scratch_dir.display());
    Fault::Folder { message, errno: error.raw_os_error() }
}

/// Free bytes and inodes of the file system that a folder is on.
pub fn free(path: &Path) -> io::Result<(u64, u64)> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    sys::free(&path)
}

/// Writes everything back and drops caches as far as asked and allowed; says how far that was.
pub fn drop_caches(scratch_dir: &Path, cold: Cold) -> io::Result<Cold> {
    if cold == Cold::No {
        return Ok(Cold::No);
    }
    sys::Folder::open(scratch_dir)?.sync()?;
    if cold == Cold::System && fs::write(DROP_CACHES, "3\n").is_ok() {
        return Ok(Cold::System);
    }
    drop_files(scratch_dir)?;
    Ok(Cold::Files)
}

fn drop_files(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            drop_files(&entry.path())?;
        } else if kind.is_file() {
            let file: OwnedFd = fs::File::open(entry.path())?.into();
            sys::drop_pages(&file, 0, 0);
        }
    }
    Ok(())
}
