//! HdrHistogram's interval logs: `[Tag=…,]start s,length s,max,histogram`. Histograms are added.

use std::collections::BTreeMap;

use crate::answer::{HdrLog, HdrTag};
use crate::field::decimal;
use crate::hdr_decode::{Decoder, Fault, Sums};
use crate::stream::{Rows, Why};

const NO_ROW: Why = "is not a row of an interval log, or has no plain numbers in it";
const OLD: Why = "holds a histogram of version 1, which is not read; write the log with HdrHistogram 2";
const TOO_MANY: Why = "goes beyond the number of tags and histograms that are read; split the log";
const LONGEST_TAG: usize = 60;
const LONGEST_FIELD: usize = 40;
const MOST_TAGS: usize = 1000;
/// A start beyond is seconds since 1970 and not since the start of the log.
const SINCE_1970: f64 = 1e8;

/// One log file.
#[derive(Debug, Default)]
pub struct Log {
    named: Option<String>,
    started: Option<String>,
    seconds: f64,
    damaged: u64,
    decoder: Decoder,
    tags: BTreeMap<String, Sums>,
}

impl Rows for Log {
    const MARK: Option<u8> = None;
    const LONGEST: usize = 4 * 1024 * 1024;

    fn row(&mut self, line: &[u8], _: usize) -> Result<(), Why> {
        let line = line.trim_ascii();
        let Some(begin) = histogram_of(line) else {
            self.comment(line);
            return Ok(());
        };
        if matches!(line.first(), Some(b'#' | b'"')) {
            self.comment(line);
            return Ok(());
        }
        let (head, encoded) = (&line[..begin], &line[begin + 1..]);
        let (tag, head) = tagged(head).ok_or(NO_ROW)?;
        let mut numbers = head.split(|byte| *byte == b',');
        let (start, length) = (number(numbers.next()).ok_or(NO_ROW)?, number(numbers.next()).ok_or(NO_ROW)?);
        let last = numbers.next().is_some_and(|field| field.len() <= LONGEST_FIELD);
        if !last || numbers.next().is_some() || !encoded.iter().all(is_base64) {
            return Err(NO_ROW);
        }
        self.add(tag, start, length, encoded)
    }
}

fn is_base64(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The comma before the histogram of a row.
fn histogram_of(line: &[u8]) -> Option<usize> {
    memchr::memmem::find(line, b",HIST")
}

/// The tag of a row, empty if it has none, and what follows it.
fn tagged(head: &[u8]) -> Option<(&str, &[u8])> {
    let Some(rest) = head.strip_prefix(b"Tag=") else { return Some(("", head)) };
    let end = memchr::memchr(b',', rest)?;
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let tag = &rest[..end];
    let fits = (1..=LONGEST_TAG).contains(&tag.len()) && tag.iter().all(plain);
    let tag = std::str::from_utf8(tag).ok()?;
    fits.then_some((tag, &rest[end + 1..]))
}

fn number(field: Option<&[u8]>) -> Option<f64> {
    decimal(field.filter(|field| field.len() <= LONGEST_FIELD)?.trim_ascii())
}

impl Log {
    fn add(&mut self, tag: &str, start: f64, length: f64, encoded: &[u8]) -> Result<(), Why> {
        if encoded.starts_with(b"HISTE") {
            return Err(OLD);
        }
        if !self.tags.contains_key(tag) {
            if self.tags.len() == MOST_TAGS {
                return Err(TOO_MANY);
            }
            self.tags.insert(tag.to_owned(), Sums::default());
        }
        let Some(sums) = self.tags.get_mut(tag) else { return Err(TOO_MANY) };
        match self.decoder.add(encoded, sums) {
            Ok(()) => {
                let begun = if start < SINCE_1970 { start } else { 0.0 };
                self.seconds = self.seconds.max(begun + length);
            }
            Err(Fault::Damaged) => self.damaged += 1,
            Err(Fault::TooMany) => return Err(TOO_MANY),
        }
        Ok(())
    }

    fn comment(&mut self, line: &[u8]) {
        if let (None, Some(name)) = (&self.named, between(line, b"#[Logging for: ", b']')) {
            let plain = (1..=LONGEST_TAG).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
            self.named = plain.then_some(name);
        }
        if let (None, Some(start)) = (&self.started, between(line, b"#[StartTime: ", b' ')) {
            self.started = Some(start).filter(|start| start.len() <= LONGEST_FIELD);
        }
    }

    /// What was found.
    pub fn answer(self) -> HdrLog {
        let tags = self.tags.into_iter().map(|(tag, sums)| HdrTag { tag, buckets: sums.buckets() });
        HdrLog {
            named: self.named,
            started: self.started,
            seconds: self.seconds,
            damaged: self.damaged,
            tags: tags.filter(|each| !each.buckets.is_empty()).collect(),
        }
    }
}

/// What stands behind `begin` in a line, up to `end`.
fn between(line: &[u8], begin: &[u8], end: u8) -> Option<String> {
    let rest = line.strip_prefix(begin)?;
    let rest = &rest[..memchr::memchr(end, rest).unwrap_or(rest.len())];
    std::str::from_utf8(rest).ok().map(str::to_owned)
}
