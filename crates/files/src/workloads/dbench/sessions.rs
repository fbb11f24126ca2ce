//! What clients do between opening and closing a file: the session table of the recorded load.
//!
//! About half of the flushes of the recorded load are the first one of a file that has just grown, and more than half of the
//! files are removed empty: so all sessions that flush work on young files, and sessions that write little begin them.
//!
//! Counts are the shares of the published table of 79,230 opens, made whole so that all totals come out exactly; what the
//! table leaves open (sessions of less than half a percent) is put to sessions without I/O.

/// What a session opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// A name that is not there.
    Missing,
    /// A document that is there.
    Document,
    /// A document that stays open for a while.
    Kept,
    /// A file that was created before and is still empty.
    Empty,
    /// One that was empty and got its first bytes.
    Begun,
    /// A new file.
    New,
    /// A new file that gets another name.
    Renamed,
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
/// Largest of the "other" sizes.
pub const OTHER_READ_MAX: u32 = 4300;
pub const OTHER_WRITTEN_MAX: u32 = 39_700;

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
pub const SESSIONS: [Row; 17] = [
    Row { target: Target::Missing, count: 21_030, ..NONE },
    // Read only.
    Row { count: 20_845, reads: [16_543, 1987, 4595, 57_420, 4595, 6200], ..NONE },
    // Created, and nothing else.
    Row { target: Target::New, count: 11_044, ..NONE },
    // No I/O, and the rest of the table.
    Row { target: Target::Kept, count: 5158, ..NONE },
    Row { target: Target::Renamed, count: 3354, ..NONE },
    // Read and written.
    Row { count: 3866, reads: [100, 0, 0, 10_338, 0, 0], writes: [5875, 0, 249, 0, 148, 4255], ..NONE },
    // Created and written.
    Row { target: Target::New, count: 3795, writes: [6000, 0, 1208, 0, 3795, 1900], queries: 6777, ..NONE },
    // Written: the first bytes of a file that was created before.
    Row { target: Target::Empty, count: 2321, writes: [0, 0, 662, 1659, 2321, 0], queries: 2321, ..NONE },
    // Read and written, times set.
    Row { count: 1680, reads: [0, 0, 0, 13_776, 0, 0], writes: [0, 1146, 534, 0, 0, 0], sets: 3360, ..NONE },
    Row { count: 1291, queries: 1291, ..NONE },
    Row { count: 1291, sets: 1291, ..NONE },
    // Read, written and flushed.
    Row { target: Target::Begun, count: 903, reads: [0, 0, 0, 903, 0, 0], writes: [0, 0, 2257, 0, 0, 0], flushes: 1292, ..NONE },
    // Created, written and flushed.
    Row { target: Target::New, count: 642, writes: [0, 0, 1058, 0, 642, 0], flushes: 642, queries: 642, ..NONE },
    Row {
        target: Target::New,
        count: 515,
        writes: [400, 0, 803, 0, 515, 600],
        flushes: 515,
        queries: 515,
        sets: 1027,
        ..NONE
    },
    // Read, written and flushed, queried and set.
    Row {
        target: Target::Begun,
        count: 388,
        reads: [0, 0, 0, 388, 0, 0],
        writes: [0, 0, 2328, 0, 0, 0],
        flushes: 2328,
        queries: 388,
        sets: 388,
        ..NONE
    },
    Row { target: Target::Begun, count: 388, reads: [0, 0, 0, 388, 0, 0], writes: [0, 0, 776, 0, 0, 0], flushes: 776, sets: 388, ..NONE },
    // Small reads; the last ones of them under a lock.
    Row { count: 646, reads: [0, 0, 0, 0, 0, 6966], queries: 646, locks: 258, ..NONE },
];
