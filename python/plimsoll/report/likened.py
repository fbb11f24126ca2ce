"""What one target is like: for each case the load as volumes of the catalog would have to carry it, or why not.

Only what was measured of a disk that nothing is known of is likened to volumes: no cache, no volume that is known
anyway, no runs without a common score.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from plimsoll.catalog.bounds import use_of
from plimsoll.catalog.targets import is_emulated, shape_of
from plimsoll.declared import IoParameters
from plimsoll.model import Finding, Level, Plan, Run, Target
from plimsoll.phases import MEMORY_GUARD
from plimsoll.report.evidence import Evidence, ScoreLine
from plimsoll.stats.standing import Basis
from plimsoll.units import GIB

if TYPE_CHECKING:
    from plimsoll.simulation.carrying import Carrier, Measured, TooSlow

MEMORY_GUARDS = frozenset(
    {MEMORY_GUARD, "memory_file_system", "page_cache", "working_set", "unwritten", "instance_memory", "plausible"}
)
"""Guards and checks whose warnings say that something else than a disk may have answered."""
ABOVE_A_CAP = 1.05
"""From this share of a stated limit on a rate is not the volume's."""
ARRIVED = 0.98
"""Share of the bytes that must have reached the device; the guard's warning is also said of what came on top."""
_KINDS = ("read", "write")

COMMITS = "the catalog knows no times of commits"
FILES = "what files or a database ask of the disk is not known"
UNKNOWN_LOAD = "the file names no block size, mix of reads and writes or queue depth"
BUFFERED = "the page cache was not bypassed"
NOT_DIRECT = "the page cache may have answered: the file does not say direct=1"
MIXED_SIZES = "the model of volumes has no trims and no I/Os of several sizes"
PACED = "a rate or pauses were asked for, so what the disk could do was not measured"
FROM_MEMORY = "memory or another cache may have answered"
UNSETTLED = "there is no single score"
UNSTABLE = "the runs differ too much"
BURST = "a burst was seen, and not what lasts"
MANY_KINDS = "the IOPS of all operations together are not known"

_SYNCHRONOUS = frozenset({"sync", "psync", "vsync", "pvsync", "pvsync2", "mmap"})
"""Engines of fio that have one operation in flight, whatever iodepth says."""
_DEFAULT_ENGINE = "psync"
_WAITING = ("fsync", "fdatasync", "sync", "sync_file_range", "end_fsync", "write_barrier")
_PACING = ("rate", "rate_iops", "rate_min", "rate_iops_min", "thinktime", "rate_process")
_SIZES = ("bssplit", "bsrange", "blocksize_range", "blocksize_unaligned", "bs_is_seq_rand", "zonemode")
_READ_SHARES = {"read": 1.0, "randread": 1.0, "write": 0.0, "randwrite": 0.0}


@dataclass(frozen=True)
class Load:
    """The load of a plan, without its rate."""

    block_bytes: int
    read_share: float
    sequential: bool
    in_flight: int
    data_bytes: int


@dataclass(frozen=True)
class Likened:
    """One case of the one target: what would carry it, or why that is not asked."""

    case: str
    why_not: str = ""
    """Empty where it was likened."""
    measured: Measured | None = None
    line: ScoreLine | None = None
    """The rate with its interval."""
    carriers: tuple[Carrier, ...] = ()
    too_slow: tuple[TooSlow, ...] = ()


def likened(evidence: Evidence) -> tuple[Likened, ...]:
    """Every case of a single target in order; nothing for several targets, a search, or a volume that is known."""
    if not evidence.alone or not evidence.valid or evidence.only_searched:
        return ()
    target = evidence.valid[-1].target
    if is_emulated(target) or shape_of(target) is not None:
        return ()
    return tuple(_of(evidence, case, target) for case in evidence.cases if evidence.runs_of(case, target.name))


def _of(evidence: Evidence, case: str, target: Target) -> Likened:
    # Loaded only where it is needed: reports on several targets are not likened to anything.
    from plimsoll.simulation.carrying import Measured, carriers

    runs = evidence.runs_of(case, target.name)
    load = _load(runs[0], target)
    if isinstance(load, str):
        return Likened(case, load)
    line = next((each for each in evidence.lines if (each.case, each.metric) == (case, "iops")), None)
    if line is None:
        return Likened(case, MANY_KINDS)
    if why := next(_against(runs, line), ""):
        return Likened(case, why)
    assert line.summary is not None
    measured = Measured(
        load.block_bytes, load.read_share, load.sequential, load.in_flight, load.data_bytes, line.summary.value
    )
    return Likened(case, "", measured, line, *carriers(measured))


def _against(runs: Sequence[Run], line: ScoreLine) -> Iterator[str]:
    """What keeps a score from saying what a disk does."""
    if any(_is_of_memory(finding) for run in runs for finding in run.findings):
        yield FROM_MEMORY
    if line.split is not None or line.summary is None:
        yield UNSETTLED
    elif line.basis not in (None, Basis.SUSTAINED):
        yield BURST
    elif line.summary.unstable:
        yield UNSTABLE


def _is_of_memory(finding: Finding) -> bool:
    if finding.level is not Level.WARN:
        return False
    if finding.guard == "cap_plateau":
        return finding.values.get("share", 0.0) > ABOVE_A_CAP
    if finding.guard == "device_bytes":
        moved = ((finding.values.get(f"{kind}_{who}_bytes", 0.0) for who in ("device", "test")) for kind in _KINDS)
        return any(device < ARRIVED * test for device, test in moved)
    return finding.guard in MEMORY_GUARDS


def _load(run: Run, target: Target) -> Load | str:
    """The load of a run, or why it is not known."""
    if "imported" in run.facts:
        return _imported(run)
    if run.plan.workload != "io":
        return FILES
    return _own(run, run.plan, _size(target))


def _own(run: Run, plan: Plan, size: int | None) -> Load | str:
    values = plan.values(IoParameters)
    if values["sync"] != "none" or values["sync_at_end"]:
        return COMMITS
    if not values["direct"]:
        return BUFFERED
    use = use_of(plan)
    if use is None or "trim" in values["mode"] or values["write_block_size"]:
        return MIXED_SIZES
    if use.asked is not None or use.pauses:
        return PACED
    seen = run.facts.get("mean_in_flight")
    asked = values["depth"] * values["threads"]
    in_flight = max(1, round(seen)) if isinstance(seen, int | float) and 0 < seen <= asked else asked
    return Load(use.block_bytes, use.read_share, use.sequential, in_flight, size or values["size"])


def _size(target: Target) -> int | None:
    """Bytes of the file system or device, which a volume in its place would have to hold."""
    disks = target.facts.get("devices")
    first = disks[0] if isinstance(disks, list) and disks and isinstance(disks[0], Mapping) else {}
    for found in (target.facts.get("total_bytes"), first.get("size_bytes")):
        if isinstance(found, int) and found > 0:
            return found
    return None


def _imported(run: Run) -> Load | str:
    """The load of a run of fio, as its options say it; other tools do not say all of it."""
    options: Mapping[str, Any] = run.plan.parameters
    if run.plan.test != "fio" or "rw" not in options:
        return UNKNOWN_LOAD
    kept_out = (
        (any(options.get(name) for name in _WAITING), COMMITS),
        (not _is_on(options.get("direct")), NOT_DIRECT),
        (any(options.get(name) for name in _PACING), PACED),
        (any(name in options for name in _SIZES), MIXED_SIZES),
    )
    return next((why for holds, why in kept_out if holds), None) or _of_fio(options, run.facts.get("jobs", 1))


def _of_fio(options: Mapping[str, Any], clones: object) -> Load | str:
    mode, block, data = str(options["rw"]), options.get("bs", 4096), options.get("size")
    share = _read_share(mode, options)
    if not isinstance(block, int) or share is None:
        return MIXED_SIZES
    depth, jobs = _count(options.get("iodepth", 1)), max(_count(options.get("numjobs", 1)), _count(clones))
    if options.get("ioengine", _DEFAULT_ENGINE) in _SYNCHRONOUS:
        depth = 1
    if not min(block, depth, jobs) > 0:
        return UNKNOWN_LOAD
    # A share of a disk whose size is not in the file, or nothing: any volume holds it.
    data_bytes = data if isinstance(data, int) and data > 0 else GIB
    return Load(block, share, "rand" not in mode, depth * jobs, data_bytes)


def _count(value: object) -> int:
    """A whole number; 0 for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def _is_on(value: object) -> bool:
    return value in (1, "1", True, "true", "yes")


def _read_share(mode: str, options: Mapping[str, Any]) -> float | None:
    """Reads as a share of the operations; None for what is no mix of reads and writes."""
    if mode in ("rw", "readwrite", "randrw"):
        written = options.get("rwmixwrite")
        percent = options.get("rwmixread", 50 if written is None else 100 - written if isinstance(written, int) else -1)
        return percent / 100 if isinstance(percent, int) and 0 <= percent <= 100 else None
    return _READ_SHARES.get(mode)
