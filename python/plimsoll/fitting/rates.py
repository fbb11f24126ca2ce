"""Limits from the plateaus that they hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from plimsoll.catalog.limits import Rate
from plimsoll.catalog.shape import VolumeShape
from plimsoll.fitting.number import FEWEST, Number, of_runs
from plimsoll.fitting.plateaus import Held, Level, Plateau

ACCURACY = 0.01
"""Rates are not known better: a second of a run is not one of the volume (docs/speed.md holds served ones to it)."""


def limit(name: Held, held: Sequence[Plateau], shape: VolumeShape) -> list[Number]:
    """What plateaus that one limit holds show of it: its rate, and its baseline where it has credits."""
    rates = [(each, charged) for each in held if (charged := each.charged(shape, name)) is not None]
    if not rates:
        return []
    published: Rate | None = getattr(shape.limits, name.value)
    fell = any(each.level is Level.REST for each, _ in rates)
    if not fell and (published is None or published.baseline is None):
        return [number for number in [_mean(name.value, rates)] if number is not None]
    border = _border(rates, published)
    high = _mean(name.value, [each for each in rates if each[1] >= border])
    low = _mean(f"{name.value}_baseline", [each for each in rates if each[1] < border])
    return [each for each in (high, low) if each is not None]


def _border(rates: Sequence[tuple[Plateau, float]], published: Rate | None) -> float:
    """Between the burst and the baseline: what falls inside a run tells it, else what the provider says."""
    rest = [rate for each, rate in rates if each.level is Level.REST]
    burst = [rate for each, rate in rates if each.level is Level.BURST]
    if rest and burst:
        return math.sqrt(max(rest) * min(burst))
    if published is None or published.baseline is None:
        return math.inf
    return math.sqrt(published.rate * published.baseline)


def _mean(name: str, rates: Sequence[tuple[Plateau, float]]) -> Number | None:
    """By how the runs differ; by their seconds where there are fewer than three."""
    usable = [(each, rate) for each, rate in rates if math.isfinite(each.error)]
    if len(rates) >= FEWEST:
        return of_runs(name, [rate for _, rate in rates], ACCURACY)
    if not usable:
        return None
    value = math.exp(fmean(math.log(rate) for _, rate in usable))
    error = max(each.error for each, _ in usable)
    apart = max(abs(math.log(rate / value)) for _, rate in usable)
    half = 2 * error + 2 * apart + ACCURACY
    return Number(name, value, value * math.exp(-half), value * math.exp(half), len(usable))
