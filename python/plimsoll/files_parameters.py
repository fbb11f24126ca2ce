"""The parameters of the file-system tests, one table per workload of `crates/files`.

Defaults are the classic values; where versions of an original differ, its newer one. Names are those of the crate's
records, so that a plan is handed over as it is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.parameter import (
    IMPLEMENTATION,
    Optional,
    Parameter,
    Reader,
    read_flag,
    read_positive_count,
    read_text,
    words_text,
)
from plimsoll.units import GIB, KIB, MIB, MINUTE, SECOND, parse_count, parse_duration, parse_share, parse_size


def _words(choices: Sequence[str]) -> Reader:
    """Reads `write+read` as a list of words."""

    def read(value: Any) -> list[str]:
        found = value if isinstance(value, list) else str(value).lower().replace("+", " ").split()
        unknown = [word for word in found if word not in choices]
        if unknown or not found:
            raise UsageError(f"{value!r} names none of {', '.join(choices)}; join several with +")
        return list(found)

    return read


def _ratio(value: Any) -> float:
    """Reads for each write."""
    try:
        ratio = float(value)
    except ValueError:
        ratio = -1.0
    if not 0 <= ratio < math.inf:
        raise UsageError(f"{value!r} is no number of reads for each write; write it as 1.5")
    return ratio


def _place(value: Any) -> str:
    return str(value).strip()


IOZONE_TESTS = (
    "write", "read", "random", "backward", "record_rewrite", "stride",
    "fwrite", "fread", "pwrite", "pread", "pwritev", "preadv",
)  # fmt: skip
TIOTEST_TESTS = ("write", "random_write", "read", "random_read")
SYSBENCH_TESTS = ("seqwr", "seqrewr", "seqrd", "rndrd", "rndwr", "rndrw")
SYSBENCH_FLAGS = ("none", "sync", "dsync", "direct")
AIO_STAGES = ("sequential_write", "sequential_read", "random_write", "random_read")

COMMON = (
    Parameter(
        "durable",
        "original",
        read_text,
        "none: no sync call; original: those of the original; timed: and one syncfs inside the time of writing phases",
        ("none", "original", "timed"),
    ),
    Parameter(
        "cold",
        "no",
        lambda value: {True: "files", False: "no"}.get(value, read_text(value)),
        "drop from the page cache before reading: nothing, the test's files, or everything of the machine",
        ("no", "files", "system"),
    ),
    Parameter("seed", 1, parse_count, "start of all random streams"),
    Parameter("threads", 1, read_positive_count, "threads, processes or clients of the original"),
    Parameter("timeout", 60 * MINUTE, parse_duration, "a run that takes longer fails"),
    IMPLEMENTATION,
)
"""What every file-system test has."""


def _own(*parameters: Parameter) -> tuple[Parameter, ...]:
    return (*parameters, *COMMON)


FILES_WORKLOADS: dict[str, tuple[Parameter, ...]] = {
    "aio_stress": _own(
        Parameter("size", 2 * GIB, parse_size, "length of the file"),
        Parameter("record", 64 * KIB, parse_size, "bytes of a transfer"),
        Parameter("depth", 64, read_positive_count, "transfers under way at once"),
        Parameter("batch", 8, read_positive_count, "transfers submitted at once"),
        Parameter("direct", False, read_flag, "bypass the page cache (O_DIRECT)"),
        Parameter("stages", ["random_write"], _words(AIO_STAGES), "what is done, joined with +", write=words_text),
    ),
    "bonnie": _own(
        Parameter("version", "2", read_text, "conventions of 1.03 or of 2.00", ("1", "2")),
        Parameter("size", 0, parse_size, "bytes of the data; 0 for twice the memory, as the original"),
        Parameter("chunk", 8 * KIB, parse_size, "bytes of a block"),
        Parameter("skip_characters", False, read_flag, "leave out the tests of characters (-f)"),
        Parameter("unbuffered", False, read_flag, "sync after every writing phase and operation on a file (-b)"),
        Parameter("seeks", 8192, read_positive_count, "random places that are read, in all"),
        Parameter("seekers", 5, read_positive_count, "of them at the same time; 3 in 1.x"),
        Parameter("files", 16384, parse_count, "files for the tests of many files; 0 leaves them out"),
        Parameter("file_size_min", 0, parse_size, "bytes of the smallest of them"),
        Parameter("file_size_max", 0, parse_size, "bytes of the largest of them"),
    ),
    "compilebench": _own(
        Parameter("trees", 10, read_positive_count, "trees that are made and compiled"),
        Parameter("reads", 3, read_positive_count, "compiled trees that are read"),
        Parameter("scale", 1.0, parse_share, "share of the files and bytes of the real tree"),
    ),
    "dbench": _own(
        Parameter("runtime", 600 * SECOND, parse_duration, "measured time"),
        Parameter("warmup", 120 * SECOND, parse_duration, "time before it that does not count"),
        Parameter("loops", 0, parse_count, "when not 0: every client ends after so many loops, without warm-up"),
    ),
    "fs_mark": _own(
        Parameter("files", 1000, read_positive_count, "files per thread"),
        Parameter("size", MIB, parse_size, "bytes of each file"),
        Parameter("write_size", 16 * KIB, parse_size, "bytes of each write"),
        Parameter("sync_method", 1, parse_count, "0 none; 1 fsync before each close; 2…6 see the test's page"),
        Parameter("directories", 0, parse_count, "folders to choose from, 0 for none"),
        Parameter("placement", "time", read_text, "folder by time of day, or in turn", ("time", "spread")),
    ),
    "gzip": _own(
        Parameter("size", 2 * GIB, parse_size, "bytes of the file"),
        Parameter("level", 6, read_positive_count, "1…9"),
        Parameter("content", "zeros", read_text, "what is compressed", ("zeros", "text")),
    ),
    "iozone": _own(
        Parameter("size", 8 * GIB, parse_size, "length of the file"),
        Parameter("record", MIB, parse_size, "bytes of a record"),
        Parameter("tests", ["write", "read"], _words(IOZONE_TESTS), "what is done, joined with +", write=words_text),
        Parameter("stride", 17, read_positive_count, "records from one read of the stride test to the next"),
        Parameter("sync_in_time", True, read_flag, "fsync within the time of each pass (-e)"),
        Parameter("direct", False, read_flag, "bypass the page cache (O_DIRECT); not for streams"),
    ),
    "postmark": _own(
        Parameter("transactions", 250_000, read_positive_count, "transactions; 25,000 before version 1.1.0"),
        Parameter("files", 500, read_positive_count, "files at the start"),
        Parameter("size_low", 5120, parse_size, "bytes of the smallest new file"),
        Parameter("size_high", 512 * KIB, parse_size, "no file grows beyond"),
        Parameter("read_block", 512, parse_size, "bytes of one stream read"),
        Parameter("write_block", 512, parse_size, "bytes of one stream write"),
        Parameter("read_bias", 5, parse_count, "of ten, so many transactions read rather than append"),
        Parameter("create_bias", 5, parse_count, "of ten, so many transactions create rather than delete"),
    ),
    "sqlite": _own(
        Parameter("inserts", 2500, read_positive_count, "statements in the file"),
        Parameter("passes", 5, read_positive_count, "times that the file is fed to a new connection"),
        Parameter("page_size", 1024, parse_size, "bytes of a database page"),
    ),
    "sysbench": _own(
        Parameter("files", 128, read_positive_count, "files (--file-num)"),
        Parameter("total_size", 2 * GIB, parse_size, "bytes of all files together (--file-total-size)"),
        Parameter("block", 16 * KIB, parse_size, "bytes of a request (--file-block-size)"),
        Parameter("test", "rndrw", read_text, "what is done (--file-test-mode)", SYSBENCH_TESTS),
        Parameter("ratio", 1.5, _ratio, "reads for each write of rndrw (--file-rw-ratio)"),
        Parameter("fsync_every", 100, parse_count, "requests before all files are synced, 0 for never"),
        Parameter("fsync_each", False, read_flag, "one fsync after every write instead (--file-fsync-all)"),
        Parameter("fsync_end", True, read_flag, "at its end every thread syncs all files (--file-fsync-end)"),
        Parameter("fdatasync", False, read_flag, "fdatasync in place of fsync (--file-fsync-mode)"),
        Parameter("open", "none", read_text, "more flags for opening files (--file-extra-flags)", SYSBENCH_FLAGS),
        Parameter("runtime", 10 * SECOND, parse_duration, "measured time (--time)"),
        Parameter("events", 0, parse_count, "end after so many requests and syncs, 0 for never (--events)"),
    ),
    "tiotest": _own(
        Parameter("file_size", 64 * MIB, parse_size, "bytes of each thread's file"),
        Parameter("block", 4 * KIB, parse_size, "bytes of an operation"),
        Parameter("random_operations", 1000, read_positive_count, "random operations of each thread"),
        Parameter(
            "tests", ["write", "random_write"], _words(TIOTEST_TESTS), "what is done, joined with +", write=words_text
        ),
        Parameter("open_sync", True, read_flag, "open with O_SYNC: yes in profile 1.2, no in 1.1"),
        Parameter("direct", False, read_flag, "bypass the page cache (O_DIRECT)"),
    ),
    "unpack": _own(
        Parameter("scale", 1.0, parse_share, "share of the files and bytes of the real tree"),
        Parameter("compressed", True, read_flag, "from a bzip2 archive rather than from a plain one"),
    ),
    "zcav": _own(
        Parameter("path", None, Optional(_place), "file or device that is read, never written; none: a new file"),
        Parameter("size", 0, parse_size, "bytes that are read; 0 for all of a path or device, 8 GiB of a new file"),
        Parameter("start", 0, parse_size, "first byte"),
        Parameter("block", 512 * MIB, parse_size, "bytes of one measured block; 100 MiB in 1.03"),
        Parameter("chunk", MIB, parse_size, "bytes of a read"),
        Parameter("step", 1, read_positive_count, "every so many blocks, one is read"),
        Parameter("passes", 1, read_positive_count, "times over the whole"),
        Parameter("direct", False, read_flag, "bypass the page cache (O_DIRECT)"),
    ),
}
