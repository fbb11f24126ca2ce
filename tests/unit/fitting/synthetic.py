"""Runs of a volume whose numbers are known: seconds at a rate, and log-normal latencies."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Sequence

import numpy as np
from hdrh.histogram import HdrHistogram
from tests.factories import START_NS, make_plan

from plimsoll.model import Interval, IntervalOperations, Run, RunStatus, Target
from plimsoll.units import SECOND

_numbers = itertools.count()


def histogram(values_ns: Sequence[float]) -> bytes:
    """As a run stores it."""
    found = HdrHistogram(1, 3_600 * SECOND, 3)
    for value, count in zip(*np.unique(np.round(values_ns, -2).astype(int), return_counts=True), strict=True):
        found.record_value(int(value), int(count))
    return base64.b64decode(found.encode())


def latencies(
    seed: int, median_ns: float, sigma: float, *, floor_ns: float = 0, tail: tuple[float, float, float] = (0, 1, 0)
) -> Sequence[float]:
    """Four thousand I/Os of the model of `crates/volume`."""
    random = np.random.default_rng(seed)
    body = np.maximum(floor_ns, median_ns * np.exp(sigma * random.standard_normal(4000)))
    share, tail_ns, tail_sigma = tail
    slow = random.random(4000) < share
    found: Sequence[float] = np.where(slow, tail_ns * np.exp(tail_sigma * random.standard_normal(4000)), body).tolist()
    return found


def run(
    case: str,
    rates: Sequence[float],
    *,
    where: str = "vol:type=gp3,size=100GiB",
    values_ns: Sequence[float] = (),
    waited: str = "",
    options: dict[str, str] | None = None,
) -> Run:
    """A valid run with one rate per second; `waited` is the bucket that I/Os waited for, where that was counted."""
    plan = make_plan(case)
    kind = "write" if "write" in case else "read"
    number = next(_numbers)
    device = {
        f"waited_ns.{bucket}": float(SECOND) * (bucket == waited) for bucket in ("volume.iops", "volume.throughput")
    }
    started = START_NS + number * 1000 * SECOND
    length = len(rates) * SECOND
    return Run(
        id=f"run{number}", session_id="s", block=number, order=0,
        target=Target(name="v", kind="volume" if where.startswith("vol:") else "directory", where=where,
                      options=options or {}),
        plan=plan, started_ns=started, ended_ns=started + 3 * SECOND + length, status=RunStatus.OK,
        intervals=tuple(
            Interval(
                start_ns=second * SECOND, duration_ns=SECOND, errors=0,
                operations={kind: IntervalOperations(operations=round(rate), bytes=0, p50_ns=1, p99_ns=1, max_ns=1)},
                device=device if waited else {}, cpu={"busy": 0.1, "steal": 0.0},
            )
            for second, rate in enumerate(rates)
        ),
        histograms={kind: histogram(values_ns)} if len(values_ns) else {},
        facts={"phases": {"warmup_ns": 3 * SECOND, "measure_ns": length, "layout_bytes": 0}},
    )  # fmt: skip
