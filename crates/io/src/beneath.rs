//! Opens files. Those in a folder that the caller holds open, `/proc/self/fd/NUMBER/name`, are opened in that folder and
//! nowhere else: by `openat2` without links of any kind, or name by name where the kernel or a filter does not have it.

use std::ffi::{CStr, CString, OsStr};
use std::fs::{File, Metadata};
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Component, Path};

/// Where descriptors of this process have names.
const DESCRIPTORS: &str = "/proc/self/fd";
/// How often the kernel is asked again when folders are renamed while it looks.
const TRIES: usize = 100;

/// What tells a file from all others: file system and number in it.
pub type Identity = (u64, u64);

/// That of an open file.
pub fn identity(metadata: &Metadata) -> Identity {
    (metadata.dev(), metadata.ino())
}

/// The held folder and the name in it; nothing for all other paths.
fn held(path: &Path) -> Option<(RawFd, &Path)> {
    let rest = path.strip_prefix(DESCRIPTORS).ok()?;
    let mut parts = rest.components();
    let folder = parts.next()?.as_os_str().to_str()?.parse().ok()?;
    let name = parts.as_path();
    (!name.as_os_str().is_empty()).then_some((folder, name))
}

/// `open`, with `O_CLOEXEC`. A link in the way of a file in a held folder is an error, ELOOP.
pub fn open(path: &Path, flags: libc::c_int) -> io::Result<File> {
    let flags = flags | libc::O_CLOEXEC;
    let file = match held(path) {
        Some((folder, name)) => match resolve(folder, &text(name.as_os_str())?, flags) {
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM)) => walk(folder, name, flags),
            result => result,
        },
        None => open_at(libc::AT_FDCWD, &text(path.as_os_str())?, flags),
    };
    file.map(File::from)
}

/// What a path leads to, by the rules of [`open`].
pub fn look(path: &Path) -> io::Result<Metadata> {
    if held(path).is_none() {
        return std::fs::metadata(path);
    }
    let found = open(path, libc::O_PATH | libc::O_NOFOLLOW)?.metadata()?;
    // Opened with O_PATH, a link is a thing of its own.
    if found.is_symlink() { Err(io::Error::from_raw_os_error(libc::ELOOP)) } else { Ok(found) }
}

/// Folder and name of a path, for calls that take both; a held one must lie in the folder itself.
pub fn place(path: &Path) -> io::Result<(RawFd, CString)> {
    match held(path) {
        Some((folder, name)) if name.components().count() == 1 => Ok((folder, text(name.as_os_str())?)),
        Some(_) => Err(io::Error::from_raw_os_error(libc::EXDEV)),
        None => Ok((libc::AT_FDCWD, text(path.as_os_str())?)),
    }
}

/// Removes the name of a file, by the rules of [`open`].
pub fn remove(path: &Path) -> io::Result<()> {
    let (Some(parent), Some(name), Some(_)) = (path.parent(), path.file_name(), held(path)) else {
        return std::fs::remove_file(path);
    };
    let parent = open(parent, libc::O_PATH | libc::O_DIRECTORY)?;
    let name = text(name)?;
    // SAFETY: the name is a C string that lives through the call, and the folder is open.
    match unsafe { libc::unlinkat(parent.as_raw_fd(), name.as_ptr(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn text(path: &OsStr) -> io::Result<CString> {
    Ok(CString::new(path.as_bytes())?)
}

/// `openat2` that does not leave the folder and follows nothing.
fn resolve(folder: RawFd, name: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: all-zero is a valid value.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = flags as u64;
    how.mode = if flags & libc::O_CREAT != 0 { 0o666 } else { 0 };
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS | libc::RESOLVE_NO_MAGICLINKS;
    let mut tries = 0;
    loop {
        // SAFETY: name and record live through the call, and the record is as long as stated.
        let result = unsafe {
            libc::syscall(libc::SYS_openat2, folder, name.as_ptr(), &raw const how, size_of::<libc::open_how>())
        };
        match owned(result as libc::c_int) {
            Err(error) if error.raw_os_error() == Some(libc::EAGAIN) && tries < TRIES => tries += 1,
            result => return result,
        }
    }
}

/// The same with `openat`, one name after the other.
fn walk(folder: RawFd, name: &Path, flags: libc::c_int) -> io::Result<OwnedFd> {
    let mut parts = name.components().peekable();
    let mut above: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let Component::Normal(part) = part else { return Err(io::Error::from_raw_os_error(libc::EXDEV)) };
        let at = above.as_ref().map_or(folder, AsRawFd::as_raw_fd);
        if parts.peek().is_none() {
            return open_at(at, &text(part)?, flags | libc::O_NOFOLLOW);
        }
        let between = libc::O_PATH | libc::O_DIRECTORY | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        above = Some(open_at(at, &text(part)?, between)?);
    }
    Err(io::Error::from_raw_os_error(libc::ENOENT))
}

fn open_at(folder: RawFd, name: &CStr, flags: libc::c_int) -> io::Result<OwnedFd> {
    loop {
        // SAFETY: the name is a C string that lives through the call.
        let result = owned(unsafe { libc::openat(folder, name.as_ptr(), flags, 0o666 as libc::c_uint) });
        if !result.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::Interrupted) {
            return result;
        }
    }
}

fn owned(result: libc::c_int) -> io::Result<OwnedFd> {
    if result < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel has just made this descriptor for us; nobody else owns it.
    Ok(unsafe { OwnedFd::from_raw_fd(result) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::symlink;

    type Way = fn(RawFd, &Path, libc::c_int) -> io::Result<OwnedFd>;

    fn by_openat2(folder: RawFd, name: &Path, flags: libc::c_int) -> io::Result<OwnedFd> {
        resolve(folder, &text(name.as_os_str())?, flags)
    }

    const WAYS: [Way; 2] = [by_openat2, walk];

    #[test]
    fn what_is_in_the_folder_opens_in_both_ways() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("sub")).unwrap();
        fs::write(dir.path().join("sub/f"), "x").unwrap();
        let folder = File::open(dir.path()).unwrap();
        for way in WAYS {
            assert!(way(folder.as_raw_fd(), Path::new("sub/f"), libc::O_RDWR).is_ok());
            let made = way(folder.as_raw_fd(), Path::new("new"), libc::O_RDWR | libc::O_CREAT | libc::O_EXCL);
            assert!(made.is_ok() && dir.path().join("new").is_file());
            fs::remove_file(dir.path().join("new")).unwrap();
        }
    }

    #[test]
    fn links_and_ways_out_are_refused_in_both_ways() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("in"), dir.path().join("out"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("f"), "precious").unwrap();
        symlink(outside.join("f"), inside.join("file")).unwrap();
        symlink(&outside, inside.join("folder")).unwrap();
        let folder = File::open(&inside).unwrap();
        for way in WAYS {
            for name in ["file", "folder/f", "../out/f", "/etc/passwd"] {
                for flags in [libc::O_RDONLY, libc::O_RDWR | libc::O_CREAT | libc::O_TRUNC] {
                    assert!(way(folder.as_raw_fd(), Path::new(name), flags).is_err(), "{name}");
                }
            }
        }
        assert_eq!(fs::read(outside.join("f")).unwrap(), b"precious");
    }

    #[test]
    fn a_held_folder_is_where_it_was_opened_whatever_its_name_is_now() {
        let dir = tempfile::tempdir().unwrap();
        let (name, moved) = (dir.path().join("held"), dir.path().join("moved"));
        fs::create_dir(&name).unwrap();
        fs::write(name.join("f"), "ours").unwrap();
        let folder = File::open(&name).unwrap();
        fs::rename(&name, &moved).unwrap();
        fs::create_dir(&name).unwrap();
        fs::write(name.join("f"), "theirs").unwrap();
        let path = Path::new(DESCRIPTORS).join(folder.as_raw_fd().to_string()).join("f");
        assert_eq!(look(&path).unwrap().len(), 4);
        assert_eq!(io::read_to_string(open(&path, libc::O_RDONLY).unwrap()).unwrap(), "ours");
        remove(&path).unwrap();
        assert!(name.join("f").exists() && !moved.join("f").exists());
        symlink(name.join("f"), moved.join("f")).unwrap();
        assert_eq!(look(&path).unwrap_err().raw_os_error(), Some(libc::ELOOP));
        assert_eq!(open(&path, libc::O_RDWR).unwrap_err().raw_os_error(), Some(libc::ELOOP));
    }
}
