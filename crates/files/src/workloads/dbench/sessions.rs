//! What clients do between opening and closing a file: the session table of the recorded load.
//!
//! Counts are the shares of the published table of 79,230 opens, made whole so that all totals come out exactly. What
//! belongs to documents and what to files that come and go, and the reads and writes of each, was counted in the load
//! that comes with dbench 4.0.

use super::lifecycles::Step;

/// What a session opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A name that is not there.
    Missing,
    /// A document that is there.
    Document,
    /// A document that stays open for a while.
    Kept,
    /// One of the large files.
    Large,
    /// A file that comes and goes, at this step of its lifecycle.
    Young(Step),
}

/// One kind of session; all numbers are totals over a loop, without the set-up.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// What it opens.
    pub target: Target,
    /// How often.
    pub count: u32,
    /// Reads by size class, see [`READ_SIZES`].
    pub reads: [u32; 6],
    /// Writes by size class, see [`WRITE_SIZES`].
    pub writes: [u32; 6],
    /// `fsync` calls.
    pub flushes: u32,
    /// `QUERY_FILE_INFORMATION`.
    pub queries: u32,
    /// `SET_FILE_INFORMATION`.
    pub sets: u32,
    /// Locked, and unlocked, at the beginning.
    pub locks: u32,
}

/// Size of each read class; 0 for the class of other sizes.
pub const READ_SIZES: [u32; 6] = [61_440, 16_384, 8192, 4096, 2048, 0];
/// Size of each write class; 0 for the class of other sizes.
pub const WRITE_SIZES: [u32; 6] = [65_536, 8192, 4096, 2048, 1, 0];
/// Sum of the sizes of the "other" classes over a loop, such that all bytes of a loop are exact.
pub const OTHER_READ_BYTES: u64 = 29_094_591;
pub const OTHER_WRITTEN_BYTES: u64 = 134_292_504;
/// Of the "other" sizes. A file that was written is long enough for a read of 4 KiB.
pub const OTHER_READ_MAX: u32 = 4300;
pub const OTHER_WRITTEN: (u32, u32) = (4096, 35_700);

const NONE: Row = Row {
    target: Target::Document,
    count: 0,
    reads: [0; 6],
    writes: [0; 6],
    flushes: 0,
    queries: 0,
    sets: 0,
    locks: 0,
};

/// All kinds of sessions.
pub const SESSIONS: [Row; 27] = [
    Row { target: Target::Missing, count: 21_030, ..NONE },
    Row { target: Target::Kept, count: 3483, ..NONE },
    // Large files, read and written in large pieces.
    Row { target: Target::Large, count: 1159, reads: [16_643, 0, 0, 17_012, 0, 0], ..NONE },
    Row { target: Target::Large, count: 1545, reads: [0, 0, 0, 7210, 0, 0], writes: [7017, 0, 0, 0, 0, 1286], ..NONE },
    // Documents that are only read; a few by small reads, the last ones of them under a lock.
    Row { count: 14_658, reads: [0, 1599, 4595, 39_394, 1504, 6200], queries: 1047, ..NONE },
    Row { count: 646, reads: [0, 0, 0, 0, 0, 6966], queries: 646, locks: 258, ..NONE },
    // Documents that are changed.
    Row { count: 1289, reads: [0, 388, 0, 1421, 0, 0], writes: [0, 372, 1334, 0, 148, 0], ..NONE },
    Row { count: 388, reads: [0, 0, 0, 12_236, 0, 0], writes: [0, 258, 258, 0, 0, 0], sets: 642, ..NONE },
    Row { count: 129, reads: [0, 0, 0, 129, 0, 0], writes: [0, 516, 129, 0, 0, 0], flushes: 518, ..NONE },
    Row { count: 130, queries: 130, ..NONE },
    Row { count: 513, sets: 513, ..NONE },
    // Files that come.
    Row { target: Target::Young(Step::Touch), count: 11_044, ..NONE },
    Row { target: Target::Young(Step::Fill), count: 3795, writes: [5000, 0, 0, 0, 3795, 3795], queries: 3795, ..NONE },
    Row {
        target: Target::Young(Step::Save),
        count: 642,
        writes: [0, 0, 0, 0, 642, 642],
        flushes: 642,
        queries: 642,
        ..NONE
    },
    Row {
        target: Target::Young(Step::SaveAndSet),
        count: 515,
        writes: [258, 0, 1033, 0, 515, 515],
        flushes: 515,
        queries: 1030,
        sets: 1419,
        ..NONE
    },
    // And what becomes of them.
    Row { target: Target::Young(Step::Begin), count: 2321, writes: [0, 0, 662, 1659, 2321, 0], queries: 3612, ..NONE },
    Row { target: Target::Young(Step::Look), count: 1675, ..NONE },
    Row { target: Target::Young(Step::Rename), count: 3354, ..NONE },
    Row { target: Target::Young(Step::ReadStart), count: 1285, reads: [0, 0, 0, 0, 1285, 0], ..NONE },
    Row { target: Target::Young(Step::Read), count: 3743, reads: [0, 0, 0, 3743, 0, 0], ..NONE },
    Row {
        target: Target::Young(Step::Grow),
        count: 1032,
        reads: [0, 0, 0, 0, 1032, 0],
        writes: [0, 0, 902, 0, 0, 130],
        ..NONE
    },
    Row {
        target: Target::Young(Step::GrowAndFlush),
        count: 774,
        reads: [0, 0, 0, 0, 774, 0],
        writes: [0, 0, 1548, 0, 0, 0],
        flushes: 774,
        ..NONE
    },
    Row {
        target: Target::Young(Step::Change),
        count: 1292,
        reads: [0, 0, 0, 1292, 0, 0],
        writes: [0, 0, 905, 0, 0, 387],
        queries: 129,
        sets: 2326,
        ..NONE
    },
    Row {
        target: Target::Young(Step::FlushTwice),
        count: 388,
        reads: [0, 0, 0, 388, 0, 0],
        writes: [0, 0, 776, 0, 0, 0],
        flushes: 776,
        sets: 388,
        ..NONE
    },
    Row {
        target: Target::Young(Step::FlushOften),
        count: 388,
        reads: [0, 0, 0, 388, 0, 0],
        writes: [0, 0, 2328, 0, 0, 0],
        flushes: 2328,
        queries: 388,
        sets: 388,
        ..NONE
    },
    Row { target: Target::Young(Step::Ask), count: 1161, queries: 1161, ..NONE },
    Row { target: Target::Young(Step::SetTimes), count: 778, sets: 778, ..NONE },
];
