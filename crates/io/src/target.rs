//! The file or device of a job: what it is, and opening it.

use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use plimsoll_core::error::JobError;
use plimsoll_core::spec::{JobSpec, SyncKind};

use crate::files::Files;
use crate::rotation;

/// Facts that do not change during a job.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it is.
    pub path: PathBuf,
    /// A block device rather than a regular file.
    pub is_device: bool,
    /// Bytes; nothing when it does not exist yet.
    pub length: Option<u64>,
}

impl Target {
    /// Looks at a path without changing anything.
    pub fn look(path: &Path) -> Result<Self, JobError> {
        let shown = path.display();
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), is_device: false, length: None });
            }
            Err(error) => return Err(open_failed(path, &error)),
        };
        let is_device = metadata.file_type().is_block_device();
        if !is_device && !metadata.is_file() {
            return Err(JobError::spec(format!("{shown} is neither a regular file nor a block device: name one")));
        }
        let length = if is_device {
            let mut device = File::open(path).map_err(|error| open_failed(path, &error))?;
            device.seek(SeekFrom::End(0)).map_err(|error| open_failed(path, &error))?
        } else {
            metadata.len()
        };
        Ok(Self { path: path.to_owned(), is_device, length: Some(length) })
    }

    /// Opens it and the files beside it, as many as are open at once.
    pub fn open_all(&self, spec: &JobSpec) -> Result<Files, JobError> {
        let Some(files) = &spec.files else { return self.open(spec).map(Files::one) };
        let mut found = Files::several(spec);
        for index in 0..files.open.map_or(files.more.len() + 1, |_| 1) {
            found.put(index, Some(self.open_beside(spec, index)?));
        }
        Ok(found)
    }

    /// Opens one of the files of the job.
    pub fn open_beside(&self, spec: &JobSpec, index: usize) -> Result<File, JobError> {
        self.beside(spec, index).open_part(spec, index, false)
    }

    /// Removes one of the files of the job, and opens an empty one in its place.
    pub fn renew(&self, spec: &JobSpec, index: usize) -> Result<File, JobError> {
        let target = self.beside(spec, index);
        match std::fs::remove_file(&target.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(JobError::Open {
                message: format!("cannot remove {} after a pass: {error}", target.path.display()),
                errno: error.raw_os_error(),
            }),
            _ => target.open_part(spec, index, true),
        }
    }

    fn beside(&self, spec: &JobSpec, index: usize) -> Self {
        let more = spec.files.iter().flat_map(|files| &files.more).nth(index.wrapping_sub(1));
        Self { path: more.map_or_else(|| self.path.clone(), PathBuf::from), ..self.clone() }
    }

    /// Opens it with the flags that the job asks for.
    pub fn open(&self, spec: &JobSpec) -> Result<File, JobError> {
        self.open_part(spec, 0, false)
    }

    fn open_part(&self, spec: &JobSpec, index: usize, create: bool) -> Result<File, JobError> {
        let mut flags = libc::O_CLOEXEC;
        if spec.direct {
            flags |= libc::O_DIRECT;
        }
        match spec.sync.opened() {
            SyncKind::Dsync => flags |= libc::O_DSYNC,
            SyncKind::Sync => flags |= libc::O_SYNC,
            SyncKind::None | SyncKind::Fsync | SyncKind::Fdatasync => {}
        }
        let changes = spec.mode.writes() || spec.mode.trims();
        let file = OpenOptions::new()
            .read(true)
            .write(changes)
            .create(create && changes)
            .custom_flags(flags)
            .open(&self.path)
            .map_err(|error| open_failed(&self.path, &error))?;
        if !spec.direct {
            let advice = if spec.mode.is_random() { libc::POSIX_FADV_RANDOM } else { libc::POSIX_FADV_SEQUENTIAL };
            advise(&file, spec.offset, rotation::part(spec, index), advice);
        }
        Ok(file)
    }
}

/// Writes dirty pages of the region back and drops all its pages from the page cache.
pub fn drop_cache(file: &File, offset: u64, size: u64) -> io::Result<()> {
    file.sync_data()?;
    advise(file, offset, size, libc::POSIX_FADV_DONTNEED);
    Ok(())
}

/// Drops the pages of one operation from the page cache; pages that are dirty stay.
pub fn forget(file: &File, offset: u64, size: u64) {
    advise(file, offset, size, libc::POSIX_FADV_DONTNEED);
}

/// Advice may be ignored by the kernel, and so may its failure.
fn advise(file: &File, offset: u64, size: u64, advice: libc::c_int) {
    // SAFETY: takes no pointers; the file is open.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset as i64, size as i64, advice) };
}

/// An error for a failed open.
pub fn open_failed(path: &Path, error: &io::Error) -> JobError {
    JobError::Open { message: format!("cannot open {}: {error}", path.display()), errno: error.raw_os_error() }
}
