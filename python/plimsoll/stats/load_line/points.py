"""One run as the load line sees it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum

from plimsoll.db_parameters import works_in_client
from plimsoll.errors import ResultFileError
from plimsoll.model import Level, Run, RunStatus, Score
from plimsoll.stats.histogram import Histogram, merge
from plimsoll.stats.littles_law import residual
from plimsoll.units import SECOND

FACT = "load_line"
"""Key in a run's facts: `{"parameter", "load", "phase", "round"}` of a run that a search asked for."""

CLIENT_GUARD = "client_cpu"
"""A search wants to see the client at its limit; for anything else such a run is invalid."""
CLIENT_LIMIT = 0.95
"""Busiest thread of the client, share of a processor: from here on the client is the limit."""
ALL_LIMIT = 0.85
"""All threads of the client, share of all its processors: the rest is what the kernel does for it, or the server."""


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


def point_of(run: Run, percent: float | None) -> Point | None:
    """The point of a run that a search asked for, else None; `percent` (99.0) is that of the objective."""
    if (about := _about(run.facts.get(FACT))) is None:
        return None
    load, phase, number = about
    carried = throughput_of(run)
    throughput = carried.value if carried is not None else 0.0
    overloaded = _overloaded(run)
    latency = None if overloaded else _latency(run)
    cpu = run.facts.get("cpu")
    used = cpu if isinstance(cpu, dict) else {}
    busiest, every = _number(used.get("busiest_thread")), _number(used.get("all_processors"))
    return Point(
        load=load,
        phase=phase,
        round=number,
        valid=_usable(run) and 0 < throughput < math.inf,
        throughput=throughput,
        mean_ns=latency.mean if latency else None,
        p50_ns=latency.percentile(50.0) if latency else None,
        p99_ns=latency.percentile(99.0) if latency else None,
        objective_ns=_objective(latency, percent, overloaded),
        overloaded=overloaded,
        client_limited=_said(run, CLIENT_GUARD)
        or (not _busy_by_design(run) and (busiest >= CLIENT_LIMIT or every >= ALL_LIMIT)),
        busiest_thread=busiest,
        all_processors=every,
        littles_law=_littles_law(run),
    )


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


def _overloaded(run: Run) -> bool:
    """Whether a rate was asked for and the run withholds its latencies because it was not kept."""
    timed = any(score.metric.endswith(("_mean", "_p50")) for score in run.scores)
    return bool(run.plan.parameters.get("rate")) and bool(run.scores) and not timed


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
