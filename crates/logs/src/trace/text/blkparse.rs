//! What `blkparse` prints: `8,0    3        1     0.000000000   697  Q  WS 223490 + 8 [kjournald]`.
//!
//! An I/O arrives with Q, is issued with D, and is complete when C has covered its sectors. Where no Q was recorded, it
//! arrives with D. The summary at the end tells how many events were lost.

use crate::stream::Why;
use crate::trace::event::OpKind;
use crate::trace::fault::Fault;
use crate::trace::header::Device;
use crate::trace::pairing::{Pairing, Range};
use crate::trace::text::format::Format;
use crate::trace::text::lines::Rows;
use crate::trace::text::sink::Sink;

/// Its entry in the list.
pub const FORMAT: Format = Format {
    name: "blkparse",
    title: "text of blkparse (blktrace)",
    resolution_ns: 1,
    unix: false,
    notes: &[],
    rows: || Box::new(Blkparse::default()),
};

const NO_LINE: Why = "is not a line of blkparse's default output";
const ACTIONS: &[u8] = b"QGIDCMFPUXARSTmBiBt";
/// I/Os are let out after so many lines.
const TAKEN_EVERY: u64 = 1024;

#[derive(Default)]
struct Blkparse {
    pairing: Pairing,
    queued: bool,
    summary: bool,
    now_ns: u64,
    others: u64,
    forced: u64,
}

/// One line.
struct Row<'a> {
    device: &'a [u8],
    at_ns: u64,
    action: u8,
    flags: &'a [u8],
    rest: &'a [u8],
}

impl Rows for Blkparse {
    fn row(&mut self, line: &[u8], number: u64, sink: &mut Sink) -> Result<(), Fault> {
        let text = line.trim_ascii();
        self.summary |= text.starts_with(b"CPU") || text.starts_with(b"Total (");
        if self.summary {
            lost(text, sink);
            return Ok(());
        }
        let row = split(text).ok_or(NO_LINE)?;
        sink.rows += 1;
        self.now_ns = self.now_ns.max(row.at_ns);
        if matches!(row.action, b'Q' | b'D' | b'C' | b'R') {
            self.tell(&row, sink)?;
        }
        if number.is_multiple_of(TAKEN_EVERY) {
            self.release(sink, number)?;
        }
        Ok(())
    }

    fn finish(&mut self, sink: &mut Sink) -> Result<(), Fault> {
        let mut events = Vec::new();
        self.pairing.finish(|event| events.push(event));
        events.into_iter().try_for_each(|event| sink.event(event, 0))?;
        if !self.queued && sink.rows > 0 {
            let why = "no arrivals (Q) were recorded: each I/O counts from its issue (D), without the time it waited";
            sink.header.notes.push(why.to_owned());
        }
        sink.totals.leave_out_unpaired(&self.pairing.counted);
        sink.totals.leave_out_pass_through(self.others);
        sink.totals.leave_out_forced(self.forced);
        Ok(())
    }
}

impl Blkparse {
    fn tell(&mut self, row: &Row<'_>, sink: &mut Sink) -> Result<(), Fault> {
        let Some((sector, sectors)) = place(row.rest) else { return Err(NO_LINE.into()) };
        let Some(kind) = kind(row.flags, sectors) else {
            self.others += u64::from(row.action == b'C');
            return Ok(());
        };
        let device = sink.device(row.device, described)?;
        let range = Range { device, kind, sector: if kind == OpKind::Flush { 0 } else { sector }, sectors };
        match row.action {
            b'Q' => {
                self.queued = true;
                self.forced += u64::from(is_forced(row.flags, sectors));
                let process = sink.process(process(row.rest))?;
                self.pairing.arrive(row.at_ns, range, process, flushes_first(row.flags, sectors));
            }
            b'D' if kind == OpKind::Flush && !self.queued => {}
            b'D' => {
                if !self.queued {
                    self.forced += u64::from(is_forced(row.flags, sectors));
                    let process = sink.process(process(row.rest))?;
                    self.pairing.arrive(row.at_ns, range, process, false);
                }
                self.pairing.issue(row.at_ns, range);
            }
            b'R' => self.pairing.requeue(range),
            // The kernel's own flush is a part of what was asked for, which completes after it, with no sector left.
            _ if kind == OpKind::Flush || (sectors == 0 && !self.queued) => {}
            _ => self.pairing.complete_range(row.at_ns, range, process(row.rest) != b"0"),
        }
        Ok(())
    }

    fn release(&mut self, sink: &mut Sink, number: u64) -> Result<(), Fault> {
        let mut told = Ok(());
        self.pairing.take(self.now_ns, |event| {
            if told.is_ok() {
                told = sink.event(event, number);
            }
        });
        told
    }
}

fn described(name: String) -> Device {
    let number = name.split_once(',').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    Device { name, number, ..Device::default() }
}

/// `Skips: 12 forward (345 -   1.2%)` in the summary.
fn lost(text: &[u8], sink: &mut Sink) {
    let Some(rest) = text.strip_prefix(b"Skips:") else { return };
    let begin = memchr::memchr(b'(', rest).map_or(rest.len(), |at| at + 1);
    let count = rest[begin..].trim_ascii_start().iter().take_while(|byte| byte.is_ascii_digit());
    let count = count.fold(0u64, |sum, digit| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0')));
    sink.totals.leave_out("lost", count, || {
        "events that blktrace lost because its buffers were full: {}; I/Os are missing, or their latencies".to_owned()
    });
}

fn split(text: &[u8]) -> Option<Row<'_>> {
    let (device, rest) = word(text)?;
    let (major, minor) = device.split_at(memchr::memchr(b',', device)?);
    let (cpu, rest) = word(rest)?;
    let (sequence, rest) = word(rest)?;
    let (time, rest) = word(rest)?;
    let (pid, rest) = word(rest)?;
    let (action, rest) = word(rest)?;
    let (flags, rest) = word(rest).unwrap_or((b"N", b""));
    let numbers = [major, &minor[1..], cpu, sequence, pid];
    let known = action.len() <= 2 && ACTIONS.contains(&action[0]) && numbers.iter().all(|text| number(text).is_some());
    let letters = action[0] == b'm' || flags.iter().all(u8::is_ascii_uppercase);
    let at_ns = seconds(time)?;
    (known && letters).then_some(Row { device, at_ns, action: action[0], flags, rest })
}

fn word(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let text = text.trim_ascii_start();
    let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
    (end > 0).then(|| text.split_at(end))
}

fn number(text: &[u8]) -> Option<u64> {
    let digits = (1..=19).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    digits.then(|| text.iter().fold(0u64, |sum, digit| sum.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))))
}

/// `12.000345678`
fn seconds(text: &[u8]) -> Option<u64> {
    let point = memchr::memchr(b'.', text)?;
    let (whole, part) = (number(&text[..point])?, &text[point + 1..]);
    let part = if part.len() == 9 { number(part)? } else { return None };
    whole.checked_mul(1_000_000_000)?.checked_add(part)
}

/// `223490 + 8 [fio]`, `223490 [0]`, `[fio]`; what is not of a range has none.
fn place(rest: &[u8]) -> Option<(u64, u32)> {
    let Some((first, rest)) = word(rest) else { return Some((0, 0)) };
    if first[0] == b'[' || first[0] == b'(' {
        return Some((0, 0));
    }
    let sector = number(first)?;
    match word(rest) {
        Some((b"+", rest)) => Some((sector, u32::try_from(number(word(rest)?.0)?).ok()?)),
        _ => Some((sector, 0)),
    }
}

/// `[fio]` at the end of the line.
fn process(rest: &[u8]) -> &[u8] {
    let begin = memchr::memchr(b'[', rest).map_or(rest.len(), |at| at + 1);
    let text = &rest[begin..];
    text.strip_suffix(b"]").unwrap_or(text)
}

fn flushes_first(flags: &[u8], sectors: u32) -> bool {
    sectors > 0 && flags.starts_with(b"FW")
}

/// A write that is durable when it is done, or comes behind a flush.
fn is_forced(flags: &[u8], sectors: u32) -> bool {
    flushes_first(flags, sectors) || flags.starts_with(b"WF")
}

/// As `blk_fill_rwbs` of the kernel writes it: an F in front is a flush before the data, where there are any.
fn kind(flags: &[u8], sectors: u32) -> Option<OpKind> {
    let flags = match flags {
        [b'F', ..] if sectors == 0 => return Some(OpKind::Flush),
        [b'F', rest @ ..] => rest,
        _ => flags,
    };
    match flags.first() {
        Some(b'R') => Some(OpKind::Read),
        Some(b'W') => Some(OpKind::Write),
        Some(b'D') => Some(OpKind::Trim),
        _ => None,
    }
}
