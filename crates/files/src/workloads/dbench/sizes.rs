//! How much each session reads and writes at a time.

use plimsoll_core::random::Stream;

use super::sessions::{
    OTHER_READ_BYTES, OTHER_READ_MAX, OTHER_WRITTEN, OTHER_WRITTEN_BYTES, READ_SIZES, Row, SESSIONS, WRITE_SIZES,
};
use crate::tree::{apportion, shuffle};

/// Sizes of one kind of session over a loop, in the order in which its sessions take them.
pub struct Sizes {
    /// Of reads.
    pub reads: Vec<u32>,
    /// Without those of one byte, which come first in a session.
    pub writes: Vec<u32>,
    /// Writes of one byte.
    pub ones: u32,
}

/// The part of `0..whole` that belongs to one of `count` equal shares.
pub fn portion(whole: u32, index: u32, count: u32) -> std::ops::Range<u32> {
    let edge = |index: u32| (u64::from(whole) * u64::from(index) / u64::from(count.max(1))) as u32;
    edge(index)..edge(index + 1)
}

/// The sizes of all sessions; "other" sizes are uniform and add up exactly, small ones to the sessions with small reads.
pub fn draw(stream: &mut Stream) -> Vec<Sizes> {
    let count = |of: fn(&Row) -> u32| SESSIONS.iter().map(|row| u64::from(of(row))).sum();
    let mut reads = uniform(count(|row| row.reads[5]), OTHER_READ_BYTES, (1, OTHER_READ_MAX), stream);
    let mut writes = uniform(count(|row| row.writes[5]), OTHER_WRITTEN_BYTES, OTHER_WRITTEN, stream);
    reads.sort_unstable_by_key(|&size| std::cmp::Reverse(size));
    shuffle(&mut writes, stream);
    let (mut reads, mut writes) = (reads.into_iter(), writes.into_iter());
    let of_session = |row: &Row| {
        let pick = |counts: &[u32; 6], sizes: &[u32; 6], other: &mut dyn Iterator<Item = u32>| {
            let fixed = counts.iter().zip(sizes).filter(|(_, size)| **size > 1);
            let fixed = fixed.flat_map(|(&count, &size)| std::iter::repeat_n(size, count as usize));
            fixed.chain(other.take(counts[5] as usize)).collect::<Vec<u32>>()
        };
        let mut sizes = Sizes {
            reads: pick(&row.reads, &READ_SIZES, &mut reads),
            writes: pick(&row.writes, &WRITE_SIZES, &mut writes),
            ones: row.writes[4],
        };
        shuffle(&mut sizes.reads, stream);
        shuffle(&mut sizes.writes, stream);
        sizes
    };
    SESSIONS.iter().map(of_session).collect()
}

/// `count` sizes of about `least..=most` that add up to `bytes`.
fn uniform(count: u64, bytes: u64, (least, most): (u32, u32), stream: &mut Stream) -> Vec<u32> {
    let weights: Vec<u64> = (0..count).map(|_| stream.below((most - least).into())).collect();
    let sizes = apportion(&weights, bytes - count * u64::from(least));
    sizes.into_iter().map(|size| size as u32 + least).collect()
}
