"""The compiled measuring core. Only the modules that ARCHITECTURE.md lists below its code map import it.

Records cross the boundary as JSON text in base units (bytes, nanoseconds, operations). Their definitions are
`crates/io/src/parameters.rs` (what goes in) and `crates/core/src/outcome.rs` (what comes out).
"""

from collections.abc import Callable
from typing import final

version: str
"""Version of the core, the same as the package's."""

@final
class Job:
    """A running job of any kind. It works on threads of its own; dropping the last reference stops it."""

    def poll(self) -> str:
        """How far the job is: a `Progress` as JSON. Takes microseconds and never waits for the device."""

    def go(self, begin_ns: int) -> None:
        """Let a job with slices, whose phase is `ready`, begin: its times are counted from `begin_ns`.

        A job of `start` or `db_start` whose spec has `slices`, a list of `[start_ns, length_ns]`, and `discard_ns`,
        works in those times only and pauses in between, holding all that it has open. Once it is set up its phase is
        `ready` until it is told to go. `begin_ns` is a moment of `CLOCK_MONOTONIC` (`time.monotonic_ns`) a little
        ahead, such as 20 ms: jobs that are told the same moment take turns without another word. Each slice is one
        interval of the outcome, with its `drain_ns`; the first `discard_ns` of it do not count.

        Raises:
            ValueError: the job has no slices, is not ready or has ended, was told before, or the moment is not ahead.
        """

    def stop(self) -> None:
        """Ask the job to end and return at once.

        Operations in flight get about 50 ms to come back. The outcome, status `stopped`, is there within 100 ms even
        when a device hangs; it holds what was measured until then. Stopping a job that has ended does nothing.
        """

    def result(self, timeout_s: float | None = None) -> str | None:
        """Wait for the end of the job: its `Outcome`, `DbOutcome` or `FilesOutcome` (`outcome.rs` of each crate) as
        JSON, or None when `timeout_s` seconds are over first. That of a file-system job comes after its files are
        removed.

        Other Python threads run meanwhile, but a signal (Ctrl-C) is only seen after the return: wait in short pieces.
        Faults of the job are no exceptions: they are the `error` of the outcome.

        Raises:
            ValueError: `timeout_s` is negative or not a number.
        """

def start(spec_json: str) -> Job:
    """Start the job described by a `JobSpec` in JSON.

    Returns at once. A request that is well formed but impossible (depth above what the engine can do, a block size that
    direct I/O refuses, a file too small, …) gives an outcome with status `failed` and error kind `spec`, before
    anything is written.

    Raises:
        ValueError: the text is not a `JobSpec`: not JSON, a field is missing, unknown or of the wrong type.
        BlockingIOError: the process cannot start another thread.
    """

def validate(spec_json: str) -> str | None:
    """Why the job described by a `JobSpec` in JSON is impossible on any target of this machine, or None.

    Looks at the request, the engine and the machine: sizes, shares, distribution, limits, sync and verify rules,
    what the engine can do, CPUs, memory for buffers. The path is neither opened nor created, so what depends on the
    target (it exists, is long enough, its alignment, free space) is told by the outcome of `start` only, which
    gives every reason found here as well. Numbers that are not finite (`NaN`, `Infinity`, as `json.dumps` writes
    them) are a reason here and a ValueError of `start`.

    Raises:
        ValueError: the text is not a `JobSpec`: not JSON, a field is missing, unknown or of the wrong type.
    """

def parameters() -> str:
    """The declared parameters of all workloads as JSON: a list of `{"name", "base", "parameters"}`.

    `base` names the record whose parameters it has as well; each parameter is `{"name", "unit", "default", "help"}`
    with `least` and `most`, or `choices`, and `optional` where a plan holds it only if somebody asked for it. Units are
    `flag`, `count`, `bytes`, `nanoseconds`, `share`, `number`, `word`, `words`, `text`, `sizes`, `rate`,
    `distribution`, `cpus` and `record`; the source is `crates/core/src/parameters.rs`.
    """

def engines() -> str:
    """The I/O engines as a JSON list, in order of definition.

    Each entry: `name`, `description`, `max_depth` (operations in flight per thread, null: no limit of its own),
    `direct` (can do direct I/O), `trim` (can trim files or devices), `asynchronous`, `available` (on this machine) and
    `reason` (why not, else null).
    """

def alignment(path: str) -> str:
    """What direct I/O needs on a file, a block device, or a new file in a directory.

    JSON object with `memory` (of buffer addresses) and `offset` (of offsets and lengths), both in bytes.

    Raises:
        OSError: direct I/O is refused (errno EINVAL), or the path cannot be opened.
    """

def db_drivers() -> str:
    """The database drivers as a JSON list: the fields of `crates/db/src/caps.rs`, and a `reason` against one."""

def db_validate(spec_json: str) -> str | None:
    """Why a `DbSpec` (`crates/db/src/spec.rs`) is impossible whatever the database, as one sentence; None if it is not.

    Raises:
        ValueError: the text is no `DbSpec`.
    """

def db_validate_address(spec_json: str) -> str | None:
    """Why the driver of a `DbSpec` cannot use its address, password or settings, as one sentence; None if it can.

    Nothing is opened and no server is asked.

    Raises:
        ValueError: the text is no `DbSpec`.
    """

def db_made(spec_json: str) -> str:
    """What loads have left in the database of a `DbSpec`, found by its mark: a JSON list of `name`, `records`, `bytes`.

    Raises:
        ValueError: the text is no `DbSpec`.
        RuntimeError: the database cannot be reached or read, as one sentence.
    """

def db_drop_made(spec_json: str, names: list[str]) -> str:
    """Remove some of that, and say what is gone; nothing is where one of the names carries no mark.

    Raises:
        ValueError: the text is no `DbSpec`.
        RuntimeError: it is not all gone, as one sentence.
    """

def db_start(spec_json: str) -> Job:
    """Start a database job: connect, prepare the data, warm up, measure. The outcome is a `DbOutcome`.

    Raises:
        ValueError: the text is no `DbSpec`. Everything else is told by the outcome.
    """

def files_validate(spec_json: str) -> str:
    """What a `FilesSpec` (`crates/files/src/spec.rs`) would do, a `Plan` of `outcome.rs` there as JSON.

    Raises:
        ValueError: it cannot be carried out on any file system; the message says what to change.
    """

def files_start(spec_json: str) -> Job:
    """Start a file-system job in a new folder below the directory of its `FilesSpec`.

    Raises:
        ValueError: the text is no `FilesSpec`. Everything else is told by the outcome.
    """

def volume_validate(spec_json: str) -> int:
    """The bytes of the device that a `VolumeSpec` in JSON (`crates/volume/src/spec.rs`) describes, arrays included.

    Raises:
        ValueError: no mechanism can carry it out; the message names field, value and range.
    """

def simulate(request_json: str) -> str:
    """Run a load on a volume in virtual time: a `Simulation` as JSON (`crates/volume/src/simulate`).

    The request is a JSON object with `volume` (a `VolumeSpec`) and one of `workload` (a `Workload`: block_bytes, depth,
    rate, read_share, pattern, region_bytes, duration_ns, interval_ns, seed), `trace` (path, depth, duration_ns,
    interval_ns) and `schedule` (a `Schedule`: columns durations_ns, reads, writes, read_bytes, write_bytes; depth,
    from_issue, sequential, region_bytes, interval_ns, seed). The result holds `duration_ns`, `series` (interval_ns,
    names of `buckets`, `intervals`, and the distributions of all latencies as HdrHistogram V2 in base64), `statistics`
    (the page of a served volume) and, of a trace or a schedule, `replay` (operations, recorded_ns, due, left,
    last_done_ns). Other Python threads run meanwhile; Ctrl-C is seen within 50 ms.

    Raises:
        ValueError: the request cannot be carried out.
        OSError: the trace cannot be read.
    """

def serve(spec_json: str, mountpoint: str, socket: str, ready: Callable[[], None]) -> None:
    """Serve a volume through FUSE as the regular file `mountpoint`, empty until then, with commands at `socket`.

    Returns when the volume was stopped, unmounted, or the process was asked to end by SIGTERM, SIGINT or SIGHUP, which
    stay blocked. `ready` is called once the file can be opened. Commands are JSON objects, one per line:
    `{"command": "stats"}`, `{"command": "set", "spec": VolumeSpec}`, `{"command": "fault", "fault": Fault}`
    (`crates/volume/src/model/faults.rs`), `{"command": "stop", "force": bool}`; answers have `ok` or `error`.

    Raises:
        ValueError: the description cannot be carried out, or the place is not an empty file.
        OSError: a file, mount or socket could not be used.
    """

@final
class LogReader:
    """A log file of another tool while it is read, in chunks of any size."""

    def __init__(self, kind: str) -> None:
        """`fio`, `fio_bins`, `pgbench` or `hdr`.

        Raises:
            ValueError: another word.
        """

    def feed(self, chunk: bytes) -> None:
        """Read on; other Python threads run meanwhile.

        Raises:
            ValueError: a line can't be read. Its text is a `Refusal` (`crates/logs/src/stream.rs`) as JSON; the reader
                is of no further use.
        """

    def finish(self) -> str:
        """The `Answer` (`crates/logs/src/answer.rs`) as JSON; the reader is of no further use.

        Raises:
            ValueError: as `feed`.
        """

TRACE_HEAD_BYTES: int
"""So much of a file is needed to know which trace it is."""

@final
class TraceReader:
    """A trace of I/O while it is read, in chunks of any size: our own format or another tool's."""

    def __init__(self, head: bytes, whole: bool, format: str | None = None) -> None:
        """`head` is the beginning of the file, which decides what it is unless `format` says it.

        Raises:
            ValueError: it is no trace, or can be several. Its text is a `Fault` (`crates/logs/src/trace/fault.rs`) as
                JSON, here and below; after one the reader is of no further use.
        """

    def feed(self, chunk: bytes) -> None:
        """Read on, from the beginning of the file; other Python threads run meanwhile.

        Raises:
            ValueError: the file is damaged, or a line can't be read.
        """

    def header(self) -> str | None:
        """The `Header` (`crates/logs/src/trace/header.rs`) as JSON, once it has arrived; it grows with its names."""

    def events(self) -> list[tuple[int, int | None, int | None, int, int, int, int, int]]:
        """The events of the last chunk: arrival, issue, latency (ns; None: not seen), kind, offset, bytes, device,
        process. For looking at a few; what works on all of them does so in Rust.
        """

    def samples(self) -> str:
        """The samples (`crates/logs/src/trace/sample.rs`) since the last call, as JSON."""

    def finish(self) -> str:
        """The `Totals` as JSON, after the last chunk. `events` then has the last ones.

        Raises:
            ValueError: the file is damaged, or holds nothing.
        """

@final
class TraceSurvey:
    """A trace while it is looked through before it is replayed: made and fed as a `TraceReader`."""

    def __init__(self, head: bytes, whole: bool, format: str | None = None) -> None:
        """As `TraceReader`."""

    def feed(self, chunk: bytes) -> None:
        """As `TraceReader`."""

    def finish(self) -> str:
        """JSON with `header`, `totals` and, by number, what each of the `devices` was asked for
        (`crates/python/src/replay.rs`).

        Raises:
            ValueError: as `TraceReader`.
        """

@final
class TraceProfile:
    """A trace while its load is summed up: made and fed as a `TraceReader`; with `device` of that one alone."""

    def __init__(self, head: bytes, whole: bool, format: str | None = None, device: str | None = None) -> None:
        """As `TraceReader`."""

    def feed(self, chunk: bytes) -> None:
        """As `TraceReader`."""

    def finish(self) -> str:
        """JSON with `header`, `totals` and, by number, the profile of each of the `devices`
        (`crates/logs/src/trace/profile/device.rs`).

        Raises:
            ValueError: as `TraceReader`.
        """

@final
class TraceMerge:
    """Makes one trace of several, whose times and addresses begin where they are told to."""

    def __init__(self, parts: list[tuple[bytes, bool, int, int]], header_json: str) -> None:
        """Of each: how it begins, whether that is all of it, which of its devices, and where its addresses begin."""

    def wants(self) -> int | None:
        """The number of the trace of which more is needed; None where all have ended."""

    def feed(self, number: int, chunk: bytes) -> bytes:
        """Reads on in one of them, or without a byte to its end: what the merged file goes on with."""

    def finish(self) -> bytes:
        """How the merged file ends."""

@final
class TraceWriter:
    """Writes what a reader reads in our own format."""

    def __init__(self, from_first: bool = False) -> None:
        """Before the first chunk; `from_first`: the times of what is written count from its first I/O."""

    def copy(self, reader: TraceReader) -> bytes:
        """What the file goes on with, for the last chunk of the reader: to be called after each `feed` and `finish`."""

    def finish(self, totals_json: str) -> bytes:
        """How the file ends, given what the reader's `finish` said."""

@final
class KernelTap:
    """A recording of the kernel's tracing of block I/O: its pages go in, a trace comes out."""

    def __init__(self, setup_json: str) -> None:
        """A `Setup` (`crates/logs/src/trace/kernel/tap.rs`) in JSON.

        Raises:
            ValueError: it is none, or a tracepoint of this kernel is not understood (a `Fault` as JSON).
        """

    def page(self, page: bytes) -> None:
        """What one read of a processor's `trace_pipe_raw` gave; other Python threads run meanwhile."""

    def edge(self, begin_ns: int, end_ns: int) -> None:
        """Between which moments the devices' counters were read: once at the beginning, once at the end."""

    def advance(self, until_ns: int, whole: bool) -> bytes:
        """What the file goes on with, once all records before `until_ns` were given; `whole`: nothing is held back."""

    def begin(self) -> bytes:
        """How another file begins that goes on with what comes from now on."""

    def state(self) -> str:
        """A `State` as JSON."""

    def finish(self, totals_json: str) -> tuple[bytes, str]:
        """How the file ends, given `Totals` with what only the caller knows; and all of them, as JSON."""

@final
class SampleWriter:
    """A trace of counters while it is written."""

    def __init__(self, header_json: str) -> None:
        """A `Header` in JSON.

        Raises:
            ValueError: it is none.
        """

    def samples(self, samples_json: str) -> bytes:
        """What the file goes on with, for a list of `Sample` in JSON.

        Raises:
            ValueError: it is none, or the trace has ended.
        """

    def finish(self, totals_json: str) -> bytes:
        """How the file ends, given `Totals` in JSON."""
