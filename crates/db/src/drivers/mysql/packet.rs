//! Packets of the protocol of MySQL.

use crate::fault::{Cause, Fault};

/// One packet of the server.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    pub body: &'a [u8],
    /// With its header.
    pub length: usize,
}

/// Appends a packet with number `number`; `write` appends its body. None of ours is as long as 16 MiB.
#[inline]
pub fn write_packet(out: &mut Vec<u8>, number: u8, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.extend_from_slice(&[0, 0, 0, number]);
    write(out);
    let length = (out.len() - start - 4) as u32;
    out[start..start + 3].copy_from_slice(&length.to_le_bytes()[..3]);
}

/// The first packet, when it is there as a whole.
#[inline]
pub fn next_packet(data: &[u8]) -> Option<Packet<'_>> {
    let [a, b, c, _, rest @ ..] = data else { return None };
    let length = u32::from_le_bytes([*a, *b, *c, 0]) as usize;
    rest.get(..length).map(|body| Packet { body, length: length + 4 })
}

/// Appends a number in its variable length.
#[inline]
pub fn write_length(out: &mut Vec<u8>, number: u64) {
    match number {
        0..=250 => out.push(number as u8),
        251..=0xFFFF => {
            out.push(0xFC);
            out.extend_from_slice(&(number as u16).to_le_bytes());
        }
        0x1_0000..=0xFF_FFFF => {
            out.push(0xFD);
            out.extend_from_slice(&(number as u32).to_le_bytes()[..3]);
        }
        _ => {
            out.push(0xFE);
            out.extend_from_slice(&number.to_le_bytes());
        }
    }
}

/// Reads a packet from front to back.
#[derive(Debug, Clone, Copy)]
pub struct Reader<'a>(&'a [u8]);

fn cut_off() -> Fault {
    Fault::protocol("a packet of the server is cut off")
}

impl<'a> Reader<'a> {
    pub fn new(body: &'a [u8]) -> Self {
        Self(body)
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        self.0
    }

    /// So many bytes.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or_else(cut_off)?;
        self.0 = rest;
        Ok(bytes)
    }

    /// Up to a zero.
    pub fn zero_ended(&mut self) -> Result<&'a [u8], Fault> {
        let end = self.0.iter().position(|&byte| byte == 0).ok_or_else(cut_off)?;
        let bytes = &self.0[..end];
        self.0 = &self.0[end + 1..];
        Ok(bytes)
    }

    fn little_endian(&mut self, count: usize) -> Result<u64, Fault> {
        Ok(self.bytes(count)?.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
    }

    /// A number of variable length.
    #[inline]
    pub fn number(&mut self) -> Result<u64, Fault> {
        match self.bytes(1)?[0] {
            0xFC => self.little_endian(2),
            0xFD => self.little_endian(3),
            0xFE => self.little_endian(8),
            small => Ok(u64::from(small)),
        }
    }

    /// A text of variable length; NULL is absent.
    #[inline]
    pub fn text(&mut self) -> Result<Option<&'a [u8]>, Fault> {
        if self.0.first() == Some(&0xFB) {
            self.0 = &self.0[1..];
            return Ok(None);
        }
        let length = self.number()?;
        self.bytes(length as usize).map(Some)
    }
}

/// What an error packet says.
#[cold]
pub fn error_of(body: &[u8]) -> Fault {
    let code = body.get(1..3).map_or(0, |code| u16::from_le_bytes([code[0], code[1]]));
    let rest = body.get(3..).unwrap_or_default();
    let rest = if rest.first() == Some(&b'#') { rest.get(6..).unwrap_or_default() } else { rest };
    let message = String::from_utf8_lossy(rest);
    let cause = match code {
        1213 => Cause::Deadlock,
        // Waited too long for a lock; the row has changed since it was read.
        1205 | 1020 => Cause::Serialization,
        1022 | 1062 | 1048 | 1406 => Cause::Constraint,
        1021 | 1114 => Cause::DiskFull,
        1290 | 1792 | 1836 => Cause::ReadOnly,
        1044 | 1045 | 1698 | 1251 => Cause::Login,
        1040 | 1053 | 1152 | 1184 | 1927 | 2013 => Cause::Closed,
        _ if message.contains("No space left") || message.contains("Errcode: 28") => Cause::DiskFull,
        _ => Cause::Server,
    };
    Fault { cause, message: format!("{message} ({code})"), broken: cause == Cause::Closed }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_found_when_whole() {
        let mut data = Vec::new();
        write_packet(&mut data, 3, |body| body.extend_from_slice(b"abc"));
        assert_eq!(data, [3, 0, 0, 3, b'a', b'b', b'c']);
        assert!(next_packet(&data[..6]).is_none());
        assert_eq!(next_packet(&data).map(|packet| (packet.body, packet.length)), Some((b"abc".as_slice(), 7)));
    }

    #[test]
    fn numbers_of_every_length_come_back() {
        for number in [0, 250, 251, 0xFFFF, 0x1_0000, 0xFF_FFFF, 0x100_0000, u64::MAX] {
            let mut out = Vec::new();
            write_length(&mut out, number);
            assert_eq!(Reader::new(&out).number().unwrap(), number);
        }
        assert!(Reader::new(&[0xFC, 1]).number().is_err());
        assert_eq!(Reader::new(&[0xFB]).text().unwrap(), None);
    }

    #[test]
    fn errors_have_a_cause() {
        let fault = error_of(b"\xFF\xBD\x04#40001Deadlock found");
        assert_eq!((fault.cause, fault.message.as_str()), (Cause::Deadlock, "Deadlock found (1213)"));
    }
}
