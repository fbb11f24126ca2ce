"""What a series of repeated runs looks like, and whether it can be believed to be repetitions of one thing.

A verdict treats the scores of a target as independent draws from one distribution. Five ways in which they are not are
looked for, on logarithms, each so that 1 of 100 honest series is called one: a trend, a step, two groups, a first run
unlike the others, and neighbours that resemble each other. `repeat_values` makes the critical values.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from plimsoll.model import Unit
from plimsoll.stats.carryover import BoolArray, drift, may_drift
from plimsoll.stats.policy import RESOLUTION
from plimsoll.stats.student_t import FloatArray, quantile
from plimsoll.units import format_number, format_value

LEVEL = 0.01
"""Probability of calling a series of independent runs one of these, each."""

SMALLEST_TOLD = math.log(1.05)
"""Log ratio: steps, groups and first runs that differ by less than 5 % are not worth a word."""

FEWEST_PER_SIDE = 3
"""Runs on either side of a step, and in either group: two could be two outliers."""

FEWEST_FOR_FIRST = 4
"""Runs without which nothing can be said of the first one."""

FEWEST_FOR_SERIAL = 10

SIZES = (6, 7, 8, 9, 10, 12, 15, 20, 30, 50, 100)
"""Lengths with critical values of their own; those of the next shorter length are never too lax."""


class Critical(NamedTuple):
    """What is exceeded (for `serial`: undercut) by 1 of 100 series without anything in them."""

    step: float
    groups: float
    serial: float


CRITICAL = {
    6: Critical(step=0.8876, groups=0.9703, serial=0.6286),
    7: Critical(step=0.8662, groups=0.9678, serial=0.6071),
    8: Critical(step=0.8358, groups=0.9596, serial=0.6429),
    9: Critical(step=0.7936, groups=0.9506, serial=0.6833),
    10: Critical(step=0.7565, groups=0.9422, serial=0.7152),
    12: Critical(step=0.6804, groups=0.9278, serial=0.8042),
    15: Critical(step=0.5828, groups=0.9103, serial=0.9000),
    20: Critical(step=0.4720, groups=0.8899, serial=1.0180),
    30: Critical(step=0.3515, groups=0.8657, serial=1.1826),
    50: Critical(step=0.2543, groups=0.8401, serial=1.3579),
    100: Critical(step=0.1590, groups=0.8143, serial=1.5403),
}


class PatternKind(StrEnum):
    """What may be wrong with a series of repeated runs."""

    TREND = "trend"
    STEP = "step"
    GROUPS = "two groups"
    FIRST = "first run"
    SERIAL = "dependence"


@dataclass(frozen=True, slots=True)
class Pattern:
    """One way in which a series is not a set of independent repetitions."""

    kind: PatternKind
    text: str
    effect: float
    """Log ratio of what is told: last to first, after to before, upper to lower group, first to the others; for
    dependence the correlation of neighbours."""
    runs: int
    """Length of the series."""
    at: int | None = None
    """Index of the first run after a step."""


def patterns(
    values: Sequence[float],
    *,
    ordered: bool = True,
    unit: Unit = "1",
    suspected: Collection[PatternKind] = tuple(PatternKind),
) -> tuple[Pattern, ...]:
    """What is wrong with positive scores in `unit`, one per run as they ran (`ordered`: the order is known).

    A step and a trend are explanations of the same thing, so the better one is given; neighbours that resemble each
    other are only told where neither explains it, and so are two groups, which a step makes. Only what is `suspected`,
    as `suspects` says of many series, is looked for.
    """
    logs = np.log(np.asarray(values, dtype=np.float64))
    if not ordered:
        return tuple(filter(None, [_groups(logs, unit)]))
    first = _first(logs) if PatternKind.FIRST in suspected else None
    moved = _moved(logs, suspected)
    found = [first, moved]
    if moved is None:
        found += [_groups(logs, unit)] if PatternKind.GROUPS in suspected else []
        found += [_serial(logs)] if PatternKind.SERIAL in suspected else []
    return tuple(each for each in found if each is not None)


def split_share(rows: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Share of the variance of each row that its best single split explains, and the index of that split.

    `rows` has shape (series, runs); both sides have at least FEWEST_PER_SIDE values. Constant rows have share 0.
    """
    count = rows.shape[1]
    splits = np.arange(FEWEST_PER_SIDE, count - FEWEST_PER_SIDE + 1)
    centred = rows - rows.mean(axis=1, keepdims=True)
    total = (centred**2).sum(axis=1)
    left = np.cumsum(centred, axis=1)[:, splits - 1]
    # The values are centred, so the right side sums to the opposite of the left one.
    gains = left**2 * count / (splits * (count - splits))
    best = gains.argmax(axis=1)
    largest = gains[np.arange(len(rows)), best]
    return np.divide(largest, total, out=np.zeros_like(total), where=total > 0), splits[best]


def serial_share(rows: FloatArray) -> FloatArray:
    """Ratio of von Neumann on the ranks of each row (Bartels 1982): about 2 without dependence, less with it."""
    ranks = rows.argsort(axis=1, kind="stable").argsort(axis=1, kind="stable").astype(np.float64)
    centred = ranks - ranks.mean(axis=1, keepdims=True)
    ratio: FloatArray = (np.diff(ranks, axis=1) ** 2).sum(axis=1) / (centred**2).sum(axis=1)
    return ratio


def suspects(rows: FloatArray) -> list[frozenset[PatternKind]]:
    """What `patterns` may find in each row of logs, shape (series, runs).

    The same tests for many series at once, without their words: what makes a thousand of them cheap.
    """
    found = [(PatternKind.TREND, may_drift(rows)), (PatternKind.FIRST, _first_unlike(rows))]
    limits = _critical(rows.shape[1])
    if limits is not None:
        found += [(PatternKind.STEP, split_share(rows)[0] > limits.step)]
        found += [(PatternKind.GROUPS, _apart(np.sort(rows, axis=1), limits))]
    if limits is not None and rows.shape[1] >= FEWEST_FOR_SERIAL:
        found += [(PatternKind.SERIAL, serial_share(rows) < limits.serial)]
    told: list[set[PatternKind]] = [set() for _ in rows]
    for kind, where in found:
        for row in np.flatnonzero(where):
            told[row].add(kind)
    return [frozenset(each) for each in told]


def _apart(ranked: FloatArray, limits: Critical) -> BoolArray:
    """Rows of ranked logs that fall into two groups, each nearer to its own than to the other."""
    share, split = split_share(ranked)
    found: BoolArray = share > limits.groups
    for row in np.flatnonzero(found):
        found[row] = _distance(ranked[row], int(split[row])) is not None
    return found


def _distance(ranked: FloatArray, at: int) -> float | None:
    """From the mean of the lower group, which ends before `at`, to that of the upper one; None where they are one."""
    apart = float(ranked[at:].mean() - ranked[:at].mean())
    # Of two groups the nearest members are apart too: a long tail is none.
    between = float(ranked[at] - ranked[at - 1])
    return None if apart < SMALLEST_TOLD or between < apart / 3 else apart


def _first_unlike(rows: FloatArray) -> BoolArray:
    """Rows whose first value is no draw from the distribution of the others (Student)."""
    rest = rows[:, 1:]
    count = rest.shape[1]
    if count + 1 < FEWEST_FOR_FIRST:
        return np.zeros(len(rows), dtype=bool)
    away = np.abs(rows[:, 0] - rest.mean(axis=1))
    spread = np.maximum(rest.std(axis=1, ddof=1), RESOLUTION) * math.sqrt(1 + 1 / count)
    unlike: BoolArray = (away >= SMALLEST_TOLD) & (away > quantile(1 - LEVEL / 2, count - 1) * spread)
    return unlike


def _critical(count: int) -> Critical | None:
    known = [size for size in SIZES if size <= count]
    return CRITICAL[known[-1]] if known else None


def _moved(logs: FloatArray, suspected: Collection[PatternKind]) -> Pattern | None:
    """A trend or a step, whichever explains more."""
    trend = _trend(logs) if PatternKind.TREND in suspected else None
    step = _step(logs) if PatternKind.STEP in suspected else None
    if trend is None or step is None:
        return trend or step
    x = np.arange(len(logs)) - (len(logs) - 1) / 2
    centred = logs - logs.mean()
    by_line = float((x * centred).sum() ** 2 / (x * x).sum() / (centred**2).sum())
    return trend if by_line >= float(split_share(logs[None, :])[0][0]) else step


def _trend(logs: FloatArray) -> Pattern | None:
    change = drift(logs.tolist())
    if change is None:
        return None
    word = "rose" if change > 0 else "fell"
    text = f"the scores {word} by {_percent(change)} over {len(logs)} runs"
    return Pattern(PatternKind.TREND, text, change, len(logs))


def _step(logs: FloatArray) -> Pattern | None:
    limits = _critical(len(logs))
    if limits is None:
        return None
    share, split = split_share(logs[None, :])
    at = int(split[0])
    change = float(logs[at:].mean() - logs[:at].mean())
    if float(share[0]) <= limits.step or abs(change) < SMALLEST_TOLD:
        return None
    word = "higher" if change > 0 else "lower"
    text = f"from run {at + 1} of {len(logs)} on, the scores are {_percent(change)} {word} than before"
    return Pattern(PatternKind.STEP, text, change, len(logs), at)


def _groups(logs: FloatArray, unit: Unit) -> Pattern | None:
    limits = _critical(len(logs))
    if limits is None:
        return None
    ranked = np.sort(logs)
    share, split = split_share(ranked[None, :])
    lower, upper = ranked[: int(split[0])], ranked[int(split[0]) :]
    apart = _distance(ranked, int(split[0])) if float(share[0]) > limits.groups else None
    if apart is None:
        return None
    low, high = math.exp(float(lower.mean())), math.exp(float(upper.mean()))
    text = (
        f"the runs fall into two groups: {len(lower)} near {format_value(low, unit)} and {len(upper)} near "
        f"{format_value(high, unit)}, {_percent(apart)} apart"
    )
    return Pattern(PatternKind.GROUPS, text, apart, len(logs))


def _first(logs: FloatArray) -> Pattern | None:
    """The first run against the prediction from the others."""
    if not _first_unlike(logs[None, :])[0]:
        return None
    away = float(logs[0] - logs[1:].mean())
    word = "higher" if away > 0 else "lower"
    text = f"the first of {len(logs)} runs is {_percent(away)} {word} than the others"
    return Pattern(PatternKind.FIRST, text, away, len(logs))


def _serial(logs: FloatArray) -> Pattern | None:
    limits = _critical(len(logs))
    if limits is None or len(logs) < FEWEST_FOR_SERIAL or not float(np.ptp(logs)):
        return None
    if float(serial_share(logs[None, :])[0]) >= limits.serial:
        return None
    centred = logs - logs.mean()
    lag = float((centred[1:] * centred[:-1]).sum() / (centred**2).sum())
    worth = max(1.0, len(logs) * (1 - lag) / (1 + lag))
    text = (
        f"neighbouring runs resemble each other (correlation {lag:.2f}): {len(logs)} runs are worth about {worth:.0f}"
    )
    return Pattern(PatternKind.SERIAL, text, lag, len(logs))


def _percent(log_change: float) -> str:
    """How far from 0: +25 % up, but −20 % down, as in "lower by 20 %"."""
    percent = 100 * abs(math.expm1(log_change))
    return f"{format_number(float(f'{percent:.2g}'))} %"
