//! pgbench's logs: one transaction per row, or the sums of an interval in 6 to 15 columns.

use std::collections::HashMap;

use crate::answer::{PgbenchLog, packed};
use crate::counts::Counts;
use crate::field::decimal;
use crate::stream::{Rows, Why};

const NO_LINE: Why = "is not a line of a pgbench log";
const TOO_MANY: Why = "is in the 1,000,001st interval of this log, which is more than are read; split the log";
const MOST_EPOCHS: usize = 1_000_000;
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=15;
const LONGEST_FIELD: usize = 25;
const MICROSECOND: u64 = 1000;
const EPOCH: std::ops::Range<u64> = 1_000_000_000..4_000_000_000;
const TOLERANCE: f64 = 1.01;

/// One log file.
#[derive(Debug, Default)]
pub struct Log {
    epochs: HashMap<u64, usize>,
    rows: Vec<Interval>,
    /// Where the row before went.
    last: usize,
    latencies: Counts,
    transactions: bool,
    first_us: Option<i64>,
    last_us: u64,
    failed: u64,
    skipped: u64,
}

/// What was done in one interval, µs.
#[derive(Debug, Clone, Copy)]
struct Interval {
    epoch: u64,
    transactions: u64,
    total: u64,
    largest: u64,
}

impl Rows for Log {
    const MARK: Option<u8> = Some(b' ');
    const LONGEST: usize = 400;

    fn row(&mut self, line: &[u8], marks: usize) -> Result<(), Why> {
        let mut fields: [&[u8]; 16] = [b""; 16];
        let mut columns = 0;
        let line = line.trim_ascii();
        for field in line.split(|byte| *byte == b' ') {
            if columns == fields.len() {
                return Err(NO_LINE);
            }
            fields[columns] = field;
            columns += 1;
        }
        if columns != marks + 1 || !COLUMNS.contains(&columns) || line.len() > Self::LONGEST {
            return Err(NO_LINE);
        }
        let fields = &fields[..columns];
        match self.transaction(fields)? {
            true => Ok(()),
            false => self.aggregate(fields),
        }
    }
}

/// A field of digits alone.
#[inline]
fn whole(field: &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for byte in field {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    (!field.is_empty()).then_some(value)
}

/// A field with at most one point, of an interval.
fn part(field: &[u8]) -> Option<f64> {
    let plain = field.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.') && field.len() <= LONGEST_FIELD;
    if plain { decimal(field) } else { None }
}

impl Log {
    /// client, transaction, µs or a word, script, seconds, µs[, lag][, retries]; whether it is such a row.
    fn transaction(&mut self, fields: &[&[u8]]) -> Result<bool, Why> {
        let [client, number, took, script, seconds, micros, rest @ ..] = fields else { return Ok(false) };
        let (Some(seconds), Some(micros)) = (whole(seconds), whole(micros)) else { return Ok(false) };
        let others = [client, number, script].into_iter().chain(rest);
        if rest.len() > 2 || !EPOCH.contains(&seconds) || micros >= 1_000_000 {
            return Ok(false);
        }
        for field in others {
            if whole(field).is_none() {
                return Ok(false);
            }
        }
        match whole(took) {
            Some(took) => self.done(seconds, micros, took)?,
            None if *took == b"skipped" => self.skipped += 1,
            None if [&b"failed"[..], b"serialization", b"deadlock"].contains(took) => self.failed += 1,
            None => return Ok(false),
        }
        Ok(true)
    }

    fn done(&mut self, seconds: u64, micros: u64, took: u64) -> Result<(), Why> {
        let ended = seconds * 1_000_000 + micros;
        let begun = ended.cast_signed().saturating_sub(i64::try_from(took).unwrap_or(i64::MAX));
        self.transactions = true;
        self.first_us = Some(self.first_us.map_or(begun, |first| first.min(begun)));
        self.last_us = self.last_us.max(ended);
        self.latencies.record(took.saturating_mul(MICROSECOND));
        let interval = self.interval(seconds)?;
        interval.transactions += 1;
        interval.total = interval.total.saturating_add(took);
        interval.largest = interval.largest.max(took);
        Ok(())
    }

    /// seconds, transactions, sum µs, sum of squares, min, max[, lag…][, skipped][, retries…][, failures…].
    fn aggregate(&mut self, fields: &[&[u8]]) -> Result<(), Why> {
        if !matches!(fields.len(), 6..=8 | 10..=13 | 15) {
            return Err(NO_LINE);
        }
        let mut values = [0.0; 15];
        for (value, field) in values.iter_mut().zip(fields) {
            *value = part(field).ok_or(NO_LINE)?;
        }
        let epoch = whole(fields[0]).filter(|epoch| EPOCH.contains(epoch)).ok_or(NO_LINE)?;
        let [_, count, total, _, smallest, largest, ..] = values;
        let fits = smallest <= largest
            && count * smallest <= total * TOLERANCE + 1.0
            && total <= count * largest * TOLERANCE + 1.0;
        if !fits {
            return Err(NO_LINE);
        }
        let interval = self.interval(epoch)?;
        interval.transactions = interval.transactions.saturating_add(count as u64);
        interval.total = interval.total.saturating_add(total as u64);
        if count >= 1.0 {
            interval.largest = interval.largest.max(largest as u64);
        }
        if matches!(fields.len(), 11 | 13 | 15) {
            self.skipped = self.skipped.saturating_add(values[10] as u64);
        }
        if fields.len() == 15 {
            self.failed = self.failed.saturating_add(values[13] as u64).saturating_add(values[14] as u64);
        }
        Ok(())
    }

    fn interval(&mut self, epoch: u64) -> Result<&mut Interval, Why> {
        let before = self.rows.get(self.last).is_some_and(|row| row.epoch == epoch);
        if !before {
            let next = self.rows.len();
            self.last = *self.epochs.entry(epoch).or_insert(next);
            if self.last == next {
                if next == MOST_EPOCHS {
                    return Err(TOO_MANY);
                }
                self.rows.push(Interval { epoch, transactions: 0, total: 0, largest: 0 });
            }
        }
        Ok(&mut self.rows[self.last])
    }

    /// What was found, by time.
    pub fn answer(mut self) -> PgbenchLog {
        self.rows.sort_unstable_by_key(|row| row.epoch);
        PgbenchLog {
            epochs: packed(self.rows.iter().map(|row| row.epoch)),
            transactions: packed(self.rows.iter().map(|row| row.transactions)),
            total_us: packed(self.rows.iter().map(|row| row.total)),
            max_us: packed(self.rows.iter().map(|row| row.largest)),
            counts: self.latencies.pairs(),
            first_us: self.first_us,
            last_us: self.last_us,
            failed: self.failed,
            skipped: self.skipped,
        }
    }
}
