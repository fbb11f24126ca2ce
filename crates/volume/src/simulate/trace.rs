//! Recorded loads: fio's I/O logs (version 2 and 3) and the text of blkparse.
//!
//! Formats as in fio's manual, "Trace file format", and blkparse's default output. Times in version 3 are microseconds
//! (as written by fio 3.33); version 2 has none but `wait`, so its operations start as soon as a slot is free.

use std::fs;
use std::path::Path;

use super::Source;
use crate::error::VolumeError;
use crate::model::layer::{Io, OpKind};

const SECTOR_BYTES: u64 = 512;

/// The operations of a recorded load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    operations: Vec<(u64, Io)>,
    next: usize,
}

impl Source for Trace {
    #[inline]
    fn next(&mut self) -> Option<(u64, Io)> {
        let operation = self.operations.get(self.next).copied();
        self.next += 1;
        operation
    }
}

impl Trace {
    /// Reads a file; its first line tells the format.
    pub fn read(path: &Path, device_bytes: u64) -> Result<Self, VolumeError> {
        let text = fs::read_to_string(path).map_err(VolumeError::system(format!("cannot read {}", path.display())))?;
        Self::parse(&text, device_bytes).map_err(|error| VolumeError::spec(format!("{}: {error}", path.display())))
    }

    /// The operations in `text`; all must lie on a device of `device_bytes`.
    pub fn parse(text: &str, device_bytes: u64) -> Result<Self, VolumeError> {
        let operations = match text.lines().next().unwrap_or_default().trim() {
            "fio version 2 iolog" => iolog(text, Times::Waits)?,
            "fio version 3 iolog" => iolog(text, Times::Stamps)?,
            _ => blkparse(text),
        };
        if operations.is_empty() {
            let known = "fio I/O logs of version 2 or 3, or the text of blkparse";
            return Err(VolumeError::spec(format!("no operation found; it must be one of {known}")));
        }
        if let Some((_, io)) = operations.iter().find(|(_, io)| io.offset.saturating_add(io.bytes) > device_bytes) {
            return Err(beyond(io.offset.saturating_add(io.bytes), device_bytes));
        }
        Ok(Self { operations, next: 0 })
    }

    /// Number of operations.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Never: a trace without operations is refused.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// When the last operation is due; 0 if nothing has a time.
    pub fn end_ns(&self) -> u64 {
        self.operations.iter().map(|&(at_ns, _)| at_ns).max().unwrap_or(0)
    }

    /// Operations that are due before `time_ns`.
    pub fn due(&self, time_ns: u64) -> u64 {
        self.operations.iter().filter(|&&(at_ns, _)| at_ns < time_ns).count() as u64
    }
}

pub(super) fn beyond(end: u64, device_bytes: u64) -> VolumeError {
    VolumeError::spec(format!("an operation ends at byte {end} and the volume at {device_bytes}; give a larger volume"))
}

#[derive(PartialEq, Eq, Clone, Copy)]
enum Times {
    Waits,
    Stamps,
}

fn iolog(text: &str, times: Times) -> Result<Vec<(u64, Io)>, VolumeError> {
    let mut operations = Vec::new();
    let mut file = None;
    let mut waited_ns = 0;
    for (index, line) in text.lines().enumerate().skip(1) {
        let refuse = |what: &str| VolumeError::spec(format!("line {}: {what}: {line:?}", index + 1));
        let mut words = line.split_whitespace().peekable();
        let at_ns = match (times, words.peek()) {
            (_, None) => continue,
            // A time of 0 would mean "at once".
            (Times::Stamps, Some(_)) => {
                let time_us = number(words.next()).ok_or_else(|| refuse("no time"))?;
                nanoseconds(time_us).ok_or_else(|| refuse("a time beyond centuries"))? + 1
            }
            (Times::Waits, Some(_)) => waited_ns,
        };
        let name = words.next().ok_or_else(|| refuse("no file"))?;
        let action = words.next().ok_or_else(|| refuse("no action"))?;
        let kind = match action {
            "read" => OpKind::Read,
            "write" => OpKind::Write,
            "trim" => OpKind::Discard,
            "sync" | "datasync" => OpKind::Flush,
            "wait" if times == Times::Waits => {
                let wait_us = number(words.next()).ok_or_else(|| refuse("no duration"))?;
                let sum_ns = nanoseconds(wait_us).and_then(|wait_ns| wait_ns.checked_add(waited_ns));
                waited_ns = sum_ns.filter(|&ns| ns < LAST_NS).ok_or_else(|| refuse("a time beyond centuries"))?;
                continue;
            }
            "add" | "open" | "close" => continue,
            _ => return Err(refuse("unknown action")),
        };
        if *file.get_or_insert(name) != name {
            return Err(refuse("a second file; a volume replays one device, so keep the lines of one file"));
        }
        let (offset, bytes) = match kind {
            OpKind::Flush => (0, 0),
            _ => number(words.next()).zip(number(words.next())).ok_or_else(|| refuse("no offset and length"))?,
        };
        operations.push((at_ns, Io { kind, offset, bytes }));
    }
    Ok(operations)
}

/// A century: what comes after it is no time of a trace, and has room to be added to.
const LAST_NS: u64 = 100 * 366 * 86_400 * 1_000_000_000;

fn nanoseconds(time_us: u64) -> Option<u64> {
    time_us.checked_mul(1000).filter(|&ns| ns < LAST_NS)
}

fn number(word: Option<&str>) -> Option<u64> {
    word?.parse().ok()
}

/// Queued requests (`Q`); issued ones (`D`) where the trace has no queued ones. Other lines are summaries.
fn blkparse(text: &str) -> Vec<(u64, Io)> {
    let (mut queued, mut issued) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((action, operation)) = blkparse_line(&words) else { continue };
        match action {
            "Q" => queued.push(operation),
            "D" => issued.push(operation),
            _ => {}
        }
    }
    let mut operations = if queued.is_empty() { issued } else { queued };
    // Each CPU has its own buffer; their lines can be out of order.
    operations.sort_by_key(|&(at_ns, _)| at_ns);
    operations
}

/// `device cpu sequence seconds.nanoseconds pid action rwbs sector + sectors [process]`.
fn blkparse_line<'a>(words: &[&'a str]) -> Option<(&'a str, (u64, Io))> {
    let (device, time, action, rwbs) = (words.first()?, words.get(3)?, *words.get(5)?, words.get(6)?);
    device.split_once(',')?;
    let (seconds, fraction) = time.split_once('.')?;
    let part_ns = format!("{fraction:0<9.9}").parse::<u64>().ok()?;
    let at_ns = nanoseconds(seconds.parse::<u64>().ok()?.checked_mul(1_000_000)?)? + part_ns + 1;
    let extent = || match words.get(8) {
        Some(&"+") => number(words.get(7).copied()).zip(number(words.get(9).copied())),
        _ => None,
    };
    // `F` leads for a flush before the data and follows for a write that is durable by itself.
    let (kind, (sector, sectors)) = match (rwbs.trim_start_matches('F').chars().next(), extent()) {
        (Some('R'), Some(extent)) => (OpKind::Read, extent),
        (Some('W'), Some(extent)) if extent.1 > 0 => (OpKind::Write, extent),
        (Some('D'), Some(extent)) => (OpKind::Discard, extent),
        _ if rwbs.starts_with('F') => (OpKind::Flush, (0, 0)),
        _ => return None,
    };
    let (offset, bytes) = (sector.checked_mul(SECTOR_BYTES)?, sectors.checked_mul(SECTOR_BYTES)?);
    Some((action, (at_ns, Io { kind, offset, bytes })))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn operations(text: &str) -> Vec<(u64, OpKind, u64, u64)> {
        let trace = Trace::parse(text, GIB).unwrap();
        trace.operations.iter().map(|&(at_ns, io)| (at_ns, io.kind, io.offset, io.bytes)).collect()
    }

    #[test]
    fn fio_logs_of_both_versions() {
        let third = "fio version 3 iolog\n21 /x add\n129 /x open\n132 /x read 61440 4096\n304 /x write 774144 4096\n\
                     500 /x sync\n900 /x close\n";
        let expected = [
            (132_001, OpKind::Read, 61_440, 4096),
            (304_001, OpKind::Write, 774_144, 4096),
            (500_001, OpKind::Flush, 0, 0),
        ];
        assert_eq!(operations(third), expected);
        let second =
            "fio version 2 iolog\n/x add\n/x open\n/x read 0 4096\n/x wait 2000 0\n/x trim 4096 8192\n/x close\n";
        assert_eq!(operations(second), [(0, OpKind::Read, 0, 4096), (2_000_000, OpKind::Discard, 4096, 8192)]);
    }

    #[test]
    fn blkparse_text() {
        let text = "  8,0    3        1     0.000000000   697  Q   W 223490 + 8 [kjournald]\n\
                    \x20 8,0    3        2     0.000001829   697  G   W 223490 + 8 [kjournald]\n\
                    \x20 8,0    1        3     0.5           697  Q  RM 16 + 1 [x]\n\
                    \x20 8,0    1        4     0.000000500   697  Q FWS [x]\n\
                    CPU0 (sda):\n Reads Queued:           1,        4KiB\n";
        let expected = [
            (1, OpKind::Write, 223_490 * 512, 4096),
            (501, OpKind::Flush, 0, 0),
            (500_000_001, OpKind::Read, 16 * 512, 512),
        ];
        assert_eq!(operations(text), expected);
    }

    #[test]
    fn refusals_say_where_and_why() {
        for (text, part) in [
            ("hello", "no operation found"),
            ("fio version 3 iolog\n1 /x read 0\n", "line 2: no offset and length"),
            ("fio version 3 iolog\n1 /x read 0 1\n2 /y read 0 1\n", "line 3: a second file"),
            ("fio version 2 iolog\n/x jump 0 1\n", "unknown action"),
            ("fio version 2 iolog\n/x read 1073741824 1\n", "give a larger volume"),
            ("fio version 3 iolog\n18446744073709551615 /x read 0 1\n", "line 2: a time beyond centuries"),
            ("fio version 2 iolog\n/x wait 4000000000000000 0\n", "line 2: a time beyond centuries"),
            ("8,0 0 1 18446744073709551615.0 1 Q R 0 + 8 [x]\n", "no operation found"),
            ("8,0 0 1 0.0 1 Q R 18446744073709551615 + 8 [x]\n", "no operation found"),
        ] {
            let message = Trace::parse(text, GIB).unwrap_err().to_string();
            assert!(message.contains(part), "{message}");
        }
    }
}
