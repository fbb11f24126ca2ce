//! What a job is asked to do: the record that Python sends as JSON.
//!
//! Base units only (bytes, nanoseconds, operations). Text such as `4KiB` or `75%` is read in Python
//! (`plimsoll/parameters.py`), so that this side never guesses a unit. Unknown fields are refused.

use serde::{Deserialize, Serialize};

/// One block-I/O job on one file or device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JobSpec {
    /// File or block device that is read and written.
    pub path: String,
    /// Name of the engine, one of the engine list.
    pub engine: String,
    pub mode: Mode,
    /// In `rw` and `randrw`: write, read, write, … in turns instead of by chance.
    #[serde(default)]
    pub alternate: bool,
    /// Share of reads in `rw` and `randrw`, 0…1.
    pub read_share: f64,
    /// Reads and writes follow each other as in fio; absent: by a stream of the job's seed.
    #[serde(default)]
    pub mix: Option<Mix>,
    /// Random places and sizes are drawn as in fio; absent: by streams of the job's seed.
    #[serde(default)]
    pub draws: Option<Draws>,
    /// Single operations have an I/O priority; absent: all have that of their thread.
    #[serde(default)]
    pub priorities: Option<Priorities>,
    /// What an operation of an engine that computes is; absent: nothing.
    #[serde(default)]
    pub burn: Option<Burn>,
    /// The operations are given, one by one; absent: they follow from mode, sizes and distribution.
    #[serde(default)]
    pub replay: Option<Replay>,
    /// Block sizes with weights; one entry for a fixed size. Offsets are multiples of the smallest.
    pub block_sizes: Vec<SizeWeight>,
    /// Sizes of writes where they differ from those of reads; empty: all operations use `block_sizes`.
    #[serde(default)]
    pub write_block_sizes: Vec<SizeWeight>,
    /// Operations in flight per thread.
    pub depth: u32,
    pub threads: u32,
    /// Region of the file: first byte and length in bytes.
    pub offset: u64,
    pub size: u64,
    /// Open with `O_DIRECT`.
    pub direct: bool,
    pub sync: SyncPolicy,
    pub limit: Limit,
    /// Load that runs before anything is counted.
    pub warmup_ns: u64,
    /// Absent: closed loop. Present: open loop, latency counted from the intended start.
    pub rate: Option<Rate>,
    pub think: Option<Think>,
    /// Gives way to other jobs of this process, so that they keep a ratio; absent: to none.
    #[serde(default)]
    pub flow: Option<Flow>,
    pub distribution: Distribution,
    /// Where writes go when it is elsewhere than reads.
    #[serde(default)]
    pub write_distribution: Option<Distribution>,
    /// Share of operations that take a new random offset in a random mode, 0…1; the others follow the last one.
    pub random_share: f64,
    /// Random places held for several operations, or gaps between sequential ones; absent: neither.
    #[serde(default)]
    pub sequence: Option<Sequence>,
    /// Only parts of the region are used, one after the other; absent: all of it.
    #[serde(default)]
    pub strides: Option<Strides>,
    /// Random places are multiples of this; 0: of the smallest block.
    #[serde(default)]
    pub align: u64,
    /// The region lies over several files; absent: it is in the one at `path`.
    #[serde(default)]
    pub files: Option<Files>,
    /// Device and number in it of the files that the caller knows, in the order of the files: another file in such a place
    /// ends the job. Empty: none is known.
    #[serde(default)]
    pub made: Vec<(u64, u64)>,
    /// How operations are handed over and taken back; absent: as suits the engine.
    #[serde(default)]
    pub batch: Option<Batch>,
    pub seed: u64,
    pub content: Content,
    /// Written over and over from the beginning of each of the smallest blocks, in place of `content`; empty: not.
    #[serde(default)]
    pub pattern: Vec<Piece>,
    pub layout: Layout,
    /// Drop the file's pages from the page cache before measuring.
    pub drop_cache: bool,
    /// What to drop from the page cache while measuring, outside of all latencies.
    #[serde(default)]
    pub drop_each: DropEach,
    pub verify: bool,
    /// With `verify`: how. Absent: a checksum in each of the smallest blocks, all of them read back after the run.
    #[serde(default)]
    pub verification: Option<Verification>,
    /// The work is done in passes, as with fio; absent: in one without end.
    #[serde(default)]
    pub passes: Option<Passes>,
    /// CPUs to pin the threads to, in turn; empty: not pinned.
    pub cpus: Vec<usize>,
    /// Go on after a failed operation and count it; otherwise the first one ends the job.
    pub count_errors: bool,
    /// Which failed operations do not end the job, or not as a failure; absent: what `count_errors` says of all.
    #[serde(default)]
    pub tolerance: Option<Tolerance>,
    /// Length of one interval of the time series.
    pub interval_ns: u64,
    /// Keep the latency histograms of each interval, not only those of the whole run.
    #[serde(default)]
    pub interval_histograms: bool,
    /// Tell every operation. Costs memory per operation: for slow loads.
    #[serde(default)]
    pub trace: bool,
    /// With `trace`: tell writes and the syncs after them one by one, as fio does.
    #[serde(default)]
    pub trace_syncs: bool,
    /// Measure until the kernel has each operation, and from then on, apart from the whole latency. Costs a look at the
    /// clock, and with io_uring a system call, for each group that is handed over.
    #[serde(default)]
    pub submission: bool,
    /// Tell after every interval what was measured until then.
    #[serde(default)]
    pub so_far: bool,
    /// io_uring only: kernel submission thread, busy completion polling.
    pub sqpoll: bool,
    pub iopoll: bool,
    /// psync only: `RWF_HIPRI` on every read and write, so that the kernel polls where the device can be polled.
    #[serde(default)]
    pub hipri: bool,
    /// psync only: `RWF_NOWAIT` on every read and write; one that would have to wait fails with EAGAIN.
    #[serde(default)]
    pub nowait: bool,
}

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

impl JobSpec {
    /// All sizes that operations can have, with those of writes.
    pub fn sizes(&self) -> impl Iterator<Item = u64> + '_ {
        self.block_sizes.iter().chain(&self.write_block_sizes).map(|entry| entry.size)
    }

    /// The smallest size: the unit of offsets. 0 when there is none.
    pub fn smallest_block(&self) -> u64 {
        self.sizes().min().unwrap_or(0)
    }

    /// What random places are multiples of.
    pub fn grid(&self) -> u64 {
        if self.align > 0 { self.align } else { self.smallest_block() }
    }

    /// Whether some operations trim.
    pub fn trims(&self) -> bool {
        let recorded = self.replay.iter().flat_map(|replay| &replay.operations);
        self.mode.trims() || recorded.into_iter().any(|(_, kind, ..)| *kind == RecordedKind::Trim)
    }

    /// Whether the loop has to do what only some front ends ask for.
    pub fn has_extras(&self) -> bool {
        let told = self.submission || self.trace_syncs;
        told || self.mix.is_some()
            || self.draws.is_some()
            || self.priorities.is_some()
            || self.replay.is_some()
            || self.strides.is_some()
            || self.flow.is_some()
    }

    /// Whether the files are as long as what is written makes them: the job goes on until there is no room.
    pub fn grows(&self) -> bool {
        self.tolerance.as_ref().is_some_and(|tolerance| tolerance.until_full) && !self.mode.reads()
    }

    /// Whether what is read is checked, instead of what the job wrote itself.
    pub fn checks_reads(&self) -> bool {
        self.verify && self.verification.as_ref().is_some_and(|how| how.existing)
    }

    /// Bytes that verification knows apart: with a checksum each, unless there are none.
    pub fn verified_block(&self) -> u64 {
        self.verification.as_ref().map_or(self.smallest_block(), |how| how.interval)
    }

    /// Whether what was written is read back once the run is over, and not measured.
    pub fn reads_back_after_run(&self) -> bool {
        let after_passes = self.passes.is_some_and(|passes| passes.read_back);
        self.verify && !after_passes && self.verification.as_ref().is_none_or(|how| how.read_back)
    }

    /// The largest size: what a buffer must hold. 0 when there is none.
    pub fn largest_block(&self) -> u64 {
        self.sizes().max().unwrap_or(0)
    }
}

/// One block size of a mix; weights are relative to their sum.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SizeWeight {
    pub size: u64,
    pub weight: f64,
}

/// How written data is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SyncPolicy {
    pub kind: SyncKind,
    /// After how many writes of one thread; 0 with `None`, `Dsync` and `Sync`.
    pub every: u64,
    /// One `fsync` after the last write, inside the measured time.
    pub at_end: bool,
    /// What is done beside; absent: nothing.
    #[serde(default)]
    pub beside: Option<SyncBeside>,
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

impl SyncPolicy {
    /// The kind that stands for an open flag, or `None`.
    pub fn opened(&self) -> SyncKind {
        match (self.kind, self.beside) {
            (SyncKind::Dsync | SyncKind::Sync, _) => self.kind,
            (_, Some(beside)) => beside.opened,
            _ => SyncKind::None,
        }
    }
}

/// The call or open flag behind a [`SyncPolicy`].
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

/// The first limit reached ends the measured part. `runtime_ns` is always set: no job is endless.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limit {
    pub runtime_ns: u64,
    pub bytes: Option<u64>,
    pub operations: Option<u64>,
}

/// An open-loop schedule, over all threads together.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rate {
    pub per_second: f64,
    pub unit: RateUnit,
    pub arrival: Arrival,
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

/// What a [`Rate`] counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RateUnit {
    Operations,
    Bytes,
}

/// Spacing of intended starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrival {
    Even,
    Poisson,
}

/// A pause after every `every` completed operations of a thread, or a start every `time_ns`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Think {
    pub time_ns: u64,
    pub every: u64,
    /// The time counts from the last start instead of from the last completion; a late start moves the next ones.
    #[serde(default)]
    pub from_start: bool,
    /// So much of the time is spent computing instead of asleep; more than `time_ns` makes the pause longer.
    #[serde(default)]
    pub spin_ns: u64,
}

/// Where random operations go. A `centre`, 0…1 of the region, is where the hottest block lies; absent: anywhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase", tag = "kind", deny_unknown_fields)]
pub enum Distribution {
    /// Uniform, every block once before any repeats (fio's default, its "random map").
    Once,
    /// Uniform with repetition.
    Uniform,
    /// Zipf with exponent `theta` (not 1), hot blocks scattered over the region.
    Zipf {
        theta: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Self-similar: a share `h` of the blocks gets a share `1-h` of the operations.
    Pareto {
        h: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// fio's: the mean of twelve even draws and a jitter of `deviation`, a share of the region; the middle is hot, but
    /// neighbours are scattered. A centre other than 0.5 moves all blocks.
    Normal {
        deviation: f64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        centre: Option<f64>,
    },
    /// Even inside zones that have a share of the operations each; they lie one behind the other from the beginning.
    Zones { zones: Vec<Zone> },
}

/// A part of the region (of each file, where there are several) and its share of the operations.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// Relative to the sum of all.
    pub weight: f64,
    pub bytes: u64,
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

/// Time since the begin of the load in ns, kind, first byte in the region, bytes.
pub type Recorded = (u64, RecordedKind, u64, u32);

/// What a recorded operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordedKind {
    Read,
    Write,
    Trim,
    Fsync,
    Fdatasync,
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

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Content {
    /// All zero bytes instead of random ones.
    pub zero: bool,
    /// Share of each 512-byte chunk that is zero, 0…1, so that it compresses by that share.
    pub compressible: f64,
    /// Share of written blocks (of the smallest size) that repeat the one before, 0…1.
    #[serde(default)]
    pub dedupe: f64,
    /// Blocks that are repeated, of which any may be next; 0: the one before is.
    #[serde(default)]
    pub working_set: u64,
    /// Jobs with one of these share the blocks that are repeated; absent: with none.
    #[serde(default)]
    pub shared_seed: Option<u64>,
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
