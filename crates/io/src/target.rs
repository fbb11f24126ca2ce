//! The file or device of a job: what it is, and opening it.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::spec::{DropEach, JobSpec, SyncKind};
use plimsoll_core::error::JobError;

use crate::beneath::{self, Identity, identity};
use crate::files::Files;
use crate::rotation;

/// `/dev/null` and `/dev/zero`: they take everything and hold nothing.
const ENDLESS: [u64; 2] = [libc::makedev(1, 3), libc::makedev(1, 5)];

/// Facts that do not change during a job.
#[derive(Debug, Clone)]
pub struct Target {
    /// Where it is.
    pub path: PathBuf,
    /// A block device rather than a regular file.
    pub is_device: bool,
    /// Bytes; nothing when it does not exist yet.
    pub length: Option<u64>,
    /// What tells the files of the job from others; nothing of those that are made by it.
    pub known: Arc<[Option<Identity>]>,
}

impl Target {
    /// Looks at a path without changing anything.
    pub fn look(path: &Path) -> Result<Self, JobError> {
        let shown = path.display();
        let metadata = match beneath::look(path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Self { path: path.to_owned(), is_device: false, length: None, known: Arc::new([None]) });
            }
            Err(error) => return Err(open_failed(path, &error)),
        };
        if metadata.file_type().is_char_device() && ENDLESS.contains(&metadata.rdev()) {
            let length = Some(i64::MAX as u64);
            return Ok(Self { path: path.to_owned(), is_device: false, length, known: Arc::new([None]) });
        }
        let is_device = metadata.file_type().is_block_device();
        if !is_device && !metadata.is_file() {
            return Err(JobError::spec(format!("{shown} is neither a regular file nor a block device: name one")));
        }
        let length = if is_device {
            let mut device = beneath::open(path, libc::O_RDONLY).map_err(|error| open_failed(path, &error))?;
            device.seek(SeekFrom::End(0)).map_err(|error| open_failed(path, &error))?
        } else {
            metadata.len()
        };
        let known = Arc::new([Some(identity(&metadata))]);
        Ok(Self { path: path.to_owned(), is_device, length: Some(length), known })
    }

    /// That of a file of the job, as long as it is known and stays the same.
    pub fn known(&self, spec: &JobSpec, index: usize) -> Option<Identity> {
        self.known.get(index).copied().flatten().filter(|_| spec.drop_each != DropEach::Files)
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
        let target = self.beside(spec, index);
        let file = target.open_part(spec, index, false)?;
        check_same(self.known(spec, index), &file, &target.path)?;
        Ok(file)
    }

    /// Removes one of the files of the job, and opens an empty one in its place.
    pub fn renew(&self, spec: &JobSpec, index: usize) -> Result<File, JobError> {
        let target = self.beside(spec, index);
        match beneath::remove(&target.path) {
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
        self.open_beside(spec, 0)
    }

    fn open_part(&self, spec: &JobSpec, index: usize, create: bool) -> Result<File, JobError> {
        let mut flags = 0;
        if spec.direct {
            flags |= libc::O_DIRECT;
        }
        match spec.opened() {
            SyncKind::Dsync => flags |= libc::O_DSYNC,
            SyncKind::Sync => flags |= libc::O_SYNC,
            SyncKind::None | SyncKind::Fsync | SyncKind::Fdatasync => {}
        }
        let changes = spec.mode.writes() || spec.mode.trims();
        flags |= if changes { libc::O_RDWR } else { libc::O_RDONLY };
        if create && changes {
            flags |= libc::O_CREAT | libc::O_EXCL;
        }
        let file = beneath::open(&self.path, flags).map_err(|error| open_failed(&self.path, &error))?;
        if !spec.direct {
            let advice = if spec.mode.is_random() { libc::POSIX_FADV_RANDOM } else { libc::POSIX_FADV_SEQUENTIAL };
            advise(&file, spec.offset, rotation::part(spec, index), advice);
        }
        Ok(file)
    }
}

/// A fault unless an open file is the one that is known.
pub fn check_same(known: Option<Identity>, file: &File, path: &Path) -> Result<(), JobError> {
    let metadata = file.metadata().map_err(|error| open_failed(path, &error))?;
    if known.is_none_or(|known| known == identity(&metadata)) { Ok(()) } else { Err(exchanged(path)) }
}

/// Somebody has taken the file away and put another one there.
pub fn exchanged(path: &Path) -> JobError {
    let message = format!(
        "{} is not the file that was there when the job began: somebody has put another one in its place, which is left as it is. Use a folder that only you can change",
        path.display()
    );
    JobError::Open { message, errno: None }
}

/// Writes dirty pages of the region back and drops all its pages from the page cache.
pub fn drop_cache(file: &File, offset: u64, size: u64) -> io::Result<()> {
    match file.sync_data() {
        // `/dev/null` has nothing to write back.
        Err(error) if error.raw_os_error() != Some(libc::EINVAL) => return Err(error),
        _ => {}
    }
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
    let hint =
        if error.raw_os_error() == Some(libc::ELOOP) { ": a link is in its place, and is not followed" } else { "" };
    JobError::Open { message: format!("cannot open {}: {error}{hint}", path.display()), errno: error.raw_os_error() }
}
