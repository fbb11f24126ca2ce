//! A page over HTTP, with one connection per client or per request.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use crate::caps::Caps;
use crate::driver::{Driver, Reply, Request, Session, State};
use crate::fault::{Cause, Fault, JobError};
use crate::setup::Setup;
use crate::spec::Workload;
use crate::url::Url;
use crate::wire::{Address, Wire};

/// Bytes of a header, or of a line between two chunks.
const LONGEST_HEAD: usize = 1 << 16;

/// The driver.
#[derive(Debug)]
pub struct HttpDriver {
    setup: Arc<Setup>,
    url: Url,
    shared: Arc<Shared>,
}

/// What all sessions share.
#[derive(Debug)]
struct Shared {
    request: Vec<u8>,
    /// Where new connections go.
    place: SocketAddr,
    keep_alive: bool,
    encrypted: bool,
}

impl Driver for HttpDriver {
    type Session = Http;
    const CAPS: Caps = Caps {
        name: "http",
        description: "GET of a page, with and without keep-alive",
        schemes: &[("http", 80), ("https", 443)],
        url: "http://127.0.0.1:80/index.html",
        workloads: &["web"],
        passwords: false,
        ..Caps::SERVER
    };

    fn new(setup: Arc<Setup>) -> Result<Self, JobError> {
        let url = Url::read(&setup.spec.url, Self::CAPS.schemes)?;
        let encrypted = setup.spec.encrypted();
        if setup.spec.url.starts_with("https") != encrypted {
            return Err(JobError::spec("https:// needs the TLS mode require or verify, and http:// needs off"));
        }
        let keep_alive = matches!(&setup.spec.workload, Workload::Web(web) if web.keep_alive);
        if encrypted && !keep_alive {
            return Err(JobError::spec("a new encrypted connection for each request is not supported: use keep-alive"));
        }
        let place = resolve(&url).map_err(JobError::connect)?;
        let shared = Arc::new(Shared { request: request(&url, keep_alive), place, keep_alive, encrypted });
        Ok(Self { setup, url, shared })
    }

    fn connect(&self, _client: u32) -> Result<Http, Fault> {
        let wire = if self.shared.keep_alive { Some(self.wire()?) } else { None };
        if let Some(wire) = &wire {
            wire.stop_waiting()?;
        }
        Ok(Http { wire, shared: Arc::clone(&self.shared), new: false, page: Page::default() })
    }

    fn facts(&self) -> Result<Vec<(String, String)>, Fault> {
        let mut wire = self.wire()?;
        wire.out().extend_from_slice(&request(&self.url, false));
        wire.send()?;
        let mut text = Vec::new();
        while !text.windows(4).any(|end| end == b"\r\n\r\n") {
            if text.len() > LONGEST_HEAD {
                return Err(Fault::protocol("the header of the reply does not end"));
            }
            wire.await_more()?;
            text.extend_from_slice(wire.data());
            wire.consume(wire.data().len());
        }
        let text = String::from_utf8_lossy(&text).into_owned();
        let headers = text.lines().filter_map(|line| line.split_once(": "));
        Ok(headers
            .map(|(name, value)| (name.to_lowercase(), value.to_owned()))
            .filter(|(name, _)| matches!(name.as_str(), "server" | "content-length" | "content-type"))
            .collect())
    }
}

impl HttpDriver {
    fn wire(&self) -> Result<Wire, Fault> {
        #[allow(unused_mut, reason = "without TLS nothing is changed")]
        let mut wire = Wire::connect(&Address::Tcp(self.url.host.clone(), self.url.port), self.setup.wait())?;
        #[cfg(feature = "tls")]
        if self.setup.spec.encrypted() {
            wire.encrypt(&crate::tls::Trust::new(&self.setup.spec, &self.url.host)?)?;
        }
        Ok(wire)
    }
}

fn resolve(url: &Url) -> Result<SocketAddr, String> {
    let named = |error: io::Error| format!("cannot find the address of {}: {error}", url.host);
    let mut places = (url.host.as_str(), url.port).to_socket_addrs().map_err(named)?;
    places.next().ok_or_else(|| format!("{} has no address", url.host))
}

fn request(url: &Url, keep_alive: bool) -> Vec<u8> {
    let path = if url.request.starts_with('/') { url.request.clone() } else { format!("/{}", url.request) };
    let host = if url.host.contains(':') { format!("[{}]", url.host) } else { url.host.clone() };
    let version = if keep_alive { "1.1" } else { "1.0" };
    let (port, agent) = (url.port, concat!("plimsoll/", env!("CARGO_PKG_VERSION")));
    format!("GET {path} HTTP/{version}\r\nHost: {host}:{port}\r\nUser-Agent: {agent}\r\nAccept: */*\r\n\r\n")
        .into_bytes()
}

/// How far the reply in progress is.
#[derive(Debug, Clone, Copy, Default)]
struct Page {
    /// The header has been read.
    begun: bool,
    status: u32,
    ends: Ends,
    bytes: u64,
    /// The server closes the connection after it.
    last: bool,
}

/// Where a page ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Ends {
    /// After so many more bytes.
    After(u64),
    /// A chunk header comes next.
    #[default]
    Chunk,
    /// In a chunk, so many more bytes and the line end.
    InChunk(u64),
    /// Lines after the last chunk.
    Trailer,
    /// With the connection.
    Close,
}

/// One client.
#[derive(Debug)]
pub struct Http {
    wire: Option<Wire>,
    shared: Arc<Shared>,
    new: bool,
    page: Page,
}

impl Http {
    /// Takes what is there. True: the page is complete, as far as its own length says.
    fn take(&mut self) -> Result<bool, Fault> {
        let Some(wire) = &mut self.wire else { return Ok(true) };
        if !self.page.begun {
            let data = wire.data();
            let Some(end) = data.windows(4).position(|end| end == b"\r\n\r\n") else {
                if data.len() > LONGEST_HEAD {
                    return Err(Fault::protocol("the header of the reply does not end"));
                }
                return Ok(false);
            };
            self.page = read_header(&data[..end + 2])?;
            wire.consume(end + 4);
        }
        loop {
            let data = wire.data();
            match self.page.ends {
                Ends::After(left) => {
                    let taken = left.min(data.len() as u64);
                    self.page.bytes += taken;
                    self.page.ends = Ends::After(left - taken);
                    wire.consume(taken as usize);
                    return Ok(left == taken);
                }
                Ends::Close => {
                    let taken = data.len();
                    self.page.bytes += taken as u64;
                    wire.consume(taken);
                    return Ok(false);
                }
                Ends::InChunk(left) if left > 0 => {
                    let taken = left.min(data.len() as u64);
                    if taken == 0 {
                        return Ok(false);
                    }
                    // The line end of a chunk is no part of the page.
                    self.page.bytes += taken.min(left.saturating_sub(2));
                    self.page.ends = Ends::InChunk(left - taken);
                    wire.consume(taken as usize);
                }
                Ends::InChunk(_) => self.page.ends = Ends::Chunk,
                Ends::Chunk | Ends::Trailer => {
                    let Some(end) = data.windows(2).position(|end| end == b"\r\n") else {
                        if data.len() > LONGEST_HEAD {
                            return Err(Fault::protocol("a line of the reply does not end"));
                        }
                        return Ok(false);
                    };
                    let line = &data[..end];
                    if self.page.ends == Ends::Trailer {
                        let over = line.is_empty();
                        wire.consume(end + 2);
                        if over {
                            return Ok(true);
                        }
                        continue;
                    }
                    let size = chunk_size(line)?;
                    self.page.ends = if size == 0 { Ends::Trailer } else { Ends::InChunk(size + 2) };
                    wire.consume(end + 2);
                }
            }
        }
    }

    fn go_on(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        if let Some(wire) = &mut self.wire {
            wire.wake()?;
        }
        loop {
            let complete = self.take()?;
            if complete && self.shared.keep_alive {
                return self.finish(reply);
            }
            let Some(wire) = &mut self.wire else { return Ok(State::Waiting) };
            match wire.receive() {
                Ok(true) => {}
                Ok(false) => return Ok(State::Waiting),
                // With a connection per request the server closes when it is done, so that we need not.
                Err(_) if complete || (self.page.begun && self.page.ends == Ends::Close) => {
                    self.page.last = true;
                    return self.finish(reply);
                }
                Err(fault) => return Err(fault),
            }
        }
    }

    /// The page is complete: a status of 400 and above is an error.
    fn finish(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        reply.row();
        reply.bytes += self.page.bytes;
        match self.page.status {
            status if status >= 400 => {
                Err(Fault::refused(Cause::Status, format!("the server answers with status {status}")))
            }
            _ => Ok(State::Done),
        }
    }
}

impl Session for Http {
    fn start(&mut self, _request: &Request<'_>, _reply: &mut Reply) -> Result<State, Fault> {
        self.page = Page::default();
        if self.wire.is_none() {
            self.wire = Some(Wire::over(begin_connecting(self.shared.place)?));
            self.new = true;
        }
        let Some(wire) = &mut self.wire else { return Ok(State::Waiting) };
        wire.out().extend_from_slice(&self.shared.request);
        // On a connection that is not there yet this sends nothing; it is made up for when the socket is ready.
        wire.send()?;
        Ok(State::Waiting)
    }

    fn resume(&mut self, reply: &mut Reply) -> Result<State, Fault> {
        let result = self.go_on(reply);
        match result {
            Ok(State::Waiting) => Ok(State::Waiting),
            // The next request has a connection of its own.
            Err(fault) if !self.shared.keep_alive => {
                self.wire = None;
                Err(Fault { broken: false, ..fault })
            }
            other => {
                if self.page.last && !self.shared.encrypted {
                    self.wire = None;
                }
                other
            }
        }
    }

    fn descriptor(&mut self) -> Option<RawFd> {
        self.wire.as_ref().map(Wire::descriptor)
    }

    fn reopened(&mut self) -> bool {
        std::mem::take(&mut self.new)
    }
}

/// Status and length of a page.
fn read_header(header: &[u8]) -> Result<Page, Fault> {
    let strange = || Fault::protocol("the server does not speak HTTP/1");
    let text = std::str::from_utf8(header).map_err(|_| strange())?;
    let mut lines = text.split("\r\n");
    let first = lines.next().filter(|line| line.starts_with("HTTP/1.")).ok_or_else(strange)?;
    let status = first.split(' ').nth(1).and_then(|word| word.parse().ok()).ok_or_else(strange)?;
    let mut ends = Ends::Close;
    let mut last = first.starts_with("HTTP/1.0");
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        if name.eq_ignore_ascii_case("content-length") && ends == Ends::Close {
            ends = Ends::After(value.trim().parse().map_err(|_| strange())?);
        } else if name.eq_ignore_ascii_case("transfer-encoding") && value.trim().eq_ignore_ascii_case("chunked") {
            ends = Ends::Chunk;
        } else if name.eq_ignore_ascii_case("connection") {
            last = !value.trim().eq_ignore_ascii_case("keep-alive");
        }
    }
    if matches!(status, 204 | 304) {
        ends = Ends::After(0);
    }
    Ok(Page { begun: true, status, ends, bytes: 0, last })
}

fn chunk_size(line: &[u8]) -> Result<u64, Fault> {
    let digits = line.split(|&byte| byte == b';').next().unwrap_or_default();
    let text = std::str::from_utf8(digits).unwrap_or_default().trim();
    // Its line end is counted with it.
    let size = u64::from_str_radix(text, 16).ok().filter(|&size| size < 1 << 62);
    size.ok_or_else(|| Fault::protocol("a chunk of the page has no size"))
}

/// Begins to connect, and does not wait for it.
fn begin_connecting(place: SocketAddr) -> Result<OwnedFd, Fault> {
    let failed = |error: io::Error| {
        let hint = if error.kind() == ErrorKind::AddrNotAvailable { ": all local ports are in use" } else { "" };
        Fault::refused(Cause::Connect, format!("cannot connect to {place}: {error}{hint}"))
    };
    let family = if place.is_ipv4() { libc::AF_INET } else { libc::AF_INET6 };
    // SAFETY: takes integers; the descriptor is new and ours.
    let socket = unsafe {
        match libc::socket(family, libc::SOCK_STREAM | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC, 0) {
            -1 => return Err(failed(io::Error::last_os_error())),
            descriptor => OwnedFd::from_raw_fd(descriptor),
        }
    };
    let (address, length) = socket_address(place);
    // SAFETY: the address is at least `length` bytes long and lives through the call.
    let result =
        unsafe { libc::connect(std::os::fd::AsRawFd::as_raw_fd(&socket), (&raw const address).cast(), length) };
    match io::Error::last_os_error() {
        _ if result == 0 => Ok(socket),
        error if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(socket),
        error => Err(failed(error)),
    }
}

fn socket_address(place: SocketAddr) -> (libc::sockaddr_storage, libc::socklen_t) {
    // SAFETY: all-zero is a valid sockaddr_storage.
    let mut storage: libc::sockaddr_storage = unsafe { std::mem::zeroed() };
    match place {
        SocketAddr::V4(place) => {
            let address = libc::sockaddr_in {
                sin_family: libc::AF_INET as libc::sa_family_t,
                sin_port: place.port().to_be(),
                sin_addr: libc::in_addr { s_addr: u32::from_ne_bytes(place.ip().octets()) },
                sin_zero: [0; 8],
            };
            // SAFETY: a sockaddr_storage holds any socket address.
            unsafe { (&raw mut storage).cast::<libc::sockaddr_in>().write(address) };
            (storage, size_of::<libc::sockaddr_in>() as libc::socklen_t)
        }
        SocketAddr::V6(place) => {
            let address = libc::sockaddr_in6 {
                sin6_family: libc::AF_INET6 as libc::sa_family_t,
                sin6_port: place.port().to_be(),
                sin6_flowinfo: place.flowinfo(),
                sin6_addr: libc::in6_addr { s6_addr: place.ip().octets() },
                sin6_scope_id: place.scope_id(),
            };
            // SAFETY: a sockaddr_storage holds any socket address.
            unsafe { (&raw mut storage).cast::<libc::sockaddr_in6>().write(address) };
            (storage, size_of::<libc::sockaddr_in6>() as libc::socklen_t)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_read() {
        let page = read_header(b"HTTP/1.1 200 OK\r\nContent-length: 12\r\n").unwrap();
        assert_eq!((page.status, page.ends), (200, Ends::After(12)));
        let page = read_header(b"HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n").unwrap();
        assert_eq!((page.status, page.ends), (404, Ends::Chunk));
        assert_eq!(read_header(b"HTTP/1.0 200 OK\r\n").unwrap().ends, Ends::Close);
        assert!(read_header(b"+PONG\r\n").is_err());
        assert_eq!(chunk_size(b"1f;name=value").unwrap(), 31);
    }
}
