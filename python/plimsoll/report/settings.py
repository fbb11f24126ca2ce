"""What tells targets apart that are one place with other settings: without it, their names are all a reader has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.model import Run
from plimsoll.parameters import written
from plimsoll.report.document import Sentence
from plimsoll.report.evidence import Evidence
from plimsoll.stats.cases import NOT_THE_WORK

MANY_TARGETS = 6
"""Of more, a sentence has no room for the values."""
MANY_PARAMETERS = 3
MANY_CASES = 2
ONE_PLACE = frozenset({"directory", "device", "database"})
"""Kinds of targets that are one place if they are at one; volumes are served anew for each."""


def told(evidence: Evidence) -> Iterator[Sentence]:
    """`deep and alone are one place with other settings: depth 32 against 1`, for each such place of a session."""
    first = {name: run for name in evidence.targets if (run := _first(evidence, name)) is not None}
    places: dict[tuple[str, str, str], list[str]] = {}
    for name, run in first.items():
        if run.target.kind in ONE_PLACE and "imported" not in run.facts:
            places.setdefault((run.session_id, run.target.kind, run.target.where), []).append(name)
    for names in places.values():
        if len(names) > 1 and (differ := _differences(evidence, names)):
            yield Sentence(f"{_who(names)} are one place with other settings: {differ}.")


def _first(evidence: Evidence, target: str) -> Run | None:
    return next((run for run in evidence.runs if run.target.name == target), None)


def _who(names: Sequence[str]) -> str:
    return f"{len(names)} targets" if len(names) > MANY_TARGETS else f"{', '.join(names[:-1])} and {names[-1]}"


def _differences(evidence: Evidence, names: Sequence[str]) -> str:
    """What differs, once where it is the same in all cases; empty where nothing does."""
    cases: dict[str, list[str]] = {}
    for case in evidence.cases:
        if words := _in_case(evidence, case, names):
            cases.setdefault(words, []).append(case)
    if len(cases) == 1:
        (words, where), *_ = cases.items()
        return words if len(where) == len(evidence.cases) else f"{words}, in {_listed(where, MANY_CASES)}"
    return "; ".join(f"{words} in {_listed(where, MANY_CASES)}" for words, where in cases.items())


def _in_case(evidence: Evidence, case: str, names: Sequence[str]) -> str:
    plans = [runs[0].plan for name in names if (runs := evidence.runs_of(case, name))]
    if len(plans) < len(names):
        return ""
    keys = dict.fromkeys(key for plan in plans for key in plan.parameters if key not in NOT_THE_WORK)
    found = []
    for key in keys:
        values = [
            written(plan.workload, key, plan.parameters[key]) if key in plan.parameters else "not set" for plan in plans
        ]
        if len(set(values)) > 1:
            found.append(f"{key} {_against(values)}")
    return _listed(found, MANY_PARAMETERS)


def _against(values: Sequence[str]) -> str:
    """`32 against 1` of two, `1, 4 and 16` of more."""
    if len(values) > MANY_TARGETS:
        return f"of {len(set(values))} values"
    return " against ".join(values) if len(values) == 2 else f"{', '.join(values[:-1])} and {values[-1]}"


def _listed(words: Sequence[str], most: int) -> str:
    return ", ".join(words[:most]) + (f" and {len(words) - most} more" if len(words) > most else "")
