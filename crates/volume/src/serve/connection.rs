//! The mount and what is agreed on with the kernel before the first request.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::protocol::{self, Agreed, Wishes};
use super::system;
use crate::error::VolumeError;

/// A mounted file system whose requests wait to be read. Unmounted on drop, if it still is mounted.
#[derive(Debug)]
pub struct Connection {
    device: File,
    mountpoint: PathBuf,
}

impl Connection {
    /// Mounts at an empty regular file. Needs root, or at least the right to mount.
    pub fn mount(mountpoint: &Path, wishes: Wishes) -> Result<Self, VolumeError> {
        let action = format!("cannot mount a volume at {}", mountpoint.display());
        let failed = || VolumeError::system(action.clone());
        let mountpoint = mountpoint.canonicalize().map_err(failed())?;
        let metadata = mountpoint.metadata().map_err(failed())?;
        if !metadata.is_file() || metadata.len() > 0 {
            return Err(VolumeError::spec(format!(
                "{action}: it is not an empty regular file; give the path of a new one"
            )));
        }
        let device = OpenOptions::new().read(true).write(true).open(system::FUSE).map_err(failed())?;
        system::mount(&device, &mountpoint, metadata.mode()).map_err(failed())?;
        let connection = Self { device, mountpoint };
        connection.agree(wishes).map_err(failed())?;
        Ok(connection)
    }

    /// Answers what the kernel begins with. One that speaks a later edition of the protocol asks again in ours.
    fn agree(&self, wishes: Wishes) -> io::Result<()> {
        let mut message = vec![0; protocol::BUFFER_BYTES];
        loop {
            let length = match (&self.device).read(&mut message) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read?,
            };
            let (answer, agreed) = protocol::agree(&message[..length], wishes);
            (&self.device).write_all(&answer)?;
            match agreed {
                Agreed::Ready => return Ok(()),
                Agreed::AskedAgain => {}
                Agreed::Not(why) => return Err(io::Error::new(io::ErrorKind::Unsupported, why)),
            }
        }
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Whatever is mounted there once ours is gone is someone else's. Nothing to be done if it cannot be unmounted.
        if !system::is_broken(&self.device) {
            let _ = system::unmount(&self.mountpoint, true);
        }
    }
}
