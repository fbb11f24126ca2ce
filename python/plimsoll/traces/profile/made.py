"""A test with the distributions of a trace, as a study that `plimsoll run` takes; and what it cannot keep.

Kept are the mean rate (or, where a saturated device hid it, the depth), the share of reads, the sizes of reads and of
writes, the share that is sequential, how much is touched, and how often writes are flushed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.report.labels import percent_text
from plimsoll.traces.profile.load import Load
from plimsoll.units import KIB, SECOND, format_duration, format_size, format_value

BLOCK = 4 * KIB
"""The profile counts what is touched in these."""
MOST_SIZES = 16
"""Sizes of a mix, the most frequent ones."""
SHORTEST_S, LONGEST_S = 5, 60
LEAST_IN_FLIGHT, MOST_IN_FLIGHT = 32, 1024
REUSED = 1.05
"""Bytes that are asked for over those that are touched; with less, nothing is said to be used again."""
BURSTY = 1.5
"""Times the mean that the busiest second has, from which on bursts are worth a word."""

Sizes = Sequence[tuple[int, int]]


@dataclass(frozen=True)
class Made:
    """The test."""

    title: str
    parameters: Mapping[str, str]
    lost: tuple[str, ...]
    """What it cannot keep, each a sentence."""

    def study(self) -> str:
        """The text of a study file."""
        lines = ["# What it cannot keep of the trace:", *(f"# - {sentence}" for sentence in self.lost)]
        lines += [f"title = {json.dumps(self.title, ensure_ascii=False)}", "", "[[targets]]", 'name = "here"']
        lines += ['where = "."', "", "[[tests]]", 'test = "randrw"', "", "[set]"]
        lines += [f"{name} = {json.dumps(value)}" for name, value in self.parameters.items()]
        return "\n".join([*lines, ""])


def save(load: Load, trace: Path, path: Path) -> Made:
    """Writes the study; the text says what it cannot keep as well."""
    made = make(load, trace.name)
    try:
        path.write_text(made.study(), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    return made


def make(load: Load, name: str) -> Made:
    """The test of a load."""
    parameters = {"read_share": f"{load.read_share * 100:.6g}%", **_sizes(load), **_pace(load), **_places(load)}
    parameters |= _flushes(load)
    runtime_s = min(max(load.span_s, SHORTEST_S), LONGEST_S)
    parameters |= {"runtime": f"{runtime_s:.0f}s", "warmup": "0s"}
    return Made(f"like {name}", parameters, tuple(_lost(load, parameters)))


def _sizes(load: Load) -> dict[str, str]:
    reads, writes = load.found["sizes"]
    found = {"block_size": _mix(reads or writes)}
    if reads and writes:
        found["write_block_size"] = _mix(writes)
    return found


def _mix(sizes: Sizes) -> str:
    """`4096B:60 16384B:40`; what is rare counts as the nearest size that is not."""
    kept = dict(sorted(sizes, key=lambda each: -each[1])[:MOST_SIZES])
    weights = dict.fromkeys(kept, 0)
    for size, count in sizes:
        weights[min(kept, key=lambda each: abs(each - size))] += count
    return " ".join(f"{size}B:{count}" for size, count in sorted(weights.items()))


def _pace(load: Load) -> dict[str, str]:
    """Open at the mean rate; closed where the device was saturated, or no time is known."""
    depth = load.found["depth"] if load.timed else None
    if load.per_s is None or load.hidden is not None:
        return {"depth": str(max(1, round(depth[0])) if depth else 1)}
    highest = int(depth[3]) if depth else LEAST_IN_FLIGHT
    rate, most = f"{load.per_s:.6g}/s", min(MOST_IN_FLIGHT, max(LEAST_IN_FLIGHT, 2 * highest))
    return {"rate": rate, "arrival": "poisson", "depth": str(most)}


def _places(load: Load) -> dict[str, str]:
    size = max(_region(load), 2 * max(size for sizes in load.found["sizes"] for size, _ in sizes))
    found = {"size": f"{-(-size // BLOCK) * BLOCK}B", "random_share": f"{(1 - load.found['sequential']) * 100:.6g}%"}
    return found | {"distribution": "uniform" if _is_reused(load) else "once"}


def _is_reused(load: Load) -> bool:
    return float(load.series.bytes.sum()) > REUSED * float(load.found["touched_bytes"])


def _region(load: Load) -> int:
    """The region of which so many random places touch as much as the trace did."""
    touched, asked = float(load.found["touched_bytes"]), float(load.series.bytes.sum())
    if not _is_reused(load):
        return round(touched)
    low, high = touched, touched * 1000
    while high - low > BLOCK:
        middle = (low + high) / 2
        low, high = (middle, high) if middle * -math.expm1(-asked / middle) < touched else (low, middle)
    return round(low)


def _flushes(load: Load) -> dict[str, str]:
    writes, flushes = float(load.series.writes.sum()), int(load.found["flushes"])
    if not flushes or not writes:
        return {}
    return {"sync": "fdatasync", "sync_every": str(max(1, round(writes / flushes)))}


def _lost(load: Load, parameters: Mapping[str, str]) -> Iterator[str]:
    busiest = load.bursts()[0] if load.bursts() else None
    if "rate" not in parameters:
        why = "a saturated device hid its rate" if load.hidden is not None else "the trace has no times"
        yield f"The rate: {why}, so that {parameters['depth']} I/Os are in flight at all times."
    elif busiest is not None and busiest.times >= BURSTY:
        rate = format_value(busiest.per_s, "1/s")
        yield f"Bursts: its busiest second had {rate}, the test draws Poisson arrivals at the mean rate."
    else:
        yield "Whatever correlates arrivals: the test draws Poisson arrivals at the mean rate."
    yield "Which places are used more than others, and the distances between them: the test draws them uniformly."
    yield "Which process asked, and which sizes go with which places or times."
    if load.found["trims"]:
        yield f"{load.found['trims']:,} trims."
    if "sync" in parameters:
        yield "When flushes come: the test sends one after a fixed number of writes, and waits for it."
    if load.span_s > LONGEST_S + 1:
        yield f"Its length, {format_duration(round(load.span_s * SECOND))}: --set runtime= makes the test longer."
    if (share := _rare(load)) > 0:
        yield f"{percent_text(share)} of its sizes, which are rare: they count as the nearest that is not."


def _rare(load: Load) -> float:
    """Share of the I/Os whose size is none of the mix's."""
    rare = sum(
        sum(count for _, count in sorted(sizes, key=lambda each: -each[1])[MOST_SIZES:])
        for sizes in load.found["sizes"]
    )
    return float(rare) / load.operations


def kept(made: Made) -> str:
    """What it keeps, in one sentence."""
    pace = made.parameters.get("rate") or f"{made.parameters['depth']} in flight"
    size = format_size(int(made.parameters["size"].removesuffix("B")))
    return (
        f"kept: {pace}, {made.parameters['read_share']} reads, sizes of reads and writes, "
        f"{made.parameters['random_share']} random, within {size}"
    )
