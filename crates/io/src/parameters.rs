//! The parameters of block I/O: the record that a job takes, with what names its place.

use plimsoll_core::parameters::{
    Implementation, Unit, bytes, count, nanoseconds, one_of, parameters, share, sizes, word,
};

use crate::engine_names::NAMES;
use crate::values::{
    Arrival, Batch, Burn, Content, Distribution, Draws, DropEach, Files, Flow, Layout, Mix, Mode, Passes, Piece,
    Priorities, Rate, Recording, Replay, Sequence, SizeWeight, Strides, SyncBeside, SyncKind, ThinkFrom, Tolerance,
    Verification,
};

/// Nanoseconds.
const SECOND: u64 = 1_000_000_000;
const MAX_BLOCK: u64 = 1 << 30;
const MAX_DEPTH: u64 = 16_384;
const MAX_THREADS: u64 = 1024;

parameters! {
    /// One block-I/O job on one file or device.
    pub struct JobSpec {
        beside {
            /// File or block device that is read and written.
            path: String;
            /// Device and number in it of the files that the caller knows, in the order of the files: another file in
            /// such a place ends the job. Empty: none is known.
            made: Vec<(u64, u64)>, default;
            /// The file that the operations of a `recording` are read from.
            recorded_at: String, default;
            /// Keep the latency histograms of each interval, not only those of the whole run.
            interval_histograms: bool, default;
            /// Tell every operation. Costs memory per operation: for slow loads.
            trace: bool, default;
            /// With `trace`: tell writes and the syncs after them one by one, as fio does.
            trace_syncs: bool, default;
            /// Tell after every interval what was measured until then.
            so_far: bool, default;
            /// Works in these times only, and pauses in between: start and length of each, in nanoseconds from the moment
            /// that the job is told to go, in the order of time. Each is one interval; `runtime` and `interval` have no
            /// part in it, `warmup` is the beginning of the first one. Empty: the job does not pause, and begins by itself.
            slices: Vec<(u64, u64)>, default;
            /// The first nanoseconds of each slice, which do not count.
            discard_ns: u64, default;
        }
        /// How I/O is issued; see `plimsoll list engines`.
        engine: String = "io_uring".to_owned(), in one_of(NAMES);
        /// Kind and order of the operations.
        mode: Mode = Mode::Randread, in word::<Mode>();
        /// Share of reads in rw and randrw.
        read_share: f64 = 0.5, in share();
        /// Size of an operation, or a mix `4KiB:60 16KiB:40` by weight.
        /// Offsets are multiples of the smallest.
        block_sizes as "block_size": Vec<SizeWeight> = vec![SizeWeight { size: 4096, weight: 1.0 }], in sizes(1..=MAX_BLOCK);
        /// Size of writes, where it differs from that of reads.
        write_block_sizes as "write_block_size": Option<Vec<SizeWeight>> = None, in sizes(1..=MAX_BLOCK);
        /// Rw and randrw: alternate writes and reads instead of choosing at random.
        alternate: bool = false, in Unit::Flag;
        /// Operations in flight per thread.
        depth: u32 = 1, in count(1..=MAX_DEPTH);
        /// Threads that issue I/O.
        threads: u32 = 1, in count(1..=MAX_THREADS);
        /// Length of the region that is used.
        size: u64 = 1 << 30, in bytes(1..);
        /// Start of the region.
        offset: u64 = 0, in bytes(..);
        /// Bypass the page cache (O_DIRECT).
        direct: bool = true, in Unit::Flag;
        /// How writes are made durable.
        sync: SyncKind = SyncKind::None, in word::<SyncKind>();
        /// Writes of a thread between two fsync or fdatasync.
        sync_every: u64 = 1, in count(1..);
        /// One fsync after the last write, inside the measured time.
        sync_at_end: bool = false, in Unit::Flag;
        /// Longest measured time.
        runtime_ns as "runtime": u64 = 10 * SECOND, in nanoseconds(1..);
        /// Stop after this many bytes.
        max_bytes: Option<u64> = None, in bytes(1..);
        /// Stop after this many operations.
        max_operations: Option<u64> = None, in count(1..);
        /// Load before anything is counted.
        warmup_ns as "warmup": u64 = SECOND, in nanoseconds(..);
        /// Open loop at `1000/s` or `10MiB/s`; latency from the intended start.
        rate: Option<Rate> = None, in Unit::Rate;
        /// Spacing of the operations of a rate.
        arrival: Arrival = Arrival::Even, in word::<Arrival>();
        /// Pause after every think_every operations.
        think_time_ns as "think_time": u64 = 0, in nanoseconds(..);
        /// Operations between two pauses.
        think_every: u64 = 1, in count(1..);
        /// A pause counts from the last start, or from its end.
        think_from: ThinkFrom = ThinkFrom::End, in word::<ThinkFrom>();
        /// Random places: once, uniform, zipf:θ, pareto:h, normal:d.
        distribution: Distribution = Distribution::Once, in Unit::Distribution;
        /// Share of random operations that jump; the others follow the last one.
        random_share: f64 = 1.0, in share();
        /// Start of all random streams.
        seed: u64 = 1, in count(..);
        /// What is written.
        content: Content = Content::Random, in word::<Content>();
        /// Share of each written chunk that compresses away.
        /// So much of each 512-byte chunk is zero.
        compressible: f64 = 0.0, in share();
        /// State of the file before measuring.
        layout: Layout = Layout::Fill, in word::<Layout>();
        /// Drop the file from the page cache before measuring.
        drop_cache: bool = true, in Unit::Flag;
        /// Drop from the page cache while measuring: each operation's pages, or all after a pass; files: make the files anew.
        /// Outside of all latencies.
        drop_each: DropEach = DropEach::Never, in word::<DropEach>();
        /// Write checksums and read everything back.
        verify: bool = false, in Unit::Flag;
        /// CPUs to pin threads to, such as 0+1.
        cpus: Vec<usize> = Vec::new(), in Unit::Cpus;
        /// Go on after a failed operation and count it.
        count_errors: bool = false, in Unit::Flag;
        /// Length of one interval of the time series.
        interval_ns as "interval": Option<u64> = None, in nanoseconds(1_000_000..);
        /// io_uring: a kernel thread submits.
        sqpoll: bool = false, in Unit::Flag;
        /// io_uring: poll for completions.
        iopoll: bool = false, in Unit::Flag;
        /// Original: run the original tool in place of Plimsoll's test.
        implementation: Implementation = Implementation::Native, in word::<Implementation>();

        /// A second way to make written data durable, beside fsync or fdatasync.
        sync_beside: Option<SyncBeside> = None, in Unit::Record, default;
        /// Share of the think time that is spent computing, not asleep.
        /// More than `think_time` makes the pause longer.
        think_spin_ns as "think_spin": u64 = 0, in nanoseconds(..), default;
        /// Share of written blocks (of the smallest size) that repeat the one before.
        dedupe: f64 = 0.0, in share(), default;
        /// Blocks that are repeated, of which any may be next; 0: the one before is.
        working_set: u64 = 0, in count(..), default;
        /// Jobs with the same value share the blocks that are repeated.
        shared_seed: Option<u64> = None, in count(..), default;
        /// Written over and over from the beginning of each of the smallest blocks, in place of content.
        pattern: Vec<Piece> = Vec::new(), in Unit::Record, default;
        /// Random places are multiples of this; 0: of the smallest block.
        align: u64 = 0, in bytes(..), default;
        /// Where writes go, if not where reads go.
        write_distribution: Option<Distribution> = None, in Unit::Distribution, default;
        /// Random places held for several operations, or gaps between sequential ones.
        sequence: Option<Sequence> = None, in Unit::Record, default;
        /// Only parts of the region are used, one after the other.
        strides: Option<Strides> = None, in Unit::Record, default;
        /// The region lies over several files: those beside the one at the job's path.
        files: Option<Files> = None, in Unit::Record, default;
        /// How operations are handed over and taken back; otherwise as suits the engine.
        batch: Option<Batch> = None, in Unit::Record, default;
        /// The work is done in passes, as with fio.
        passes: Option<Passes> = None, in Unit::Record, default;
        /// How to verify; otherwise by a checksum in each of the smallest blocks, all of them read back after the run.
        verification: Option<Verification> = None, in Unit::Record, default;
        /// Which failed operations do not end the job, or not as a failure.
        tolerance: Option<Tolerance> = None, in Unit::Record, default;
        /// Reads and writes follow each other as in fio, and not by a stream of the seed.
        mix: Option<Mix> = None, in Unit::Record, default;
        /// Random places and sizes are drawn as in fio, and not by streams of the seed.
        draws: Option<Draws> = None, in Unit::Record, default;
        /// I/O priorities of single operations.
        priorities: Option<Priorities> = None, in Unit::Record, default;
        /// What one operation of a computing engine does.
        burn: Option<Burn> = None, in Unit::Record, default;
        /// Gives way to other jobs of this process, so that they keep a ratio.
        flow: Option<Flow> = None, in Unit::Record, default;
        /// The operations are given, one by one.
        replay: Option<Replay> = None, in Unit::Record, default;
        /// The operations are those of a trace, which is read meanwhile.
        recording: Option<Recording> = None, in Unit::Record, default;
        /// Also measure the time until the kernel has an operation.
        /// Costs a look at the clock, and with io_uring a system call, for each group that is handed over.
        submission: bool = false, in Unit::Flag, default;
        /// Psync: `RWF_HIPRI` on every read and write, so that the kernel polls where the device can be polled.
        hipri: bool = false, in Unit::Flag, default;
        /// Psync: `RWF_NOWAIT` on every read and write; one that would have to wait fails with EAGAIN.
        nowait: bool = false, in Unit::Flag, default;
    }
}
