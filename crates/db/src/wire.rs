//! A connection to a server: one socket, what is to be sent, what has come.

use std::io::{self, ErrorKind};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use crate::driver::{Reply, Request, Session, State};
use crate::fault::{Cause, Fault};
use crate::socket::{Wait, receive, send};
#[cfg(feature = "tls")]
use crate::tls::Cipher;
use crate::url::Url;

/// How often a connection that waits looks for a stop request.
const POLL_INTERVAL: Duration = Duration::from_millis(200);
/// Room for what comes, at first; it grows with the largest reply.
const ROOM: usize = 4096;
/// Of one reply: a server could fill all memory with it.
const LARGEST: usize = 1 << 28;

/// Where a server is.
#[derive(Debug, Clone)]
pub enum Address {
    /// Host and port.
    Tcp(String, u16),
    /// Path of a socket.
    Unix(String),
}

impl Address {
    /// Of a URL: its parameter `socket`, or else its host and port.
    pub fn of(url: &Url) -> Self {
        match url.parameter("socket") {
            Some(path) => Self::Unix(path.to_owned()),
            None => Self::Tcp(url.host.clone(), url.port),
        }
    }

    /// `HOST:PORT` or a socket's path, as messages show it.
    pub fn describe(&self) -> String {
        match self {
            Self::Tcp(host, port) => format!("{host}:{port}"),
            Self::Unix(path) => path.clone(),
        }
    }
}

/// A session that talks over a wire: requests are written, replies are taken as they come.
pub trait Talk: Send {
    /// The connection.
    fn wire(&mut self) -> &mut Wire;

    /// Writes a request.
    fn write(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<(), Fault>;

    /// Takes the replies that are there. True: the request is over.
    fn take(&mut self, reply: &mut Reply) -> Result<bool, Fault>;

    /// Takes replies until the request is over, while the wire waits.
    fn take_waiting(&mut self, reply: &mut Reply) -> Result<(), Fault> {
        while !self.take(reply)? {
            self.wire().await_more()?;
        }
        Ok(())
    }
}

impl<T: Talk> Session for T {
    #[inline]
    fn start(&mut self, request: &Request<'_>, reply: &mut Reply) -> Result<State, Fault> {
        self.write(request, reply)?;
        self.wire().send()?;
        Ok(State::Waiting)
    }

    #[inline]
    fn resume(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        self.wire().wake()?;
        loop {
            if self.take(reply)? {
                return Ok(State::Done);
            }
            if !self.wire().receive()? {
                return Ok(State::Waiting);
            }
        }
    }

    fn descriptor(&mut self) -> Option<RawFd> {
        Some(self.wire().descriptor())
    }
}

/// A connection. It waits for the server until [`Wire::stop_waiting`], and never after.
#[derive(Debug)]
pub struct Wire {
    socket: OwnedFd,
    #[cfg(feature = "tls")]
    cipher: Option<Box<Cipher>>,
    /// What is to be sent, from `sent` on.
    out: Vec<u8>,
    sent: usize,
    /// What has come and is not consumed: `room[start..end]`.
    room: Vec<u8>,
    start: usize,
    end: usize,
    /// Present while it waits.
    wait: Option<Wait>,
}

impl Wire {
    /// Connects.
    pub fn connect(address: &Address, wait: Wait) -> Result<Self, Fault> {
        #[cfg(any(test, fuzzing))]
        if let Some(socket) = crate::hostile::socket() {
            return Ok(Self { wait: Some(wait), ..Self::over(socket) });
        }
        let timeout = wait.timeout.unwrap_or(Duration::MAX);
        let failed = |error: &io::Error| {
            Fault::broken(Cause::Connect, format!("cannot connect to {}: {error}", address.describe()))
        };
        let socket = match address {
            Address::Tcp(host, port) => connect_tcp(host, *port, timeout).map_err(|error| failed(&error))?,
            Address::Unix(path) => {
                let stream = UnixStream::connect(path).map_err(|error| failed(&error))?;
                stream.set_read_timeout(Some(POLL_INTERVAL)).map_err(|error| failed(&error))?;
                stream.set_write_timeout(Some(timeout)).map_err(|error| failed(&error))?;
                stream.into()
            }
        };
        Ok(Self { wait: Some(Wait { server: address.describe(), ..wait }), ..Self::over(socket) })
    }

    /// Over a connected socket.
    pub fn over(socket: OwnedFd) -> Self {
        Self {
            socket,
            #[cfg(feature = "tls")]
            cipher: None,
            out: Vec::with_capacity(ROOM),
            sent: 0,
            room: vec![0; ROOM],
            start: 0,
            end: 0,
            wait: None,
        }
    }

    /// From here on a wait lasts until the server answers or the job is stopped.
    pub fn wait_until_stopped(&mut self) {
        if let Some(wait) = &mut self.wait {
            wait.timeout = None;
        }
    }

    /// Encrypts everything from here on.
    #[cfg(feature = "tls")]
    pub fn encrypt(&mut self, trust: &crate::tls::Trust) -> Result<(), Fault> {
        let began = Instant::now();
        let go_on = || self.wait.as_ref().map_or(Ok(()), |wait| wait.go_on(began));
        self.cipher = Some(Box::new(trust.shake_hands(self.socket.as_raw_fd(), go_on)?));
        Ok(())
    }

    /// What to watch.
    pub fn descriptor(&self) -> RawFd {
        self.socket.as_raw_fd()
    }

    /// From here on nothing waits.
    pub fn stop_waiting(&self) -> Result<(), Fault> {
        let yes: libc::c_int = 1;
        // SAFETY: the descriptor is open and `yes` lives through the call.
        match unsafe { libc::ioctl(self.socket.as_raw_fd(), libc::FIONBIO, &raw const yes) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error().into()),
        }
    }

    /// To be sent by the next [`Wire::send`].
    #[inline]
    pub fn out(&mut self) -> &mut Vec<u8> {
        &mut self.out
    }

    /// Sends what is to be sent, as far as the socket takes it.
    #[inline]
    pub fn send(&mut self) -> Result<(), Fault> {
        #[cfg(feature = "tls")]
        if let Some(cipher) = &mut self.cipher {
            cipher.send(self.socket.as_raw_fd(), &mut self.out)?;
            return Ok(());
        }
        while self.sent < self.out.len() {
            match send(self.socket.as_raw_fd(), &self.out[self.sent..]) {
                Ok(count) => self.sent += count,
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.out.clear();
        self.sent = 0;
        Ok(())
    }

    /// The descriptor is ready: sends the rest.
    #[inline]
    pub fn wake(&mut self) -> Result<(), Fault> {
        #[cfg(feature = "tls")]
        if self.cipher.is_some() {
            return self.send();
        }
        if self.out.is_empty() { Ok(()) } else { self.send() }
    }

    /// What has come.
    #[inline]
    pub fn data(&self) -> &[u8] {
        &self.room[self.start..self.end]
    }

    /// The first `count` bytes of it are done with.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.start += count;
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
    }

    /// Takes more from the socket. False: there is nothing at the moment.
    #[inline]
    pub fn receive(&mut self) -> Result<bool, Fault> {
        if self.end == self.room.len() {
            self.make_room()?;
        }
        loop {
            match self.receive_once() {
                Ok(0) => {
                    return Err(Fault::broken(Cause::Closed, "the server closed the connection"));
                }
                Ok(count) => {
                    self.end += count;
                    return Ok(true);
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn receive_once(&mut self) -> io::Result<usize> {
        let free = &mut self.room[self.end..];
        #[cfg(feature = "tls")]
        if let Some(cipher) = &mut self.cipher {
            return cipher.receive(self.socket.as_raw_fd(), free);
        }
        receive(self.socket.as_raw_fd(), free)
    }

    /// Takes more from the socket while it waits.
    pub fn await_more(&mut self) -> Result<(), Fault> {
        let began = Instant::now();
        while !self.receive()? {
            match &self.wait {
                Some(wait) => wait.go_on(began)?,
                None => return Err(io::Error::from(ErrorKind::WouldBlock).into()),
            }
        }
        Ok(())
    }

    #[cold]
    fn make_room(&mut self) -> Result<(), Fault> {
        if self.start > 0 {
            self.room.copy_within(self.start..self.end, 0);
            (self.start, self.end) = (0, self.end - self.start);
        }
        if self.room.len() >= LARGEST && self.end * 2 > self.room.len() {
            return Err(Fault::protocol("one reply of the server is longer than 256 MiB"));
        }
        if self.end * 2 > self.room.len() {
            self.room.resize(self.room.len() * 2, 0);
        }
        Ok(())
    }
}

fn connect_tcp(host: &str, port: u16, timeout: Duration) -> io::Result<OwnedFd> {
    let mut last = io::Error::new(ErrorKind::NotFound, "the host has no address");
    for address in (host, port).to_socket_addrs()? {
        match TcpStream::connect_timeout(&address, timeout) {
            Ok(stream) => {
                stream.set_nodelay(true)?;
                stream.set_read_timeout(Some(POLL_INTERVAL))?;
                stream.set_write_timeout(Some(timeout))?;
                return Ok(stream.into());
            }
            Err(error) => last = error,
        }
    }
    Err(last)
}
