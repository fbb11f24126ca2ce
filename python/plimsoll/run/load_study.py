"""A load-line study: one test, the parameter that is its load, and a range of it.

title = "load line of randread on nvme"
[[targets]]
name = "nvme"
where = "/mnt/a"
[[tests]]
test = "randread"
[load_line]
parameter = "depth"          # or clients, threads, rate
range = "1..256"
slo = "p99<5ms"              # leave out for the knee alone
stored = "1s"                # what a place may give beyond what it carries, after a rest; 0s for a local disk
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypedDict

from plimsoll.catalog.targets import shape_of
from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.model import Plan, Target
from plimsoll.parameters import parameters_of
from plimsoll.profile import Entry, profiles, suites
from plimsoll.run import plan as planning
from plimsoll.run.plan import Step
from plimsoll.run.studies import studies
from plimsoll.run.study import Study, from_table
from plimsoll.stats.load_line.points import OUTLAST
from plimsoll.stats.load_line.request import KEY, LOADS, Request, request, request_from
from plimsoll.units import SECOND, format_duration

RANGES = {"clients": "1..256", "depth": "1..256", "threads": "1..64"}
"""Searched where nothing was said, first to last: the first load that the test has."""
ALIASES = {"clients": "depth"}
"""Disks have no clients: as many operations in flight are the same load."""
SPENT = 2.5
"""The warm-up lasts at least so many times what may be stored: a load 1.4 times the limit, the step from one level to
the next, has then used it up."""
INTERVALS = 20
"""A run has at least so many intervals: their rates show what was stored, and when it ended."""


class _Times(TypedDict, total=False):
    """Parameters of the tests that have them: those of files have intervals of their own."""

    runtime: int
    warmup: int
    interval: int | None


@dataclass(frozen=True)
class LoadStudy:
    """A study with one entry, and what is searched in it."""

    study: Study
    request: Request

    @property
    def test(self) -> str:
        """Name of the test, with its mode."""
        return self.study.entries[0].test

    def step(self, load: float, longer: int = 1) -> Step:
        """The test at one load, with its plan on every target; `longer` times the usual length."""
        step = planning.steps(self._at((load,)))[0]
        targets = {target.name: target for target in self.study.targets}
        plans = {name: self._long_enough(plan, targets[name], longer) for name, plan in step.plans.items()}
        return replace(step, plans=plans)

    def stored_ns(self, target: Target, plan: Plan) -> int:
        """How long this place may give what it had stored: a time-scaled volume holds as much less."""
        if plan.workload == "io" and plan.values(IoParameters)["engine"] == "null":
            return 0
        shape = shape_of(target)
        return int(self.request.stored_ns / (shape.time_scale if shape else 1.0))

    def _long_enough(self, plan: Plan, target: Target, longer: int) -> Plan:
        """The plan with a warm-up that uses up what may be stored, and intervals that show it; tests that have no time
        of their own stay as they are.
        """
        values = plan.values(_Times)
        if "runtime" not in values:
            return plan
        runtime_ns = values["runtime"]
        times: _Times = {
            "runtime": runtime_ns * longer,
            "warmup": max(values.get("warmup", 0), int(SPENT * self.stored_ns(target, plan))),
            "interval": values.get("interval") or min(SECOND, max(1, runtime_ns // INTERVALS)),
        }
        return plan.having({**plan.parameters, **{k: v for k, v in times.items() if k in values}})

    def check(self) -> None:
        """Refuse runs that what is stored would outlast. Raises UsageError."""
        plans = planning.steps(self._at(self.request.bounds.levels[:1]))[0].plans
        for target in self.study.targets:
            values, stored_ns = plans[target.name].values(_Times), self.stored_ns(target, plans[target.name])
            least_ns = int(OUTLAST * stored_ns)
            if "runtime" in values and values["runtime"] < least_ns:
                raise UsageError(
                    f"target {target.name}: runs of {format_duration(values['runtime'])} are too short for a load "
                    f"line: a volume that rested gives about {format_duration(stored_ns)} worth of I/O beyond what it "
                    f"carries, and a run must outlast that; set runtime={format_duration(least_ns).replace(' ', '')} "
                    "or more, or give --stored 0s for a place that stores none, such as a local disk"
                )

    @property
    def all_levels(self) -> Study:
        """The study with a line for every level of the range, to be checked before anything is written."""
        return self._at(self.request.bounds.levels)

    def steps(self) -> list[Step]:
        """The steps of all levels."""
        return planning.steps(self.all_levels)

    def _at(self, loads: tuple[float, ...]) -> Study:
        entry = self.study.entries[0]
        name = self.request.parameter
        lines = (Entry(entry.test, {**entry.overrides, name: f"{load:.10g}"}) for load in loads)
        return replace(self.study, entries=tuple(lines))

    def to_table(self) -> dict[str, Any]:
        """The table of a study file; `load_study_from` reads it back."""
        return {**self.study.to_table(), KEY: self.request.to_table()}


def load_study(study: Study, loads: Mapping[str, str], slo: str | None, stored: str | None = None) -> LoadStudy:
    """The load study of `study` with one of the loads that were given, such as `{"clients": "1..64"}`.

    Raises UsageError for more than one test or load, a load that the test does not have, or one that is also set, and
    for runs that are too short.
    """
    test = _one_test(study)
    known = {parameter.name for parameter in parameters_of(profiles()[test].workload)}
    if len(loads) > 1:
        raise UsageError(f"one load is searched at a time; leave out all but one of --{', --'.join(loads)}")
    possible = [name for name in RANGES if name in known or ALIASES.get(name) in known]
    said, text = next(iter(loads.items()), (possible[0], RANGES[possible[0]])) if possible or loads else ("", "")
    parameter = said if said in known else ALIASES.get(said, said)
    if parameter not in known:
        has = ", ".join(f"--{name}" for name in LOADS if name in known) or "none"
        raise UsageError(f"test {test} has no load {said or 'parameter'!r}; loads that it has: {has}")
    _refuse_fixed(study, parameter)
    made = LoadStudy(study, request(parameter, text, slo, stored))
    made.check()
    return made


def _one_test(study: Study) -> str:
    names = [entry.test for entry in study.entries]
    entry = study.entries[0]
    if len(names) > 1 or entry.name in suites():
        raise UsageError(f"a load line is of one test, not of {', '.join(names)}; see `plimsoll list tests`")
    study.cases()
    return entry.name


def _refuse_fixed(study: Study, parameter: str) -> None:
    """The searched parameter must not be set elsewhere, where it would win."""
    fixed = ["--set"] if parameter in study.shared else []
    fixed += [f"target {target.name}" for target in study.targets if parameter in target.options]
    fixed += ["[[tests]]"] if parameter in study.entries[0].overrides else []
    if fixed:
        raise UsageError(f"{parameter} is what the search varies; leave it out of {', '.join(fixed)}")


def load_study_from(table: Mapping[str, Any], where: str) -> LoadStudy:
    """The load study in a table with the key `load_line`."""
    found = request_from(table, where)
    if found is None:
        raise UsageError(f"{where} holds no [{KEY}]; `plimsoll run` carries out such a study")
    study = from_table({key: value for key, value in table.items() if key != KEY}, where)
    slo = found.objective.text if found.objective else None
    return load_study(study, {found.parameter: found.bounds.text}, slo, found.stored_text)


def published_load_study(
    name: str, base: Study, loads: Mapping[str, str], slo: str | None, stored: str | None, *, quick: bool
) -> LoadStudy:
    """The load line that comes with Plimsoll under this name, over `base`, its study with what was said beside it.

    Raises UsageError for a study that is none.
    """
    found = studies()[name].request(quick=quick)
    if found is None:
        raise UsageError(f"{name} is not a load line; `plimsoll run {name}` carries it out")
    given = loads or {found.parameter: found.bounds.text}
    objective = slo or (found.objective.text if found.objective else None)
    return load_study(base, given, objective, stored or found.stored_text)


def wanted_load_study(
    word: str | Entry,
    base: Callable[[], Study],
    loads: Mapping[str, str],
    slo: str | None,
    stored: str | None,
    *,
    quick: bool,
    titled: bool,
    said: Sequence[str] = (),
) -> LoadStudy:
    """The search that is meant by a test, the name of a study, or its file; `base` makes the study of what was said.

    `said` is all that was given and that a file leaves no room for, `titled` that the study has a title of its own.
    Raises UsageError.
    """
    if isinstance(word, str) and word.endswith(".toml"):
        if said:
            raise UsageError(f"{word} is a whole study; leave out {', '.join(said)}")
        return load_study_file(Path(word))
    if isinstance(word, str) and word in studies():
        return published_load_study(word, base(), loads, slo, stored, quick=quick)
    study = base()
    return load_study(study if titled else replace(study, title=f"load line of {study.title}"), loads, slo, stored)


def load_study_file(path: Path) -> LoadStudy:
    """The load study in a TOML file."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        advice = f"`plimsoll export SESSION --study {path}` writes one"
        raise UsageError(f"there is no study file {path}; {advice}") from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"cannot read the study file {path}: {error}") from None
    return load_study_from(table, str(path))
