"""What jobs of the core answer, read once from its JSON: the records of the files `outcome.rs` in `crates/`.

What a field means stands there. A run keeps them as its facts, so that they are plain dictionaries with known keys.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, Literal, NotRequired, TypeVar, cast

from pydantic import TypeAdapter, ValidationError
from typing_extensions import TypedDict

from plimsoll.errors import PlimsollError


class Totals(TypedDict):
    """One kind of operation over the measured part."""

    operations: int
    bytes: int
    errors: int
    latency_sum_ns: int


class Moved(TypedDict):
    """What operations of one kind have moved."""

    operations: int
    bytes: int


class KindInInterval(TypedDict):
    """One kind of operation in one interval."""

    operations: int
    bytes: int
    p50_ns: int
    p99_ns: int
    max_ns: int


class OneInterval(TypedDict):
    """About a second of the measured part, or what counts of one slice."""

    start_ns: int
    duration_ns: int
    drain_ns: NotRequired[int]
    """From the end of the slice until all that it had issued was back."""
    errors: int
    operations: dict[str, KindInInterval]


Amount = Literal["operations", "bytes"]
"""What is counted of each kind of operation."""


class Failure(TypedDict):
    """Why a job failed, and where."""

    kind: str
    message: str
    errno: int | None
    operation: str | None
    offset: int | None


class Times(TypedDict):
    """Wall time of each part of a job; of another program only two are known."""

    layout_ns: int
    layout_bytes: NotRequired[int]
    warmup_ns: NotRequired[int]
    measure_ns: int
    verify_ns: NotRequired[int]


class CpuUse(TypedDict):
    """Of the job's own threads, or of another program, of which the counts are not known."""

    user_ns: int
    system_ns: int
    busiest_thread: float
    all_processors: float
    context_switches: NotRequired[int]
    major_faults: NotRequired[int]
    minor_faults: NotRequired[int]


class Verified(TypedDict):
    """What the read-back pass found."""

    blocks: int
    bad_blocks: int
    first_bad_offset: int | None


Traced = tuple[str, int, int, int, int, int, int]
"""One operation: kind, start, latency, first byte, bytes, time until the kernel had it, priority."""


class SmallMemory(TypedDict):
    """That the run was to have less memory, and why it had not."""

    bytes: int
    why_not: str


class Slices(TypedDict):
    """How a run was spread over a block whose targets alternated; its intervals are those parts that count."""

    slice_ns: int
    discard_ns: int
    shared_by: int
    """Targets of the block."""
    drain_ns: list[int]
    """Of each slice, from its end until all that was in flight was back."""
    after_other: float | None
    """Log ratio of the rate in slices right after another target's to that in slices right after its own."""
    after_own: float | None
    """Log ratio of the rate in slices right after its own to that of the run."""


class Parallel(TypedDict):
    """That a run was made at the same time as the other runs of its block."""

    shared_by: int
    """Targets of the block."""
    overlap: float
    """Share of its measured time in which all of them were measured."""


class Outcome(TypedDict):
    """Everything that one job measured."""

    status: Literal["ok", "stopped", "failed"]
    error: Failure | None
    first_errno: NotRequired[int]
    without_room: NotRequired[int]
    late_since_ns: NotRequired[int]
    late: NotRequired[int]
    late_by_depth: NotRequired[int]
    unissued: NotRequired[int]
    started_ns: int
    elapsed_ns: int
    phases: Times
    operations: dict[str, Totals]
    discarded: NotRequired[dict[str, Moved]]
    histograms: dict[str, str]
    latency_sums_ns: NotRequired[dict[str, int]]
    intervals: list[OneInterval]
    interval_histograms: NotRequired[list[dict[str, str]]]
    trace: NotRequired[list[Traced]]
    cpu: CpuUse
    mean_in_flight: float
    offered_operations: int | None
    verified: Verified | None
    slices: NotRequired[Slices]
    parallel: NotRequired[Parallel]
    clock: str
    small_memory: NotRequired[SmallMemory]
    """This and all below is put to it here, never by the core."""
    depth_found: NotRequired[int]
    """Where a search for the depth has found it."""


class Number(TypedDict):
    """One number of a phase, in the original's unit."""

    name: str
    value: float
    unit: str
    better: Literal["higher", "lower"]


class Point(TypedDict):
    """One part of a phase."""

    position: int
    bytes: int
    elapsed_ns: int


class Phase(TypedDict):
    """One measured phase of a file-system test, as far as an original tells it."""

    name: str
    start_ns: int
    elapsed_ns: int
    scores: list[Number]
    kinds: dict[str, Totals]
    cold: str
    points: list[Point]


class PhaseResult(Phase):
    """One measured phase of a file-system test."""

    operations: int
    bytes: int
    histograms: dict[str, str]
    cpu: CpuUse


class FilesOutcome(Outcome):
    """Of a file-system test."""

    results: list[PhaseResult]


class Original(TypedDict):
    """What ran in place of Plimsoll's own test."""

    program: str
    version: str
    command: list[str]


Program = TypedDict("Program", {"name": str, "command": list[str], "from": str, "scores": list[dict[str, Any]]})
"""What a test of another package ran, where that comes from, and the scores that it read."""


class Found(TypedDict, total=False):
    """Parts of an outcome that come from what another program has printed."""

    elapsed_ns: int
    operations: dict[str, Totals]
    histograms: dict[str, str]
    intervals: list[OneInterval]
    mean_in_flight: float
    results: list[Phase]
    program: Program


class ProgramOutcome(Outcome):
    """Of another program."""

    results: NotRequired[list[Phase]]
    original: NotRequired[Original]
    program: NotRequired[Program]


class Outage(TypedDict):
    """A time in which a server served nobody."""

    start_ns: int
    duration_ns: int
    back: bool


class Acknowledged(TypedDict):
    """Rows that acknowledged writes have put into the workload's table."""

    before: int
    acknowledged: int
    after: int | None


class Counters(TypedDict):
    """Numbers that a server keeps of itself."""

    before: dict[str, int]
    after: dict[str, int]


class DbOutcome(Outcome):
    """Of a database test."""

    whole: list[str]
    completed: int
    errors: dict[str, dict[str, int]]
    messages: dict[str, str]
    not_found: dict[str, int]
    rows: dict[str, int]
    retries: int
    reconnects: int
    failed_reconnects: int
    outages: list[Outage]
    kept: Acknowledged | None
    counters: Counters
    clients: int
    threads: int
    loaded_records: int | None
    server: dict[str, str]
    server_ended: NotRequired[str]
    """How a private server came to its end; put to it here, like the next one."""
    server_said: NotRequired[str]


class SoFar(TypedDict):
    """What the outcome would say had the job ended with its last complete interval."""

    elapsed_ns: int
    operations: dict[str, Totals]
    histograms: dict[str, str]
    latency_sums_ns: NotRequired[dict[str, int]]
    cpu: CpuUse
    mean_in_flight: float


class Progress(TypedDict):
    """What a running job tells."""

    phase: str
    elapsed_ns: int
    done: float
    interval: OneInterval | None
    trace: NotRequired[list[Traced]]
    interval_histograms: NotRequired[list[dict[str, str]]]
    so_far: NotRequired[SoFar]


OnProgress = Callable[[Progress], None]


class PhasePlan(TypedDict):
    """One phase of a file-system test before it runs, with what its end is: so many calls, bytes or nanoseconds."""

    name: str
    writes: bool
    reads: bool
    expected: dict[Literal["calls", "bytes", "nanoseconds"], int]


class FilesPlan(TypedDict):
    """What a file-system test would do."""

    phases: list[PhasePlan]
    disk_bytes: int
    written_bytes: int
    read_bytes: int
    files: int
    memory_bytes: int


class Made(TypedDict):
    """What a load of ours has made in a database."""

    name: str
    records: int
    bytes: int | None


def totals_of(outcome: Outcome | SoFar, kind: str) -> Totals:
    """Of one kind of operation; zeros if there were none."""
    return outcome["operations"].get(kind, Totals(operations=0, bytes=0, errors=0, latency_sum_ns=0))


def failure_of(message: str, number: int | None = None) -> Failure:
    """A failure that is told here and not by the core."""
    return Failure(kind="", message=message, errno=number, operation=None, offset=None)


Answer = TypeVar("Answer")


def answer(kind: type[Answer], text: str) -> Answer:
    """An answer of the core. Raises PlimsollError for one that is not of this kind: both are built together."""
    try:
        reader: TypeAdapter[Answer] = _reader(cast(Any, kind))
        return reader.validate_json(text, strict=True, extra="forbid")
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise PlimsollError(
            f"the core's answer is no {kind.__name__}: {where or 'all of it'}: {first['msg']}; run `make setup` where "
            "you build Plimsoll yourself, else please report this as an internal error"
        ) from None


@cache
def _reader(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
