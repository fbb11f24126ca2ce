"""The score of one target over its blocks, and one score over many tests."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from plimsoll.errors import UsageError
from plimsoll.model import Direction, Unit
from plimsoll.stats.looks import estimate
from plimsoll.stats.policy import RESOLUTION, trim_count
from plimsoll.stats.repeats import Pattern, PatternKind, patterns, suspects
from plimsoll.stats.student_t import FloatArray, quantile

UNSTABLE_WORST = 0.8
"""A worst run below this share of the median makes a score unstable."""

OUTLIER_MADS = 5.0
OUTLIER_SHARE = 0.10
OUTLIER_LEAST = math.log(1.05)
OUTLIERS_FROM = 10
"""More than 10 % of runs beyond 5 (scaled) median absolute deviations and beyond 5 % make a score unstable. Below 10
runs the rule would call 5 to 20 % of normal samples unstable."""


@dataclass(frozen=True, slots=True)
class Summary:
    """One metric of one target over its valid runs, one run per block. Values in the unit of the metric."""

    runs: int
    value: float
    """exp of the 20 % trimmed mean of ln (of the mean below 6 runs)."""
    low: float | None
    high: float | None
    """95 % t interval; None for a single run."""
    minimum: float
    maximum: float
    median: float
    worst_share: float
    """How good the worst run is against the median: 0.8 means a fifth slower. At most 1."""
    variation: float | None
    """Run-to-run standard deviation of ln, close to the coefficient of variation; None for a single run."""
    unstable: bool
    """The trimmed mean hides bad tails on purpose; this says that there is one."""

    @property
    def half_width(self) -> float:
        """Half the width of the interval of ln; infinite for a single run."""
        return math.inf if self.low is None or self.high is None else math.log(self.high / self.low) / 2


def summarise(values: Sequence[float], direction: Direction) -> Summary:
    """The summary of positive scores, one per run."""
    return summaries([(values, direction)])[0]


def summaries(series: Sequence[tuple[Sequence[float], Direction]]) -> list[Summary]:
    """The summary of each set of positive scores; those of equally many runs are made together."""
    found: dict[int, Summary] = {}
    for indices, scores in by_length([values for values, _ in series]):
        if not scores.size or not (np.isfinite(scores) & (scores > 0)).all():
            raise UsageError("a summary needs at least one score, and scores above zero")
        found.update(zip(indices, _summaries(scores, [series[each][1] for each in indices]), strict=True))
    return [found[index] for index in range(len(series))]


def by_length(series: Sequence[Sequence[float]]) -> Iterable[tuple[list[int], FloatArray]]:
    """Indices of the series with equally many values, and these as rows of one array."""
    lengths: dict[int, list[int]] = defaultdict(list)
    for index, values in enumerate(series):
        lengths[len(values)].append(index)
    for length, indices in lengths.items():
        rows = np.array([series[each] for each in indices], dtype=np.float64)
        yield indices, rows.reshape(len(indices), length)


def _summaries(scores: FloatArray, directions: Sequence[Direction]) -> Iterator[Summary]:
    """Of an array with one row per series."""
    runs = scores.shape[1]
    logs = np.log(scores)
    several = estimate(logs) if runs > 1 else None
    centres = (several.trimmed if several else logs[:, 0]).tolist()
    reach = quantile(0.975, runs - 2 * trim_count(runs) - 1) if several else 0.0
    errors = several.trimmed_error.tolist() if several else centres
    variations = logs.std(axis=1, ddof=1).tolist() if several else centres
    ends = zip(scores.min(axis=1).tolist(), scores.max(axis=1).tolist(), _middles(scores).tolist(), strict=True)
    outliers = (_outlier_shares(logs) > OUTLIER_SHARE).tolist()
    for centre, error, variation, (minimum, maximum, median), tailed, direction in zip(
        centres, errors, variations, ends, outliers, directions, strict=True
    ):
        worst = minimum / median if direction == "higher" else median / maximum
        yield Summary(
            runs=runs,
            value=math.exp(centre),
            low=math.exp(centre - reach * error) if several else None,
            high=math.exp(centre + reach * error) if several else None,
            minimum=minimum,
            maximum=maximum,
            median=median,
            worst_share=worst,
            variation=variation if several else None,
            unstable=worst < UNSTABLE_WORST or tailed,
        )


def _middles(rows: FloatArray) -> FloatArray:
    """The median of each row."""
    half, odd = divmod(rows.shape[1], 2)
    ordered = np.sort(rows, axis=1)
    middles: FloatArray = ordered[:, half] if odd else (ordered[:, half - 1] + ordered[:, half]) / 2
    return middles


def _outlier_shares(logs: FloatArray) -> FloatArray:
    if logs.shape[1] < OUTLIERS_FROM:
        return np.zeros(len(logs))
    away = np.abs(logs - _middles(logs)[:, None])
    limits = np.maximum(OUTLIER_MADS * 1.4826 * _middles(away), OUTLIER_LEAST)
    shares: FloatArray = (away > limits[:, None]).mean(axis=1)
    return shares


@dataclass(frozen=True, slots=True)
class Level:
    """Runs in a row that lie around one value."""

    first: int
    """Index of the first of them."""
    runs: int
    value: float
    """exp of the trimmed mean of ln, as in a summary."""
    minimum: float
    maximum: float

    @property
    def last(self) -> int:
        """Index of the last of them."""
        return self.first + self.runs - 1


@dataclass(frozen=True, slots=True)
class Split:
    """What a set of runs shows that has no common score: levels where there are two, else only its range."""

    kind: PatternKind
    text: str
    """What was seen, as `repeats.patterns` says it."""
    runs: int
    minimum: float
    maximum: float
    levels: tuple[Level, ...]
    """Both sides of a step, or the first run and the others; empty for what has no levels in time."""


_UNTOLD = (PatternKind.STEP, PatternKind.TREND, PatternKind.GROUPS, PatternKind.SERIAL, PatternKind.FIRST)
"""What leaves a set without a common score, in the order in which it is said."""


def split(
    values: Sequence[float], *, ordered: bool = True, unit: Unit = "1", kinds: Sequence[PatternKind] = _UNTOLD
) -> Split | None:
    """Why positive scores, one per run as they ran, have no common one, as far as `kinds` say; None where they have."""
    return _split(values, patterns(values, ordered=ordered, unit=unit), kinds)


class Series(NamedTuple):
    """Positive scores of one metric, one per run."""

    values: Sequence[float]
    ordered: bool
    """Whether they stand as they ran."""
    unit: Unit


def splits(series: Sequence[Series]) -> list[Split | None]:
    """The `split` of each; that there is none in most of them is found for all that are equally long together."""
    found: dict[int, Split | None] = {}
    for indices, scores in by_length([each.values for each in series]):
        for index, suspected in zip(indices, suspects(np.log(scores)), strict=True):
            values, ordered, unit = series[index]
            seen = patterns(values, ordered=ordered, unit=unit, suspected=suspected) if suspected else ()
            found[index] = _split(values, seen, _UNTOLD)
    return [found[index] for index in range(len(series))]


def _split(values: Sequence[float], seen: Sequence[Pattern], kinds: Sequence[PatternKind]) -> Split | None:
    found = [pattern for pattern in seen if pattern.kind in kinds]
    if not found:
        return None
    told = min(found, key=lambda pattern: kinds.index(pattern.kind))
    at = told.at if told.kind is PatternKind.STEP else 1 if told.kind is PatternKind.FIRST else None
    parts = [] if at is None else [(0, values[:at]), (at, values[at:])]
    levels = tuple(
        Level(first, len(part), summarise(part, "higher").value, min(part), max(part)) for first, part in parts
    )
    return Split(told.kind, told.text, len(values), min(values), max(values), levels)


@dataclass(frozen=True, slots=True)
class SuiteScore:
    """Geometric mean of ratios over tests. Print it beside the worst test: it hides the spread."""

    ratio: float
    low: float
    high: float
    tests: int


def suite_score(estimates: Sequence[float], standard_errors: Sequence[float], degrees: Sequence[int]) -> SuiteScore:
    """Geometric mean of ratios given as logs, with a 95 % interval; the tests are taken as fixed, not as a sample.

    Mean of the logs; SE² = Σ SE²/T², with the degrees of freedom of Welch and Satterthwaite: three blocks of each test
    do not know their own noise well.
    """
    if not estimates or not len(estimates) == len(standard_errors) == len(degrees):
        raise UsageError("a suite score needs a standard error and its degrees for each of at least one estimate")
    tests = len(estimates)
    mean = math.fsum(estimates) / tests
    squares = [max(each, RESOLUTION) ** 2 for each in standard_errors]
    error = math.sqrt(math.fsum(squares)) / tests
    joint = math.fsum(squares) ** 2 / math.fsum(each**2 / nu for each, nu in zip(squares, degrees, strict=True))
    reach = quantile(0.975, max(1, math.floor(joint + 1e-9))) * error
    return SuiteScore(math.exp(mean), math.exp(mean - reach), math.exp(mean + reach), tests)
