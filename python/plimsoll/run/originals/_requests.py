"""Requests that an original made, in the form of the core's outcome: totals, histograms, and one interval for all."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass

from plimsoll.model import Run
from plimsoll.run.outcome import Found, KindInInterval
from plimsoll.stats.histogram import decode


@dataclass(frozen=True)
class Requests:
    """All requests of one kind."""

    operations: int
    moved_bytes: int
    mean_ns: float | None = None
    histogram: bytes | None = None


def score_of(run: Run, metric: str) -> float | None:
    """A score that the importer read."""
    return next((score.value for score in run.scores if score.metric == metric), None)


def outcome_of(found: Mapping[str, Requests], elapsed_ns: int, blocking: tuple[str, ...]) -> Found:
    """Parts of the outcome; `elapsed_ns` is the measured time.

    Requests of the kinds `blocking` were in flight for their latency: the others are parts of these.
    """
    sums = {kind: round((each.mean_ns or 0.0) * each.operations) for kind, each in found.items()}
    elapsed_ns = max(1, elapsed_ns)
    return {
        "elapsed_ns": elapsed_ns,
        "operations": {
            kind: {
                "operations": each.operations,
                "bytes": each.moved_bytes,
                "errors": 0,
                "latency_sum_ns": sums[kind],
            }
            for kind, each in found.items()
        },
        "histograms": {
            kind: base64.b64encode(each.histogram).decode() for kind, each in found.items() if each.histogram
        },
        "intervals": [
            {
                "start_ns": 0,
                "duration_ns": elapsed_ns,
                "errors": 0,
                "operations": {kind: _in_interval(each) for kind, each in found.items()},
            }
        ],
        "mean_in_flight": sum(sums[kind] for kind in blocking if kind in sums) / elapsed_ns,
    }


def _in_interval(each: Requests) -> KindInInterval:
    seen = decode(each.histogram) if each.histogram else None
    at = [seen.percentile(percent) if seen else None for percent in (50, 99)]
    return {
        "operations": each.operations,
        "bytes": each.moved_bytes,
        "p50_ns": round(at[0] or 0),
        "p99_ns": round(at[1] or 0),
        "max_ns": round(seen.max or 0) if seen else 0,
    }


def run_length_ns(run: Run, elapsed_ns: int) -> int:
    """The measured time as the tool tells it; else that of the whole program."""
    return run.ended_ns - run.started_ns or elapsed_ns
