//! The part of the FUSE protocol that one regular file needs (`include/uapi/linux/fuse.h`, version 7.31 and later).
//!
//! The mount point is a regular file, so its inode is the root: there are no directories and no names.

use std::time::Duration;

/// Requests up to this size; larger ones are split by the kernel, which allows 256 pages.
pub const PAYLOAD_MAX: usize = 1 << 20;
/// What one read from the FUSE descriptor may need: the payload and both headers.
pub const BUFFER_BYTES: usize = PAYLOAD_MAX + 4096;

/// Length of a request's header.
pub const HEADER_BYTES: usize = 40;
/// What a write has of its own before its bytes.
const WRITE_BYTES: usize = 40;
const ATTRIBUTES_VALID: Duration = Duration::from_secs(1);
const FOPEN_DIRECT_IO: u32 = 1 << 0;
const FOPEN_PARALLEL_DIRECT_WRITES: u32 = 1 << 6;
const ROOT_INODE: u64 = 1;
const BLOCK_BYTES: u32 = 4096;

/// One request of the kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Request<'a> {
    /// Names the request in the reply.
    pub ticket: u64,
    /// What is asked for.
    pub operation: Operation<'a>,
}

/// What the kernel asks of a file.
#[derive(Debug, PartialEq, Eq)]
pub enum Operation<'a> {
    /// Size and type.
    Attributes,
    /// Open the file.
    Open,
    /// Read so many bytes.
    Read {
        /// First byte.
        offset: u64,
        /// Length.
        bytes: u32,
    },
    /// Write these bytes.
    Write {
        /// First byte.
        offset: u64,
        /// What to write.
        data: &'a [u8],
    },
    /// Make everything durable.
    Sync,
    /// Allocate, punch or zero a range.
    Allocate {
        /// First byte.
        offset: u64,
        /// Length.
        bytes: u64,
        /// `FALLOC_FL_*`.
        mode: i32,
    },
    /// What `df` asks of every file system.
    Statistics,
    /// Answered with success and nothing else.
    Acknowledge,
    /// Wants no answer at all.
    Ignore,
    /// Nothing that this file can do.
    Unsupported,
}

impl<'a> Request<'a> {
    /// Reads a request; `None` when the kernel sent something shorter than its own format.
    pub fn parse(message: &'a [u8]) -> Option<Self> {
        let (header, body) = message.split_at_checked(HEADER_BYTES)?;
        Self::of_parts(header, body, body.get(WRITE_BYTES..).unwrap_or_default())
    }

    /// Reads a request that came in parts: the header, the operation's own, and what is written.
    pub fn of_parts(header: &[u8], body: &[u8], data: &'a [u8]) -> Option<Self> {
        let opcode = u32_at(header, 4)?;
        let ticket = u64_at(header, 8)?;
        let operation = match opcode {
            // GETATTR, and SETATTR: times and owner of the file are nobody's business, its size is fixed.
            3 | 4 => Operation::Attributes,
            14 => Operation::Open,
            15 => Operation::Read { offset: u64_at(body, 8)?, bytes: u32_at(body, 16)? },
            16 => {
                let bytes = u32_at(body, 16)? as usize;
                Operation::Write { offset: u64_at(body, 8)?, data: data.get(..bytes)? }
            }
            17 => Operation::Statistics,
            20 => Operation::Sync,
            43 => Operation::Allocate {
                offset: u64_at(body, 8)?,
                bytes: u64_at(body, 16)?,
                mode: u32_at(body, 24)?.cast_signed(),
            },
            // RELEASE, FLUSH (a close), ACCESS, DESTROY.
            18 | 25 | 34 | 38 => Operation::Acknowledge,
            // FORGET, INTERRUPT, BATCH_FORGET.
            2 | 36 | 42 => Operation::Ignore,
            _ => Operation::Unsupported,
        };
        Some(Self { ticket, operation })
    }
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

/// The header of a reply with `payload` bytes after it; `errno` is 0 or positive.
pub fn reply_header(unique: u64, errno: i32, payload: usize) -> [u8; 16] {
    let mut header = [0; 16];
    header[0..4].copy_from_slice(&(16 + payload as u32).to_ne_bytes());
    header[4..8].copy_from_slice(&(-errno).to_ne_bytes());
    header[8..16].copy_from_slice(&unique.to_ne_bytes());
    header
}

/// The body of a reply to [`Operation::Attributes`].
pub fn attributes(size_bytes: u64) -> [u8; 104] {
    let mut body = [0; 104];
    body[0..8].copy_from_slice(&ATTRIBUTES_VALID.as_secs().to_ne_bytes());
    let attributes = &mut body[16..];
    attributes[0..8].copy_from_slice(&ROOT_INODE.to_ne_bytes());
    attributes[8..16].copy_from_slice(&size_bytes.to_ne_bytes());
    attributes[16..24].copy_from_slice(&(size_bytes / 512).to_ne_bytes());
    attributes[60..64].copy_from_slice(&(libc::S_IFREG | 0o600).to_ne_bytes());
    attributes[64..68].copy_from_slice(&1u32.to_ne_bytes());
    attributes[80..84].copy_from_slice(&BLOCK_BYTES.to_ne_bytes());
    body
}

/// The body of a reply to [`Operation::Statistics`]: a file system without blocks of its own, which `df` leaves out.
pub fn statistics() -> [u8; 80] {
    let mut body = [0; 80];
    body[40..44].copy_from_slice(&BLOCK_BYTES.to_ne_bytes());
    body[44..48].copy_from_slice(&255u32.to_ne_bytes());
    body[48..52].copy_from_slice(&BLOCK_BYTES.to_ne_bytes());
    body
}

/// The body of a reply to [`Operation::Open`]: past the page cache, writes side by side.
pub fn opened() -> [u8; 16] {
    let mut body = [0; 16];
    body[8..12].copy_from_slice(&(FOPEN_DIRECT_IO | FOPEN_PARALLEL_DIRECT_WRITES).to_ne_bytes());
    body
}

/// The body of a reply to [`Operation::Write`].
pub fn written(bytes: u32) -> [u8; 8] {
    let mut body = [0; 8];
    body[0..4].copy_from_slice(&bytes.to_ne_bytes());
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(opcode: u32, body: &[u8]) -> Vec<u8> {
        let mut bytes = vec![0; HEADER_BYTES];
        bytes[4..8].copy_from_slice(&opcode.to_ne_bytes());
        bytes[8..16].copy_from_slice(&77u64.to_ne_bytes());
        bytes.extend(body);
        bytes
    }

    #[test]
    fn reads_what_the_kernel_sends() {
        let mut body = vec![0; 40];
        body[8..16].copy_from_slice(&8192u64.to_ne_bytes());
        body[16..20].copy_from_slice(&3u32.to_ne_bytes());
        assert_eq!(Request::parse(&message(15, &body)).unwrap().operation, Operation::Read { offset: 8192, bytes: 3 });
        body.extend(b"abc");
        let bytes = message(16, &body);
        let request = Request::parse(&bytes).unwrap();
        assert_eq!(request, Request { ticket: 77, operation: Operation::Write { offset: 8192, data: b"abc" } });
        assert_eq!(Request::parse(&message(28, &[])).unwrap().operation, Operation::Unsupported);
    }

    #[test]
    fn short_messages_are_refused() {
        assert_eq!(Request::parse(&[0; 12]), None);
        assert_eq!(Request::parse(&message(15, &[0; 12])), None);
        let mut body = vec![0; 42];
        body[16..20].copy_from_slice(&3u32.to_ne_bytes());
        assert_eq!(Request::parse(&message(16, &body)), None, "fewer bytes than announced");
    }
}
