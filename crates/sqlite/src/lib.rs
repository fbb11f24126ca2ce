//! Opens SQLite databases, also in a folder that is held open and reached by its descriptor, `/proc/self/fd/NUMBER`.
//!
//! SQLite resolves all links of a path before it opens anything, so that such a path would become the name that the folder
//! has at that moment, to be looked up again for each journal. A file system of our own (a `VFS` in SQLite's words) leaves
//! the name as it is, and is SQLite's own in everything else. The calls that a transaction makes by name (`open`, `access`,
//! `stat`, `unlink`) go to the descriptor itself: the way through `/proc` would be longer than that to any other folder,
//! and is measured.

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::sync::OnceLock;

use rusqlite::{Connection, Error, OpenFlags, ffi};

/// Where descriptors of this process have names.
const DESCRIPTORS: &str = "/proc/self/fd/";
const NAME: &CStr = c"plimsoll";

/// Opens a database, or makes it.
pub fn open(path: &Path) -> rusqlite::Result<Connection> {
    open_as(path, path, OpenFlags::default())
}

/// Opens the database at `path` under the name of `place`, which is the path or a URI with it.
pub fn open_as(path: &Path, place: impl AsRef<Path>, flags: OpenFlags) -> rusqlite::Result<Connection> {
    if !path.starts_with(DESCRIPTORS) {
        return Connection::open_with_flags(place, flags);
    }
    static REGISTERED: OnceLock<c_int> = OnceLock::new();
    match *REGISTERED.get_or_init(register) {
        ffi::SQLITE_OK => Connection::open_with_flags_and_vfs(place, flags, NAME),
        code => Err(Error::SqliteFailure(ffi::Error::new(code), None)),
    }
}

fn register() -> c_int {
    // SAFETY: names are C strings; the record is SQLite's own and lives as long as the process, as does our copy of it; a
    // function takes the place of one that takes and gives the same.
    unsafe {
        let own = ffi::sqlite3_vfs_find(c"unix".as_ptr());
        let Some(replace) = own.as_ref().and_then(|own| own.xSetSystemCall) else { return ffi::SQLITE_ERROR };
        type Call = unsafe extern "C" fn();
        let calls: [(&CStr, Call); 4] = [
            (c"open", std::mem::transmute::<unsafe extern "C" fn(*const c_char, c_int, c_int) -> c_int, Call>(at_open)),
            (c"access", std::mem::transmute::<unsafe extern "C" fn(*const c_char, c_int) -> c_int, Call>(at_access)),
            (
                c"stat",
                std::mem::transmute::<unsafe extern "C" fn(*const c_char, *mut libc::stat) -> c_int, Call>(at_stat),
            ),
            (c"unlink", std::mem::transmute::<unsafe extern "C" fn(*const c_char) -> c_int, Call>(at_unlink)),
        ];
        for (name, call) in calls {
            if replace(own, name.as_ptr(), Some(call)) != ffi::SQLITE_OK {
                return ffi::SQLITE_ERROR;
            }
        }
        let changed = ffi::sqlite3_vfs {
            zName: NAME.as_ptr(),
            pNext: std::ptr::null_mut(),
            xFullPathname: Some(as_it_is),
            ..*own
        };
        ffi::sqlite3_vfs_register(Box::leak(Box::new(changed)), 0)
    }
}

/// The full name of a file: the one given, which is absolute.
unsafe extern "C" fn as_it_is(_: *mut ffi::sqlite3_vfs, name: *const c_char, room: c_int, out: *mut c_char) -> c_int {
    // SAFETY: SQLite gives a C string, and `room` bytes to write to.
    unsafe {
        let bytes = CStr::from_ptr(name).to_bytes_with_nul();
        if usize::try_from(room).is_ok_and(|room| bytes.len() <= room) {
            std::ptr::copy_nonoverlapping(name, out, bytes.len());
            return ffi::SQLITE_OK;
        }
    }
    ffi::SQLITE_CANTOPEN
}

/// Folder and name of a path: those of a held folder, or the path itself.
///
/// # Safety
/// The path is a C string.
#[inline]
unsafe fn at(path: *const c_char) -> (c_int, *const c_char) {
    // SAFETY: as the caller says; no byte behind the final zero is read, because a comparison ends at the first difference.
    unsafe {
        if libc::strncmp(path, c"/proc/self/fd/".as_ptr(), DESCRIPTORS.len()) != 0 {
            return (libc::AT_FDCWD, path);
        }
        let mut rest = path.add(DESCRIPTORS.len());
        let (mut folder, first) = (0, rest);
        while (*rest as u8).is_ascii_digit() && rest.offset_from(first) < 9 {
            folder = 10 * folder + c_int::from(*rest as u8 - b'0');
            rest = rest.add(1);
        }
        match *rest as u8 {
            _ if rest == first => (libc::AT_FDCWD, path),
            b'/' if *rest.add(1) != 0 => (folder, rest.add(1)),
            b'/' | 0 => (folder, c".".as_ptr()),
            _ => (libc::AT_FDCWD, path),
        }
    }
}

unsafe extern "C" fn at_open(path: *const c_char, flags: c_int, mode: c_int) -> c_int {
    // SAFETY: SQLite gives a C string.
    unsafe {
        let (folder, name) = at(path);
        libc::openat(folder, name, flags, mode)
    }
}

unsafe extern "C" fn at_access(path: *const c_char, mode: c_int) -> c_int {
    // SAFETY: as in `at_open`.
    unsafe {
        let (folder, name) = at(path);
        libc::faccessat(folder, name, mode, 0)
    }
}

unsafe extern "C" fn at_stat(path: *const c_char, found: *mut libc::stat) -> c_int {
    // SAFETY: as in `at_open`; the record is SQLite's.
    unsafe {
        let (folder, name) = at(path);
        libc::fstatat(folder, name, found, 0)
    }
}

unsafe extern "C" fn at_unlink(path: *const c_char) -> c_int {
    // SAFETY: as in `at_open`.
    unsafe {
        let (folder, name) = at(path);
        libc::unlinkat(folder, name, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, File};
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::symlink;

    const ROW: &str = "CREATE TABLE IF NOT EXISTS t (a); INSERT INTO t VALUES (1);";

    #[test]
    fn a_database_and_its_journals_stay_in_the_folder_that_was_opened() {
        for mode in ["DELETE", "WAL"] {
            let dir = tempfile::tempdir().unwrap();
            let (name, moved, other) = (dir.path().join("held"), dir.path().join("moved"), dir.path().join("other"));
            fs::create_dir(&name).unwrap();
            fs::create_dir(&other).unwrap();
            let folder = File::open(&name).unwrap();
            let path = Path::new(DESCRIPTORS).join(folder.as_raw_fd().to_string()).join("x.db");
            let before = open(&path).unwrap();
            before.query_row(&format!("PRAGMA journal_mode={mode}"), [], |_| Ok(())).unwrap();
            before.execute_batch(ROW).unwrap();
            fs::rename(&name, &moved).unwrap();
            symlink(&other, &name).unwrap();
            before.execute_batch(ROW).unwrap();
            let after = open(&path).unwrap();
            after.execute_batch(ROW).unwrap();
            let uri = format!("file:{}?mode=ro", path.display());
            let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
            let reader = open_as(&path, &uri, flags).unwrap();
            let count: u32 = reader.query_row("SELECT count(*) FROM t", [], |row| row.get(0)).unwrap();
            assert_eq!(count, 3, "{mode}");
            assert!(moved.join("x.db").is_file());
            assert_eq!(fs::read_dir(&other).unwrap().count(), 0, "{mode}: nothing went where the name leads now");
        }
    }

    #[test]
    fn a_link_in_the_folder_is_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let folder = File::open(dir.path()).unwrap();
        symlink(dir.path().join("precious"), dir.path().join("x.db")).unwrap();
        let path = Path::new(DESCRIPTORS).join(folder.as_raw_fd().to_string()).join("x.db");
        let opened = open(&path).and_then(|connection| connection.execute_batch(ROW));
        assert!(opened.is_err_and(|error| error.to_string().contains("unable to open")));
        assert!(!dir.path().join("precious").exists());
    }

    #[test]
    fn any_other_path_is_opened_as_ever() {
        let dir = tempfile::tempdir().unwrap();
        let folder = File::open(dir.path()).unwrap();
        open(&Path::new(DESCRIPTORS).join(folder.as_raw_fd().to_string()).join("x.db")).unwrap();
        open(&dir.path().join("y.db")).unwrap().execute_batch(ROW).unwrap();
        assert!(dir.path().join("y.db").is_file());
    }

    #[test]
    fn folder_and_name_are_told_apart() {
        let told = |path: &CStr| {
            // SAFETY: it is a C string, and what comes back is in it or a constant.
            let (folder, name) = unsafe { at(path.as_ptr()) };
            // SAFETY: as above.
            (folder, unsafe { CStr::from_ptr(name) }.to_str().unwrap().to_owned())
        };
        assert_eq!(told(c"/proc/self/fd/17/sub/x.db"), (17, "sub/x.db".to_owned()));
        assert_eq!(told(c"/proc/self/fd/17"), (17, ".".to_owned()));
        assert_eq!(told(c"/proc/self/fd/17/"), (17, ".".to_owned()));
        for other in [c"/proc/self/fd/", c"/proc/self/fd", c"/proc/self/fd/x", c"/proc/self/fd/1x/y", c"/p", c""] {
            assert_eq!(told(other), (libc::AT_FDCWD, other.to_str().unwrap().to_owned()));
        }
    }
}
