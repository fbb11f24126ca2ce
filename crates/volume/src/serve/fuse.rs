//! Requests read from and answers written to `/dev/fuse`: two system calls per operation, on every kernel.

use std::fs::File;
use std::io::{self, IoSlice, Read, Write};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::time::Duration;

use plimsoll_core::clock::Clock;

use super::channel::{BATCH, Channel, Found, Handle, Payload};
use super::device::Device;
use super::protocol::{self, Request};
use super::system;

/// One worker's descriptor of the connection. The first worker listens; it calls the next when requests come faster than
/// it reads them.
pub struct Descriptor {
    index: usize,
    workers: usize,
    connection: File,
    device: Arc<Device>,
    message: Vec<u8>,
    listening: bool,
}

impl Descriptor {
    /// For worker `index` of `workers`.
    pub fn new(index: usize, workers: usize, connection: File, device: Arc<Device>) -> Self {
        let message = vec![0; protocol::BUFFER_BYTES];
        Self { index, workers, connection, device, message, listening: index == 0 }
    }
}

impl Channel for Descriptor {
    fn read(&mut self, clock: &Clock, handle: &mut impl Handle) -> io::Result<Found> {
        if !self.listening {
            return Ok(Found::Nothing);
        }
        for count in 0..BATCH {
            match self.connection.read(&mut self.message) {
                Ok(length) => {
                    let Some(request) = Request::parse(&self.message[..length]) else { continue };
                    let ticket = request.ticket;
                    if let Some((errno, payload)) = handle(&request, &mut [], clock.now_ns()) {
                        self.answer(ticket, errno, Payload::Bytes(&payload))?;
                    }
                }
                Err(error) => match error.raw_os_error() {
                    Some(libc::EAGAIN) => return Ok(if count == 0 { Found::Nothing } else { Found::Some }),
                    // The request was taken back before it was read.
                    Some(libc::ENOENT | libc::EINTR) => {}
                    Some(libc::ENODEV) => return Ok(Found::End),
                    _ => return Err(error),
                },
            }
        }
        if self.index == 0 && self.workers > 1 {
            self.device.wake_event(1).signal();
        }
        Ok(Found::Plenty)
    }

    fn answer(&mut self, ticket: u64, errno: i32, payload: Payload<'_>) -> io::Result<()> {
        let payload = match payload {
            Payload::Bytes(bytes) => bytes,
            Payload::InRoom(_) => &[],
        };
        let header = protocol::reply_header(ticket, errno, payload.len());
        match (&self.connection).write_vectored(&[IoSlice::new(&header), IoSlice::new(payload)]) {
            // Nobody waits for this answer any more: interrupted, or unmounted, which reading will find.
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOENT | libc::EPERM | libc::ENODEV)) => Ok(()),
            other => other.map(|_| ()),
        }
    }

    fn wait(&mut self, timeout: Option<Duration>) -> io::Result<bool> {
        let wake_event = self.device.wake_event(self.index);
        // A helper goes back to sleep; the first worker always listens.
        let connection = if self.index == 0 { self.connection.as_raw_fd() } else { -1 };
        let [request, rung] = system::wait([connection, wake_event.fd()], timeout)?;
        if rung {
            wake_event.clear();
        }
        self.listening = rung || self.index == 0;
        Ok(request || rung)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::serve::build;
    use crate::spec::VolumeSpec;

    const SPEC: &str = r#"{
        "size": 1048576, "queue": "fifo", "seed": 1, "time_scale": 1.0,
        "read_latency": {"median_ns": 1}, "write_latency": {"median_ns": 1}
    }"#;

    fn of(path: &str) -> Descriptor {
        let connection = File::options().read(true).write(true).open(path).unwrap();
        let spec = VolumeSpec::from_json(SPEC).unwrap();
        Descriptor::new(0, 1, connection, Arc::new(build(&spec).unwrap()))
    }

    #[test]
    fn an_answer_that_the_kernel_does_not_take_is_an_error() {
        let error = of("/dev/full").answer(7, 0, Payload::Bytes(b"data")).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENOSPC));
        of("/dev/null").answer(7, 0, Payload::Bytes(b"data")).unwrap();
    }
}
