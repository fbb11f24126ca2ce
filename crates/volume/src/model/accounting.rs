//! How operations count against limits: split into units, and merged while they follow each other.

use super::layer::{Io, OpKind};
use crate::spec::AccountingSpec;

/// Sequential streams followed at once; more jobs than this and merging is lost, as on a real device.
const STREAMS: usize = 8;

/// What one operation costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charge {
    /// Against a limit of operations; 0 when merged into the unit before it.
    pub ops: u64,
    /// Against a limit of bytes.
    pub bytes: u64,
}

/// Counts operations in units.
#[derive(Debug)]
pub struct Accounting {
    spec: AccountingSpec,
    streams: [Stream; STREAMS],
    oldest: usize,
    /// The stream of the last operation that may merge.
    latest: usize,
}

#[derive(Debug, Clone, Copy)]
struct Stream {
    /// Where the next operation of the stream begins.
    end: u64,
    kind: OpKind,
    /// Bytes in the last unit, 0 when it is complete.
    filled: u64,
    /// When its last operation left the queue: until then, and for the merge window after it, the next one may join.
    last_ns: u64,
}

impl Accounting {
    /// Nothing seen yet.
    pub fn new(spec: AccountingSpec) -> Self {
        // No operation can follow this one.
        let none = Stream { end: u64::MAX, kind: OpKind::Flush, filled: 0, last_ns: 0 };
        Self { spec, streams: [none; STREAMS], oldest: 0, latest: 0 }
    }

    /// The charge for `io` arriving at `now_ns`. Over a sequence without a gap it adds up to `ceil(bytes / unit)`.
    ///
    /// Where the limits make it wait, [`leaves`](Self::leaves) is told so before the next operation is charged.
    #[inline]
    pub fn charge(&mut self, io: &Io, now_ns: u64) -> Charge {
        let ops = if self.spec.merge_min_bytes > 0 && io.bytes >= self.spec.merge_min_bytes {
            self.merged(io, now_ns)
        } else if io.bytes <= self.spec.unit_bytes {
            1
        } else {
            io.bytes.div_ceil(self.spec.unit_bytes)
        };
        let bytes = if self.spec.throughput_in_units { ops * self.spec.unit_bytes } else { io.bytes };
        Charge { ops, bytes }
    }

    /// The operation charged last waits until `left_ns`, and what follows it meanwhile merges with it.
    #[inline]
    pub fn leaves(&mut self, io: &Io, left_ns: u64) {
        if self.spec.merge_min_bytes > 0 && io.bytes >= self.spec.merge_min_bytes {
            self.streams[self.latest].last_ns = left_ns;
        }
    }

    fn merged(&mut self, io: &Io, now_ns: u64) -> u64 {
        let unit = self.spec.unit_bytes;
        let follows = self.streams.iter().position(|s| s.end == io.offset && s.kind == io.kind);
        let index = follows.unwrap_or_else(|| {
            self.oldest = (self.oldest + 1) % STREAMS;
            self.oldest
        });
        self.latest = index;
        let stream = &mut self.streams[index];
        let goes_on = follows.is_some() && now_ns.saturating_sub(stream.last_ns) <= self.spec.merge_window_ns;
        let before = if goes_on { stream.filled } else { 0 };
        let total = before + io.bytes;
        *stream = Stream { end: io.offset + io.bytes, kind: io.kind, filled: total % unit, last_ns: now_ns };
        total.div_ceil(unit) - before.div_ceil(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KIB: u64 = 1024;

    fn ssd() -> AccountingSpec {
        AccountingSpec { unit_bytes: 256 * KIB, merge_min_bytes: 32 * KIB, ..AccountingSpec::default() }
    }

    fn hdd() -> AccountingSpec {
        AccountingSpec { unit_bytes: 1024 * KIB, throughput_in_units: true, ..ssd() }
    }

    fn read(offset: u64, bytes: u64) -> Io {
        Io { kind: OpKind::Read, offset, bytes }
    }

    /// EBS user guide, "I/O characteristics", and `ebs_formulas_ref.py::ios_charged`.
    #[test]
    fn documented_cases() {
        let total = |spec, ios: &[Io]| {
            let mut accounting = Accounting::new(spec);
            ios.iter().map(|io| accounting.charge(io, 0).ops).sum::<u64>()
        };
        let sequential = |n, bytes| (0..n).map(|i| read(i * bytes, bytes)).collect::<Vec<_>>();
        let random = |n, bytes| (0..n).map(|i| read(i * 7 * 1024 * KIB, bytes)).collect::<Vec<_>>();
        assert_eq!(total(ssd(), &[read(0, 1024 * KIB)]), 4);
        assert_eq!(total(hdd(), &[read(0, 1024 * KIB)]), 1);
        assert_eq!(total(ssd(), &sequential(8, 32 * KIB)), 1);
        assert_eq!(total(ssd(), &random(8, 32 * KIB)), 8);
        assert_eq!(total(hdd(), &sequential(8, 128 * KIB)), 1);
        assert_eq!(total(hdd(), &random(8, 128 * KIB)), 8);
        // Below 32 KiB nothing is merged.
        assert_eq!(total(ssd(), &sequential(8, 16 * KIB)), 8);
        for (kib, ops) in [(4, 1), (16, 1), (256, 1), (257, 2), (1024, 4)] {
            assert_eq!(total(ssd(), &[read(0, kib * KIB)]), ops);
        }
    }

    #[test]
    fn a_random_small_operation_costs_a_hard_disk_one_mebibyte() {
        assert_eq!(Accounting::new(hdd()).charge(&read(0, 4 * KIB), 0), Charge { ops: 1, bytes: 1024 * KIB });
        assert_eq!(Accounting::new(ssd()).charge(&read(0, 4 * KIB), 0), Charge { ops: 1, bytes: 4 * KIB });
    }

    #[test]
    fn a_pause_and_a_change_of_kind_start_a_new_unit() {
        let mut accounting = Accounting::new(ssd());
        assert_eq!(accounting.charge(&read(0, 64 * KIB), 0).ops, 1);
        assert_eq!(accounting.charge(&read(64 * KIB, 64 * KIB), 500_000).ops, 0);
        assert_eq!(accounting.charge(&read(128 * KIB, 64 * KIB), 5_000_000).ops, 1);
        let write = Io { kind: OpKind::Write, offset: 192 * KIB, bytes: 64 * KIB };
        assert_eq!(accounting.charge(&write, 5_000_000).ops, 1);
    }

    #[test]
    fn a_merge_window_without_end_merges_whatever_the_pause() {
        let mut accounting = Accounting::new(AccountingSpec { merge_window_ns: u64::MAX, ..ssd() });
        assert_eq!(accounting.charge(&read(0, 64 * KIB), 1).ops, 1);
        accounting.leaves(&read(0, 64 * KIB), 1 << 40);
        assert_eq!(accounting.charge(&read(64 * KIB, 64 * KIB), 500_000).ops, 0);
        assert_eq!(accounting.charge(&read(128 * KIB, 64 * KIB), 1 << 50).ops, 0);
    }

    proptest! {
        #[test]
        fn merging_and_splitting_conserve_bytes(sizes in proptest::collection::vec(32u64..2048, 1..100), start in 0u64..1000) {
            let mut accounting = Accounting::new(ssd());
            let (mut offset, mut ops, mut bytes) = (start * KIB, 0, 0);
            for size in sizes {
                let charge = accounting.charge(&read(offset, size * KIB), 0);
                ops += charge.ops;
                bytes += charge.bytes;
                offset += size * KIB;
            }
            prop_assert_eq!(bytes, offset - start * KIB);
            prop_assert_eq!(ops, bytes.div_ceil(256 * KIB));
        }
    }
}
