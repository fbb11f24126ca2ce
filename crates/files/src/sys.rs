//! System calls relative to a folder, with names that need no allocation.

use std::ffi::CStr;
use std::fmt;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd};
use std::path::Path;

/// Longest relative path, with its terminating zero.
const NAME_BYTES: usize = 240;
/// What C libraries ask `getdents64` for.
const LIST_BYTES: usize = 32_768;
/// Where `struct linux_dirent64` has its length and its name.
const LENGTH_AT: usize = 16;
const NAME_AT: usize = 19;

/// A short relative path, built in place.
#[derive(Clone)]
pub struct Name {
    bytes: [u8; NAME_BYTES],
    length: usize,
}

impl Name {
    /// From parts, as in `Name::new(format_args!("d{}/f{}", 1, 2))`. What does not fit is cut off.
    pub fn new(parts: fmt::Arguments<'_>) -> Self {
        let mut name = Self { bytes: [0; NAME_BYTES], length: 0 };
        // Only a `Display` that fails by itself could fail here; none does.
        let _ = fmt::Write::write_fmt(&mut name, parts);
        name
    }

    /// For system calls.
    pub fn as_c(&self) -> &CStr {
        CStr::from_bytes_until_nul(&self.bytes).unwrap_or(c"")
    }

    /// All but the last component, `.` when there is only one.
    pub fn parent(&self) -> Self {
        match self.bytes[..self.length].iter().rposition(|&byte| byte == b'/') {
            Some(at) => {
                let mut parent = Self { bytes: [0; NAME_BYTES], length: at };
                parent.bytes[..at].copy_from_slice(&self.bytes[..at]);
                parent
            }
            None => Self::new(format_args!(".")),
        }
    }

    /// The last component.
    pub fn last(&self) -> &[u8] {
        let bytes = &self.bytes[..self.length];
        bytes.rsplit(|&byte| byte == b'/').next().unwrap_or(bytes)
    }
}

impl fmt::Write for Name {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = &mut self.bytes[self.length..NAME_BYTES - 1];
        let taken = text.len().min(room.len());
        room[..taken].copy_from_slice(&text.as_bytes()[..taken]);
        self.length += taken;
        Ok(())
    }
}

/// What `stat` tells.
#[derive(Debug, Clone, Copy)]
pub struct Facts {
    /// Bytes.
    pub size: u64,
    /// Last access and modification, seconds since 1970.
    pub times: (i64, i64),
    /// A directory.
    pub is_directory: bool,
}

impl From<libc::stat> for Facts {
    fn from(stat: libc::stat) -> Self {
        Self {
            size: stat.st_size as u64,
            times: (stat.st_atime, stat.st_mtime),
            is_directory: stat.st_mode & libc::S_IFMT == libc::S_IFDIR,
        }
    }
}

fn done(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn counted(result: libc::ssize_t) -> io::Result<usize> {
    usize::try_from(result).map_err(|_| io::Error::last_os_error())
}

fn opened(result: libc::c_int) -> io::Result<OwnedFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(result) })
}

/// An open folder that names are relative to.
#[derive(Debug)]
pub struct Folder(OwnedFd);

impl Folder {
    /// Opens it.
    pub fn open(path: &Path) -> io::Result<Self> {
        std::fs::File::open(path).map(|file| Self(file.into()))
    }

    fn fd(&self) -> libc::c_int {
        self.0.as_raw_fd()
    }

    /// `openat`.
    pub fn open_file(&self, name: &CStr, flags: libc::c_int, mode: libc::c_uint) -> io::Result<OwnedFd> {
        // SAFETY: the name is a C string that lives through the call.
        opened(unsafe { libc::openat(self.fd(), name.as_ptr(), flags | libc::O_CLOEXEC, mode) })
    }

    /// `unlinkat` of a file.
    pub fn unlink(&self, name: &CStr) -> io::Result<()> {
        // SAFETY: as in `open_file`.
        done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), 0) })
    }

    /// `unlinkat` of an empty directory.
    pub fn rmdir(&self, name: &CStr) -> io::Result<()> {
        // SAFETY: as in `open_file`.
        done(unsafe { libc::unlinkat(self.fd(), name.as_ptr(), libc::AT_REMOVEDIR) })
    }

    /// `mkdirat`.
    pub fn mkdir(&self, name: &CStr, mode: libc::mode_t) -> io::Result<()> {
        // SAFETY: as in `open_file`.
        done(unsafe { libc::mkdirat(self.fd(), name.as_ptr(), mode) })
    }

    /// `renameat`.
    pub fn rename(&self, from: &CStr, to: &CStr) -> io::Result<()> {
        // SAFETY: as in `open_file`.
        done(unsafe { libc::renameat(self.fd(), from.as_ptr(), self.fd(), to.as_ptr()) })
    }

    /// `fstatat`.
    pub fn stat(&self, name: &CStr) -> io::Result<Facts> {
        // SAFETY: an all-zero stat is valid; it and the name live through the call.
        let (result, facts) = unsafe {
            let mut facts: libc::stat = std::mem::zeroed();
            (libc::fstatat(self.fd(), name.as_ptr(), &mut facts, 0), facts)
        };
        done(result).map(|()| facts.into())
    }

    /// `utimensat`; seconds since 1970.
    pub fn set_times(&self, name: &CStr, accessed: i64, modified: i64) -> io::Result<()> {
        let at = |seconds| libc::timespec { tv_sec: seconds, tv_nsec: 0 };
        // SAFETY: the name and the two times live through the call.
        done(unsafe { libc::utimensat(self.fd(), name.as_ptr(), [at(accessed), at(modified)].as_ptr(), 0) })
    }

    /// `fchmodat`.
    pub fn chmod(&self, name: &CStr, mode: libc::mode_t) -> io::Result<()> {
        // SAFETY: as in `open_file`.
        done(unsafe { libc::fchmodat(self.fd(), name.as_ptr(), mode, 0) })
    }

    /// `syncfs` of the file system it is on.
    pub fn sync(&self) -> io::Result<()> {
        // SAFETY: takes no pointers.
        done(unsafe { libc::syncfs(self.fd()) })
    }

    /// Lists a directory as `opendir`, `readdir` and `closedir` do: calls `found` with each name except `.` and `..` until
    /// it says to stop, in the file system's own order.
    pub fn list(&self, name: &CStr, mut found: impl FnMut(&CStr) -> bool) -> io::Result<()> {
        let fd = self.open_file(name, libc::O_RDONLY | libc::O_DIRECTORY | libc::O_NONBLOCK, 0)?;
        stat(&fd)?;
        // Not of the heap: many clients that ask it for room wait for each other.
        let mut buffer = [const { MaybeUninit::<u8>::uninit() }; LIST_BYTES];
        loop {
            // SAFETY: the buffer lives through the call and is as long as stated.
            let filled = counted(unsafe {
                libc::syscall(libc::SYS_getdents64, fd.as_raw_fd(), buffer.as_mut_ptr(), buffer.len()) as libc::ssize_t
            })?;
            // SAFETY: the kernel has written that many bytes.
            let mut entries = unsafe { std::slice::from_raw_parts(buffer.as_ptr().cast::<u8>(), filled) };
            if entries.is_empty() {
                return close(fd);
            }
            while let Some((name, rest)) = next_entry(entries) {
                entries = rest;
                if name != c"." && name != c".." && !found(name) {
                    return close(fd);
                }
            }
        }
    }
}

/// The name of the first entry of what `getdents64` filled, and the entries behind it.
fn next_entry(entries: &[u8]) -> Option<(&CStr, &[u8])> {
    let length = usize::from(u16::from_ne_bytes(entries.get(LENGTH_AT..LENGTH_AT + 2)?.try_into().ok()?));
    let name = CStr::from_bytes_until_nul(entries.get(NAME_AT..length)?).ok()?;
    Some((name, &entries[length..]))
}

/// `pipe2`: the end to read from, and one to write to that never waits.
pub fn pipe() -> io::Result<(OwnedFd, OwnedFd)> {
    let mut ends = [0; 2];
    // SAFETY: the kernel writes two descriptors to the array, which lives through the call.
    done(unsafe { libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) })?;
    // SAFETY: both were just made for us; nobody else owns them.
    let (reader, writer) = unsafe { (OwnedFd::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1])) };
    // SAFETY: takes integers only.
    done(unsafe { libc::fcntl(writer.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) })?;
    Ok((reader, writer))
}

/// `read` at the file's position.
pub fn read(file: &OwnedFd, buffer: &mut [u8]) -> io::Result<usize> {
    // SAFETY: the buffer lives through the call and is as long as stated.
    counted(unsafe { libc::read(file.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len()) })
}

/// `write` at the file's position.
pub fn write(file: &OwnedFd, buffer: &[u8]) -> io::Result<usize> {
    // SAFETY: as in `read`.
    counted(unsafe { libc::write(file.as_raw_fd(), buffer.as_ptr().cast(), buffer.len()) })
}

/// `pread`.
pub fn read_at(file: &OwnedFd, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    // SAFETY: as in `read`.
    counted(unsafe { libc::pread64(file.as_raw_fd(), buffer.as_mut_ptr().cast(), buffer.len(), offset as i64) })
}

/// `pwrite`.
pub fn write_at(file: &OwnedFd, buffer: &[u8], offset: u64) -> io::Result<usize> {
    // SAFETY: as in `read`.
    counted(unsafe { libc::pwrite64(file.as_raw_fd(), buffer.as_ptr().cast(), buffer.len(), offset as i64) })
}

/// `preadv` with one buffer.
pub fn read_vector_at(file: &OwnedFd, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
    let vector = libc::iovec { iov_base: buffer.as_mut_ptr().cast(), iov_len: buffer.len() };
    // SAFETY: the vector and its buffer live through the call.
    counted(unsafe { libc::preadv64(file.as_raw_fd(), &vector, 1, offset as i64) })
}

/// `pwritev` with one buffer.
pub fn write_vector_at(file: &OwnedFd, buffer: &[u8], offset: u64) -> io::Result<usize> {
    let vector = libc::iovec { iov_base: buffer.as_ptr().cast_mut().cast(), iov_len: buffer.len() };
    // SAFETY: as in `read_vector_at`; the kernel only reads from the buffer.
    counted(unsafe { libc::pwritev64(file.as_raw_fd(), &vector, 1, offset as i64) })
}

/// `lseek` from the start.
pub fn seek(file: &OwnedFd, offset: u64) -> io::Result<()> {
    // SAFETY: takes no pointers.
    let result = unsafe { libc::lseek64(file.as_raw_fd(), offset as i64, libc::SEEK_SET) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// `lseek` to the end: the length of a file or device.
pub fn end(file: &OwnedFd) -> io::Result<u64> {
    // SAFETY: takes no pointers.
    u64::try_from(unsafe { libc::lseek64(file.as_raw_fd(), 0, libc::SEEK_END) }).map_err(|_| io::Error::last_os_error())
}

/// `fsync`.
pub fn fsync(file: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes no pointers.
    done(unsafe { libc::fsync(file.as_raw_fd()) })
}

/// `fdatasync`.
pub fn fdatasync(file: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes no pointers.
    done(unsafe { libc::fdatasync(file.as_raw_fd()) })
}

/// `close`, with its result.
pub fn close(file: OwnedFd) -> io::Result<()> {
    // SAFETY: the descriptor is ours and given up here.
    done(unsafe { libc::close(file.into_raw_fd()) })
}

/// `fstat`.
pub fn stat(file: &OwnedFd) -> io::Result<Facts> {
    // SAFETY: an all-zero stat is valid and lives through the call.
    let (result, facts) = unsafe {
        let mut facts: libc::stat = std::mem::zeroed();
        (libc::fstat(file.as_raw_fd(), &mut facts), facts)
    };
    done(result).map(|()| facts.into())
}

/// `futimens`; seconds since 1970.
pub fn set_times(file: &OwnedFd, modified: i64) -> io::Result<()> {
    let at = libc::timespec { tv_sec: modified, tv_nsec: 0 };
    // SAFETY: the two times live through the call.
    done(unsafe { libc::futimens(file.as_raw_fd(), [at, at].as_ptr()) })
}

/// `fchown` to the caller, as tar does when it runs as root.
pub fn chown(file: &OwnedFd) -> io::Result<()> {
    // SAFETY: takes no pointers.
    done(unsafe { libc::fchown(file.as_raw_fd(), libc::geteuid(), libc::getegid()) })
}

/// `fchmod`.
pub fn chmod(file: &OwnedFd, mode: libc::mode_t) -> io::Result<()> {
    // SAFETY: takes no pointers.
    done(unsafe { libc::fchmod(file.as_raw_fd(), mode) })
}

/// `posix_fadvise` that the file's pages are not needed. Advice may be ignored, and so may its failure.
pub fn drop_pages(file: &OwnedFd, offset: u64, length: u64) {
    // SAFETY: takes no pointers.
    unsafe { libc::posix_fadvise64(file.as_raw_fd(), offset as i64, length as i64, libc::POSIX_FADV_DONTNEED) };
}

/// `fcntl` with `F_SETLKW`: a write lock on a range, or its end.
pub fn lock(file: &OwnedFd, offset: u64, length: u64, locked: bool) -> io::Result<()> {
    // SAFETY: an all-zero flock is valid and lives through the call.
    done(unsafe {
        let mut range: libc::flock64 = std::mem::zeroed();
        range.l_type = if locked { libc::F_WRLCK } else { libc::F_UNLCK } as libc::c_short;
        range.l_whence = libc::SEEK_SET as libc::c_short;
        (range.l_start, range.l_len) = (offset as i64, length as i64);
        libc::fcntl(file.as_raw_fd(), libc::F_SETLKW, &range)
    })
}

/// `statvfs`: bytes that an ordinary user may still write, and inodes (`u64::MAX` where they are not counted).
pub fn free(path: &CStr) -> io::Result<(u64, u64)> {
    // SAFETY: an all-zero statvfs is valid; it and the path live through the call.
    let (result, found) = unsafe {
        let mut found: libc::statvfs64 = std::mem::zeroed();
        (libc::statvfs64(path.as_ptr(), &mut found), found)
    };
    done(result)?;
    let inodes = if found.f_files == 0 { u64::MAX } else { found.f_favail };
    Ok((found.f_bavail.saturating_mul(found.f_frsize), inodes))
}

/// `fstatvfs` of an open folder, for the call alone.
pub fn system_stat(folder: &Folder) -> io::Result<()> {
    // SAFETY: an all-zero statvfs is valid and lives through the call.
    done(unsafe {
        let mut found: libc::statvfs64 = std::mem::zeroed();
        libc::fstatvfs64(folder.fd(), &mut found)
    })
}
