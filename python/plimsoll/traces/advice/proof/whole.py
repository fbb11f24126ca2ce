"""The proof of an advice: by volumes served here where that is possible, else by simulation, and why."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.errors import PlimsollError, UsageError
from plimsoll.prices.cost import cost
from plimsoll.simulation.grid import grid
from plimsoll.traces.advice.families import Family, Standing
from plimsoll.traces.advice.proof import served as serving
from plimsoll.traces.advice.proof.interval import Interval, interval
from plimsoll.traces.advice.proof.served import Measure
from plimsoll.traces.advice.proof.shown import Proof
from plimsoll.traces.advice.whole import Advice
from plimsoll.units import SECOND, format_duration, format_estimate

STEPS = (0.97, 0.9, 0.75, 0.5)
"""What is left of what one step less did not show clearly."""
OVERHEAD = 1.5
"""Making volumes and files on top of the replays."""


def prove(advice: Advice, path: Path | None, tell: Callable[[str], None], measure: Measure) -> Proof:
    """The proof of what is recommended for an even load; `path` is a trace. Raises UsageError without an advice."""
    best = advice.best
    if best is None or best.shape is None:
        raise UsageError("--prove: no volume carries this load, so that there is nothing to prove")
    proof = _expected(advice, best, best.shape)
    if proof.interval is None:
        return proof
    if why := _unrecorded(advice, path):
        return replace(proof, why_simulated=why)
    assert path is not None
    return _tried(advice, proof, proof.interval, path, tell, measure)


def _tried(
    advice: Advice, proof: Proof, found: Interval, path: Path, tell: Callable[[str], None], measure: Measure
) -> Proof:
    try:
        asked = serving.record(path, advice.series.name, found)
        why = serving.why_not(found, asked)
    except PlimsollError as error:
        return replace(proof, why_simulated=str(error))
    if why is not None:
        return replace(proof, why_simulated=why)
    length = format_duration(round(found.length_s) * SECOND)
    takes = format_estimate(2 * serving.ROUNDS * (found.length_s + 1) * OVERHEAD * SECOND)
    tell(
        f"proof: {length} of the load, from {beginning(advice, found)} on, {serving.ROUNDS} times on each of two "
        f"served volumes, in turns; about {takes}"
    )
    title = f"proof: {found.bought.shape.one} and {found.cheaper.shape.one}"
    return replace(proof, served=serving.served(found, asked, advice.clauses, title, measure))


def beginning(advice: Advice, found: Interval) -> str:
    """When an interval begins: `14:03:10`, or `70 s after the start`."""
    series = advice.series
    if not series.dated:
        return f"{format_duration(round(found.from_s) * SECOND)} after the start"
    zone = f" {series.zone}" if series.zone else ""
    return f"{datetime.fromtimestamp(series.start_s + found.from_s, UTC):%Y-%m-%d %H:%M:%S}{zone}"


def _unrecorded(advice: Advice, path: Path | None) -> str:
    """Why the load cannot be replayed; empty where it can."""
    if path is None:
        return "monitoring has sums and no single I/Os, which could be replayed"
    if advice.asked.headroom:
        return "the load with --headroom was not recorded"
    return ""


def _expected(advice: Advice, best: Family, bought: VolumeShape) -> Proof:
    """What simulation says, of the dearest cheaper volume that fails clearly."""
    demand = advice.demand.scaled(1 + advice.asked.headroom)
    first: VolumeShape | None = None
    found: Interval | None = None
    for shape in _cheaper(advice, best, bought):
        first = first or shape
        seen = interval(bought, shape, demand, advice.clauses, advice.size_bytes)
        if seen is not None and seen.is_clear:
            found = seen
            break
        if seen is not None and (found is None or seen.margin > found.margin):
            found = seen
    return Proof(bought, found.cheaper.shape if found else first, found)


def _cheaper(advice: Advice, best: Family, bought: VolumeShape) -> Iterator[VolumeShape]:
    """Volumes that cost less and fail: one step less of the same family, and several; else the dearest of others."""
    if best.cheaper is not None:
        yield best.cheaper.shape
        yield from _steps(advice, best, bought, best.cheaper.shape)
        return
    money = best.usd_per_month or 0.0
    others = [(price, shape) for price, shape in _others(advice) if price < money]
    if others:
        yield max(others, key=lambda each: each[0])[1]


def _steps(advice: Advice, best: Family, bought: VolumeShape, less: VolumeShape) -> Iterator[VolumeShape]:
    """Less and less of what the volume one step below has less of."""
    for name in ("iops", "throughput", "size"):
        text = bought.options.get(name, "")
        if text == less.options.get(name, ""):
            continue
        number, unit = float(text.removesuffix("GiB")), "GiB" if name == "size" else ""
        for step in STEPS:
            try:
                shape = volume_shape({**bought.options, name: f"{round(number * step)}{unit}"}, best.name)
            except UsageError:
                continue
            price = cost(shape, advice.asked.region).volume_per_month
            if shape.size_bytes >= advice.size_bytes and price is not None and price < (best.usd_per_month or 0.0):
                yield shape


def _others(advice: Advice) -> Iterator[tuple[float, VolumeShape]]:
    """The least volume of each family of which none is enough, with its price."""
    for each in advice.even:
        if each.standing is not Standing.FAILS:
            continue
        try:
            least = grid(each.name, {"size": f"{advice.size_bytes}B"}).least
        except UsageError:
            # It is not sold so large.
            continue
        if (price := cost(least, advice.asked.region).volume_per_month) is not None:
            yield price, least
