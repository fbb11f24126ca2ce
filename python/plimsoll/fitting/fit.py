"""Everything that the runs of one volume show of its numbers, and what they cannot show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from plimsoll.catalog.fitted import KINDS
from plimsoll.catalog.limits import Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.catalog.targets import AS, is_emulated, shape_of
from plimsoll.errors import UsageError
from plimsoll.fitting.credits import capacity, refill
from plimsoll.fitting.latency import latency
from plimsoll.fitting.number import FEWEST, Missing, Number
from plimsoll.fitting.plateaus import SINGLE, Held, Level, Plateau, attributed, plateaus
from plimsoll.fitting.rates import limit
from plimsoll.model import Run, RunStatus, Target
from plimsoll.units import SECOND, format_duration

BELOW = 0.9
"""A run below this share of every limit is held by none: its latency is the volume's own."""
LARGE = "256KiB"
_WORDS = {Held.IOPS: "IOPS", Held.THROUGHPUT: "throughput"}
_TESTS = {
    "iops": "randread --set depth=64 --set runtime=60s",
    "throughput": f"randread --set block_size={LARGE} --set depth=32 --set runtime=60s",
    "read": "randread --set depth=1 --set runtime=30s --blocks 3",
    "write": "randwrite --set depth=1 --set runtime=30s --blocks 3",
}


@dataclass(frozen=True)
class Fit:
    """What is known of one volume."""

    target: str
    shape: VolumeShape
    numbers: tuple[Number, ...]
    missing: tuple[Missing, ...]
    notes: tuple[str, ...]
    """What the model cannot say, and what was taken for granted."""
    runs: int


def fitted(runs: Sequence[Run]) -> Fit:
    """The fit of valid runs of one target; raises UsageError where nobody said which volume it is."""
    target = runs[0].target
    shape = shape_of(target)
    if shape is None:
        raise UsageError(
            f"target {target.name}: nobody said which volume this is, so nothing can be fitted to it; measure it with "
            f"--on {target.name}={target.where},as=gp3+size=100GiB, or name its type when you import"
        )
    valid = [run for run in runs if run.status is RunStatus.OK]
    found = list(plateaus(valid))
    held = attributed(found, shape)
    by = {limit: [each for each, its in zip(found, held, strict=True) if its is limit] for limit in Held}
    numbers: list[Number] = []
    notes: list[str] = []
    for name in (Held.IOPS, Held.THROUGHPUT):
        rates = limit(name, by[name], shape)
        size = capacity(name, by[name], shape, rates)
        numbers += [*rates, *([size] if size else [])]
        notes += _notes(name, by[name], shape, rates, size)
    place = _place(target)
    missing = _missing(numbers, by, shape, place)
    single = _single(found, held, numbers, shape)
    for kind in KINDS:
        some, unseen = latency(kind, single, served=is_emulated(target))
        numbers += some
        missing += [Missing((name,), why, _command(_test_of(kind, name), place)) for name, why in unseen.items()]
    return Fit(target.name, shape, tuple(numbers), tuple(missing), tuple(notes), len(valid))


def _single(
    found: Sequence[Plateau], held: Sequence[Held], numbers: Sequence[Number], shape: VolumeShape
) -> list[Plateau]:
    """Runs with one I/O in flight that are below every limit."""
    limits = {each.name.partition("_")[0]: each.value for each in numbers}
    # With a burst, what is left after it is the lower one: its name comes last.
    return [
        each
        for each, its in zip(found, held, strict=True)
        if each.in_flight < SINGLE
        and its is Held.NOTHING
        and each.level is Level.ONLY
        and all((each.charged(shape, name) or 0.0) < BELOW * most for name, most in limits.items())
    ]


def _missing(numbers: Sequence[Number], by: dict[Held, list[Plateau]], shape: VolumeShape, place: str) -> list[Missing]:
    known = {each.name for each in numbers}
    found: list[Missing] = []
    for held in (Held.IOPS, Held.THROUGHPUT):
        published: Rate | None = getattr(shape.limits, held.value)
        if published is None and held.value not in known:
            continue
        if held.value not in known and f"{held.value}_baseline" not in known:
            found.append(Missing((held.value,), _why(held, by, shape), _command(_TESTS[held.value], place)))
        elif published is not None and published.baseline is not None:
            found += _of_burst(held, published, known, shape, place)
    return found


def _why(held: Held, by: dict[Held, list[Plateau]], shape: VolumeShape) -> str:
    if by[Held.UNCLEAR]:
        return "whether a limit held the runs, and which, cannot be told from their depths and block sizes"
    if by[Held.INSTANCE]:
        machine = shape.instance.name if shape.instance else "the machine"
        return f"the limit of {machine} was reached before the volume's; a larger instance would show it"
    return f"no run was held back by the volume's {_WORDS[held]}"


def _of_burst(held: Held, published: Rate, known: set[str], shape: VolumeShape, place: str) -> list[Missing]:
    """What a type with credits has more, and how long a run must be to see it."""
    names = tuple(each for each in (held.value, f"{held.value}_baseline", f"{held.value}_credits") if each not in known)
    lasts_s = (published.burst_seconds() or 0.0) / shape.time_scale
    if not names or not lasts_s:
        return []
    test = _TESTS[held.value].replace("runtime=60s", f"runtime={_outlasting(lasts_s)}")
    lasts = format_duration(round(lasts_s) * SECOND)
    why = f"no run began with full credits and outlasted the burst, which full credits hold for about {lasts}"
    return [Missing(names, why, _command(test, place))]


def _outlasting(lasts_s: float) -> str:
    """A runtime with enough of what is left after a burst."""
    wanted_s = max(1.3 * lasts_s, lasts_s + 60)
    return f"{math.ceil(wanted_s)}s" if wanted_s < 120 else f"{math.ceil(wanted_s / 60)}m"


def _test_of(kind: str, name: str) -> str:
    """The test that would show what is missing of a kind's latency."""
    if name.endswith("_bytes_per_s"):
        return _TESTS[kind].replace("depth=1 ", f"depth=1 --set block_size={LARGE} ")
    return _TESTS[kind].replace("runtime=30s", "runtime=5m") if name.endswith("_share") else _TESTS[kind]


def _place(target: Target) -> str:
    """The target as it is written after --on."""
    said = f",{AS}={target.options[AS]}" if AS in target.options else ""
    return f"{target.name}={target.where}{said}"


def _command(test: str, place: str) -> str:
    words = test.split(" ", 1)
    return f"plimsoll run {words[0]} --on {place} {words[1]}"


def _notes(
    name: Held, held: Sequence[Plateau], shape: VolumeShape, rates: Sequence[Number], size: Number | None
) -> list[str]:
    found: list[str] = []
    what = _WORDS[name]
    few = [each for each in rates if each.runs < FEWEST]
    if few:
        found.append(f"{what}: from fewer than {FEWEST} runs; the interval is of their seconds, not of how runs differ")
    if size is not None:
        found.append(
            f"{what}: the first run is taken to have begun with the credits that the catalog gives a new volume"
        )
    back = refill(name, held, shape, rates)
    baseline = next((each for each in rates if each.name.endswith("_baseline")), None)
    if back is not None and baseline is not None and not back.low <= baseline.value <= back.high:
        found.append(
            f"{what}: credits came back at {back.value:,.0f}/s ({back.low:,.0f} … {back.high:,.0f}) at rest, "
            f"and the model has one number for that and for the baseline, {baseline.value:,.0f}"
        )
    return found
