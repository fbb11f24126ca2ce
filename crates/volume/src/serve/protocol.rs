//! The part of the FUSE protocol that one regular file needs (`include/uapi/linux/fuse.h`, version 7.31 and later): what
//! is agreed on first, requests, and answers.
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

const MAJOR: u32 = 7;
/// Of Linux 5.4: the first with all that is used here. What is said of ours only has to be as new.
const MINOR: u32 = 31;
const INIT: u32 = 26;
const INIT_BYTES: usize = 64;

const ASYNC_READ: u64 = 1 << 0;
const BIG_WRITES: u64 = 1 << 5;
const ASYNC_DIO: u64 = 1 << 15;
const MAX_PAGES: u64 = 1 << 22;
/// There are flags from the 33rd on.
const INIT_EXT: u64 = 1 << 30;
const OVER_IO_URING: u64 = 1 << 41;

/// What is wanted of the kernel; what it does not grant costs speed, not function.
#[derive(Debug, Clone, Copy)]
pub struct Wishes {
    /// Requests that it keeps under way at once.
    pub background: u16,
    /// Rings are there for the requests.
    pub rings: bool,
}

/// How the first exchange ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Agreed {
    /// Requests follow.
    Ready,
    /// The kernel was told which edition of the protocol to speak, and begins again.
    AskedAgain,
    /// Why there is no file system.
    Not(String),
}

/// The answer to the kernel's first message.
pub fn agree(message: &[u8], wishes: Wishes) -> (Vec<u8>, Agreed) {
    let ticket = u64_at(message, 8).unwrap_or_default();
    let body = message.get(HEADER_BYTES..).unwrap_or_default();
    let refused = |why: String| (reply_header(ticket, libc::EPROTO, 0).to_vec(), Agreed::Not(why));
    let (Some(INIT), Some(major), Some(minor)) = (u32_at(message, 4), u32_at(body, 0), u32_at(body, 4)) else {
        return refused("the kernel did not begin as FUSE does".to_owned());
    };
    if (major, minor) < (MAJOR, MINOR) {
        return refused(format!("the kernel speaks FUSE {major}.{minor}; {MAJOR}.{MINOR} (Linux 5.4) is needed"));
    }
    let mut answer = [0; INIT_BYTES];
    answer[0..4].copy_from_slice(&MAJOR.to_ne_bytes());
    answer[4..8].copy_from_slice(&minor.to_ne_bytes());
    if major == MAJOR {
        let read_ahead = u32_at(body, 8).unwrap_or_default();
        let flags = granted(body, wishes.rings);
        answer[8..12].copy_from_slice(&read_ahead.to_ne_bytes());
        answer[12..16].copy_from_slice(&(flags as u32).to_ne_bytes());
        answer[16..18].copy_from_slice(&wishes.background.to_ne_bytes());
        // From here on the kernel takes the file for congested.
        answer[18..20].copy_from_slice(&(wishes.background / 4 * 3).to_ne_bytes());
        answer[20..24].copy_from_slice(&(PAYLOAD_MAX as u32).to_ne_bytes());
        // Times are as fine as a nanosecond.
        answer[24..28].copy_from_slice(&1u32.to_ne_bytes());
        answer[28..30].copy_from_slice(&((PAYLOAD_MAX / BLOCK_BYTES as usize) as u16).to_ne_bytes());
        answer[32..36].copy_from_slice(&((flags >> 32) as u32).to_ne_bytes());
    }
    let whole = [&reply_header(ticket, 0, INIT_BYTES)[..], &answer].concat();
    (whole, if major == MAJOR { Agreed::Ready } else { Agreed::AskedAgain })
}

/// What is wished for and offered.
fn granted(body: &[u8], rings: bool) -> u64 {
    let wanted = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES | INIT_EXT | if rings { OVER_IO_URING } else { 0 };
    let low = u64::from(u32_at(body, 12).unwrap_or_default());
    let high = if low & INIT_EXT == 0 { 0 } else { u64::from(u32_at(body, 16).unwrap_or_default()) };
    wanted & (low | high << 32)
}

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

    fn first(major: u32, minor: u32, flags: u64) -> Vec<u8> {
        let words = [major, minor, 131_072, flags as u32, (flags >> 32) as u32];
        message(INIT, &words.iter().flat_map(|word| word.to_ne_bytes()).collect::<Vec<_>>())
    }

    const WISHES: Wishes = Wishes { background: 1024, rings: true };

    #[test]
    fn what_is_wished_for_and_offered_is_agreed_on() {
        let flags = |offered, wishes| {
            let (answer, agreed) = agree(&first(7, 40, offered), wishes);
            assert_eq!((answer.len(), u64_at(&answer, 8), agreed), (80, Some(77), Agreed::Ready));
            assert_eq!((u32_at(&answer, 16), u32_at(&answer, 20), u32_at(&answer, 4)), (Some(7), Some(40), Some(0)));
            assert_eq!((u32_at(&answer, 32), u32_at(&answer, 36)), (Some(1024 | 768 << 16), Some(1 << 20)));
            assert_eq!(u32_at(&answer, 44).unwrap(), 256, "pages of a request");
            u64::from(u32_at(&answer, 28).unwrap()) | u64::from(u32_at(&answer, 48).unwrap()) << 32
        };
        let all = ASYNC_READ | BIG_WRITES | ASYNC_DIO | MAX_PAGES | INIT_EXT | OVER_IO_URING;
        assert_eq!(flags(u64::MAX, WISHES), all);
        assert_eq!(flags(u64::MAX, Wishes { rings: false, ..WISHES }), all & !OVER_IO_URING);
        assert_eq!(flags(OVER_IO_URING | ASYNC_READ, WISHES), ASYNC_READ, "later flags count with INIT_EXT only");
        assert_eq!(flags(0, WISHES), 0);
    }

    #[test]
    fn a_later_edition_is_asked_for_ours_and_an_earlier_one_refused() {
        let (answer, agreed) = agree(&first(8, 1, 0), WISHES);
        assert_eq!((u32_at(&answer, 16), agreed), (Some(7), Agreed::AskedAgain));
        let (answer, agreed) = agree(&first(7, 30, 0), WISHES);
        assert_eq!(u32_at(&answer, 4), Some((-libc::EPROTO).cast_unsigned()));
        assert_eq!(agreed, Agreed::Not("the kernel speaks FUSE 7.30; 7.31 (Linux 5.4) is needed".to_owned()));
        for strange in [message(15, &[0; 40]), Vec::new(), vec![0; 41], message(INIT, &[0; 4])] {
            assert!(matches!(agree(&strange, WISHES), (answer, Agreed::Not(_)) if answer.len() == 16));
        }
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
