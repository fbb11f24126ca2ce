"""The load lines of the sessions that searched for one, and of imported runs at several loads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from plimsoll.catalog.lasting import standing
from plimsoll.errors import PlimsollError
from plimsoll.model import Run, RunStatus, Session
from plimsoll.report.labels import percent_text
from plimsoll.stats.load_line.answer import LoadLine, load_line
from plimsoll.stats.load_line.levels import LoadRange
from plimsoll.stats.load_line.points import Point, load_of, point_of, throughput_of
from plimsoll.stats.load_line.request import Request, request_from
from plimsoll.stats.load_line.slo import Objective
from plimsoll.stats.load_line.sweeps import Sweep, largest_within, points, told_apart
from plimsoll.stats.standing import Standing, ios_text, while_bursting


@dataclass(frozen=True)
class LoadLineSearch:
    """One search: the target's name (with the session's number where there are several) and what was found."""

    label: str
    request: Request
    line: LoadLine
    unit: str
    """Unit of the throughput: `1/s` or `B/s`."""
    imported: bool = False
    """Of runs that another tool made: nothing can be searched again, and the client is not known."""
    standing: Standing | None = None
    """What the highest throughput stands on: a burst that ends, or what lasts."""
    test: str = ""
    """What was run at these loads."""

    @property
    def burst(self) -> str:
        """` while v has burst credits, 34 min (then 300 IOPS)`; empty where nothing is known to end."""
        words = while_bursting(("", self.label), (None, self.standing))
        left = self.standing.left if self.standing else None
        return f"{words} (then {ios_text(left)})" if words and left is not None else words

    @property
    def shows_knee(self) -> bool:
        """Whether the runs show where the knee of the place is: not only of the client, and nothing contradicts it."""
        line, bend = self.line, self.line.bend
        return bend is not None and bend.reached and bend.begun and line.doubt is None and not line.client_limited

    @property
    def again(self) -> str:
        """What one does for a better answer: `search again`."""
        return "measure again" if self.imported else "search again"

    @property
    def longer(self) -> str:
        """How runs get longer: `longer runs (runtime=)`."""
        return "longer runs" if self.imported else "longer runs (runtime=)"

    @property
    def further(self) -> str:
        """How one gets more loads: `search a larger range`."""
        return "measure higher loads" if self.imported else "search a larger range"

    @property
    def more_rounds(self) -> str:
        """How one gets more runs at each load: `more rounds (--mode publish)`."""
        return "more runs at each load" if self.imported else "more rounds (--mode publish)"

    @property
    def client_use(self) -> str:
        """What the client used at the highest throughput, and what to do about it; empty without a run."""
        if not self.line.levels:
            return ""
        best = max(self.line.levels, key=lambda level: level.throughput.value)
        if best.all_processors > best.busiest_thread:
            used = percent_text(round(best.all_processors, 2))
            return f"its threads use {used} of all its processors. Use a larger client machine, or several."
        used = percent_text(round(best.busiest_thread, 2))
        return f"its busiest thread uses {used} of a processor. Use more threads or client machines."


def load_line_searches(
    sessions: Sequence[Session], runs: Sequence[Run], called: Mapping[tuple[str, str], str]
) -> tuple[LoadLineSearch, ...]:
    """Every search in these sessions; a request that cannot be read (from another tool's file) is none.

    `called` is what the targets of each session are called in `runs`.
    """
    found: list[LoadLineSearch] = []
    for place, session in enumerate(sessions, 1):
        try:
            request = request_from(session.study, f"session {session.title}")
        except PlimsollError:
            continue
        if request is None:
            continue
        own = [run for run in runs if run.session_id == session.id]
        planned = [called.get((session.id, name), name) for name in session.target_names]
        for name in dict.fromkeys([*planned, *(run.target.name for run in own)]):
            label = name if len(sessions) == 1 else f"{name}, session {place}"
            found.append(_searched(label, request, [run for run in own if run.target.name == name]))
    return tuple(found)


def imported_load_lines(found: Sequence[Sweep], objective: Objective | None) -> tuple[LoadLineSearch, ...]:
    """The load lines of imported runs, by the objective that the reader names."""
    return tuple(_imported(label, sweep, objective) for label, sweep in zip(told_apart(found), found, strict=True))


def _imported(label: str, sweep: Sweep, objective: Objective | None) -> LoadLineSearch:
    bounds = LoadRange(min(sweep.loads), max(sweep.loads), whole=sweep.load != "rate")
    request = Request(sweep.load, bounds, objective, stored_ns=0)
    made = points(sweep, objective.percent if objective else None)
    line = load_line(made, None, bounds.high, open_loop=request.open_loop)
    met = largest_within(made, objective) if objective else None
    units = (score.unit for run in sweep.runs if (score := throughput_of(run)) is not None)
    return LoadLineSearch(
        label,
        request,
        replace(line, objective=objective, met=met),
        next(units, "1/s"),
        imported=True,
        test=sweep.runs[0].plan.test,
    )


def _searched(label: str, request: Request, runs: Sequence[Run]) -> LoadLineSearch:
    percent = request.objective.percent if request.objective else None
    points: list[Point] = [point for point in (point_of(run, percent) for run in runs) if point is not None]
    units = (score.unit for run in runs if (score := throughput_of(run)) is not None)
    line = load_line(points, request.objective, request.bounds.high, open_loop=request.open_loop)
    at_peak = [run for run in runs if run.status is RunStatus.OK and line.peak and load_of(run) == line.peak.load]
    test = runs[0].plan.test if runs else ""
    return LoadLineSearch(label, request, line, next(units, "1/s"), standing=standing(at_peak), test=test)
