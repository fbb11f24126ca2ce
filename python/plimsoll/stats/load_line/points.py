"""One run as the load line sees it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from plimsoll.drivers import works_in_client
from plimsoll.errors import ResultFileError
from plimsoll.metrics import DATA_KINDS
from plimsoll.model import Level, Run, RunStatus, Score
from plimsoll.parameters import kind_of
from plimsoll.stats.course import whole_intervals
from plimsoll.stats.histogram import Histogram, merge
from plimsoll.stats.littles_law import residual
from plimsoll.stats.load_line.settled import Settled, settle
from plimsoll.stats.steady import classify
from plimsoll.units import SECOND

FACT = "load_line"
"""Key in a run's facts: `{"parameter", "load", "phase", "round"}` of a run that a search asked for, how many times
longer than usual it was (`longer`), and how long its place may give what it had stored (`stored_ns`)."""

STORED_NS = SECOND
"""What a place may give beyond what it carries after a rest, as time at that rate, where nobody said: volumes hold one
second."""
KEPT = 0.98
"""Share of a schedule that the steady part must show, where that is only a part of the run."""

CLIENT_GUARD = "client_cpu"
"""A search wants to see the client at its limit; for anything else such a run is invalid."""
CLIENT_LIMIT = 0.95
"""Busiest thread of the client, share of a processor: from here on the client is the limit."""
ALL_LIMIT = 0.85
"""All threads of the client, share of all its processors: the rest is what the kernel does for it, or the server."""


OUTLAST = 5.0
"""A run lasts at least so many times what may have been stored: a load a fifth above the limit has then used it up."""


class Phase(StrEnum):
    """Why a run was made."""

    RAMP = "ramp"
    ROUND = "round"
    OBJECTIVE = "objective"
    PEAK = "peak"
    KNEE = "knee"
    ANSWER = "answer"

    @property
    def fresh(self) -> bool:
        """Whether the run measures an answer that was found before it."""
        return self in (Phase.PEAK, Phase.KNEE, Phase.ANSWER)


@dataclass(frozen=True, slots=True)
class Point:
    """Load, throughput and latency of one run. A latency is None where the run is too short for it."""

    load: float
    phase: Phase
    round: int
    valid: bool
    throughput: float
    """First judged score that is better when higher, in its unit; 0 where the run has none."""
    mean_ns: float | None = None
    p50_ns: float | None = None
    p99_ns: float | None = None
    objective_ns: float | None = None
    """The percentile that the objective is about; infinite where a schedule was not kept."""
    overloaded: bool = False
    """A schedule was not kept: latency then says how long the run was."""
    client_limited: bool = False
    busiest_thread: float = 0.0
    all_processors: float = 0.0
    littles_law: float | None = None
    """X·R̄/N − 1."""
    longer: int = 1
    """How many times the usual length the run was asked to last."""
    lasted_ns: float = math.inf
    """Warm-up and measured part."""
    stored_ns: float = 0.0
    """How long the place may give what it had stored."""
    discarded: float = 0.0
    """Share of the measured part that was cut off its beginning: another rate than the rest."""
    steady: bool = True
    """False: the rate changed so late in the run that its last level is too short to be sure of."""

    @property
    def enough(self) -> bool:
        """Whether the run could outlast what may have been stored."""
        return self.lasted_ns >= OUTLAST * self.stored_ns


def newest(points: Sequence[Point]) -> list[Point]:
    """The points without those that were repeated because they had not settled, in their order."""
    longest: dict[tuple[float, Phase, int], int] = {}
    for point in points:
        key = (point.load, point.phase, point.round)
        longest[key] = max(longest.get(key, 0), point.longer)
    return [point for point in points if point.longer == longest[point.load, point.phase, point.round]]


def point_of(run: Run, percent: float | None) -> Point | None:
    """The point of a run that a search asked for, else None; `percent` (99.0) is that of the objective."""
    if (about := _about(run.facts.get(FACT))) is None:
        return None
    load, phase, number = about
    carried = throughput_of(run)
    part, whole_rate = _steady_part(run)
    throughput = carried.value * _share(part, whole_rate) if carried is not None else 0.0
    overloaded = _overloaded(run, part)
    latency = None if overloaded else _latency(run)
    rise = _lead_in(part, whole_rate)
    cpu = run.facts.get("cpu")
    used = cpu if isinstance(cpu, dict) else {}
    busiest, every = _number(used.get("busiest_thread")), _number(used.get("all_processors"))
    return Point(
        load=load,
        phase=phase,
        round=number,
        valid=_usable(run) and 0 < throughput < math.inf,
        throughput=throughput,
        mean_ns=latency.mean * _slower(run, part, whole_rate) if latency and latency.mean else None,
        p50_ns=latency.percentile(_rest(50.0, rise)) if latency else None,
        p99_ns=latency.percentile(_rest(99.0, rise)) if latency else None,
        objective_ns=_objective(latency, None if percent is None else _rest(percent, rise), overloaded),
        overloaded=overloaded,
        client_limited=_said(run, CLIENT_GUARD)
        or (not _busy_by_design(run) and (busiest >= CLIENT_LIMIT or every >= ALL_LIMIT)),
        busiest_thread=busiest,
        all_processors=every,
        littles_law=_littles_law(run),
        **_length(run),
        discarded=part.discarded,
        steady=part.steady,
    )


def steadied(run: Run) -> Run:
    """A run of a search with the scores of its steady part, as its load line has them; any other as it is.

    Without latencies where the steady part did not keep the schedule.
    """
    if _about(run.facts.get(FACT)) is None:
        return run
    part, whole_rate = _steady_part(run)
    if not part.discarded or not whole_rate:
        return run
    late, share = _overloaded(run, part), _share(part, whole_rate)
    scores = (
        score.model_copy(update={"value": score.value * share})
        if score.direction == "higher" and not score.metric.endswith("_burst")
        else score
        for score in run.scores
        if not (late and score.unit == "ns")
    )
    return run.model_copy(update={"scores": tuple(scores)})


def _share(part: Settled, whole_rate: float) -> float:
    """The steady part's rate over that of the score: a long run has the score of its steady part already."""
    return part.rate / whole_rate if whole_rate else 1.0


def _length(run: Run) -> dict[str, Any]:
    """How long a run lasted, was asked to last, and has to outlast."""
    about = run.facts[FACT]
    stored = about.get("stored_ns")
    warmup_ns, elapsed_ns = _number(run.plan.parameters.get("warmup")), _number(run.facts.get("elapsed_ns"))
    return {
        "longer": int(_number(about.get("longer"))) or 1,
        "lasted_ns": warmup_ns + elapsed_ns if elapsed_ns else float(run.ended_ns - run.started_ns),
        "stored_ns": float(STORED_NS) if stored is None else _number(stored),
    }


def _steady_part(run: Run) -> tuple[Settled, float]:
    """The steady part of a run, and the rate that its score stands for; 0 where the record has no such series."""
    whole = run.facts.get("whole")
    kinds = whole if isinstance(whole, list) else DATA_KINDS
    # Tests of files go through phases, whose rates differ by design.
    series = run.intervals if kind_of(run.plan.workload) in ("io", "db") else ()
    usual_ns = series[0].duration_ns if series else 0
    full = whole_intervals(series)
    rates = [
        sum(each.operations[kind].operations for kind in kinds if kind in each.operations) * SECOND / each.duration_ns
        for each in full
    ]
    if not any(rates):
        return Settled(0.0, 0.0, steady=True), 0.0
    interval_s = usual_ns / SECOND
    part = settle(rates, interval_s)
    scored = classify(rates, interval_s)
    return part, scored.score if scored.accepted else float(np.mean(rates))


def _lead_in(part: Settled, whole_rate: float) -> float:
    """Share of the operations that were done in a faster part before the steady one; 0 where that was slower."""
    if not part.discarded or part.rate >= whole_rate:
        return 0.0
    return max(0.0, 1.0 - part.rate * (1.0 - part.discarded) / whole_rate)


def _rest(percent: float, lead_in: float) -> float:
    """The percentile of a whole run that is `percent` of its steady part: what came before was faster."""
    return 100.0 - (100.0 - percent) * (1.0 - lead_in)


def _slower(run: Run, part: Settled, whole_rate: float) -> float:
    """Mean latency of the steady part over that of the run; by Little's law, so not with a schedule."""
    return whole_rate / part.rate if part.rate and not run.plan.parameters.get("rate") else 1.0


def _littles_law(run: Run) -> float | None:
    """X·R̄/N − 1 as the guard found it; for a database N is its clients, which are always waiting in a closed loop.

    None with a rate, where operations wait outside of any client, and where the record has no counts. Failed operations
    have no latency: each takes its share away.
    """
    if (found := next((f.values["residual"] for f in run.findings if "residual" in f.values), None)) is not None:
        return found
    whole, clients, counted = (run.facts.get(name) for name in ("whole", "clients", "operations"))
    if run.plan.parameters.get("rate") or not isinstance(whole, list) or not isinstance(counted, dict):
        return None
    kinds = [counted[kind] for kind in whole if isinstance(counted.get(kind), dict)]
    operations, latency_ns = (_total(kinds, name) for name in ("operations", "latency_sum_ns"))
    elapsed_ns = _number(run.facts.get("elapsed_ns"))
    if min(_number(clients), operations, elapsed_ns) <= 0:
        return None
    return residual(operations * SECOND / elapsed_ns, latency_ns / operations, _number(clients))


def _total(counted: list[dict[str, object]], name: str) -> float:
    return sum(_number(each.get(name)) for each in counted)


def _number(value: object) -> float:
    """A number of a record that may come from a stranger; 0 for anything else."""
    return float(value) if isinstance(value, int | float) and 0 <= value < math.inf else 0.0


def load_of(run: Run) -> float | None:
    """The load of a run that a search asked for."""
    about = _about(run.facts.get(FACT))
    return about[0] if about else None


def _about(fact: object) -> tuple[float, Phase, int] | None:
    """Load, phase and round; None where a result file holds something else."""
    if not isinstance(fact, dict):
        return None
    load, phase, number = fact.get("load"), fact.get("phase"), fact.get("round")
    if not isinstance(load, int | float) or not isinstance(number, int) or phase not in list(Phase):
        return None
    return (float(load), Phase(phase), number) if 0 < load < math.inf else None


def throughput_of(run: Run) -> Score | None:
    """What a run carried: the first judged score that is better when higher, else the first such score."""
    higher = {score.metric: score for score in run.scores if score.direction == "higher"}
    judged = (higher[metric] for metric in run.plan.metrics if metric in higher)
    return next(judged, next(iter(higher.values()), None))


def _objective(latency: Histogram | None, percent: float | None, overloaded: bool) -> float | None:
    if percent is None:
        return None
    if overloaded:
        return math.inf
    return latency.percentile(percent) if latency else None


def _usable(run: Run) -> bool:
    """Valid, or invalid only because the client was at its limit: that is an answer here."""
    if run.status is RunStatus.OK:
        return True
    against = {finding.guard for finding in run.findings if finding.level is Level.INVALID}
    return run.status is RunStatus.INVALID and against == {CLIENT_GUARD}


def _said(run: Run, guard: str) -> bool:
    return any(finding.guard == guard and finding.level is Level.INVALID for finding in run.findings)


def _busy_by_design(run: Run) -> bool:
    """Whether the client's threads are the place itself, or poll: how busy they are says nothing then."""
    values = run.plan.parameters
    polls = bool(values.get("iopoll") or values.get("sqpoll"))
    return polls or works_in_client(str(values.get("server", "")), run.target.where)


def _overloaded(run: Run, part: Settled) -> bool:
    """Whether a rate was asked for and not kept: the run withholds its latencies, or its steady part falls behind."""
    if not run.plan.parameters.get("rate") or not run.scores:
        return False
    if not any(score.metric.endswith(("_mean", "_p50")) for score in run.scores):
        return True
    offered, elapsed_ns = (_number(run.facts.get(name)) for name in ("offered_operations", "elapsed_ns"))
    return elapsed_ns > 0 and falls_behind(part, offered * SECOND / elapsed_ns)


def falls_behind(part: Settled, offered: float) -> bool:
    """Whether the steady part of a run does less than the schedule offers, per second, while its beginning did more:
    what was stored hides the backlog from the mean of the whole run.
    """
    return part.discarded > 0 and 0 < part.rate < KEPT * offered


def _latency(run: Run) -> Histogram | None:
    """All operations of the kinds whose latency the test judges, or of all kinds where it judges none, added."""
    judged = {metric.rsplit("_", 1)[0] for metric in run.plan.metrics} & run.histograms.keys()
    # A commit is a write and its sync; without a judged latency only what moves data counts, where anything does.
    data = {"read", "write", "trim"} & run.histograms.keys()
    encoded = [run.histograms[kind] for kind in sorted(judged or data or run.histograms.keys())]
    try:
        return merge(encoded) if encoded else None
    except ResultFileError:
        return None
