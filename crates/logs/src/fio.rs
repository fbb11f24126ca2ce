//! fio's logs of bandwidth, IOPS and latencies: `time ms, value, direction, size[, offset][, priority]…`.

use crate::answer::{FioFlow, FioLog, packed};
use crate::counts::Counts;
use crate::field::Cursor;
use crate::stream::{Rows, Why};

/// Read, write, trim.
pub const KINDS: usize = 3;

/// Seconds of a series; what is later is in all sums, but not in the series. 11 days.
const LONGEST_S: usize = 1_000_000;

const NO_LINE: Why = "is not a line of a fio log";
const MICROSECOND: u64 = 1000;

/// One log file.
#[derive(Debug, Default)]
pub struct Log {
    flows: [Flow; KINDS],
}

/// One kind of I/O of it.
#[derive(Debug, Default)]
struct Flow {
    rows: u64,
    /// Whether a row has a size: rows of averages have none.
    sized: bool,
    sum: u128,
    size: u64,
    largest: u64,
    last_ms: u64,
    values: Counts,
    /// The same values in the thousandth part of their unit: whether they are µs is known at the end only.
    scaled: Counts,
    seconds: Vec<Second>,
}

/// The rows of one second.
#[derive(Debug, Default, Clone, Copy)]
struct Second {
    rows: u64,
    value: u64,
    size: u64,
}

impl Rows for Log {
    const MARK: Option<u8> = Some(b',');
    const LONGEST: usize = 1024;

    #[inline]
    fn row(&mut self, line: &[u8], marks: usize) -> Result<(), Why> {
        let (time, value, kind, size) = fields(line, marks).ok_or(NO_LINE)?;
        self.flows[kind].take(time, value, size);
        Ok(())
    }
}

#[inline]
fn fields(line: &[u8], marks: usize) -> Option<(u64, u64, usize, u64)> {
    let mut at = Cursor::new(line);
    let time = number(&mut at, 12)?;
    let value = next(&mut at, 19)?;
    let kind = next(&mut at, 1)? as usize;
    let size = next(&mut at, 12)?;
    let mut seen = 3;
    while at.takes(b',') {
        at.blanks();
        seen += 1;
        if !at.hexadecimal(19) {
            return None;
        }
    }
    at.blanks();
    (at.ended() && seen == marks && seen < 7 && kind < KINDS).then_some((time, value, kind, size))
}

#[inline]
fn number(at: &mut Cursor<'_>, most: usize) -> Option<u64> {
    at.blanks();
    at.digits(most)
}

#[inline]
fn next(at: &mut Cursor<'_>, most: usize) -> Option<u64> {
    if at.takes(b',') { number(at, most) } else { None }
}

impl Flow {
    #[inline]
    fn take(&mut self, time_ms: u64, value: u64, size: u64) {
        self.rows += 1;
        self.sized |= size > 0;
        self.sum += u128::from(value);
        self.size = self.size.saturating_add(size);
        self.largest = self.largest.max(value);
        self.last_ms = time_ms;
        self.values.record(value);
        self.scaled.record(value.saturating_mul(MICROSECOND));
        // A row of an averaging log stands at the end of its time.
        let second = (time_ms.saturating_sub(1) / 1000) as usize;
        if second >= self.seconds.len() {
            if second >= LONGEST_S {
                return;
            }
            self.seconds.resize(second + 1, Second::default());
        }
        let second = &mut self.seconds[second];
        second.rows += 1;
        second.value = second.value.saturating_add(value);
        second.size = second.size.saturating_add(size);
    }

    fn answer(self) -> FioFlow {
        FioFlow {
            rows: self.rows,
            averaged: !self.sized,
            sum: self.sum,
            size: self.size,
            max: self.largest,
            last_ms: self.last_ms,
            counts: self.values.pairs(),
            counts_us: self.scaled.pairs(),
            second_rows: packed(self.seconds.iter().map(|second| second.rows)),
            second_value: packed(self.seconds.iter().map(|second| second.value)),
            second_size: packed(self.seconds.iter().map(|second| second.size)),
        }
    }
}

impl Log {
    /// What was found, by kind of I/O.
    pub fn answer(self) -> FioLog {
        FioLog { flows: self.flows.map(|flow| (flow.rows > 0).then(|| flow.answer())) }
    }
}
