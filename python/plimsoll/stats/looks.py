"""What the paired differences of many cells say at one look.

A cell is one comparison: one case, one metric, two targets. Its differences are log ratios, one per block. All arrays
here have one row per cell, so that ten thousand stored runs and twenty thousand simulated ones take the same path.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from plimsoll.stats.policy import RESOLUTION, Boundary, trim_count
from plimsoll.stats.student_t import FloatArray, upper_tail

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Estimates:
    """Mean and 20 % trimmed mean with their standard errors, one per cell. They are equal below 6 blocks."""

    mean: FloatArray
    mean_error: FloatArray
    trimmed: FloatArray
    trimmed_error: FloatArray


@dataclass(frozen=True, slots=True)
class Look:
    """Both tests at one look, one element per cell. Intervals are of the log ratio."""

    estimates: Estimates
    low: FloatArray
    high: FloatArray
    same_low: FloatArray
    same_high: FloatArray
    sign: IntArray
    """1 or -1 where the direction is decided, else 0."""
    same: BoolArray
    p_direction: FloatArray
    p_same: FloatArray
    contaminated: BoolArray
    """The mean lies outside the interval of the trimmed mean: a few blocks are far from the others."""


def estimate(differences: FloatArray) -> Estimates:
    """Mean with its t standard error, trimmed mean with the winsorised one of Yuen (1974).

    `differences` has shape (cells, blocks), blocks ≥ 2. Standard errors are at least `RESOLUTION`.
    """
    blocks = differences.shape[1]
    mean = differences.mean(axis=1)
    mean_error = np.maximum(differences.std(axis=1, ddof=1) / np.sqrt(blocks), RESOLUTION)
    trim = trim_count(blocks)
    if trim == 0:
        return Estimates(mean, mean_error, mean, mean_error)
    ordered = np.sort(differences, axis=1)
    kept = blocks - 2 * trim
    trimmed = ordered[:, trim : blocks - trim].mean(axis=1)
    ordered[:, :trim] = ordered[:, trim : trim + 1]
    ordered[:, blocks - trim :] = ordered[:, blocks - trim - 1 : blocks - trim]
    squares = ((ordered - ordered.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    trimmed_error = np.maximum(np.sqrt(squares / (kept * (kept - 1))), RESOLUTION)
    return Estimates(mean, mean_error, trimmed, trimmed_error)


def look(differences: FloatArray, boundary: Boundary, band: float) -> Look:
    """Both tests on the first `boundary.blocks` differences; `band` is the half-width of sameness as a log ratio.

    Each test looks at the mean and at the trimmed mean and takes the better of the two; the critical values pay for
    that. A direction is only given where both point the same way.
    """
    found = estimate(differences[:, : boundary.blocks])
    low, high, apart = _interval(found, boundary.c2, boundary.y2)
    same_low, same_high, same_apart = _interval(found, boundary.c1, boundary.y1)
    agree = found.mean * found.trimmed > 0
    sign = np.where(agree & (low > 0), 1, np.where(agree & (high < 0), -1, 0)).astype(np.int64)
    return Look(
        estimates=found,
        low=low,
        high=high,
        same_low=same_low,
        same_high=same_high,
        sign=sign,
        same=(same_low > -band) & (same_high < band),
        p_direction=2.0 * _decisive(_tails(found, boundary, np.abs(found.mean), np.abs(found.trimmed)), apart),
        p_same=np.maximum(
            _decisive(_tails(found, boundary, found.mean + band, found.trimmed + band), same_apart),
            _decisive(_tails(found, boundary, band - found.mean, band - found.trimmed), same_apart),
        ),
        contaminated=np.abs(found.mean - found.trimmed) > boundary.y2 * found.trimmed_error,
    )


def _interval(found: Estimates, c: float, y: float) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Intersection of the two intervals; where it is empty, what covers both, and that it does.

    The trimmed mean is at most √(g(n-1)/(n-g)) standard errors from the mean (g cut from each end of n): up to 20
    blocks that is 2.2, less than every critical value. With hundreds of blocks that lean to one side the two are
    known to be different things; then no claim rests on one of them alone.
    """
    ends = (
        (found.mean - c * found.mean_error, found.trimmed - y * found.trimmed_error),
        (found.mean + c * found.mean_error, found.trimmed + y * found.trimmed_error),
    )
    low, high = np.maximum(*ends[0]), np.minimum(*ends[1])
    apart = low > high
    return np.where(apart, np.minimum(*ends[0]), low), np.where(apart, np.maximum(*ends[1]), high), apart


def _decisive(tails: tuple[FloatArray, FloatArray], apart: BoolArray) -> FloatArray:
    """The smaller p of the two; the larger where the two intervals have nothing in common."""
    return np.where(apart, np.maximum(*tails), np.minimum(*tails))


def _tails(found: Estimates, at: Boundary, mean: FloatArray, trimmed: FloatArray) -> tuple[FloatArray, FloatArray]:
    """One-sided p of a shifted mean and trimmed mean."""
    by_mean = upper_tail(mean / found.mean_error, at.degrees)
    if at.trim == 0:
        return by_mean, by_mean
    return by_mean, upper_tail(trimmed / found.trimmed_error, at.trimmed_degrees)
