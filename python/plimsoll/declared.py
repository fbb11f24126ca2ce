"""The parameters of our workloads, a record each. Made by `make docs` from crates/; do not edit."""

from typing import Annotated, Any, Literal, NotRequired

from typing_extensions import TypedDict

from plimsoll.database_values import Requests
from plimsoll.parameter import Declared, Distribution, Rate, Sizes


class IoParameters(TypedDict):
    """The parameters of `io`."""

    engine: Annotated[
        Literal[
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
        ],
        Declared("word", "io_uring", "how I/O is issued; see `plimsoll list engines`"),
    ]
    mode: Annotated[
        Literal[
            "read", "write", "randread", "randwrite", "rw", "randrw", "trim", "randtrim", "trimwrite", "randtrimwrite"
        ],
        Declared("word", "randread", "kind and order of the operations"),
    ]
    read_share: Annotated[float, Declared("share", 0.5, "share of reads in rw and randrw", least=0.0, most=1.0)]
    block_size: Annotated[
        Sizes,
        Declared(
            "sizes",
            [[4096, 1.0]],
            "size of an operation, or a mix `4KiB:60 16KiB:40` by weight",
            least=1,
            most=1073741824,
        ),
    ]
    write_block_size: Annotated[
        Sizes | None,
        Declared("sizes", None, "size of writes, where it differs from that of reads", least=1, most=1073741824),
    ]
    alternate: Annotated[
        bool, Declared("flag", False, "rw and randrw: alternate writes and reads instead of choosing at random")
    ]
    depth: Annotated[int, Declared("count", 1, "operations in flight per thread", least=1, most=16384)]
    threads: Annotated[int, Declared("count", 1, "threads that issue I/O", least=1, most=1024)]
    size: Annotated[
        int, Declared("bytes", 1073741824, "length of the region that is used", least=1, most=9223372036854775807)
    ]
    offset: Annotated[int, Declared("bytes", 0, "start of the region", least=0, most=9223372036854775807)]
    direct: Annotated[bool, Declared("flag", True, "bypass the page cache (O_DIRECT)")]
    sync: Annotated[
        Literal["none", "fsync", "fdatasync", "dsync", "sync"], Declared("word", "none", "how writes are made durable")
    ]
    sync_every: Annotated[
        int,
        Declared("count", 1, "writes of a thread between two fsync or fdatasync", least=1, most=9223372036854775807),
    ]
    sync_at_end: Annotated[bool, Declared("flag", False, "one fsync after the last write, inside the measured time")]
    runtime: Annotated[
        int, Declared("nanoseconds", 10000000000, "longest measured time", least=1, most=9223372036854775807)
    ]
    max_bytes: Annotated[
        int | None, Declared("bytes", None, "stop after this many bytes", least=1, most=9223372036854775807)
    ]
    max_operations: Annotated[
        int | None, Declared("count", None, "stop after this many operations", least=1, most=9223372036854775807)
    ]
    warmup: Annotated[
        int, Declared("nanoseconds", 1000000000, "load before anything is counted", least=0, most=9223372036854775807)
    ]
    rate: Annotated[
        Rate | None, Declared("rate", None, "open loop at `1000/s` or `10MiB/s`; latency from the intended start")
    ]
    arrival: Annotated[Literal["even", "poisson"], Declared("word", "even", "spacing of the operations of a rate")]
    think_time: Annotated[
        int, Declared("nanoseconds", 0, "pause after every think_every operations", least=0, most=9223372036854775807)
    ]
    think_every: Annotated[
        int, Declared("count", 1, "operations between two pauses", least=1, most=9223372036854775807)
    ]
    think_from: Annotated[
        Literal["end", "start"], Declared("word", "end", "a pause counts from the last start, or from its end")
    ]
    distribution: Annotated[
        Distribution,
        Declared("distribution", {"kind": "once"}, "random places: once, uniform, zipf:θ, pareto:h, normal:d"),
    ]
    random_share: Annotated[
        float,
        Declared(
            "share", 1.0, "share of random operations that jump; the others follow the last one", least=0.0, most=1.0
        ),
    ]
    seed: Annotated[int, Declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)]
    content: Annotated[Literal["random", "zero"], Declared("word", "random", "what is written")]
    compressible: Annotated[
        float, Declared("share", 0.0, "share of each written chunk that compresses away", least=0.0, most=1.0)
    ]
    layout: Annotated[
        Literal["keep", "fill", "refill", "random"], Declared("word", "fill", "state of the file before measuring")
    ]
    drop_cache: Annotated[bool, Declared("flag", True, "drop the file from the page cache before measuring")]
    drop_each: Annotated[
        Literal["never", "operation", "pass", "files"],
        Declared(
            "word",
            "never",
            "drop from the page cache while measuring: each operation's pages, or all after a pass; files: make the files anew",
        ),
    ]
    verify: Annotated[bool, Declared("flag", False, "write checksums and read everything back")]
    cpus: Annotated[list[int], Declared("cpus", [], "CPUs to pin threads to, such as 0+1")]
    count_errors: Annotated[bool, Declared("flag", False, "go on after a failed operation and count it")]
    interval: Annotated[
        int | None,
        Declared(
            "nanoseconds", None, "length of one interval of the time series", least=1000000, most=9223372036854775807
        ),
    ]
    sqpoll: Annotated[bool, Declared("flag", False, "io_uring: a kernel thread submits")]
    iopoll: Annotated[bool, Declared("flag", False, "io_uring: poll for completions")]
    implementation: Annotated[
        Literal["native", "original"],
        Declared("word", "native", "original: run the original tool in place of Plimsoll's test"),
    ]
    sync_beside: NotRequired[
        Annotated[Any, Declared("record", None, "a second way to make written data durable, beside fsync or fdatasync")]
    ]
    think_spin: NotRequired[
        Annotated[
            int,
            Declared(
                "nanoseconds",
                0,
                "share of the think time that is spent computing, not asleep",
                least=0,
                most=9223372036854775807,
            ),
        ]
    ]
    dedupe: NotRequired[
        Annotated[
            float,
            Declared(
                "share",
                0.0,
                "share of written blocks (of the smallest size) that repeat the one before",
                least=0.0,
                most=1.0,
            ),
        ]
    ]
    working_set: NotRequired[
        Annotated[
            int,
            Declared(
                "count",
                0,
                "blocks that are repeated, of which any may be next; 0: the one before is",
                least=0,
                most=9223372036854775807,
            ),
        ]
    ]
    shared_seed: NotRequired[
        Annotated[
            int | None,
            Declared(
                "count",
                None,
                "jobs with the same value share the blocks that are repeated",
                least=0,
                most=9223372036854775807,
            ),
        ]
    ]
    pattern: NotRequired[
        Annotated[
            Any,
            Declared(
                "record",
                [],
                "written over and over from the beginning of each of the smallest blocks, in place of content",
            ),
        ]
    ]
    align: NotRequired[
        Annotated[
            int,
            Declared(
                "bytes",
                0,
                "random places are multiples of this; 0: of the smallest block",
                least=0,
                most=9223372036854775807,
            ),
        ]
    ]
    write_distribution: NotRequired[
        Annotated[Distribution | None, Declared("distribution", None, "where writes go, if not where reads go")]
    ]
    sequence: NotRequired[
        Annotated[
            Any, Declared("record", None, "random places held for several operations, or gaps between sequential ones")
        ]
    ]
    strides: NotRequired[
        Annotated[Any, Declared("record", None, "only parts of the region are used, one after the other")]
    ]
    files: NotRequired[
        Annotated[
            Any, Declared("record", None, "the region lies over several files: those beside the one at the job's path")
        ]
    ]
    batch: NotRequired[
        Annotated[
            Any,
            Declared("record", None, "how operations are handed over and taken back; otherwise as suits the engine"),
        ]
    ]
    passes: NotRequired[Annotated[Any, Declared("record", None, "the work is done in passes, as with fio")]]
    verification: NotRequired[
        Annotated[
            Any,
            Declared(
                "record",
                None,
                "how to verify; otherwise by a checksum in each of the smallest blocks, all of them read back after the run",
            ),
        ]
    ]
    tolerance: NotRequired[
        Annotated[Any, Declared("record", None, "which failed operations do not end the job, or not as a failure")]
    ]
    mix: NotRequired[
        Annotated[
            Any,
            Declared("record", None, "reads and writes follow each other as in fio, and not by a stream of the seed"),
        ]
    ]
    draws: NotRequired[
        Annotated[
            Any, Declared("record", None, "random places and sizes are drawn as in fio, and not by streams of the seed")
        ]
    ]
    priorities: NotRequired[Annotated[Any, Declared("record", None, "I/O priorities of single operations")]]
    burn: NotRequired[Annotated[Any, Declared("record", None, "what one operation of a computing engine does")]]
    flow: NotRequired[
        Annotated[Any, Declared("record", None, "gives way to other jobs of this process, so that they keep a ratio")]
    ]
    replay: NotRequired[Annotated[Any, Declared("record", None, "the operations are given, one by one")]]
    recording: NotRequired[
        Annotated[Any, Declared("record", None, "the operations are those of a trace, which is read meanwhile")]
    ]
    submission: NotRequired[
        Annotated[bool, Declared("flag", False, "also measure the time until the kernel has an operation")]
    ]
    hipri: NotRequired[
        Annotated[
            bool,
            Declared(
                "flag",
                False,
                "psync: `RWF_HIPRI` on every read and write, so that the kernel polls where the device can be polled",
            ),
        ]
    ]
    nowait: NotRequired[
        Annotated[
            bool,
            Declared(
                "flag",
                False,
                "psync: `RWF_NOWAIT` on every read and write; one that would have to wait fails with EAGAIN",
            ),
        ]
    ]


class FilesParameters(TypedDict):
    """What every file-system test has."""

    durable: Annotated[
        Literal["none", "original", "timed"],
        Declared(
            "word",
            "original",
            "none: no sync call; original: those of the original; timed: and one syncfs inside the time of writing phases",
        ),
    ]
    cold: Annotated[
        Literal["no", "files", "system"],
        Declared(
            "word",
            "no",
            "drop from the page cache before reading: nothing, the test's files, or everything on the machine",
        ),
    ]
    seed: Annotated[int, Declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)]
    threads: Annotated[int, Declared("count", 1, "threads, processes or clients of the original", least=1, most=1024)]
    timeout: Annotated[
        int, Declared("nanoseconds", 3600000000000, "a run that takes longer fails", least=1, most=9223372036854775807)
    ]
    implementation: Annotated[
        Literal["native", "original"],
        Declared("word", "native", "original: run the original tool in place of Plimsoll's test"),
    ]


class AioStressParameters(FilesParameters):
    """The parameters of `aio_stress`."""

    size: Annotated[int, Declared("bytes", 2147483648, "length of the file", least=4194304, most=70368744177664)]
    record: Annotated[int, Declared("bytes", 65536, "bytes of a transfer", least=512, most=4194304)]
    depth: Annotated[int, Declared("count", 64, "transfers under way at once", least=1, most=512)]
    batch: Annotated[int, Declared("count", 8, "transfers submitted at once", least=1, most=9223372036854775807)]
    direct: Annotated[bool, Declared("flag", False, "bypass the page cache (O_DIRECT)")]
    stages: Annotated[
        list[Literal["sequential_write", "sequential_read", "random_write", "random_read"]],
        Declared("words", ["random_write"], "stages to run, joined with +"),
    ]


class BonnieParameters(FilesParameters):
    """The parameters of `bonnie`."""

    version: Annotated[Literal["1", "2"], Declared("word", "2", "conventions of 1.03 or of 2.00")]
    size: Annotated[
        int,
        Declared(
            "bytes", 0, "bytes of the data; 0 for twice the memory, as the original", least=0, most=70368744177664
        ),
    ]
    chunk: Annotated[int, Declared("bytes", 8192, "bytes of a block", least=2, most=16777216)]
    skip_characters: Annotated[bool, Declared("flag", False, "leave out the tests of characters (-f)")]
    unbuffered: Annotated[bool, Declared("flag", False, "sync after every writing phase and operation on a file (-b)")]
    seeks: Annotated[int, Declared("count", 8192, "random places that are read, in all", least=1, most=4294967296)]
    seekers: Annotated[int, Declared("count", 5, "processes that seek at the same time; 3 in 1.x", least=1, most=64)]
    files: Annotated[
        int, Declared("count", 16384, "files for the tests of many files; 0 leaves them out", least=0, most=2000000)
    ]
    file_size_min: Annotated[
        int, Declared("bytes", 0, "bytes of the smallest of these files", least=0, most=1099511627776)
    ]
    file_size_max: Annotated[
        int, Declared("bytes", 0, "bytes of the largest of these files", least=0, most=1099511627776)
    ]
    skip_data: NotRequired[Annotated[bool, Declared("flag", False, "leave out the tests of the data (-s 0)")]]
    direct: NotRequired[Annotated[bool, Declared("flag", False, "write the blocks with O_DIRECT (-D of 2.x)")]]
    together: NotRequired[
        Annotated[
            bool,
            Declared(
                "flag", False, "begin each phase together with all processes that share the semaphores of -p (-y s)"
            ),
        ]
    ]
    prompts: NotRequired[
        Annotated[
            bool,
            Declared(
                "flag", False, "begin each phase when a line has come on standard input, or when that has ended (-y p)"
            ),
        ]
    ]


class CompilebenchParameters(FilesParameters):
    """The parameters of `compilebench`."""

    trees: Annotated[int, Declared("count", 10, "trees that are made and compiled", least=1, most=10000)]
    reads: Annotated[int, Declared("count", 3, "compiled trees that are read", least=1, most=1000)]
    scale: Annotated[
        float, Declared("share", 1.0, "share of the files and bytes of the real tree", least=0.001, most=1.0)
    ]


class DbenchParameters(FilesParameters):
    """The parameters of `dbench`."""

    runtime: Annotated[int, Declared("nanoseconds", 600000000000, "measured time", least=1, most=9223372036854775807)]
    warmup: Annotated[
        int, Declared("nanoseconds", 120000000000, "load before anything is counted", least=0, most=9223372036854775807)
    ]
    loops: Annotated[
        int,
        Declared(
            "count", 0, "when not 0: every client ends after this many loops, without warm-up", least=0, most=1048576
        ),
    ]


class FsMarkParameters(FilesParameters):
    """The parameters of `fs_mark`."""

    files: Annotated[int, Declared("count", 1000, "files per thread", least=1, most=4294967296)]
    size: Annotated[int, Declared("bytes", 1048576, "bytes of each file", least=0, most=70368744177664)]
    write_size: Annotated[int, Declared("bytes", 16384, "bytes of each write", least=1, most=16777216)]
    sync_method: Annotated[
        int, Declared("count", 1, "0 none; 1 fsync before each close; 2…6 see the test's page", least=0, most=6)
    ]
    directories: Annotated[int, Declared("count", 0, "folders to choose from, 0 for none", least=0, most=100000)]
    placement: Annotated[Literal["time", "spread"], Declared("word", "time", "folder by time of day, or in turn")]


class GzipParameters(FilesParameters):
    """The parameters of `gzip`."""

    size: Annotated[int, Declared("bytes", 2147483648, "bytes of the file", least=1, most=70368744177664)]
    level: Annotated[int, Declared("count", 6, "1…9", least=1, most=9)]
    content: Annotated[Literal["zeros", "text"], Declared("word", "zeros", "what is compressed")]


class IozoneParameters(FilesParameters):
    """The parameters of `iozone`."""

    size: Annotated[int, Declared("bytes", 8589934592, "length of the file", least=1, most=70368744177664)]
    record: Annotated[int, Declared("bytes", 1048576, "bytes of a record", least=512, most=16777216)]
    tests: Annotated[
        list[
            Literal[
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
            ]
        ],
        Declared("words", ["write", "read"], "tests to run, joined with +"),
    ]
    stride: Annotated[
        int, Declared("count", 17, "records from one read of the stride test to the next", least=1, most=4294967296)
    ]
    sync_in_time: Annotated[bool, Declared("flag", True, "fsync within the time of each pass (-e)")]
    direct: Annotated[bool, Declared("flag", False, "bypass the page cache (O_DIRECT); not for streams")]


class PostmarkParameters(FilesParameters):
    """The parameters of `postmark`."""

    transactions: Annotated[
        int, Declared("count", 250000, "transactions; 25,000 before version 1.1.0", least=1, most=4294967296)
    ]
    files: Annotated[int, Declared("count", 500, "files at the start", least=1, most=2000000)]
    size_low: Annotated[int, Declared("bytes", 5120, "bytes of the smallest new file", least=0, most=33554432)]
    size_high: Annotated[
        int, Declared("bytes", 524288, "bytes of the largest file; none grows beyond it", least=1, most=33554432)
    ]
    read_block: Annotated[int, Declared("bytes", 512, "bytes of one stream read", least=1, most=1048576)]
    write_block: Annotated[int, Declared("bytes", 512, "bytes of one stream write", least=1, most=1048576)]
    read_bias: Annotated[
        int, Declared("count", 5, "transactions of ten that read rather than append", least=0, most=10)
    ]
    create_bias: Annotated[
        int, Declared("count", 5, "transactions of ten that create rather than delete", least=0, most=10)
    ]


class SqliteParameters(FilesParameters):
    """The parameters of `sqlite`."""

    inserts: Annotated[int, Declared("count", 2500, "statements in the file", least=1, most=500000)]
    passes: Annotated[
        int, Declared("count", 5, "times that the file is fed to a new connection", least=1, most=1048576)
    ]
    page_size: Annotated[int, Declared("bytes", 1024, "bytes of a database page", least=512, most=65536)]


class SysbenchParameters(FilesParameters):
    """The parameters of `sysbench`."""

    files: Annotated[int, Declared("count", 128, "files (--file-num)", least=1, most=65536)]
    total_size: Annotated[
        int,
        Declared("bytes", 2147483648, "bytes of all files together (--file-total-size)", least=0, most=70368744177664),
    ]
    block: Annotated[int, Declared("bytes", 16384, "bytes of a request (--file-block-size)", least=512, most=67108864)]
    test: Annotated[
        Literal["seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw"],
        Declared("word", "rndrw", "kind and order of the requests (--file-test-mode)"),
    ]
    ratio: Annotated[
        float,
        Declared(
            "number", 1.5, "reads for each write of rndrw (--file-rw-ratio)", least=0.0, most=1.7976931348623157e308
        ),
    ]
    fsync_every: Annotated[
        int,
        Declared("count", 100, "requests before all files are synced, 0 for never", least=0, most=9223372036854775807),
    ]
    fsync_each: Annotated[bool, Declared("flag", False, "one fsync after every write instead (--file-fsync-all)")]
    fsync_end: Annotated[bool, Declared("flag", True, "at its end every thread syncs all files (--file-fsync-end)")]
    fdatasync: Annotated[bool, Declared("flag", False, "fdatasync in place of fsync (--file-fsync-mode)")]
    open: Annotated[
        Literal["none", "sync", "dsync", "direct"],
        Declared("word", "none", "more flags for opening files (--file-extra-flags)"),
    ]
    runtime: Annotated[
        int, Declared("nanoseconds", 10000000000, "measured time (--time)", least=1, most=9223372036854775807)
    ]
    events: Annotated[
        int,
        Declared(
            "count", 0, "end after this many requests and syncs, 0 for never (--events)", least=0, most=4294967296
        ),
    ]


class TiotestParameters(FilesParameters):
    """The parameters of `tiotest`."""

    file_size: Annotated[int, Declared("bytes", 67108864, "bytes of each thread's file", least=1, most=70368744177664)]
    block: Annotated[int, Declared("bytes", 4096, "bytes of an operation", least=512, most=16777216)]
    random_operations: Annotated[
        int, Declared("count", 1000, "random operations of each thread", least=1, most=268435456)
    ]
    tests: Annotated[
        list[Literal["write", "random_write", "read", "random_read"]],
        Declared("words", ["write", "random_write"], "tests to run, joined with +"),
    ]
    open_sync: Annotated[bool, Declared("flag", True, "open with O_SYNC: yes in profile 1.2, no in 1.1")]
    direct: Annotated[bool, Declared("flag", False, "bypass the page cache (O_DIRECT)")]


class UnpackParameters(FilesParameters):
    """The parameters of `unpack`."""

    scale: Annotated[
        float, Declared("share", 1.0, "share of the files and bytes of the real tree", least=0.001, most=1.0)
    ]
    compressed: Annotated[bool, Declared("flag", True, "from a bzip2 archive rather than from a plain one")]


class ZcavParameters(FilesParameters):
    """The parameters of `zcav`."""

    path: Annotated[str | None, Declared("text", None, "file or device that is read, never written; none: a new file")]
    size: Annotated[
        int,
        Declared(
            "bytes",
            0,
            "bytes that are read; 0 for all of a path or device, 8 GiB of a new file",
            least=0,
            most=70368744177664,
        ),
    ]
    start: Annotated[int, Declared("bytes", 0, "first byte", least=0, most=70368744177664)]
    block: Annotated[
        int, Declared("bytes", 536870912, "bytes of one measured block; 100 MiB in 1.03", least=1, most=70368744177664)
    ]
    chunk: Annotated[int, Declared("bytes", 1048576, "bytes of a read", least=512, most=67108864)]
    step: Annotated[int, Declared("count", 1, "one block in this many is read", least=1, most=4294967296)]
    passes: Annotated[int, Declared("count", 1, "times over the whole", least=1, most=1000)]
    direct: Annotated[bool, Declared("flag", False, "bypass the page cache (O_DIRECT)")]
    write: NotRequired[
        Annotated[bool, Declared("flag", False, "write zeros in place of reading (-w): what is in path is lost")]
    ]


class DbParameters(TypedDict):
    """What every database test has."""

    server: Annotated[
        str,
        Declared(
            "server",
            "none",
            "private server that is started on a directory target; none: the target is a database address",
        ),
    ]
    durability: Annotated[
        Literal["full", "relaxed", "none"],
        Declared(
            "word",
            "full",
            "private server: full (commits on stable storage), relaxed (the last second may be lost), none (no syncs)",
        ),
    ]
    server_settings: Annotated[
        dict[str, str], Declared("settings", {}, "of a private server, in its own words, such as shared_buffers=1GB")
    ]
    session_settings: Annotated[
        dict[str, str], Declared("settings", {}, "of each connection, such as synchronous_commit=off")
    ]
    password_env: Annotated[str | None, Declared("text", None, "environment variable that holds the password")]
    tls: Annotated[Literal["off", "require", "verify"], Declared("word", "off", "encryption of connections")]
    ca_file: Annotated[str | None, Declared("text", None, "PEM file of the authorities trusted with tls=verify")]
    clients: Annotated[int, Declared("count", 8, "connections that work at the same time", least=1, most=1000000)]
    threads: Annotated[
        int | None,
        Declared("count", None, "threads that serve them; none: as many as are useful", least=1, most=1000000),
    ]
    data: Annotated[
        Literal["reuse", "keep", "create", "recreate"],
        Declared(
            "word",
            "reuse",
            "reuse fitting data or load it; keep what is there; create only where there is none; recreate drops it first. Data without Plimsoll's mark are only used with keep",
        ),
    ]
    runtime: Annotated[
        int, Declared("nanoseconds", 10000000000, "longest measured time", least=1, most=283824000000000000)
    ]
    max_operations: Annotated[
        int | None, Declared("count", None, "stop after this many operations", least=1, most=9223372036854775807)
    ]
    warmup: Annotated[
        int, Declared("nanoseconds", 2000000000, "load before anything is counted", least=0, most=9223372036854775807)
    ]
    rate: Annotated[Rate | None, Declared("rate", None, "open loop at `1000/s`; latency from the intended start")]
    arrival: Annotated[Literal["even", "poisson"], Declared("word", "even", "spacing of the operations of a rate")]
    max_tries: Annotated[
        int, Declared("count", 1, "tries of an operation that ends in a deadlock", least=1, most=1000000)
    ]
    count_errors: Annotated[
        bool, Declared("flag", True, "go on after a failed operation and count it; no: the first ends the run")
    ]
    timeout: Annotated[
        int,
        Declared(
            "nanoseconds",
            30000000000,
            "an operation without an answer for this long is an error",
            least=1,
            most=9223372036854775807,
        ),
    ]
    give_up: Annotated[
        int,
        Declared(
            "nanoseconds",
            30000000000,
            "without any connection for this long, the run fails",
            least=0,
            most=9223372036854775807,
        ),
    ]
    fault: Annotated[
        Literal["none", "expected"],
        Declared(
            "word",
            "none",
            "none: an outage of the server makes a run invalid; expected: it is what is measured, and has figures",
        ),
    ]
    interval: Annotated[
        int | None,
        Declared("nanoseconds", None, "length of one interval of the time series", least=1, most=9223372036854775807),
    ]
    seed: Annotated[int, Declared("count", 1, "start of all random streams", least=0, most=9223372036854775807)]


class YcsbParameters(DbParameters):
    """The parameters of `ycsb`."""

    read: Annotated[float, Declared("share", 0.95, "share of reads", least=0.0, most=1.0)]
    update: Annotated[float, Declared("share", 0.05, "share of updates", least=0.0, most=1.0)]
    insert: Annotated[float, Declared("share", 0.0, "share of inserts", least=0.0, most=1.0)]
    scan: Annotated[float, Declared("share", 0.0, "share of scans", least=0.0, most=1.0)]
    read_modify_write: Annotated[
        float, Declared("share", 0.0, "share of reads followed by an update of the record", least=0.0, most=1.0)
    ]
    measure: Annotated[Literal["run", "load"], Declared("word", "run", "run: the workload; load: loading its records")]
    records: Annotated[
        int, Declared("count", 1000, "records in the table (recordcount)", least=1, most=9223372036854775807)
    ]
    insert_start: Annotated[
        int, Declared("count", 0, "first record that is loaded or asked for", least=0, most=9223372036854775807)
    ]
    insert_count: Annotated[
        int | None,
        Declared("count", None, "records from insert_start on; none: the rest", least=1, most=9223372036854775807),
    ]
    request: Annotated[
        Requests, Declared("requests", {"kind": "uniform"}, "records asked for: uniform, zipfian, latest, hotspot, …")
    ]
    fields: Annotated[int, Declared("count", 10, "fields of a record (fieldcount)", least=1, most=1000)]
    field_length: Annotated[int, Declared("bytes", 100, "bytes of a field, or its longest", least=1, most=1048576)]
    field_length_min: Annotated[int, Declared("bytes", 1, "bytes of the shortest field", least=1, most=1048576)]
    field_length_distribution: Annotated[
        Literal["constant", "uniform", "zipfian"], Declared("word", "constant", "how the length of fields varies")
    ]
    read_all_fields: Annotated[bool, Declared("flag", True, "read whole records; otherwise one random field")]
    write_all_fields: Annotated[bool, Declared("flag", False, "update whole records; otherwise one random field")]
    scan_length_min: Annotated[int, Declared("count", 1, "records of the shortest scan", least=1, most=1048576)]
    scan_length_max: Annotated[int, Declared("count", 1000, "records of the longest scan", least=1, most=1048576)]
    scan_length_distribution: Annotated[
        Literal["constant", "uniform", "zipfian"], Declared("word", "uniform", "how the length of scans varies")
    ]
    insert_order: Annotated[Literal["hashed", "ordered"], Declared("word", "hashed", "keys by hash or in order")]
    zero_padding: Annotated[int, Declared("count", 1, "digits that key numbers are padded to", least=1, most=100)]
    table: Annotated[str, Declared("text", "usertable", "name of the table")]
    data_integrity: Annotated[bool, Declared("flag", False, "values computed from the key, and checked when read")]


class TpcbParameters(DbParameters):
    """The parameters of `tpcb`."""

    script: Annotated[
        Literal["tpcb", "simple_update", "select_only"], Declared("word", "tpcb", "pgbench's built-in script")
    ]
    scale: Annotated[int, Declared("count", 1, "branches; 100,000 accounts each", least=1, most=20000)]


class WebParameters(DbParameters):
    """The parameters of `web`."""

    keep_alive: Annotated[bool, Declared("flag", False, "one connection for all requests of a client")]
    page_bytes: Annotated[
        int, Declared("bytes", 1024, "bytes of the page of a private server", least=0, most=9223372036854775807)
    ]


class VolumeParameters(TypedDict):
    """What every volume has."""

    size: Annotated[
        int, Declared("bytes", 1073741824, "size of one volume, such as 100GiB", least=1048576, most=72057594037927936)
    ]
    queue: Annotated[
        Literal["fifo", "unfair"],
        Declared("word", "fifo", "order in which operations leave a queue in front of an exhausted limit"),
    ]
    seed: Annotated[
        int,
        Declared(
            "count",
            1,
            "where the random numbers of the model begin; the same seed gives the same latencies",
            least=0,
            most=9223372036854775807,
        ),
    ]
    time_scale: Annotated[
        float,
        Declared(
            "number",
            1.0,
            "durations (credits, bursts, episodes) are this many times shorter",
            least=1.0,
            most=1.7976931348623157e308,
        ),
    ]
    raid: Annotated[int, Declared("count", 0, "array level over equal volumes: 0, 1, 5 or 10", least=0, most=10)]
    members: Annotated[int, Declared("count", 2, "volumes in the array", least=1, most=64)]
    chunk: Annotated[
        int,
        Declared("bytes", 524288, "stripe unit of the array; the default is md's", least=4096, most=72057594037927936),
    ]


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
