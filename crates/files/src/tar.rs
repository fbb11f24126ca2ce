//! The few lines of the tar format (ustar) that a tree of plain files needs.
//!
//! Written here rather than taken from a crate because the unpacking that is measured has to make the system calls of GNU
//! tar, from its records of 10,240 bytes.

/// Unit of the format.
pub const BLOCK: usize = 512;
/// Bytes that GNU tar reads, and at most writes, at once.
pub const RECORD: usize = 20 * BLOCK;
const CHECKSUM: std::ops::Range<usize> = 148..156;

/// What a header says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Header {
    /// Relative, at most 100 bytes.
    pub path: String,
    /// Of a file; 0 for a folder.
    pub size: u64,
    /// A folder.
    pub is_folder: bool,
}

fn checksum(block: &[u8; BLOCK]) -> u64 {
    let sum = |bytes: &[u8]| bytes.iter().map(|&byte| u64::from(byte)).sum::<u64>();
    // The field itself counts as blanks.
    sum(block) - sum(&block[CHECKSUM]) + 8 * u64::from(b' ')
}

impl Header {
    /// As a block.
    pub fn to_block(&self) -> [u8; BLOCK] {
        let mut block = [0; BLOCK];
        let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
        put(0, &self.path);
        put(100, if self.is_folder { "0000755" } else { "0000644" });
        put(108, "0000000");
        put(116, "0000000");
        put(124, &format!("{:011o}", self.size));
        put(136, "11265000000");
        put(156, if self.is_folder { "5" } else { "0" });
        put(257, "ustar\u{0}00");
        let sum = format!("{:06o}\u{0} ", checksum(&block));
        block[CHECKSUM].copy_from_slice(sum.as_bytes());
        block
    }

    /// From a block; nothing when it is not one of ours.
    pub fn from_block(block: &[u8; BLOCK]) -> Option<Self> {
        let text = |range: std::ops::Range<usize>| {
            let field = &block[range];
            let end = field.iter().position(|&byte| byte == 0 || byte == b' ').unwrap_or(field.len());
            std::str::from_utf8(&field[..end]).ok()
        };
        let number = |range| u64::from_str_radix(text(range)?, 8).ok();
        if number(CHECKSUM)? != checksum(block) {
            return None;
        }
        Some(Self { path: text(0..100)?.to_owned(), size: number(124..136)?, is_folder: block[156] == b'5' })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_round_trip_and_damage_is_seen() {
        for header in [
            Header { path: "linux/a/b.c".to_owned(), size: 123_456, is_folder: false },
            Header { path: "linux/a".to_owned(), size: 0, is_folder: true },
        ] {
            let mut block = header.to_block();
            assert_eq!(Header::from_block(&block).as_ref(), Some(&header));
            block[3] ^= 1;
            assert_eq!(Header::from_block(&block), None);
        }
        assert_eq!(Header::from_block(&[0; BLOCK]), None);
    }
}
