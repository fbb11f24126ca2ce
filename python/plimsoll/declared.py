"""The parameters of our workloads, a record each. Made by `make docs` from crates/; do not edit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plimsoll.parameter import declared


@dataclass(frozen=True, kw_only=True)
class IoParameters:
    """The parameters of `io`."""

    engine: str = declared(
        "word",
        "io_uring",
        "how I/O is issued; see `plimsoll list engines`",
        choices=(
            "cpuio",
            "falloc",
            "filecreate",
            "filedelete",
            "filestat",
            "ftruncate",
            "io_uring",
            "libaio",
            "mmap",
            "null",
            "psync",
        ),
    )
    mode: str = declared(
        "word",
        "randread",
        "kind and order of the operations",
        choices=(
            "read",
            "write",
            "randread",
            "randwrite",
            "rw",
            "randrw",
            "trim",
            "randtrim",
            "trimwrite",
            "randtrimwrite",
        ),
    )
    read_share: float = declared("share", 0.5, "share of reads in rw and randrw", least=0.0, most=1.0)
    block_size: list[list[float]] = declared(
        "sizes", [[4096, 1.0]], "size of an operation, or a mix `4KiB:60 16KiB:40` by weight", least=1, most=1073741824
    )
    write_block_size: list[list[float]] | None = declared(
        "sizes", None, "size of writes, where it differs from that of reads", least=1, most=1073741824
    )
    alternate: bool = declared("flag", False, "rw and randrw: alternate writes and reads instead of choosing at random")
    depth: int = declared("count", 1, "operations in flight per thread", least=1, most=16384)
    threads: int = declared("count", 1, "threads that issue I/O", least=1, most=1024)
    size: int = declared("bytes", 1073741824, "length of the region that is used", least=1, most=9223372036854775807)
    offset: int = declared("bytes", 0, "start of the region", least=0, most=9223372036854775807)
    direct: bool = declared("flag", True, "bypass the page cache (O_DIRECT)")
    sync: str = declared(
        "word", "none", "how writes are made durable", choices=("none", "fsync", "fdatasync", "dsync", "sync")
    )
    sync_every: int = declared(
        "count", 1, "writes of a thread between two fsync or fdatasync", least=1, most=9223372036854775807
    )
    sync_at_end: bool = declared("flag", False, "one fsync after the last write, inside the measured time")
    runtime: int = declared("nanoseconds", 10000000000, "longest measured time", least=1, most=9223372036854775807)
    max_bytes: int | None = declared("bytes", None, "stop after this many bytes", least=1, most=9223372036854775807)
    max_operations: int | None = declared(
        "count", None, "stop after this many operations", least=1, most=9223372036854775807
    )
    warmup: int = declared(
        "nanoseconds", 1000000000, "load before anything is counted", least=0, most=9223372036854775807
    )
    rate: dict[str, Any] | None = declared(
        "rate", None, "open loop at `1000/s` or `10MiB/s`; latency from the intended start"
    )
    arrival: str = declared("word", "even", "spacing of the operations of a rate", choices=("even", "poisson"))
    think_time: int = declared(
        "nanoseconds", 0, "pause after every think_every operations", least=0, most=9223372036854775807
    )
    think_every: int = declared("count", 1, "operations between two pauses", least=1, most=9223372036854775807)
    think_from: str = declared(
        "word", "end", "a pause counts from the last start, or from its end", choices=("end", "start")
    )
    distribution: dict[str, Any] = declared(
        "distribution", {"kind": "once"}, "random places: once, uniform, zipf:θ, pareto:h, normal:d"
    )
    random_share: float = declared(
        "share", 1.0, "share of random operations that jump; the others follow the last one", least=0.0, most=1.0
    )
    seed: int = declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)
    content: str = declared("word", "random", "what is written", choices=("random", "zero"))
    compressible: float = declared(
        "share", 0.0, "share of each written chunk that compresses away", least=0.0, most=1.0
    )
    layout: str = declared(
        "word", "fill", "state of the file before measuring", choices=("keep", "fill", "refill", "random")
    )
    drop_cache: bool = declared("flag", True, "drop the file from the page cache before measuring")
    drop_each: str = declared(
        "word",
        "never",
        "drop from the page cache while measuring: each operation's pages, or all after a pass; files makes them anew",
        choices=("never", "operation", "pass", "files"),
    )
    verify: bool = declared("flag", False, "write checksums and read everything back")
    cpus: list[int] = declared("cpus", [], "CPUs to pin threads to, such as 0+1")
    count_errors: bool = declared("flag", False, "go on after a failed operation and count it")
    interval: int | None = declared(
        "nanoseconds", None, "length of one interval of the time series", least=1000000, most=9223372036854775807
    )
    sqpoll: bool = declared("flag", False, "io_uring: a kernel thread submits")
    iopoll: bool = declared("flag", False, "io_uring: poll for completions")
    implementation: str = declared(
        "word", "native", "original: run the original tool in place of Plimsoll's test", choices=("native", "original")
    )
    sync_beside: Any = declared(
        "record", None, "a second way to make written data durable, beside fsync or fdatasync", optional=True
    )
    think_spin: int = declared(
        "nanoseconds",
        0,
        "share of the think time that is spent computing, not asleep",
        least=0,
        most=9223372036854775807,
        optional=True,
    )
    dedupe: float = declared(
        "share",
        0.0,
        "share of written blocks (of the smallest size) that repeat the one before",
        least=0.0,
        most=1.0,
        optional=True,
    )
    working_set: int = declared(
        "count",
        0,
        "blocks that are repeated, of which any may be next; 0: the one before is",
        least=0,
        most=9223372036854775807,
        optional=True,
    )
    shared_seed: int | None = declared(
        "count",
        None,
        "jobs with the same value share the blocks that are repeated",
        least=0,
        most=9223372036854775807,
        optional=True,
    )
    pattern: Any = declared(
        "record",
        [],
        "written over and over from the beginning of each of the smallest blocks, in place of content",
        optional=True,
    )
    align: int = declared(
        "bytes",
        0,
        "random places are multiples of this; 0: of the smallest block",
        least=0,
        most=9223372036854775807,
        optional=True,
    )
    write_distribution: dict[str, Any] | None = declared(
        "distribution", None, "where writes go, if not where reads go", optional=True
    )
    sequence: Any = declared(
        "record", None, "random places held for several operations, or gaps between sequential ones", optional=True
    )
    strides: Any = declared("record", None, "only parts of the region are used, one after the other", optional=True)
    files: Any = declared(
        "record", None, "the region lies over several files: those beside the one at the job's path", optional=True
    )
    batch: Any = declared(
        "record", None, "how operations are handed over and taken back; otherwise as suits the engine", optional=True
    )
    passes: Any = declared("record", None, "the work is done in passes, as with fio", optional=True)
    verification: Any = declared(
        "record",
        None,
        "how to verify; otherwise by a checksum in each of the smallest blocks, all of them read back after the run",
        optional=True,
    )
    tolerance: Any = declared(
        "record", None, "which failed operations do not end the job, or not as a failure", optional=True
    )
    mix: Any = declared(
        "record", None, "reads and writes follow each other as in fio, and not by a stream of the seed", optional=True
    )
    draws: Any = declared(
        "record", None, "random places and sizes are drawn as in fio, and not by streams of the seed", optional=True
    )
    priorities: Any = declared("record", None, "I/O priorities of single operations", optional=True)
    burn: Any = declared("record", None, "what one operation of a computing engine does", optional=True)
    flow: Any = declared(
        "record", None, "gives way to other jobs of this process, so that they keep a ratio", optional=True
    )
    replay: Any = declared("record", None, "the operations are given, one by one", optional=True)
    submission: bool = declared("flag", False, "also measure the time until the kernel has an operation", optional=True)
    hipri: bool = declared(
        "flag",
        False,
        "psync: `RWF_HIPRI` on every read and write, so that the kernel polls where the device can be polled",
        optional=True,
    )
    nowait: bool = declared(
        "flag",
        False,
        "psync: `RWF_NOWAIT` on every read and write; one that would have to wait fails with EAGAIN",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True)
class FilesParameters:
    """What every file-system test has."""

    durable: str = declared(
        "word",
        "original",
        "none: no sync call; original: those of the original; timed: and one syncfs inside the time of writing phases",
        choices=("none", "original", "timed"),
    )
    cold: str = declared(
        "word",
        "no",
        "drop from the page cache before reading: nothing, the test's files, or everything on the machine",
        choices=("no", "files", "system"),
    )
    seed: int = declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)
    threads: int = declared("count", 1, "threads, processes or clients of the original", least=1, most=1024)
    timeout: int = declared(
        "nanoseconds", 3600000000000, "a run that takes longer fails", least=1, most=9223372036854775807
    )
    implementation: str = declared(
        "word", "native", "original: run the original tool in place of Plimsoll's test", choices=("native", "original")
    )


@dataclass(frozen=True, kw_only=True)
class AioStressParameters(FilesParameters):
    """The parameters of `aio_stress`."""

    size: int = declared("bytes", 2147483648, "length of the file", least=4194304, most=70368744177664)
    record: int = declared("bytes", 65536, "bytes of a transfer", least=512, most=4194304)
    depth: int = declared("count", 64, "transfers under way at once", least=1, most=512)
    batch: int = declared("count", 8, "transfers submitted at once", least=1, most=9223372036854775807)
    direct: bool = declared("flag", False, "bypass the page cache (O_DIRECT)")
    stages: list[str] = declared(
        "words",
        ["random_write"],
        "what is done, joined with +",
        choices=("sequential_write", "sequential_read", "random_write", "random_read"),
    )


@dataclass(frozen=True, kw_only=True)
class BonnieParameters(FilesParameters):
    """The parameters of `bonnie`."""

    version: str = declared("word", "2", "conventions of 1.03 or of 2.00", choices=("1", "2"))
    size: int = declared(
        "bytes", 0, "bytes of the data; 0 for twice the memory, as the original", least=0, most=70368744177664
    )
    chunk: int = declared("bytes", 8192, "bytes of a block", least=2, most=16777216)
    skip_characters: bool = declared("flag", False, "leave out the tests of characters (-f)")
    unbuffered: bool = declared("flag", False, "sync after every writing phase and operation on a file (-b)")
    seeks: int = declared("count", 8192, "random places that are read, in all", least=1, most=4294967296)
    seekers: int = declared("count", 5, "of them at the same time; 3 in 1.x", least=1, most=64)
    files: int = declared("count", 16384, "files for the tests of many files; 0 leaves them out", least=0, most=2000000)
    file_size_min: int = declared("bytes", 0, "bytes of the smallest of them", least=0, most=1099511627776)
    file_size_max: int = declared("bytes", 0, "bytes of the largest of them", least=0, most=1099511627776)
    skip_data: bool = declared("flag", False, "leave out the tests of the data (-s 0)", optional=True)
    direct: bool = declared("flag", False, "write the blocks with O_DIRECT (-D of 2.x)", optional=True)
    together: bool = declared(
        "flag",
        False,
        "begin each phase together with all processes that share the semaphores of -p (-y s)",
        optional=True,
    )
    prompts: bool = declared(
        "flag",
        False,
        "begin each phase when a line has come on standard input, or when that has ended (-y p)",
        optional=True,
    )


@dataclass(frozen=True, kw_only=True)
class CompilebenchParameters(FilesParameters):
    """The parameters of `compilebench`."""

    trees: int = declared("count", 10, "trees that are made and compiled", least=1, most=10000)
    reads: int = declared("count", 3, "compiled trees that are read", least=1, most=1000)
    scale: float = declared("share", 1.0, "share of the files and bytes of the real tree", least=0.001, most=1.0)


@dataclass(frozen=True, kw_only=True)
class DbenchParameters(FilesParameters):
    """The parameters of `dbench`."""

    runtime: int = declared("nanoseconds", 600000000000, "measured time", least=1, most=9223372036854775807)
    warmup: int = declared(
        "nanoseconds", 120000000000, "time before it that does not count", least=0, most=9223372036854775807
    )
    loops: int = declared(
        "count", 0, "when not 0: every client ends after this many loops, without warm-up", least=0, most=1048576
    )


@dataclass(frozen=True, kw_only=True)
class FsMarkParameters(FilesParameters):
    """The parameters of `fs_mark`."""

    files: int = declared("count", 1000, "files per thread", least=1, most=4294967296)
    size: int = declared("bytes", 1048576, "bytes of each file", least=0, most=70368744177664)
    write_size: int = declared("bytes", 16384, "bytes of each write", least=1, most=16777216)
    sync_method: int = declared(
        "count", 1, "0 none; 1 fsync before each close; 2…6 see the test's page", least=0, most=6
    )
    directories: int = declared("count", 0, "folders to choose from, 0 for none", least=0, most=100000)
    placement: str = declared("word", "time", "folder by time of day, or in turn", choices=("time", "spread"))


@dataclass(frozen=True, kw_only=True)
class GzipParameters(FilesParameters):
    """The parameters of `gzip`."""

    size: int = declared("bytes", 2147483648, "bytes of the file", least=1, most=70368744177664)
    level: int = declared("count", 6, "1…9", least=1, most=9)
    content: str = declared("word", "zeros", "what is compressed", choices=("zeros", "text"))


@dataclass(frozen=True, kw_only=True)
class IozoneParameters(FilesParameters):
    """The parameters of `iozone`."""

    size: int = declared("bytes", 8589934592, "length of the file", least=1, most=70368744177664)
    record: int = declared("bytes", 1048576, "bytes of a record", least=512, most=16777216)
    tests: list[str] = declared(
        "words",
        ["write", "read"],
        "what is done, joined with +",
        choices=(
            "write",
            "read",
            "random",
            "backward",
            "record_rewrite",
            "stride",
            "fwrite",
            "fread",
            "pwrite",
            "pread",
            "pwritev",
            "preadv",
        ),
    )
    stride: int = declared(
        "count", 17, "records from one read of the stride test to the next", least=1, most=4294967296
    )
    sync_in_time: bool = declared("flag", True, "fsync within the time of each pass (-e)")
    direct: bool = declared("flag", False, "bypass the page cache (O_DIRECT); not for streams")


@dataclass(frozen=True, kw_only=True)
class PostmarkParameters(FilesParameters):
    """The parameters of `postmark`."""

    transactions: int = declared("count", 250000, "transactions; 25,000 before version 1.1.0", least=1, most=4294967296)
    files: int = declared("count", 500, "files at the start", least=1, most=2000000)
    size_low: int = declared("bytes", 5120, "bytes of the smallest new file", least=0, most=33554432)
    size_high: int = declared("bytes", 524288, "no file grows beyond", least=1, most=33554432)
    read_block: int = declared("bytes", 512, "bytes of one stream read", least=1, most=1048576)
    write_block: int = declared("bytes", 512, "bytes of one stream write", least=1, most=1048576)
    read_bias: int = declared("count", 5, "transactions of ten that read rather than append", least=0, most=10)
    create_bias: int = declared("count", 5, "transactions of ten that create rather than delete", least=0, most=10)


@dataclass(frozen=True, kw_only=True)
class SqliteParameters(FilesParameters):
    """The parameters of `sqlite`."""

    inserts: int = declared("count", 2500, "statements in the file", least=1, most=500000)
    passes: int = declared("count", 5, "times that the file is fed to a new connection", least=1, most=1048576)
    page_size: int = declared("bytes", 1024, "bytes of a database page", least=512, most=65536)


@dataclass(frozen=True, kw_only=True)
class SysbenchParameters(FilesParameters):
    """The parameters of `sysbench`."""

    files: int = declared("count", 128, "files (--file-num)", least=1, most=65536)
    total_size: int = declared(
        "bytes", 2147483648, "bytes of all files together (--file-total-size)", least=0, most=70368744177664
    )
    block: int = declared("bytes", 16384, "bytes of a request (--file-block-size)", least=512, most=67108864)
    test: str = declared(
        "word",
        "rndrw",
        "what is done (--file-test-mode)",
        choices=("seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"),
    )
    ratio: float = declared(
        "number", 1.5, "reads for each write of rndrw (--file-rw-ratio)", least=0.0, most=1.7976931348623157e308
    )
    fsync_every: int = declared(
        "count", 100, "requests before all files are synced, 0 for never", least=0, most=9223372036854775807
    )
    fsync_each: bool = declared("flag", False, "one fsync after every write instead (--file-fsync-all)")
    fsync_end: bool = declared("flag", True, "at its end every thread syncs all files (--file-fsync-end)")
    fdatasync: bool = declared("flag", False, "fdatasync in place of fsync (--file-fsync-mode)")
    open: str = declared(
        "word", "none", "more flags for opening files (--file-extra-flags)", choices=("none", "sync", "dsync", "direct")
    )
    runtime: int = declared("nanoseconds", 10000000000, "measured time (--time)", least=1, most=9223372036854775807)
    events: int = declared(
        "count", 0, "end after this many requests and syncs, 0 for never (--events)", least=0, most=4294967296
    )


@dataclass(frozen=True, kw_only=True)
class TiotestParameters(FilesParameters):
    """The parameters of `tiotest`."""

    file_size: int = declared("bytes", 67108864, "bytes of each thread's file", least=1, most=70368744177664)
    block: int = declared("bytes", 4096, "bytes of an operation", least=512, most=16777216)
    random_operations: int = declared("count", 1000, "random operations of each thread", least=1, most=268435456)
    tests: list[str] = declared(
        "words",
        ["write", "random_write"],
        "what is done, joined with +",
        choices=("write", "random_write", "read", "random_read"),
    )
    open_sync: bool = declared("flag", True, "open with O_SYNC: yes in profile 1.2, no in 1.1")
    direct: bool = declared("flag", False, "bypass the page cache (O_DIRECT)")


@dataclass(frozen=True, kw_only=True)
class UnpackParameters(FilesParameters):
    """The parameters of `unpack`."""

    scale: float = declared("share", 1.0, "share of the files and bytes of the real tree", least=0.001, most=1.0)
    compressed: bool = declared("flag", True, "from a bzip2 archive rather than from a plain one")


@dataclass(frozen=True, kw_only=True)
class ZcavParameters(FilesParameters):
    """The parameters of `zcav`."""

    path: str | None = declared("text", None, "file or device that is read, never written; none: a new file")
    size: int = declared(
        "bytes",
        0,
        "bytes that are read; 0 for all of a path or device, 8 GiB of a new file",
        least=0,
        most=70368744177664,
    )
    start: int = declared("bytes", 0, "first byte", least=0, most=70368744177664)
    block: int = declared(
        "bytes", 536870912, "bytes of one measured block; 100 MiB in 1.03", least=1, most=70368744177664
    )
    chunk: int = declared("bytes", 1048576, "bytes of a read", least=512, most=67108864)
    step: int = declared("count", 1, "one block in this many is read", least=1, most=4294967296)
    passes: int = declared("count", 1, "times over the whole", least=1, most=1000)
    direct: bool = declared("flag", False, "bypass the page cache (O_DIRECT)")
    write: bool = declared(
        "flag", False, "write zeros in place of reading (-w): what is in path is lost", optional=True
    )


@dataclass(frozen=True, kw_only=True)
class DbParameters:
    """What every database test has."""

    server: str = declared(
        "server", "none", "private server that is started on a directory target; none: the target is a database address"
    )
    durability: str = declared(
        "word",
        "full",
        "private server: full (commits on stable storage), relaxed (the last second may be lost), none (no syncs)",
        choices=("full", "relaxed", "none"),
    )
    server_settings: dict[str, str] = declared(
        "settings", {}, "of a private server, in its own words, such as shared_buffers=1GB"
    )
    session_settings: dict[str, str] = declared("settings", {}, "of each connection, such as synchronous_commit=off")
    password_env: str | None = declared("text", None, "environment variable that holds the password")
    tls: str = declared("word", "off", "encryption of connections", choices=("off", "require", "verify"))
    ca_file: str | None = declared("text", None, "PEM file of the authorities trusted with tls=verify")
    clients: int = declared("count", 8, "connections that work at the same time", least=1, most=1000000)
    threads: int | None = declared(
        "count", None, "threads that serve them; none: as many as are useful", least=1, most=1000000
    )
    data: str = declared(
        "word",
        "reuse",
        "reuse fitting data or load it; keep what is there; create only where there is none; recreate drops it first. Data without Plimsoll's mark are only used with keep",
        choices=("reuse", "keep", "create", "recreate"),
    )
    runtime: int = declared("nanoseconds", 10000000000, "longest measured time", least=1, most=283824000000000000)
    max_operations: int | None = declared(
        "count", None, "stop after this many operations", least=1, most=9223372036854775807
    )
    warmup: int = declared(
        "nanoseconds", 2000000000, "load before anything is counted", least=0, most=9223372036854775807
    )
    rate: dict[str, Any] | None = declared("rate", None, "open loop at `1000/s`; latency from the intended start")
    arrival: str = declared("word", "even", "spacing of the operations of a rate", choices=("even", "poisson"))
    max_tries: int = declared("count", 1, "tries of an operation that ends in a deadlock", least=1, most=1000000)
    count_errors: bool = declared(
        "flag", True, "go on after a failed operation and count it; no: the first ends the run"
    )
    timeout: int = declared(
        "nanoseconds",
        30000000000,
        "an operation without an answer for this long is an error",
        least=1,
        most=9223372036854775807,
    )
    give_up: int = declared(
        "nanoseconds",
        30000000000,
        "without any connection for this long, the run fails",
        least=0,
        most=9223372036854775807,
    )
    fault: str = declared(
        "word",
        "none",
        "none: an outage of the server makes a run invalid; expected: it is what is measured, and has figures",
        choices=("none", "expected"),
    )
    interval: int | None = declared(
        "nanoseconds", None, "length of one interval of the time series", least=1, most=9223372036854775807
    )
    seed: int = declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)


@dataclass(frozen=True, kw_only=True)
class YcsbParameters(DbParameters):
    """The parameters of `ycsb`."""

    read: float = declared("share", 0.95, "share of reads", least=0.0, most=1.0)
    update: float = declared("share", 0.05, "share of updates", least=0.0, most=1.0)
    insert: float = declared("share", 0.0, "share of inserts", least=0.0, most=1.0)
    scan: float = declared("share", 0.0, "share of scans", least=0.0, most=1.0)
    read_modify_write: float = declared(
        "share", 0.0, "share of reads followed by an update of the record", least=0.0, most=1.0
    )
    measure: str = declared("word", "run", "run: the workload; load: loading its records", choices=("run", "load"))
    records: int = declared("count", 1000, "records in the table (recordcount)", least=1, most=9223372036854775807)
    insert_start: int = declared(
        "count", 0, "first record that is loaded or asked for", least=0, most=9223372036854775807
    )
    insert_count: int | None = declared(
        "count", None, "how many from there on; none: the rest", least=1, most=9223372036854775807
    )
    request: dict[str, Any] = declared(
        "requests", {"kind": "uniform"}, "records asked for: uniform, zipfian, latest, hotspot, …"
    )
    fields: int = declared("count", 10, "fields of a record (fieldcount)", least=1, most=1000)
    field_length: int = declared("bytes", 100, "bytes of a field, or its longest", least=1, most=1048576)
    field_length_min: int = declared("bytes", 1, "its shortest", least=1, most=1048576)
    field_length_distribution: str = declared(
        "word", "constant", "how it varies", choices=("constant", "uniform", "zipfian")
    )
    read_all_fields: bool = declared("flag", True, "read whole records; otherwise one random field")
    write_all_fields: bool = declared("flag", False, "update whole records; otherwise one random field")
    scan_length_min: int = declared("count", 1, "records of the shortest scan", least=1, most=1048576)
    scan_length_max: int = declared("count", 1000, "records of the longest scan", least=1, most=1048576)
    scan_length_distribution: str = declared(
        "word", "uniform", "how it varies", choices=("constant", "uniform", "zipfian")
    )
    insert_order: str = declared("word", "hashed", "keys by hash or in order", choices=("hashed", "ordered"))
    zero_padding: int = declared("count", 1, "digits that key numbers are padded to", least=1, most=100)
    table: str = declared("text", "usertable", "name of the table")
    data_integrity: bool = declared("flag", False, "values computed from the key, and checked when read")


@dataclass(frozen=True, kw_only=True)
class TpcbParameters(DbParameters):
    """The parameters of `tpcb`."""

    script: str = declared(
        "word", "tpcb", "pgbench's built-in script", choices=("tpcb", "simple_update", "select_only")
    )
    scale: int = declared("count", 1, "branches; 100,000 accounts each", least=1, most=20000)


@dataclass(frozen=True, kw_only=True)
class WebParameters(DbParameters):
    """The parameters of `web`."""

    keep_alive: bool = declared("flag", False, "one connection for all requests of a client")
    page_bytes: int = declared(
        "bytes", 1024, "bytes of the page of a private server", least=0, most=9223372036854775807
    )


@dataclass(frozen=True, kw_only=True)
class VolumeParameters:
    """What every volume has."""

    size: int = declared(
        "bytes", 1073741824, "size of one volume, such as 100GiB", least=1048576, most=72057594037927936
    )
    queue: str = declared(
        "word",
        "fifo",
        "order in which operations leave a queue in front of an exhausted limit",
        choices=("fifo", "unfair"),
    )
    seed: int = declared(
        "count",
        1,
        "where the random numbers of the model begin; the same seed gives the same latencies",
        least=0,
        most=9223372036854775807,
    )
    time_scale: float = declared(
        "number",
        1.0,
        "durations (credits, bursts, episodes) are this many times shorter",
        least=1.0,
        most=1.7976931348623157e308,
    )
    raid: int = declared("count", 0, "array level over equal volumes: 0, 1, 5 or 10", least=0, most=10)
    members: int = declared("count", 2, "volumes in the array", least=1, most=64)
    chunk: int = declared(
        "bytes", 524288, "stripe unit of the array; the default is md's", least=4096, most=72057594037927936
    )


FILES: dict[str, type[FilesParameters]] = {
    "aio_stress": AioStressParameters,
    "bonnie": BonnieParameters,
    "compilebench": CompilebenchParameters,
    "dbench": DbenchParameters,
    "fs_mark": FsMarkParameters,
    "gzip": GzipParameters,
    "iozone": IozoneParameters,
    "postmark": PostmarkParameters,
    "sqlite": SqliteParameters,
    "sysbench": SysbenchParameters,
    "tiotest": TiotestParameters,
    "unpack": UnpackParameters,
    "zcav": ZcavParameters,
}
"""The records of the workloads in crates/files by name."""

DB: dict[str, type[DbParameters]] = {
    "ycsb": YcsbParameters,
    "tpcb": TpcbParameters,
    "web": WebParameters,
}
"""The records of the workloads in crates/db by name."""
