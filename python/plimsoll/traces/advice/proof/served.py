"""Both volumes served on this machine, and the interval replayed on them in turns, without scaling latency."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from plimsoll.catalog.levels import levels_text
from plimsoll.errors import PlimsollError, UsageError
from plimsoll.model import Run, RunStatus, Session
from plimsoll.parameters import io_defaults, read_values
from plimsoll.run import studies
from plimsoll.run.study import Study
from plimsoll.run.workers import local
from plimsoll.simulation.slo import Clause
from plimsoll.stats.histogram import Histogram, add, decode
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.targets.owner import current_owner
from plimsoll.traces import replay
from plimsoll.traces.advice.proof.interval import Interval, Side
from plimsoll.units import GIB, KIB, MIB, SECOND, format_number, format_size
from plimsoll.volumes import control, lifecycle

BOUGHT, CHEAPER = "recommended", "cheaper"
ROUNDS = 3
"""So often the interval is replayed on each. The median counts: others on this machine come and go."""
SPACE = GIB
"""Addresses are scaled to so much: the bytes of both volumes are in memory, so that no other disk is measured."""
MEMORY_SHARE = 0.2
USABLE = 0.8
"""Of a volume: its file system takes the rest."""
PROBE_NS, PROBES = SECOND // 3, 3
"""How long, and how often: the best of them counts, for others on this machine come and go."""
WITHIN = 0.7
"""Share of what this machine serves that the busiest second of an interval may ask for."""

Measure = Callable[[Study], tuple[Session, Sequence[Run]]]


@dataclass(frozen=True)
class Measured:
    """One replay on one volume."""

    values: tuple[float, ...]
    """Of each bound."""
    why_not: str = ""
    """Why it says nothing, where the run was not valid."""


@dataclass(frozen=True)
class Served:
    """What the session measured."""

    session_id: str
    bought: tuple[Measured, ...]
    cheaper: tuple[Measured, ...]
    clauses: tuple[Clause, ...]
    space_bytes: int | None
    """What addresses were scaled to; None where they were not."""

    @property
    def holds(self) -> bool:
        """Whether one kept the objective, and the other broke it."""
        return self.is_valid and self.kept(self.bought) and not self.kept(self.cheaper)

    @property
    def is_valid(self) -> bool:
        """Whether all was measured that was to be."""
        return all(len(each) == ROUNDS and not any(run.why_not for run in each) for each in (self.bought, self.cheaper))

    def kept(self, measured: Sequence[Measured]) -> bool:
        """Whether the median of each bound's values keeps it."""
        columns = zip(*(each.values for each in measured), strict=True)
        return all(
            clause.holds(statistics.median(values)) for clause, values in zip(self.clauses, columns, strict=True)
        )


@dataclass(frozen=True)
class Record:
    """The trace, as far as it is replayed."""

    load: replay.Load
    device: str
    space_bytes: int
    sequential: bool

    @property
    def extent(self) -> int:
        """Behind the last byte that the trace used."""
        return self.load.devices[self.load.device(self.device)].extent

    @property
    def is_scaled(self) -> bool:
        """Whether addresses are."""
        return self.space_bytes < self.extent


def record(path: Path, device: str, found: Interval) -> Record:
    """What is replayed. Raises UsageError, TraceError for what cannot be."""
    load = replay.look_through(path)
    extent = load.devices[load.device(device)].extent
    free = float(min(memory_limit_bytes(), psutil.virtual_memory().available)) * MEMORY_SHARE
    smaller = min(found.bought.shape.size_bytes, found.cheaper.shape.size_bytes) * USABLE
    space = min(extent, SPACE, int(min(free, smaller)) // MIB * MIB)
    return Record(load, device, space, found.demand.sequential)


def why_not(found: Interval, asked: Record) -> str | None:
    """Why it cannot be served here, as the rest of a sentence; None where it can."""
    if asked.is_scaled and asked.sequential:
        return f"streams in more than {format_size(asked.space_bytes)} are none any more where they are scaled to that"
    try:
        most = _probe(found.bought.shape.options)
    except PlimsollError as error:
        return str(error)
    for wanted, served, unit in zip(found.highest, most, ("I/Os", "MiB"), strict=True):
        if wanted > WITHIN * served:
            scale = MIB if unit == "MiB" else 1
            asks, does = format_number(round(wanted / scale)), format_number(round(served / scale))
            return f"its busiest second asks for {asks} {unit}, and this machine serves {does} a second"
    return None


def _probe(options: Any) -> tuple[float, float]:
    """I/Os and bytes per second of the volume that is recommended, served here without its limits."""
    request = lifecycle.VolumeRequest(
        name=f"proof-{os.getpid()}", options=options, backing="memory", keeper=current_owner()
    )
    volume = lifecycle.create(request)
    try:
        control.ask(volume.folder, {"command": "bypass", "on": True})
        device = Path(volume.device)
        small, large = (max(_rate(device, size) for _ in range(PROBES)) for size in (4 * KIB, 256 * KIB))
        return small, large * 256 * KIB
    finally:
        lifecycle.delete(volume.name, force=True)


def _rate(device: Path, size: int) -> float:
    """Random reads per second."""
    given = {"mode": "randread", "block_size": f"{size}B", "depth": "32", "size": "1GiB", "layout": "keep"}
    given |= {"runtime": f"{PROBE_NS}ns", "warmup": "0s", "drop_cache": "no"}
    values: Any = {**io_defaults(), **read_values("io", given, "the probe")}
    outcome = json.loads(local.start(local.job_spec(values, device)).result(None) or "{}")
    if outcome.get("status") != "ok":
        raise UsageError(f"a served volume could not be read: {(outcome.get('error') or {}).get('message')}")
    return float(outcome["operations"]["read"]["operations"] * SECOND / outcome["elapsed_ns"])


def study(found: Interval, asked: Record, title: str) -> Study:
    """The session that replays the interval."""
    how = replay.How(region=asked.space_bytes)
    begin, length = round(found.from_s * SECOND), round(found.length_s * SECOND)
    shared = replay.parameters(asked.load, asked.device, how)
    shared = replay.part(shared, begin, length, round(float((found.demand.reads + found.demand.writes).sum())))
    places = [_place(BOUGHT, found.bought), _place(CHEAPER, found.cheaper)]
    given = {"title": title, "repeats": ROUNDS, "interleave": "blocks", "noisy_host": True, "baseline": CHEAPER}
    return replace(studies.chosen(["replay"], places, {}, given), shared=shared)


def _place(name: str, side: Side) -> str:
    """The volume as a target whose every run begins with what the day left."""
    words = {**side.shape.options, "restart": "yes", "backing": "memory"}
    if side.levels:
        words["levels"] = levels_text(side.levels)
    return f"{name}=vol:" + ",".join(f"{option}={value}" for option, value in words.items())


def served(found: Interval, asked: Record, clauses: Sequence[Clause], title: str, measure: Measure) -> Served:
    """The session, and what it says of the objective."""
    replay.keep(asked.load)
    session, runs = measure(study(found, asked, title))
    told = {
        name: tuple(_measured(run, clauses) for run in runs if run.target.name == name) for name in (BOUGHT, CHEAPER)
    }
    scaled = asked.space_bytes if asked.is_scaled else None
    return Served(session.id, told[BOUGHT], told[CHEAPER], tuple(clauses), scaled)


def _measured(run: Run, clauses: Sequence[Clause]) -> Measured:
    parts = [decode(run.histograms[kind]) for kind in ("read", "write") if kind in run.histograms]
    if run.status is not RunStatus.OK or not parts:
        return Measured((), run.reason or f"a run was {run.status.value}")
    latency = add(parts)
    return Measured(tuple(_value(latency, each.metric) for each in clauses))


def _value(latency: Histogram, metric: str) -> float:
    if metric == "mean":
        return float(latency.mean or 0.0)
    if metric == "max":
        return float(latency.max or 0)
    return float(latency.percentile(float(metric.removeprefix("p"))) or latency.max or 0)
