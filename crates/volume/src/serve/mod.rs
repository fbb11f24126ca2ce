//! A volume as a real file: served through FUSE, to be attached to a loop device with direct I/O.
//!
//! ```text
//! program ─► /dev/loopN ─► mount point (FUSE, a regular file) ─► worker: model says when, backing has the bytes
//!                                                                  ▲
//!                                  control socket: stats, set, fault, stop
//! ```
//! A server that is killed leaves a dead mount: `losetup -d` and `umount` clear it.

mod backing;
mod channel;
mod connection;
mod control;
mod device;
mod fuse;
mod pending;
mod protocol;
mod slots;
mod system;
mod uring;
mod worker;

use std::fs::{self, Permissions};
use std::io;
use std::os::fd::{AsFd, AsRawFd};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use plimsoll_core::clock::Clock;

use crate::error::VolumeError;
use crate::model::Volume;
use crate::model::instance::Cells;
use crate::spec::VolumeSpec;
use backing::Backing;
use connection::Connection;
use device::Device;
use fuse::Descriptor;
use protocol::Wishes;
use worker::Worker;

/// Requests that the kernel keeps under way at once; beyond the depth of any loop device.
const BACKGROUND_MAX: u16 = 1024;
/// Threads that serve; on two CPUs more only take turns.
const WORKERS: usize = 2;

/// Serves the volume of `spec_json` at `mountpoint`, an empty regular file, and listens for commands at `socket`.
/// Returns when it was stopped, unmounted, or asked to end by SIGTERM, SIGINT or SIGHUP, which it blocks in the calling
/// thread. Needs root, or at least the right to mount.
///
/// `ready` is called once the file can be opened.
pub fn serve(spec_json: &str, mountpoint: &Path, socket: &Path, ready: &mut dyn FnMut()) -> Result<(), VolumeError> {
    let spec = VolumeSpec::from_json(spec_json)?;
    let termination = system::termination().map_err(VolumeError::system("cannot watch for signals"))?;
    let listener = listen(socket)?;
    let _socket_file = RemoveOnDrop(socket);
    let device = Arc::new(build(&spec)?);
    let rings = uring::prepare(WORKERS);
    // A kernel that grants no rings sends everything through /dev/fuse, which the first ring watches.
    let connection = Connection::mount(mountpoint, Wishes { background: BACKGROUND_MAX, rings: !rings.is_empty() })?;
    let unmount = |force: bool| unmount(mountpoint, force);
    let workers = match start_workers(connection.as_fd(), &device, rings) {
        Ok(workers) => workers,
        Err(error) => {
            device.stop();
            return Err(error);
        }
    };
    ready();
    let mut result = Ok(());
    while !workers.iter().any(JoinHandle::is_finished) {
        let fds = [listener.as_raw_fd(), termination.as_raw_fd()];
        // The timeout finds a worker that ended because someone else unmounted.
        let waited = system::wait(fds, Some(Duration::from_secs(1)));
        let [called, terminated] = waited.map_err(VolumeError::system("cannot wait for commands"))?;
        if terminated {
            result = unmount(true);
            break;
        }
        if called
            && let Ok((stream, _)) = listener.accept()
            // A client that goes away in the middle is its own affair.
            && control::converse(&stream, &device, &unmount).unwrap_or(false)
        {
            break;
        }
    }
    device.stop();
    for worker in workers {
        let ended =
            worker.join().map_err(|_| VolumeError::spec("a worker of the volume panicked; its device is gone"))?;
        ended.map_err(VolumeError::system("a worker of the volume failed"))?;
    }
    result
}

fn listen(socket: &Path) -> Result<UnixListener, VolumeError> {
    let action = || format!("cannot listen at {}", socket.display());
    if socket.exists() {
        if std::os::unix::net::UnixStream::connect(socket).is_ok() {
            let message = format!("{}: another server listens at {}; stop it first", action(), socket.display());
            return Err(VolumeError::spec(message));
        }
        fs::remove_file(socket).map_err(VolumeError::system(action()))?;
    }
    let listener = UnixListener::bind(socket).map_err(VolumeError::system(action()))?;
    fs::set_permissions(socket, Permissions::from_mode(0o600)).map_err(VolumeError::system(action()))?;
    Ok(listener)
}

fn build(spec: &VolumeSpec) -> Result<Device, VolumeError> {
    let backing = Backing::open(&spec.backing, spec.device_bytes())?;
    let shared = spec.instance.as_ref().and_then(|instance| instance.shared_state.as_deref());
    let cells = shared
        .map(|path| {
            let action = format!("cannot share the limits of the instance at {}", path.display());
            system::SharedCells::open(path).map(|cells| Cells::of(Arc::new(cells))).map_err(VolumeError::system(action))
        })
        .transpose()?;
    let volume = Volume::new(spec, cells, Clock::new().now_ns())?;
    Device::new(volume, backing, WORKERS).map_err(VolumeError::system("cannot create the wake events of the workers"))
}

fn unmount(mountpoint: &Path, force: bool) -> Result<(), VolumeError> {
    match system::unmount(mountpoint, force) {
        // Someone else was faster.
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => Ok(()),
        Err(error) if error.raw_os_error() == Some(libc::EBUSY) => Err(VolumeError::spec(format!(
            "the volume at {} is in use; detach its loop device first, or force it",
            mountpoint.display()
        ))),
        other => other.map_err(VolumeError::system(format!("cannot unmount {}", mountpoint.display()))),
    }
}

fn start_workers(
    connection: std::os::fd::BorrowedFd,
    device: &Arc<Device>,
    rings: Vec<uring::Prepared>,
) -> Result<Vec<JoinHandle<io::Result<()>>>, VolumeError> {
    let workers = if rings.is_empty() { WORKERS } else { rings.len() };
    let mut rings = rings.into_iter();
    let start = |index| {
        let thread = std::thread::Builder::new().name(format!("volume-{index}"));
        let descriptor = Descriptor::new(index, workers, system::clone_fuse(connection)?, device.clone());
        let device = device.clone();
        match rings.next() {
            None => thread.spawn(move || Worker::new(descriptor, device).run()),
            Some(ring) => {
                let descriptor = (index == 0).then_some(descriptor);
                let ring = ring.connect(index, system::clone_fuse(connection)?, descriptor, device.clone());
                thread.spawn(move || Worker::new(ring, device).run())
            }
        }
    };
    let started: io::Result<_> = (0..workers).map(start).collect();
    started.map_err(VolumeError::system("cannot start the workers of the volume"))
}

struct RemoveOnDrop<'a>(&'a Path);

impl Drop for RemoveOnDrop<'_> {
    fn drop(&mut self) {
        // Nothing to be done if it is gone already.
        let _ = fs::remove_file(self.0);
    }
}
