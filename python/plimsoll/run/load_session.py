"""One load-line session, from study to stored runs: the main path of `plimsoll knee`.

Each target has a search of its own; the targets take turns, in random order, so that what slows the machine down hits
all of them. A search is a pure function of its points: an interrupted one is played again with the stored runs, and
goes on where they end.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from statistics import median_low

from plimsoll.errors import UsageError
from plimsoll.model import Run, RunStatus, Session
from plimsoll.run.load_study import LoadStudy, load_study_from
from plimsoll.run.lost import is_lost
from plimsoll.run.machines import PreparedTargets
from plimsoll.run.plan import Step
from plimsoll.run.schedule import Block, RunRequest
from plimsoll.run.session_runner import SessionRunner
from plimsoll.run.time_left import TimeLeft
from plimsoll.stats.load_line.points import FACT, point_of
from plimsoll.stats.load_line.search import FRESH_LONGER, FRESH_RUNS, RULES, LoadSearch, Probe
from plimsoll.stats.load_line.search import Search as Steps


def run_load_study(study: LoadStudy, runner: SessionRunner) -> Session:
    """Search the load line, as `run_study` carries out a study."""
    study = _checked(study, runner)
    runner.begin(study.study.title, study.to_table(), study.study.time_ns)
    return _LoadSession(study, runner).run()


def resume_load_session(session: Session, runner: SessionRunner) -> Session:
    """Go on with an interrupted search after its stored runs, in the time that is left."""
    study = _checked(load_study_from(session.study, f"session {session.title}"), runner)
    runner.go_on(session, study.study.time_ns)
    return _LoadSession(study, runner).run()


def _checked(study: LoadStudy, runner: SessionRunner) -> LoadStudy:
    """With the kinds of its places; refused if it cannot work there."""
    study = replace(study, study=runner.machines.resolved(study.study))
    runner.machines.check(study.all_levels, study.steps(), runner.destroy)
    return study


@dataclass
class _Target:
    """The search over one target, and the probe it waits for; None when it has ended."""

    name: str
    search: LoadSearch
    steps: Steps
    probe: Probe | None = None
    counts: dict[str, int] = field(default_factory=dict)
    """Runs so far by case: the next one's block number."""


class _LoadSession:
    """Carries the searches of one session through their runs."""

    def __init__(self, study: LoadStudy, runner: SessionRunner) -> None:
        self._study, self._runner, self._observer = study, runner, runner.observer
        self._earlier = [run for run in runner.earlier if run.status is not RunStatus.PARTIAL and not is_lost(run)]
        self._first = study.step(study.request.bounds.levels[0])
        self._run_ns = self._first.block_ns // len(self._first.plans)
        self._seen_ns: list[int] = []
        """From the end of one run to the end of the next."""
        self._ended_ns: int | None = None
        self._told: list[str] = []
        self._targets = [self._search(target.name) for target in study.study.targets]

    def run(self) -> Session:
        """Take turns until every search has ended; the session is finished in the store however this ends."""
        with self._runner.prepared(self._study.study.targets, [self._first]) as prepared:
            self._play_again()
            while turn := self._turn():
                for position, target in enumerate(turn):
                    self._go_on(target, position, prepared)
        return self._runner.session

    def _search(self, name: str) -> _Target:
        request, study = self._study.request, self._study.study
        seed = f"{study.seed}/{name}"
        search = LoadSearch(request.bounds, RULES[study.mode], request.objective, seed, open_loop=request.open_loop)
        steps = search.run()
        return _Target(name, search, steps, next(steps))

    def _play_again(self) -> None:
        """Send the stored runs to their searches, hurried from the same run on."""
        for target in self._targets:
            runs = [run for run in self._earlier if run.target.name == target.name]
            for run, following in zip_longest(runs, runs[1:]):
                load = run.facts.get(FACT, {}).get("load")
                if target.probe is None or load != target.probe.load:
                    raise UsageError("the session was searched by other rules, it cannot go on; start it anew")
                hurried = following and following.facts.get(FACT, {}).get("hurried")
                self._take(target, run, self._hurried(target) if hurried is None else bool(hurried))
        self._tell()

    def _turn(self) -> list[_Target]:
        """The targets that want a run that fits into the time, in random order."""
        waiting = [target for target in self._targets if target.probe is not None]
        fitting = waiting if self._run_ns <= self._runner.left_ns() else []
        if waiting and not fitting:
            self._observer.note(f"the time is used up; unfinished: {', '.join(target.name for target in waiting)}")
        rng = random.Random(f"{self._study.study.seed}/{sum(sum(each.counts.values()) for each in self._targets)}")
        rng.shuffle(fitting)
        return fitting

    def _go_on(self, target: _Target, position: int, prepared: PreparedTargets) -> None:
        """The run that a search waits for, stored and sent to it."""
        if target.probe is None or self._run_ns > self._runner.left_ns():
            return
        probe = target.probe
        longer, step = probe.longer, self._study.step(probe.load, probe.longer)
        if step.run_ns[target.name] > self._runner.left_ns():
            longer, step = 1, self._study.step(probe.load)
        block = Block(step, target.counts.get(step.case, 0), 0, (target.name,))
        request = RunRequest(self._runner.session.id, block, position, target.name, self._study.study.noisy_host)

        def take(runs: Sequence[Run]) -> None:
            for run in runs:
                if run.status is not RunStatus.PARTIAL:
                    self._take(target, run, self._hurried(target))

        facts = {FACT: self._about(target, probe, longer, step)}
        self._runner.measure(prepared, request, self._time_left, take, facts)
        self._tell()

    def _tell(self) -> None:
        """What came of the last runs, after these were told themselves."""
        for sentence in self._told:
            self._observer.note(sentence)
        self._told.clear()

    def _about(self, target: _Target, probe: Probe, longer: int, step: Step) -> dict[str, object]:
        place = next(each for each in self._study.study.targets if each.name == target.name)
        return {
            "parameter": self._study.request.parameter,
            "load": probe.load,
            "phase": probe.phase.value,
            "round": probe.round,
            "longer": longer,
            "stored_ns": self._study.stored_ns(place, step.plans[target.name]),
            "hurried": target.search.hurried,
        }

    def _take(self, target: _Target, run: Run, hurried: bool) -> None:
        """Send a finished run to its search."""
        if self._ended_ns is not None:
            self._seen_ns.append(run.ended_ns - self._ended_ns)
        self._ended_ns = run.ended_ns
        target.counts[run.plan.case] = target.counts.get(run.plan.case, 0) + 1
        objective = self._study.request.objective
        point = point_of(run, objective.percent if objective else None)
        if run.status is RunStatus.FAILED or point is None:
            target.probe = None
            self._told.append(f"{run.plan.case} failed on {target.name}: {run.reason}; its search ends here")
            return
        target.search.hurried = hurried
        try:
            target.probe = target.steps.send(point)
        except StopIteration as end:
            target.probe = None
            self._told.append(f"{target.name}: {end.value}")

    def _hurried(self, target: _Target) -> bool:
        """Whether only the fresh runs of the answers still fit."""
        answers = 2 if self._study.request.objective else 1
        fresh = FRESH_RUNS * (1 + answers * (FRESH_LONGER if self._study.request.open_loop else 1))
        run_ns = max(self._run_ns, self._pace_ns())
        return target.search.hurried or self._runner.left_ns() < (fresh + 1) * run_ns * len(self._targets)

    def _pace_ns(self) -> int:
        """From one run to the next, so far."""
        return median_low(self._seen_ns) if self._seen_ns else self._run_ns

    def _time_left(self) -> TimeLeft:
        """Of all searches, at the pace of the runs so far."""
        run_ns = self._pace_ns()
        searches = [each.search for each in self._targets if each.probe]
        if not searches:
            return TimeLeft(0, 0)
        least, most = (sum(runs) for runs in zip(*(each.expected_left() for each in searches), strict=True))
        return TimeLeft(least * run_ns, most * run_ns)
