//! Histograms of version 2 in base64, added as they are decoded.
//!
//! Not done with the library: that makes a table of all buckets for every line and adds all of them, thirty times the
//! work, and takes the sizes of the table from bytes that may come from a stranger.

use std::collections::HashMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::{Decompress, FlushDecompress, Status};

const COMPRESSED: u32 = 0x1c84_9304;
const PLAIN: u32 = 0x1c84_9303;
/// The two cookies say in these bits how long a word is.
const WORD_BITS: u32 = 0xf0;
const OUTER: usize = 8;
const HEADER: usize = 40;
/// A histogram with 4 digits up to years needs less than 8 MiB.
const LONGEST: usize = 16 * 1024 * 1024;
/// All sums of a log together: 16 MB.
const MOST_CELLS: usize = 2_000_000;
const MOST_COUNTED: u64 = 1 << 53;

/// Why a histogram was not added.
pub enum Fault {
    /// It cannot be read; the next one may.
    Damaged,
    /// The sums of the log would take too much memory.
    TooMany,
}

/// What every histogram of a log is decoded with.
#[derive(Debug)]
pub struct Decoder {
    packed: Vec<u8>,
    plain: Vec<u8>,
    inflate: Decompress,
    cells: usize,
}

/// The sums of one tag, by the settings of the histograms in it.
#[derive(Debug, Default)]
pub struct Sums(HashMap<Settings, Vec<u64>>);

/// What says where the buckets are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Settings {
    /// Powers of two that the smallest unit has.
    unit: u32,
    /// Half of the buckets of a power of two, as a power of two.
    half: u32,
    /// Buckets in all.
    length: usize,
}

impl Default for Decoder {
    fn default() -> Self {
        Self { packed: Vec::new(), plain: Vec::new(), inflate: Decompress::new(true), cells: 0 }
    }
}

impl Decoder {
    /// Adds a histogram, or nothing of it.
    pub fn add(&mut self, encoded: &[u8], sums: &mut Sums) -> Result<(), Fault> {
        self.packed.clear();
        STANDARD.decode_vec(encoded, &mut self.packed).map_err(|_| Fault::Damaged)?;
        self.inflate().ok_or(Fault::Damaged)?;
        let plain = &self.plain;
        let (settings, end) = settings(plain).ok_or(Fault::Damaged)?;
        let words = &plain[HEADER..end];
        // Once to see that all of it can be read, and how far it goes.
        let longest = each(words, settings.length, |_, _| ()).ok_or(Fault::Damaged)?;
        let cells = sums.0.entry(settings).or_default();
        if longest > cells.len() {
            self.cells += longest - cells.len();
            if self.cells > MOST_CELLS {
                return Err(Fault::TooMany);
            }
            cells.resize(longest, 0);
        }
        each(words, settings.length, |index, count| cells[index] = cells[index].saturating_add(count));
        Ok(())
    }

    fn inflate(&mut self) -> Option<()> {
        if self.packed.len() < OUTER || word(&self.packed, 0)? & !WORD_BITS != COMPRESSED {
            return None;
        }
        self.inflate.reset(true);
        self.plain.clear();
        self.plain.reserve(HEADER + 8 * self.packed.len());
        loop {
            let read = OUTER + usize::try_from(self.inflate.total_in()).ok()?;
            let (from, before) = (self.packed.get(read..)?, self.plain.len());
            match self.inflate.decompress_vec(from, &mut self.plain, FlushDecompress::Finish) {
                Ok(Status::StreamEnd) => return Some(()),
                Ok(_) if self.plain.len() == self.plain.capacity() && self.plain.len() < LONGEST => {
                    self.plain.reserve(self.plain.len());
                }
                Ok(_) if self.plain.len() > before => {}
                _ => return None,
            }
        }
    }
}

impl Sums {
    /// Lowest and highest value of each bucket with something in it, and the count, ascending.
    pub fn buckets(&self) -> Vec<(u64, u64, u64)> {
        let mut found: Vec<_> = self.0.iter().flat_map(|(settings, counts)| settings.filled(counts)).collect();
        found.sort_unstable_by_key(|&(low, high, _)| (high, low));
        found
    }
}

impl Settings {
    fn filled(self, counts: &[u64]) -> Vec<(u64, u64, u64)> {
        let filled = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        filled.map(|(index, &count)| self.bucket(index as u64, count)).collect()
    }

    fn bucket(self, index: u64, count: u64) -> (u64, u64, u64) {
        let (half, above) = (1u64 << self.half, index >> self.half);
        let sub_bucket = (index & (half - 1)) + if above > 0 { half } else { 0 };
        let shift = u32::try_from(above.saturating_sub(1)).unwrap_or(u32::MAX).saturating_add(self.unit);
        let low = sub_bucket.checked_shl(shift).unwrap_or(u64::MAX);
        (low, low.saturating_add((1u64.checked_shl(shift).unwrap_or(u64::MAX)) - 1), count)
    }
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..at + 4)?.try_into().ok().map(u32::from_be_bytes)
}

fn long(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..at + 8)?.try_into().ok().map(u64::from_be_bytes)
}

/// The settings in a header, and where the counts behind it end.
fn settings(plain: &[u8]) -> Option<(Settings, usize)> {
    let end = HEADER.checked_add(word(plain, 4)? as usize)?;
    let (digits, lowest, highest) = (word(plain, 12)?, long(plain, 16)?, long(plain, 24)?);
    let possible = (1..=4).contains(&digits) && lowest >= 1 && lowest <= highest / 2 && highest < 1 << 62;
    if word(plain, 0)? & !WORD_BITS != PLAIN || end > plain.len() || !possible {
        return None;
    }
    let unit = lowest.ilog2();
    let resolved = 2 * 10u64.pow(digits);
    let whole = u64::BITS - (resolved - 1).leading_zeros();
    let mut covered = (1u128 << whole) << unit;
    let mut buckets = 1usize;
    while covered <= u128::from(highest) {
        covered <<= 1;
        buckets += 1;
    }
    let half = whole - 1;
    Some((Settings { unit, half, length: (buckets + 1) << half }, end))
}

/// Every count with its index; gives how many buckets there are up to the last with a count. `None` for what is damaged.
fn each(mut words: &[u8], length: usize, mut take: impl FnMut(usize, u64)) -> Option<usize> {
    let (mut index, mut filled) = (0usize, 0);
    while !words.is_empty() {
        let value = variable(&mut words)?;
        if value < 0 {
            index = index.checked_add(usize::try_from(value.unsigned_abs()).ok()?)?;
        } else {
            let count = value.unsigned_abs();
            if count > MOST_COUNTED || (count > 0 && index >= length) {
                return None;
            }
            if count > 0 {
                take(index, count);
                filled = index + 1;
            }
            index += 1;
        }
        if index > length {
            return None;
        }
    }
    Some(filled)
}

/// A number of 1 to 9 bytes, the last of nine with all its bits, the sign in its lowest (ZigZag LEB128).
fn variable(words: &mut &[u8]) -> Option<i64> {
    let mut value = 0u64;
    for place in 0..9 {
        let (&byte, rest) = words.split_first()?;
        *words = rest;
        if place == 8 {
            value |= u64::from(byte) << 56;
        } else {
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 != 0 {
                continue;
            }
        }
        break;
    }
    Some((value >> 1).cast_signed() ^ -(value & 1).cast_signed())
}
