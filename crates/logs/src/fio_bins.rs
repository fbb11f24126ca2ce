//! fio's histogram logs: `time ms, direction, size, count, count, …`, the counts since the line before.

use std::collections::BTreeMap;

use crate::answer::{Bin, FioBins};
use crate::field::Cursor;
use crate::fio::KINDS;
use crate::stream::{Rows, Why};

const NO_LINE: Why = "is not a line of a fio histogram log";
const MOST_DIGITS: usize = 15;
const MOST_BINS: usize = 29 * 64;

/// One log file.
#[derive(Debug, Default)]
pub struct Log {
    last_ms: u64,
    /// By kind and number of bins in a line; there are twelve such numbers.
    bins: BTreeMap<(usize, usize), Vec<u64>>,
    line: Vec<u64>,
}

impl Rows for Log {
    /// Other numbers of columns are refused by their number of bins.
    const MARK: Option<u8> = None;
    const LONGEST: usize = 64 * 1024;

    fn row(&mut self, line: &[u8], _: usize) -> Result<(), Why> {
        let time = self.fields(line).ok_or(NO_LINE)?;
        self.last_ms = self.last_ms.max(time);
        Ok(())
    }
}

impl Log {
    fn fields(&mut self, line: &[u8]) -> Option<u64> {
        let mut at = Cursor::new(line);
        self.line.clear();
        loop {
            at.blanks();
            if at.ended() && self.line.len() > 3 {
                // A comma may stand behind the last bin.
                break;
            }
            self.line.push(at.digits(MOST_DIGITS)?);
            at.blanks();
            if at.ended() {
                break;
            }
            if !at.takes(b',') || self.line.len() > MOST_BINS + 3 {
                return None;
            }
        }
        let [time, kind, _, counts @ ..] = self.line.as_slice() else { return None };
        let kind = usize::try_from(*kind).ok().filter(|kind| *kind < KINDS)?;
        if !is_size(counts.len()) {
            return None;
        }
        let sums = self.bins.entry((kind, counts.len())).or_insert_with(|| vec![0; counts.len()]);
        for (sum, count) in sums.iter_mut().zip(counts) {
            *sum = sum.saturating_add(*count);
        }
        Some(*time)
    }

    /// What was found.
    pub fn answer(self) -> FioBins {
        let each = self.bins.into_iter().flat_map(|((kind, bins), counts)| {
            let filled = counts.into_iter().enumerate().filter(|(_, count)| *count > 0);
            filled.map(move |(index, count)| Bin(kind, bins, index, count)).collect::<Vec<_>>()
        });
        FioBins { last_ms: self.last_ms, bins: each.collect() }
    }
}

/// 29 × 64 bins are fio 3, 19 × 64 are fio 2; up to 2^5 of them are written as one.
fn is_size(bins: usize) -> bool {
    (0..6).any(|coarse| bins == MOST_BINS >> coarse || bins == (19 * 64) >> coarse)
}
