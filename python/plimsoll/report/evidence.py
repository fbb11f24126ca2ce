"""What a report is made from, and what all sections derive from it, each thing once.

Nothing here reads a store, a clock or a file: the same evidence always gives the same report.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from plimsoll import metrics
from plimsoll.altered import is_altered
from plimsoll.catalog.lasting import finding, standings
from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import POLICY_VERSION, Direction, Finding, Plan, Run, RunStatus, Session, Unit
from plimsoll.parameters import all_written
from plimsoll.phases import memory_metrics
from plimsoll.report.against import Saved, opponents
from plimsoll.report.allocations import allocations, of_products, several_products
from plimsoll.report.changed import noted_changes
from plimsoll.report.kinds import grouped
from plimsoll.report.load_line_search import LoadLineSearch, imported_load_lines, load_line_searches
from plimsoll.report.marks import levelled
from plimsoll.report.memory import NOT_THE_DISK, noted
from plimsoll.report.naming import Named, named
from plimsoll.report.repeated import Repeated, repeated
from plimsoll.report.suite import Suite, suites
from plimsoll.stats.carryover import neighbours_in
from plimsoll.stats.load_line.points import load_of, steadied
from plimsoll.stats.load_line.slo import Objective
from plimsoll.stats.load_line.sweeps import Sweep, sweeps
from plimsoll.stats.paired import Cell, ScoreRow, cells, measured_apart, valid_scores
from plimsoll.stats.policy import FACTS_FROM, LEVELS_FROM, MODES, STANDARD, Mode
from plimsoll.stats.products import Product
from plimsoll.stats.standing import Basis, Standing
from plimsoll.stats.stated import stated_in
from plimsoll.stats.summary import Series, Split, Summary, splits, summaries

Place = tuple[str, str, str]
"""Case, metric, target."""


@dataclass(frozen=True)
class ScoreLine:
    """One metric of one target in one case, over the valid runs."""

    case: str
    target: str
    metric: str
    unit: Unit
    direction: Direction
    judged: bool
    values: tuple[float, ...]
    summary: Summary | None
    """None where no valid run has a score above zero, and where its runs have no common one."""
    standing: Standing | None = None
    """Whether it is of a burst or lasts; None where nothing is known to end."""
    split: Split | None = None
    """Why its runs have no common score: `summary` is None then. By rules that know of it."""
    began: tuple[int, ...] = ()
    """When the first run of each level of the split began, ns since 1970; 0 where that is unknown."""
    uneven: int = 0
    """Of a product: in how many of its allocations the runs have no common score, so that it has none."""

    @property
    def basis(self) -> Basis | None:
        """What this metric stands on."""
        return None if self.standing is None else self.standing.of(self.metric, self.unit)


@dataclass(frozen=True)
class Evidence:
    """Sessions with their runs, the target that others are compared with, and the band of sameness (0.10 = ±10 %).

    `runs` have the names that tell them apart, whatever their sessions called them: nothing below can pool or compare
    by a label what differs in parameters or places.
    """

    sessions: list[Session]
    runs: list[Run]
    baseline: str | None
    band: float
    policy: int = POLICY_VERSION
    """Version of the rules by which it is judged."""
    across: tuple[str, ...] = ()
    """Parameters that are compared instead of being held equal."""
    objective: Objective | None = None
    """What load lines of imported runs are asked for."""
    saved: Saved | None = None
    """One of the sessions is a baseline that the others are held against."""
    apart: bool = False
    """Several sessions of a single target are compared with each other instead of being pooled."""
    every: bool = False
    """Every metric is compared, not only those that are judged."""
    named: Named = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not self.sessions:
            raise UsageError("a report needs at least one session")
        found = self._names()
        # The record is frozen for others; what is in it is settled here, once.
        object.__setattr__(self, "named", found)
        # What a place had stored is in no table: a load has the number of its load line everywhere.
        object.__setattr__(self, "runs", [steadied(run) for run in found.runs])
        object.__setattr__(self, "baseline", found.names.baseline(self.baseline))
        if self.baseline is not None and self.runs and self.baseline not in self.targets:
            raise UnknownName("target", self.baseline, self.targets, "these sessions")

    def _names(self) -> Named:
        return named(self.sessions, self.runs, self.policy, self.across, self.saved, apart=self.apart)

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """What the sessions say of the products, by the names that the sessions gave them."""
        stored = self.named.names.named
        names = {stored.get(target, target) for target in self.targets}
        if len(self.sessions) < 2 or self.saved is not None or self.across or len(names) < 2 or self.several_products:
            return ()
        numbers = allocations(self.sessions, self.runs, stored)
        return of_products(
            self._judged_rows, self.cells, numbers, stored, self.reference, band=self.band, policy=self.policy
        )

    @cached_property
    def several_products(self) -> list[str]:
        """The names under which the sessions had different things, so that they are not one product."""
        return several_products(self.runs, self.named.names.named)

    @cached_property
    def cases(self) -> tuple[str, ...]:
        """Cases in the order in which they first ran, many of them by their kind of work; those of a search stand at
        its first, the least load first.
        """
        begun: dict[str, int] = {}
        places: dict[str, tuple[int, float]] = {}
        for place, run in enumerate(self.runs):
            if run.plan.case not in places:
                load = load_of(run)
                start = place if load is None else begun.setdefault(run.session_id, place)
                places[run.plan.case] = (start, load or 0.0)
        ordered = sorted(places, key=lambda case: places[case])
        return tuple(self._kinds(ordered)) or tuple(ordered)

    def _kinds(self, cases: Sequence[str]) -> Mapping[str, str]:
        plans: dict[str, Plan] = {}
        for run in self.runs:
            plans.setdefault(run.plan.case, run.plan)
        return grouped({case: plans[case] for case in cases})

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """The kind of work of each case; nothing where they are few or of one kind."""
        return self._kinds(self.cases)

    @cached_property
    def targets(self) -> tuple[str, ...]:
        """The baseline, then the others in the order of the studies. Colours and shapes go by this order."""
        ran = dict.fromkeys(run.target.name for run in sorted(self.runs, key=lambda run: (run.block, run.order)))
        stored = [name for session in self.sessions for name in session.target_names]
        planned = [new for name in stored for new in self.named.names.targets_of(name)]
        ordered = dict.fromkeys([self.baseline, *planned, *ran])
        return tuple(name for name in ordered if name in ran and name is not None)

    @property
    def reference(self) -> str | None:
        """The baseline, or the first target where none was named."""
        return self.baseline or (self.targets[0] if self.targets else None)

    @property
    def others(self) -> tuple[str, ...]:
        """The targets that are compared with the reference."""
        return tuple(name for name in self.targets if name != self.reference)

    @property
    def unit(self) -> str:
        """What a verdict counts: `block`, or `fresh allocation` where the targets are products."""
        return "block"

    @property
    def alone(self) -> bool:
        """Whether there is one target only, so that nothing is compared."""
        return not self.others

    def opponent(self, target: str) -> str:
        """What a target is compared with: the reference, or its namesake that ran in the sessions of the target."""
        return self._opponents.get(target, self.reference or target)

    @cached_property
    def _opponents(self) -> Mapping[str, str]:
        """Targets that are compared with another one than the reference."""
        if self.saved is not None:
            return opponents(self.named.names, self.saved.session)
        return self.named.names.opponents(self.reference or "")

    @cached_property
    def mode(self) -> Mode:
        """Mode of the first session that names one; a baseline has no say in it."""
        saved = self.saved.session.id if self.saved else ""
        names = [session.study.get("mode") for session in self.sessions if session.id != saved]
        return next((MODES[name] for name in names if isinstance(name, str) and name in MODES), STANDARD)

    @cached_property
    def valid(self) -> tuple[Run, ...]:
        """The runs that ended well and passed every guard."""
        return tuple(run for run in self.runs if run.status is RunStatus.OK)

    @cached_property
    def sweeps(self) -> tuple[Sweep, ...]:
        """Imported runs of one target at several loads."""
        return sweeps(self.named.runs)

    @cached_property
    def searched(self) -> tuple[LoadLineSearch, ...]:
        """The searches for a load line, whose loads are chosen one after the other, so they are no comparison; and what
        imported runs at several loads say of it.
        """
        called = {(stored.session, stored.target): work.target for stored, work in self.named.names.works.items()}
        own = load_line_searches(self.sessions, self.named.runs, called)
        return (*own, *imported_load_lines(self.sweeps, self.objective))

    @property
    def only_searched(self) -> bool:
        """Whether every session is such a search, or all that there is are runs of one target at several loads."""
        swept = {run.id for sweep in self.sweeps for run in sweep.runs}
        if self.alone and swept and all(run.id in swept for run in self.runs):
            return True
        return bool(self.searched) and all("load_line" in session.study for session in self.sessions)

    @cached_property
    def judged(self) -> Mapping[str, tuple[str, ...]]:
        """The metrics that are judged in each case, the deciding one first."""
        found: dict[str, dict[str, None]] = {}
        for run in self.runs:
            found.setdefault(run.plan.case, {}).update(dict.fromkeys(run.plan.metrics))
        return {case: tuple(names) for case, names in found.items()}

    @cached_property
    def metrics(self) -> Mapping[tuple[str, str], tuple[Unit, Direction]]:
        """Unit and direction of every (case, metric) with a score, judged ones first."""
        seen: dict[tuple[str, str], tuple[Unit, Direction]] = {}
        for run in self.runs:
            for score in run.scores:
                seen.setdefault((run.plan.case, score.metric), (score.unit, score.direction))
        place = {(case, name): i for case, names in self.judged.items() for i, name in enumerate(names)}
        return dict(sorted(seen.items(), key=lambda item: (self.cases.index(item[0][0]), place.get(item[0], 999))))

    @cached_property
    def rows(self) -> tuple[ScoreRow, ...]:
        """Every score as statistics want it; a run without scores has a row without value for each judged metric."""
        return tuple(row for run in self.runs for row in self._rows_of(run))

    @cached_property
    def _judged_rows(self) -> tuple[ScoreRow, ...]:
        """Those that are compared."""
        return tuple(row for row in self.rows if self.every or row.metric in self.judged[row.case])

    def _rows_of(self, run: Run) -> list[ScoreRow]:
        session, case, target, plan = self.named.called[run.id]
        about = (target, run.block, run.attempt, run.order, run.status.value)
        neighbours = neighbours_in(run.facts)
        # Of thousands of runs, few are the mean of others.
        means = "spread" in run.facts

        def row(metric: str, unit: Unit, direction: Direction, value: float | None) -> ScoreRow:
            stated = stated_in(run.facts, metric, value) if means else None
            return ScoreRow(session, case, metric, unit, direction, *about, value, plan, stated, neighbours)

        if run.scores:
            return [row(score.metric, score.unit, score.direction, score.value) for score in run.scores]
        kinds = [(name, self.metrics.get((run.plan.case, name))) for name in run.plan.metrics]
        return [row(name, *kind, None) for name, kind in kinds if kind is not None]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """Every comparison with the reference, or with what else a target is held against, in a judged metric."""
        if self.reference is None or not self.others:
            return ()
        judged = self._judged_rows
        if not any(row.target == self.reference for row in judged):
            return ()
        found = self._compared(judged, self.reference, self._opponents)
        if self.saved is not None:
            # The targets of a baseline among themselves are not the question.
            found = [cell for cell in found if cell.target in self._opponents]
        return tuple(found)

    def held_against(self, opponents: Mapping[str, str]) -> list[Cell]:
        """The judged comparisons of some targets, each with the one that is named for it."""
        names = {*opponents, *opponents.values()}
        judged = [row for row in self._judged_rows if row.target in names]
        if not judged:
            return []
        # Whoever is nobody's opponent is compared with itself, which is no comparison.
        return self._compared(judged, judged[0].target, {name: opponents.get(name, name) for name in names})

    def _compared(self, judged: Sequence[ScoreRow], reference: str, against: Mapping[str, str]) -> list[Cell]:
        plans = {self.named.called[run.id].plan: run.plan for run in self.runs}
        found = cells(
            judged,
            reference,
            band=self.band,
            mode=self.mode,
            plans={key: all_written(plan) for key, plan in plans.items()},
            apart=self._apart,
            opponents=against,
            policy=self.policy,
        )
        return [
            levelled(noted_changes(noted(cell, self.from_memory), self.changed), self.standings)
            for cell in sorted(found, key=lambda cell: self.cases.index(cell.case))
        ]

    @cached_property
    def changed(self) -> Mapping[tuple[str, str], int]:
        """How many runs of each (case, target) were changed after they were stored; those without any are absent."""
        return Counter((run.plan.case, run.target.name) for run in self.runs if is_altered(run))

    @cached_property
    def suites(self) -> tuple[Suite, ...]:
        """The cases of each target put together, by the metric that decides each; nothing by older rules."""
        if self.policy < FACTS_FROM:
            return ()
        return tuple(suites(self.cells, {case: names[0] for case, names in self.judged.items() if names}))

    @property
    def _apart(self) -> Mapping[str, bool]:
        """The sessions that were not interleaved, by the names under which their scores are compared."""
        known = measured_apart(self.sessions)
        return {
            work.session: known[stored.session]
            for stored, work in self.named.names.works.items()
            if stored.session in known
        }

    @cached_property
    def lines(self) -> tuple[ScoreLine, ...]:
        """Every metric of every case and target with its summary."""
        values = valid_scores(self.rows)
        order = [(case, metric, target) for case, metric in self.metrics for target in self.targets]
        places = [place for place in order if place in values]
        parts = self._splits(places, values) if self.policy >= LEVELS_FROM else {}
        whole = {
            place: usable
            for place in places
            if place not in parts and (usable := [value for value in values[place] if 0 < value < float("inf")])
        }
        directions = [self.metrics[case, metric][1] for case, metric, _ in whole]
        found = dict(zip(whole, summaries(list(zip(whole.values(), directions, strict=True))), strict=True))
        return tuple(self._line(place, values[place], found.get(place), parts.get(place)) for place in places)

    def _splits(self, places: Sequence[Place], values: Mapping[Place, Sequence[float]]) -> dict[Place, Split]:
        """Why the runs of these have no common score, as far as they have none."""

        def series(place: Place) -> Series:
            case, metric, target = place
            found = values[place]
            # In one session the scores stand in the order of the runs.
            if len(self.sessions) == 1 and found and min(found) > 0 and max(found) < math.inf:
                return Series(found, True, self.metrics[case, metric][0])
            runs = self.repeated(case, target, metric)
            return Series(runs.values, runs.ordered, runs.unit)

        found = splits([series(place) for place in places])
        return {place: each for place, each in zip(places, found, strict=True) if each is not None}

    def _line(self, place: Place, values: Sequence[float], summary: Summary | None, split: Split | None) -> ScoreLine:
        case, metric, target = place
        unit, direction = self.metrics[case, metric]
        head = (case, target, metric, unit, direction, metric in self.judged[case], tuple(values))
        runs = self.repeated(case, target, metric).runs if split else ()
        began = tuple(runs[level.first].started_ns for level in split.levels) if split else ()
        return ScoreLine(*head, summary, self.standings.get((case, target)), split, began)

    def repeated(self, case: str, target: str, metric: str) -> Repeated:
        """The scores of a metric in the order in which they ran."""
        place = (case, target, metric)
        if place not in self._repeated:
            unit = self.metrics[case, metric][0] if (case, metric) in self.metrics else "1"
            self._repeated[place] = repeated(self.runs_of(case, target), metric, unit, self._sessions)
        return self._repeated[place]

    @cached_property
    def _repeated(self) -> dict[tuple[str, str, str], Repeated]:
        return {}

    @cached_property
    def _sessions(self) -> Mapping[str, Session]:
        return {session.id: session for session in self.sessions}

    @cached_property
    def standings(self) -> Mapping[tuple[str, str], Standing]:
        """What the scores of each (case, target) stand on, where that is known to end; nothing by older rules."""
        if self.policy < LEVELS_FROM:
            return {}
        return standings(self.valid, self.from_memory)

    @cached_property
    def from_memory(self) -> frozenset[tuple[str, str, str]]:
        """(case, metric, target) of which some valid run measured memory in place of the disk."""
        return frozenset(
            (run.plan.case, metric, run.target.name) for run in self.valid for metric in memory_metrics(run)
        )

    @cached_property
    def unlasting(self) -> tuple[tuple[Run, Finding], ...]:
        """What is to be found of runs that saw a burst and not what lasts, as guards write it."""
        found = {place: finding(self.runs_of(*place), each) for place, each in self.standings.items()}
        return tuple((run, each) for place, each in found.items() if each for run in self.runs_of(*place))

    def metric_label(self, case: str, metric: str, *targets: str) -> str:
        """The metric as people read it, and that it is memory's where it is on one of the targets."""
        memory = any((case, metric, target) in self.from_memory for target in targets)
        return f"{metrics.title(metric)} ({NOT_THE_DISK})" if memory else metrics.title(metric)

    def runs_of(self, case: str, target: str) -> list[Run]:
        """The valid runs of a target in a case, in the order in which they ran."""
        return self._by_place.get((case, target), [])

    @cached_property
    def _by_place(self) -> Mapping[tuple[str, str], list[Run]]:
        found: dict[tuple[str, str], list[Run]] = {}
        for run in self.valid:
            found.setdefault((run.plan.case, run.target.name), []).append(run)
        return found
