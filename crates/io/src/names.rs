//! Operations on the names of files, one file each: fio's `filecreate`, `filestat` and `filedelete`.

use std::ffi::CString;
use std::io;
use std::marker::PhantomData;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::path::Path;

use crate::beneath;
use crate::engine::{Caps, Completion, Engine, OpKind, Operation, Setup, Submitted};
use crate::files::Map;

/// What is done with a name.
pub trait Act: Send + 'static {
    /// What the engine says of itself.
    const CAPS: Caps;

    /// Does it; what comes back is closed outside of the operation.
    fn act(folder: RawFd, name: &CString) -> io::Result<Option<OwnedFd>>;
}

/// What all of them say of themselves.
const fn caps(name: &'static str, description: &'static str) -> Caps {
    Caps { name, description, names: true, stores: false, dataless: true, ..Caps::SYNCHRONOUS }
}

/// One engine.
pub struct Names<A> {
    places: Vec<(RawFd, CString)>,
    map: Map,
    made: Option<OwnedFd>,
    act: PhantomData<A>,
}

impl<A: Act> Engine for Names<A> {
    const CAPS: Caps = A::CAPS;
    const SETTLES: bool = true;

    fn open(setup: &Setup<'_>) -> io::Result<Self> {
        let place = |path: &Path| beneath::place(path);
        let places = setup.paths.iter().map(|path| place(path)).collect::<io::Result<_>>()?;
        Ok(Self { places, map: setup.files.map(), made: None, act: PhantomData })
    }

    fn put(&mut self, _file: usize, _descriptor: RawFd) -> io::Result<()> {
        Ok(())
    }

    fn submit(&mut self, operation: Operation) -> Submitted {
        let Operation { tag, kind, offset, length, buffer, .. } = operation;
        let result = match kind {
            OpKind::Read | OpKind::Write => {
                let (folder, name) = &self.places[self.map.find(offset).0];
                A::act(*folder, name).map(|made| self.made = made)
            }
            OpKind::Trim => Err(io::Error::from_raw_os_error(libc::EINVAL)),
            OpKind::Fsync | OpKind::Fdatasync => Ok(()),
        };
        let result = match result {
            Ok(()) => i64::from(length),
            Err(error) => -i64::from(error.raw_os_error().unwrap_or(libc::EIO)),
        };
        Submitted::Done(Completion { tag, result, buffer })
    }

    fn settle(&mut self) {
        self.made = None;
    }
}

/// Opens a file, and makes it where there is none.
pub struct Create;

impl Act for Create {
    const CAPS: Caps = caps("filecreate", "makes files, one at a time; moves no data");

    fn act(folder: RawFd, name: &CString) -> io::Result<Option<OwnedFd>> {
        let flags = libc::O_CREAT | libc::O_RDWR | libc::O_NOFOLLOW | libc::O_CLOEXEC;
        // SAFETY: the name is a C string that lives through the call.
        let descriptor = unsafe { libc::openat(folder, name.as_ptr(), flags, 0o600 as libc::c_uint) };
        if descriptor < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel has just made this descriptor for us; nobody else owns it.
        Ok(Some(unsafe { OwnedFd::from_raw_fd(descriptor) }))
    }
}

/// Looks at a file.
pub struct Stat;

impl Act for Stat {
    const CAPS: Caps = caps("filestat", "looks at files by name, one at a time; moves no data");

    fn act(folder: RawFd, name: &CString) -> io::Result<Option<OwnedFd>> {
        // SAFETY: all-zero is a valid value of this plain record.
        let mut found: libc::stat64 = unsafe { std::mem::zeroed() };
        // SAFETY: name and record live through the call.
        match unsafe { libc::fstatat64(folder, name.as_ptr(), &raw mut found, 0) } {
            0 => Ok(None),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// Removes a file.
pub struct Delete;

impl Act for Delete {
    const CAPS: Caps = caps("filedelete", "removes files, one at a time; moves no data");

    fn act(folder: RawFd, name: &CString) -> io::Result<Option<OwnedFd>> {
        // SAFETY: the name is a C string that lives through the call.
        match unsafe { libc::unlinkat(folder, name.as_ptr(), 0) } {
            0 => Ok(None),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
