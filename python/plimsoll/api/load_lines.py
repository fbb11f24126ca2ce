"""The load line of a target as numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from plimsoll.report.load_line_search import LoadLineSearch
from plimsoll.report.sections.load_line import about
from plimsoll.stats.student_t import FloatArray


@dataclass(frozen=True, eq=False)
class LoadLine:
    """How throughput and latency follow the load on one target. The arrays have one shape, (n,), one item per load."""

    target: str
    parameter: str
    """What the load is: clients, depth, threads or rate."""
    unit: str
    """Of the throughput: `1/s` or `B/s`."""
    loads: FloatArray
    throughput: FloatArray
    """In `unit`."""
    p50_ns: FloatArray
    p99_ns: FloatArray
    """Typical over the runs at that load; NaN where they are too short for it."""
    knee: float | None
    """The load at which throughput stops growing; None where the runs do not show that of the place."""
    knee_low: float | None
    knee_high: float | None
    """Its 95 % interval."""
    peak_load: float | None
    peak_throughput: float | None
    """The highest throughput, and the load that it was measured at."""
    objective: str | None
    """Such as `p99<5ms`."""
    largest_load: float | None
    """The largest load that meets the objective, confirmed by fresh runs; None where none does, or none was asked."""
    client_limited: bool
    """The client was at its limit, so that nothing is known of the place."""
    sentences: tuple[str, ...]
    """What reports say of it."""

    def __repr__(self) -> str:
        knee = "no knee shown" if self.knee is None else f"knee at {self.parameter}={self.knee:g}"
        return f"<LoadLine of {self.target}: {len(self.loads)} loads, {knee}>"


def load_line_of(found: LoadLineSearch) -> LoadLine:
    """What a search found, or what imported runs at several loads say."""
    line = found.line
    bend = line.bend if found.shows_knee else None
    met = line.met if line.met and line.met.met and not line.met.against else None
    return LoadLine(
        target=found.label,
        parameter=found.request.parameter,
        unit=found.unit,
        loads=np.array([level.load for level in line.levels]),
        throughput=np.array([level.throughput.value for level in line.levels]),
        p50_ns=_known([level.p50_ns for level in line.levels]),
        p99_ns=_known([level.p99_ns for level in line.levels]),
        knee=bend.knee if bend else None,
        knee_low=bend.low if bend else None,
        knee_high=bend.high if bend else None,
        peak_load=line.peak.load if line.peak else None,
        peak_throughput=line.peak.throughput.value if line.peak else None,
        objective=line.objective.text if line.objective else None,
        largest_load=met.load if met else None,
        client_limited=line.client_limited,
        sentences=tuple(each.text for each in about(found)),
    )


def _known(values: list[float | None]) -> FloatArray:
    return np.array([math.nan if value is None else value for value in values])
