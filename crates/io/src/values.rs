//! The values that parameters of a job can have.

pub use plimsoll_core::distribution::{Distribution, Zone};
pub use plimsoll_core::pace::{Arrival, RateUnit};
use serde::{Deserialize, Serialize};

/// What is dropped from the page cache while measuring, beside what [`JobSpec::drop_cache`] drops before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DropEach {
    #[default]
    Never,
    /// The pages of each operation, right before it starts (ioping).
    Operation,
    /// The region, each time a thread has moved as many bytes as it has (fio's loops).
    Pass,
    /// The files themselves, each time as many bytes were moved as the region has: removed, and made anew without content.
    Files,
}

/// Kind and order of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    Read,
    Write,
    Randread,
    Randwrite,
    Rw,
    Randrw,
    Trim,
    Randtrim,
    /// In order: each block is trimmed, then written.
    Trimwrite,
    /// The same at random places.
    Randtrimwrite,
}

/// One block size of a mix; weights are relative to their sum. `[4096, 1.0]` as JSON.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, f64)", into = "(u64, f64)")]
pub struct SizeWeight {
    pub size: u64,
    pub weight: f64,
}

impl From<(f64, f64)> for SizeWeight {
    fn from((size, weight): (f64, f64)) -> Self {
        Self { size: size as u64, weight }
    }
}

impl From<SizeWeight> for (u64, f64) {
    fn from(entry: SizeWeight) -> Self {
        (entry.size, entry.weight)
    }
}

/// A second way to make written data durable, beside `Fsync` or `Fdatasync`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyncBeside {
    /// With `Fsync`: an `fdatasync` after so many writes, unless an `fsync` is due; 0: none.
    pub fdatasync_every: u64,
    /// The open flag: `None`, `Dsync` or `Sync`.
    pub opened: SyncKind,
}

/// The call or open flag behind a sync policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SyncKind {
    None,
    Fsync,
    Fdatasync,
    /// The file is opened with `O_DSYNC`.
    Dsync,
    /// The file is opened with `O_SYNC`: like `Dsync`, and its times as well.
    Sync,
}

/// An open-loop schedule, over all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub per_second: f64,
    pub unit: RateUnit,
    /// Modes that read and write: each kind in a schedule of its own, `per_second` is their sum. A kind that is ahead
    /// gives way to the other one when that is due.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub apart: Option<Apart>,
}

/// Reads and writes per second, in the unit of the [`Rate`]; absent: as fast as the other kind leaves time for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Apart {
    pub read: Option<f64>,
    pub write: Option<f64>,
}

/// From when a pause counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ThinkFrom {
    /// From the last completion.
    End,
    /// From the last start; a late start moves the next ones.
    Start,
}

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Content {
    Random,
    Zero,
}

/// How the operations of a mode follow each other where it is not one by one. Reads and writes then each follow those of
/// their own kind, as fio's do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Random modes: operations for each random place, that at the place included.
    pub every: u64,
    /// They all stay at that place; otherwise each begins where the last one ended.
    pub stay: bool,
    /// Sequential modes: bytes left out after each operation; below 0 each begins that much before the end of the last.
    pub skip: i64,
}

/// Which of reads and writes is next, drawn as fio draws it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Of fio's generator.
    pub seed: u32,
}

/// Random places and sizes, drawn as fio draws them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draws {
    /// Of fio's generators: for places, and for sizes of reads and of writes.
    pub places: u32,
    pub sizes: [u32; 2],
    /// Sizes are any multiples of the smallest up to the largest; otherwise each has its weight, in percent.
    pub ranged: bool,
    /// Each block comes once, and blocks that would cover one that was used are shortened.
    pub map: bool,
    /// When all blocks are used they come anew; otherwise the pass is over.
    pub endless: bool,
    /// Bytes of a pass; absent: as many as the map has, or without end.
    pub pass: Option<u64>,
}

/// I/O priorities of single operations, drawn as fio draws them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Priorities {
    /// Of fio's generator.
    pub seed: u32,
    /// Empty: all reads have the priority of their thread, and none are told apart. The same holds for writes.
    pub reads: Vec<PriorityShare>,
    pub writes: Vec<PriorityShare>,
    /// The latency that is told by priority is the whole one; otherwise that from when the kernel has an operation.
    pub whole: bool,
}

/// A share of the operations of one kind and its priority; the rest has that of the thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PriorityShare {
    /// Bytes of these operations; 0: of any size.
    pub size: u64,
    pub percent: u32,
    /// The kernel's number: the class in the upper three bits, the level in the others.
    pub priority: u16,
}

/// Failed operations that do not end a job, or not as a failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tolerance {
    /// Numbers of the errors of reads that are counted, and the job goes on. A short read is `EIO`, a short write `ENOSPC`.
    pub reads: Vec<i32>,
    /// The same of writes, trims and syncs.
    pub writes: Vec<i32>,
    /// Blocks that are not what was written are counted, and do not fail the job.
    pub bad_blocks: bool,
    /// A write that finds no room, or no more in its quota, ends the job, which has not failed.
    pub until_full: bool,
}

/// Work of a processor in place of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Burn {
    pub ns: u64,
    /// Numbers are sorted; otherwise it waits for the clock.
    pub sorts: bool,
}

/// Zones of the region that are used, and gaps that are not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Strides {
    /// Bytes moved before it is the turn of the next zone.
    pub bytes: u64,
    /// Length of a zone: operations lie in it.
    pub range: u64,
    /// Bytes left out between zones.
    pub skip: u64,
}

/// Jobs of this process with one `id` do operations in proportion to their weights.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flow {
    pub id: u64,
    pub weight: u32,
    /// Pause of a job that is ahead; 0: it looks again at once.
    pub sleep_ns: u64,
    /// Jobs that take part from the beginning, and the sum of their weights.
    pub jobs: u64,
    pub weights: u64,
}

/// A recorded load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replay {
    pub operations: Vec<Recorded>,
    /// Each waits for its time; otherwise they follow each other as fast as the depth lets them.
    pub timed: bool,
}

/// A load that is read from a trace while it is replayed: one device of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Recording {
    /// Of the trace's file: what makes two replays the same.
    pub sha256: String,
    /// How many times faster than it was recorded.
    pub speed: f64,
    /// As fast as its dependencies allow, and not in its own times.
    pub closed: bool,
    /// Which device of the trace.
    pub device: u16,
    /// What arrived from then on, since the trace's start.
    pub from_ns: u64,
    /// And before then.
    pub until_ns: u64,
    /// Bytes of the recorded device that were used: scaled to the region where that is smaller.
    pub extent: u64,
    /// Places and lengths are made multiples of this.
    pub align: u64,
    /// The trace's format; empty: as its content says.
    #[serde(default)]
    pub format: String,
    /// How long it takes in its own times; what is left then has as long again and more, which is the runtime.
    #[serde(default)]
    pub lasts_ns: u64,
    /// Operations to replay.
    #[serde(default)]
    pub operations: u64,
    /// The most of them that arrived at one moment.
    #[serde(default)]
    pub together: u64,
}

/// Time since the begin of the load in ns, kind, first byte in the region, bytes.
pub type Recorded = (u64, OpKind, u64, u32);

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpKind {
    /// Into the buffer.
    Read,
    /// From the buffer.
    Write,
    /// Give the range back to the device.
    Trim,
    /// `fsync`.
    Fsync,
    /// `fdatasync`.
    Fdatasync,
}

impl OpKind {
    /// Whether it reads, writes or trims a range; a sync does not.
    #[inline]
    pub const fn moves_data(self) -> bool {
        matches!(self, Self::Read | Self::Write | Self::Trim)
    }

    /// As in results: both kinds of sync are `sync`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Trim => "trim",
            Self::Fsync | Self::Fdatasync => "sync",
        }
    }
}

/// Several files. The region's size is that of all together; its offset is that in each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Files {
    /// Those beside the one at `path`.
    pub more: Vec<String>,
    pub order: FileOrder,
    /// Operations in one file before it is the turn of the next.
    pub turn: u64,
    /// In `Random` order: which of them come more often, as if they were a region, with neighbours not scattered.
    #[serde(default)]
    pub favour: Option<Distribution>,
    /// Bytes of the region in each, in whole blocks, maybe none; empty: as many in all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<u64>,
    /// Files that are open at once, of those that are not through; absent: all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub open: Option<usize>,
    /// No file is ever through: it begins anew at its end.
    #[serde(default)]
    pub endless: bool,
}

/// Which of several files is next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileOrder {
    /// In turns; a file that is through is left out until all are.
    Turns,
    /// One after the other.
    Sequential,
    /// Any of those that are not through.
    Random,
}

/// Operations in groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Handed to the device together.
    pub submit: u32,
    /// Waited for together.
    pub complete: u32,
    /// Once the depth was reached, no more are issued until only so many are in flight.
    pub low: u32,
}

/// How written blocks are verified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Verification {
    /// Bytes with a checksum of their own: a part of the smallest block.
    pub interval: u64,
    /// Written over and over from the beginning of each of the smallest blocks; empty: random bytes.
    pub pattern: Vec<Piece>,
    /// Checksums stand in the blocks; otherwise the pattern alone is written and compared.
    pub checksums: bool,
    /// Blocks are also read and checked while the job runs.
    pub backlog: Option<Backlog>,
    /// The first bad block ends the job; otherwise all are counted.
    pub stop_at_first: bool,
    /// What is not checked yet is read back after the run, unless each of its [`Passes`] is.
    pub read_back: bool,
    /// Every read is checked for what some job before has written, in place of what this one writes.
    #[serde(default)]
    pub existing: bool,
}

/// fio's loops, of one thread: what is in flight comes back, the last `fsync` is done, what was written is read back, and
/// the next pass begins. A sync that is due after the job's last write is left out; one at the end of a pass takes time,
/// but is no operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Passes {
    /// So many, unless a limit of the job ends it before; absent: any number.
    pub least: Option<u64>,
    /// After these, another one as long as so many bytes leave room for a block beside those that were moved, reading
    /// back included.
    pub bytes: u64,
    /// A pass is over when the region was gone through; otherwise only at the job's end.
    pub ends: bool,
    /// Each has the same random places.
    pub again: bool,
    /// What a pass wrote is read back after it, as reads that are measured.
    pub read_back: bool,
}

/// A part of a [`Verification::pattern`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Piece {
    Bytes(Vec<u8>),
    /// Where the block lies, 64 bits, little endian.
    Offset,
}

/// Writes wait for the check until there are `every` of them; then `batch` of them are read, as reads that are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Backlog {
    pub every: u64,
    pub batch: u64,
}

/// What is done to the region before measuring.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Layout {
    /// Use what is there; too small is an error.
    Keep,
    /// Write every block once and `fsync`, unless the file is already that long.
    Fill,
    /// Write every block once and `fsync`, always.
    Refill,
    /// `Fill`, then overwrite the region once in random order: a used state for flash.
    Random,
}

impl Mode {
    /// Operations go to random offsets.
    pub fn is_random(self) -> bool {
        matches!(self, Self::Randread | Self::Randwrite | Self::Randrw | Self::Randtrim | Self::Randtrimwrite)
    }

    /// Some operations write.
    pub fn writes(self) -> bool {
        matches!(self, Self::Write | Self::Randwrite | Self::Rw | Self::Randrw) || self.trims_first()
    }

    /// Some operations read.
    pub fn reads(self) -> bool {
        matches!(self, Self::Read | Self::Randread | Self::Rw | Self::Randrw)
    }

    /// Some operations trim.
    pub fn trims(self) -> bool {
        matches!(self, Self::Trim | Self::Randtrim) || self.trims_first()
    }

    /// Each block is trimmed before it is written.
    pub fn trims_first(self) -> bool {
        matches!(self, Self::Trimwrite | Self::Randtrimwrite)
    }
}
