"""Demand that nobody could see: while a device is saturated, counters show what it did, not what was asked of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from plimsoll.catalog.limits import Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.traces.demand import Demand
from plimsoll.traces.flow import Meter, flow
from plimsoll.traces.series import Flags, Floats, Series
from plimsoll.units import SECOND

AT_LIMIT = 0.97
"""From this share of a limit on, and as far above it, a period counts as saturated: a stored second comes on top."""
PLATEAU = 0.02
"""Rates within this share of each other's middle are one plateau."""
NEARLY = 0.1
"""Quick periods within this share of a plateau show that its rate alone slows nothing."""
QUICK = 0.1
"""A device that is saturated most of the time still has this share of quick periods."""
RAISED = 4.0
"""Latency is so many times the usual one where a device is saturated."""
ALWAYS = 0.9
"""A saturated device has at least one I/O in flight nearly all the time."""
FEWEST = 3
"""Periods that make a plateau."""


@dataclass(frozen=True)
class Hidden:
    """Periods in which the device was saturated."""

    share: float
    """Of the observed time."""
    by: str
    """What shows it: `its volume IOPS of 3,000/s`, `a plateau at 3,010/s with 12 times the usual latency`."""


def hidden(series: Series, demand: Demand, current: VolumeShape | None) -> Hidden | None:
    """None where nothing says that the device was saturated."""
    found = None if current is None else _at_limits(series, demand, current)
    return found or on_plateau(series)


def _at_limits(series: Series, demand: Demand, current: VolumeShape) -> Hidden | None:
    best: Hidden | None = None
    for meter in flow(current, demand).meters:
        rates = meter.taken / meter.seconds
        # A stored second is no saturation: beyond the limit, I/Os must have had to wait as well.
        at = (rates >= AT_LIMIT * meter.rate) & ((rates <= meter.rate / AT_LIMIT) | (meter.waits_s > 0))
        if meter.name.endswith("_credits"):
            at &= rates <= meter.rate / AT_LIMIT
        at &= _slow(series, at, current)
        if (share := float(at.mean())) > 0 and (best is None or share > best.share):
            best = Hidden(share, f"its {_words(meter, current)}")
    return best


def _slow(series: Series, at: Flags, current: VolumeShape) -> Flags:
    """A load may be as high as a limit, and wait for nothing: only a raised latency tells.

    It is raised over what other periods have, or, where all others are idle, over what the volume has by itself. Where
    nobody counted it, few periods prove nothing.
    """
    from plimsoll.traces.advice.wanted import own_ns

    latency = _latency(series)
    if latency is None:
        return np.full(len(at), int(at.sum()) >= FEWEST)
    others = latency[~at & (latency > 0)]
    usual = float(np.median(others)) if len(others) else own_ns(current) / SECOND
    return np.asarray(latency >= RAISED * usual)


def _latency(series: Series) -> Floats | None:
    """Mean latency by observed period; 0 where it was idle."""
    if series.waited_s is None:
        return None
    operations = series.operations[series.observed]
    return np.asarray(series.waited_s[series.observed] / np.maximum(operations, 1.0))


def on_plateau(series: Series) -> Hidden | None:
    """Without the volume's limits: a rate that most slow periods share, and that quick ones do not have."""
    latency = _latency(series)
    if latency is None:
        return None
    queued = latency * series.operations[series.observed] / series.period_s >= ALWAYS
    for values, unit in ((series.operations, "1/s"), (series.bytes, "B/s")):
        rates = values[series.observed] / series.period_s
        if found := _plateau(rates, latency, queued, unit):
            return found
    return None


def _plateau(rates: Floats, latency: Floats, queued: Flags, unit: str) -> Hidden | None:
    from plimsoll.units import format_value

    busy = (rates > 0) & (latency > 0)
    if not busy.any():
        return None
    # Most periods may be slow. The highest rate counts by itself: a stored second is done at once.
    tenth = float(np.quantile(latency[busy], QUICK, method="lower"))
    usual = min(tenth, float(latency[np.where(busy, rates, 0.0).argmax()]))
    slow = busy & (latency >= RAISED * usual)
    quick = busy & ~slow
    slow &= queued
    if not slow.any():
        return None
    top = float(np.median(rates[slow]))
    off = np.abs(rates / top - 1)
    at = slow & (off <= PLATEAU)
    if at.sum() < max(FEWEST, slow.sum() / 2) or (quick & (off <= NEARLY)).sum() >= quick.sum() / 2:
        return None
    times = float(np.median(latency[at]) / np.median(latency[quick]))
    return Hidden(float(at.mean()), f"a plateau at {format_value(top, unit)} with {times:.0f} times the usual latency")


def _words(meter: Meter, current: VolumeShape) -> str:
    from plimsoll.catalog.waits import party
    from plimsoll.units import format_value

    who, _, what = meter.name.partition(".")
    limits = current.limits if who == "volume" else current.instance_limits
    rate: Rate | None = limits.iops if what.startswith("iops") else limits.throughput
    unit = "1/s" if what.startswith("iops") else "B/s"
    level = rate.sustained if rate is not None and what.endswith("_credits") else meter.rate
    limit, comma, credits = party(meter.name).partition(",")
    return f"{limit} of {format_value(float(level), unit)}{comma}{credits}"
