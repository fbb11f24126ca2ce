//! What direct I/O asks for on a file, a device, or in a directory.

use std::ffi::CString;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;

use crate::buffer::Pool;

/// `STATX_DIOALIGN` of `linux/stat.h` (Linux 6.1).
const STATX_DIOALIGN: u32 = 0x2000;
const BLKSSZGET: libc::Ioctl = 0x1268;

/// Multiples that direct I/O needs, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alignment {
    /// Of buffer addresses.
    pub memory: u64,
    /// Of offsets and lengths.
    pub offset: u64,
}

/// The alignment for direct I/O on a file or device, or on a new file in a directory. `EINVAL` when it is refused.
pub fn alignment(path: &Path) -> io::Result<Alignment> {
    let is_directory = std::fs::metadata(path)?.is_dir();
    let file = if is_directory {
        let mut options = OpenOptions::new();
        options.read(true).write(true).custom_flags(libc::O_DIRECT | libc::O_TMPFILE).open(path)?
    } else {
        crate::beneath::open(path, libc::O_RDONLY | libc::O_DIRECT)?
    };
    match from_statx(&file)? {
        Some(Alignment { offset: 0, .. }) => Err(io::Error::from_raw_os_error(libc::EINVAL)),
        Some(alignment) => Ok(alignment),
        None => probe(&file, is_directory),
    }
}

/// What the kernel says; nothing when it does not know the question.
fn from_statx(file: &File) -> io::Result<Option<Alignment>> {
    let empty = CString::default();
    // SAFETY: an all-zero statx is valid; the path is an empty C string and the result lives through the call.
    let (result, found) = unsafe {
        let mut found: libc::statx = std::mem::zeroed();
        (libc::statx(file.as_raw_fd(), empty.as_ptr(), libc::AT_EMPTY_PATH, STATX_DIOALIGN, &mut found), found)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    let known = found.stx_mask & STATX_DIOALIGN != 0;
    Ok(known.then(|| Alignment {
        memory: u64::from(found.stx_dio_mem_align),
        offset: u64::from(found.stx_dio_offset_align),
    }))
}

/// The logical block size of a device, or the smallest read that a file accepts.
fn probe(file: &File, writable: bool) -> io::Result<Alignment> {
    if file.metadata()?.file_type().is_block_device() {
        let mut size: libc::c_int = 0;
        // SAFETY: BLKSSZGET writes one int to the pointer, which lives through the call.
        if unsafe { libc::ioctl(file.as_raw_fd(), BLKSSZGET, &mut size) } != 0 {
            return Err(io::Error::last_os_error());
        }
        let size = u64::from(size.unsigned_abs());
        return Ok(Alignment { memory: size, offset: size });
    }
    if writable {
        file.set_len(8192)?;
    }
    let (_pool, mut buffers) = Pool::new(1, 4096)?;
    for size in [512usize, 1024, 2048, 4096] {
        if file.read_at(&mut buffers[0].bytes_mut()[..size], size as u64).is_ok() {
            return Ok(Alignment { memory: size as u64, offset: size as u64 });
        }
    }
    Err(io::Error::from_raw_os_error(libc::EINVAL))
}

/// Bytes that a new or longer file may still take in the file system of `path`.
pub fn free_bytes(path: &Path) -> io::Result<u64> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    // SAFETY: an all-zero statvfs is valid; the path is a C string and the result lives through the call.
    let (result, found) = unsafe {
        let mut found: libc::statvfs64 = std::mem::zeroed();
        (libc::statvfs64(path.as_ptr(), &mut found), found)
    };
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(found.f_bavail.saturating_mul(found.f_frsize))
}
