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

    /// Opens it, and the files beside it, with the flags that the job asks for.
    pub fn open_all(&self, spec: &JobSpec) -> Result<Files, JobError> {
        let Some(files) = &spec.files else { return self.open(spec).map(Files::one) };
        let beside = files.more.iter().map(|path| Self { path: path.into(), ..self.clone() }.open(spec));
        let open = std::iter::once(self.open(spec)).chain(beside).collect::<Result<_, _>>()?;
        Ok(Files::several(open, spec.offset, rotation::each(spec)))
    }

    /// Opens it with the flags that the job asks for.
    pub fn open(&self, spec: &JobSpec) -> Result<File, JobError> {
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
            .custom_flags(flags)
            .open(&self.path)
            .map_err(|error| open_failed(&self.path, &error))?;
        if !spec.direct {
            let advice = if spec.mode.is_random() { libc::POSIX_FADV_RANDOM } else { libc::POSIX_FADV_SEQUENTIAL };
            advise(&file, spec.offset, rotation::each(spec), advice);
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
