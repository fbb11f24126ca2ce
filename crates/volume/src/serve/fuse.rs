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
                        self.answer(ticket, errno, Payload::Bytes(&payload));
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
            self.device.bell(1).ring();
        }
        Ok(Found::Plenty)
    }

    fn answer(&mut self, ticket: u64, errno: i32, payload: Payload<'_>) {
        let payload = match payload {
            Payload::Bytes(bytes) => bytes,
            Payload::InRoom(_) => &[],
        };
        let header = protocol::reply_header(ticket, errno, payload.len());
        // An error means that nobody waits for this answer any more: interrupted, or unmounted, which reading will find.
        let _ = (&self.connection).write_vectored(&[IoSlice::new(&header), IoSlice::new(payload)]);
    }

    fn wait(&mut self, timeout: Option<Duration>) -> io::Result<bool> {
        let bell = self.device.bell(self.index);
        // A helper goes back to sleep; the first worker always listens.
        let connection = if self.index == 0 { self.connection.as_raw_fd() } else { -1 };
        let [request, rung] = system::wait([connection, bell.fd()], timeout)?;
        if rung {
            bell.silence();
        }
        self.listening = rung || self.index == 0;
        Ok(request || rung)
    }
}
