//! A load whose rate changes: stretches of time, each with so many operations spread evenly over it.
//!
//! This is what counters know of a system: sums over periods. Where in a period its operations came, whoever makes the
//! stretches has to decide.

use plimsoll_core::random::{Purpose, Stream};
use serde::Deserialize;

use super::Source;
use crate::error::VolumeError;
use crate::model::layer::{Io, OpKind};

/// Stretches one after the other, as columns of equal length.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Schedule {
    /// Length of each stretch.
    pub durations_ns: Vec<u64>,
    /// Reads in it.
    pub reads: Vec<u64>,
    /// Writes in it.
    pub writes: Vec<u64>,
    /// Size of each of its reads.
    pub read_bytes: Vec<u64>,
    /// Size of each of its writes.
    pub write_bytes: Vec<u64>,
    /// Most operations in flight.
    pub depth: u32,
    /// Latency counts from when an operation went to the volume, not from when it was due: what a program sees that waits
    /// for its operations.
    #[serde(default)]
    pub from_issue: bool,
    /// Each operation after the one before, reads and writes in streams of their own; else anywhere.
    #[serde(default)]
    pub sequential: bool,
    /// Part of the device from its start that is used; absent: all of it.
    #[serde(default)]
    pub region_bytes: Option<u64>,
    /// Length of an interval of the series.
    pub interval_ns: u64,
    /// Of offsets; the volume has its own.
    pub seed: u64,
}

/// A century: sums of durations stay far below what 64 bits hold.
const LAST_NS: u64 = 100 * 366 * 86_400 * 1_000_000_000;
/// Operations are at least and at most so large.
const SECTOR: u64 = 512;
const LARGEST: u64 = 1 << 30;

impl Schedule {
    /// Refuses what cannot be run on a device of this size.
    pub fn validate(&self, device_bytes: u64) -> Result<(), VolumeError> {
        let rows = self.durations_ns.len();
        let columns = [&self.reads, &self.writes, &self.read_bytes, &self.write_bytes];
        let region = self.region_bytes.unwrap_or(device_bytes);
        let sizes = self.read_bytes.iter().chain(&self.write_bytes);
        let largest = sizes.copied().max().unwrap_or(0);
        let end_ns = self.durations_ns.iter().try_fold(0u64, |sum, &each| sum.checked_add(each));
        let problem = if rows == 0 || columns.iter().any(|column| column.len() != rows) {
            "columns of a schedule are equally long, and not empty".to_owned()
        } else if end_ns.is_none_or(|end_ns| end_ns > LAST_NS) || self.durations_ns.contains(&0) {
            "durations are above zero and add up to less than a century".to_owned()
        } else if largest > LARGEST || largest > region || region > device_bytes {
            format!("operations of up to {largest} bytes in a region of {region} on a device of {device_bytes}")
        } else if !(1..=65_536).contains(&self.depth) {
            format!("depth is {}: from 1 to 65536", self.depth)
        } else if self.interval_ns == 0 || end_ns.unwrap_or(0) / self.interval_ns > 10_000_000 {
            "at most 10 million intervals".to_owned()
        } else {
            return Ok(());
        };
        Err(VolumeError::spec(format!("the schedule cannot be simulated: {problem}")))
    }

    /// When its last stretch ends.
    pub fn end_ns(&self) -> u64 {
        self.durations_ns.iter().sum()
    }

    /// Operations in all of it.
    pub fn operations(&self) -> u64 {
        self.reads.iter().chain(&self.writes).sum()
    }

    /// The operations in order.
    pub(super) fn source(&self, device_bytes: u64) -> Stretches<'_> {
        let region_bytes = self.region_bytes.unwrap_or(device_bytes);
        Stretches {
            schedule: self,
            region_bytes,
            row: 0,
            start_ns: 0,
            place: 0,
            reads_done: 0,
            cursors: [0, region_bytes / 2],
            offsets: Stream::new(self.seed, 0, Purpose::Offset),
        }
    }
}

/// The operations of a [`Schedule`].
pub(super) struct Stretches<'a> {
    schedule: &'a Schedule,
    region_bytes: u64,
    row: usize,
    start_ns: u64,
    /// Operations of this stretch so far.
    place: u64,
    reads_done: u64,
    /// Where the next sequential read and write begin.
    cursors: [u64; 2],
    offsets: Stream,
}

impl Source for Stretches<'_> {
    #[inline]
    fn next(&mut self) -> Option<(u64, Io)> {
        loop {
            let duration_ns = *self.schedule.durations_ns.get(self.row)?;
            let (reads, writes) = (self.schedule.reads[self.row], self.schedule.writes[self.row]);
            let count = reads + writes;
            if self.place == count {
                self.start_ns += duration_ns;
                (self.row, self.place, self.reads_done) = (self.row + 1, 0, 0);
                continue;
            }
            // The middle of its share of the stretch: never 0, which would mean "now", unless shares are below 2 ns.
            let share = (u128::from(self.place) * 2 + 1) * u128::from(duration_ns) / (u128::from(count) * 2);
            let intended_ns = (self.start_ns + share as u64).max(1);
            self.place += 1;
            // Reads are spread evenly among the writes.
            let is_read = u128::from(self.place) * u128::from(reads) / u128::from(count) > u128::from(self.reads_done);
            return Some((intended_ns, if is_read { self.read() } else { self.write() }));
        }
    }
}

impl Stretches<'_> {
    #[inline]
    fn read(&mut self) -> Io {
        self.reads_done += 1;
        let bytes = self.schedule.read_bytes[self.row];
        Io { kind: OpKind::Read, offset: self.place_for(bytes, 0), bytes }
    }

    #[inline]
    fn write(&mut self) -> Io {
        let bytes = self.schedule.write_bytes[self.row];
        Io { kind: OpKind::Write, offset: self.place_for(bytes, 1), bytes }
    }

    #[inline]
    fn place_for(&mut self, bytes: u64, stream: usize) -> u64 {
        if !self.schedule.sequential {
            return self.offsets.below((self.region_bytes - bytes) / SECTOR + 1) * SECTOR;
        }
        let cursor = &mut self.cursors[stream];
        if *cursor + bytes > self.region_bytes {
            *cursor = 0;
        }
        let offset = *cursor;
        *cursor += bytes;
        offset
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule() -> Schedule {
        Schedule {
            durations_ns: vec![1_000_000_000, 500_000_000, 2_000_000_000],
            reads: vec![3, 0, 2],
            writes: vec![1, 0, 2],
            read_bytes: vec![4096, 0, 8192],
            write_bytes: vec![16_384, 0, 512],
            depth: 32,
            from_issue: false,
            sequential: false,
            region_bytes: None,
            interval_ns: 1_000_000_000,
            seed: 1,
        }
    }

    #[test]
    fn operations_lie_evenly_in_their_stretches() {
        let made = schedule();
        let mut source = made.source(1 << 30);
        let found: Vec<_> = std::iter::from_fn(|| source.next()).collect();
        let times: Vec<u64> = found.iter().map(|(at_ns, _)| at_ns / 1_000_000).collect();
        assert_eq!(times, [125, 375, 625, 875, 1750, 2250, 2750, 3250]);
        assert_eq!(found.iter().filter(|(_, io)| io.kind == OpKind::Read).count(), 5);
        assert_eq!(found.iter().map(|(_, io)| io.bytes).sum::<u64>(), 3 * 4096 + 16_384 + 2 * 8192 + 2 * 512);
        assert_eq!((made.operations(), made.end_ns()), (8, 3_500_000_000));
        assert!(found.iter().all(|(_, io)| io.offset + io.bytes <= 1 << 30 && io.offset % SECTOR == 0));
    }

    #[test]
    fn sequential_operations_follow_each_other_and_stay_inside() {
        let made = Schedule { sequential: true, region_bytes: Some(65_536), ..schedule() };
        let mut source = made.source(1 << 30);
        let reads: Vec<_> = std::iter::from_fn(|| source.next())
            .filter(|(_, io)| io.kind == OpKind::Read)
            .map(|(_, io)| (io.offset, io.bytes))
            .collect();
        assert_eq!(reads, [(0, 4096), (4096, 4096), (8192, 4096), (12_288, 8192), (20_480, 8192)]);
    }

    #[test]
    fn refusals() {
        let fits = 1 << 30;
        for (made, part) in [
            (Schedule { reads: vec![1], ..schedule() }, "equally long"),
            (Schedule { durations_ns: vec![1, 0, 1], ..schedule() }, "above zero"),
            (Schedule { durations_ns: vec![u64::MAX, 1, 1], ..schedule() }, "less than a century"),
            (Schedule { read_bytes: vec![0, 0, 1 << 31], ..schedule() }, "operations of up to"),
            (Schedule { depth: 0, ..schedule() }, "depth is 0"),
            (Schedule { interval_ns: 0, ..schedule() }, "10 million intervals"),
        ] {
            assert!(made.validate(fits).unwrap_err().to_string().contains(part), "{part}");
        }
        assert!(schedule().validate(fits).is_ok());
    }
}
