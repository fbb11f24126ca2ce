"""Tests and suites as data: the one reader of `profiles/*.toml` and `suites/*.toml`.

A *profile* defines one test. A *suite* lists tests, each line with its own overrides. A line with everything it needs
is a *case*: what all targets of a block execute.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.model import Plan
from plimsoll.parameters import WORKLOADS, defaults, read_values


@dataclass(frozen=True)
class Profile:
    """One test: what it asks, how it is defined, where it comes from, how to read its result."""

    name: str
    title: str
    question: str
    definition: str
    source: str
    reading: str
    workload: str
    metrics: tuple[str, ...]
    parameters: Mapping[str, Any]
    """As written in the file; base units come with `Case.parameters`."""


@dataclass(frozen=True)
class Entry:
    """One line of a suite or study: a test, and the parameters it overrides (as text)."""

    test: str
    overrides: Mapping[str, Any]

    @property
    def label(self) -> str:
        """The name of the case, such as `randread depth=1`; the order of the overrides does not count."""
        return " ".join([self.test, *(f"{name}={value}" for name, value in sorted(self.overrides.items()))])


@dataclass(frozen=True)
class Suite:
    """A named list of tests. `defaults` replace the general defaults, not what a profile itself defines."""

    name: str
    title: str
    question: str
    defaults: Mapping[str, Any]
    entries: tuple[Entry, ...]


@dataclass(frozen=True)
class Case:
    """A test with the overrides of its line: what all targets of a block execute."""

    label: str
    profile: Profile
    parameters: Mapping[str, Any]
    """Every parameter of the workload in base units."""

    def plan(self, options: Mapping[str, str], where: str) -> Plan:
        """The plan on a target whose `options` override parameters; `where` names them in errors."""
        changed = read_values(self.profile.workload, options, where)
        return Plan(
            test=self.profile.name,
            case=self.label,
            workload=self.profile.workload,
            parameters={**self.parameters, **changed},
            metrics=self.profile.metrics,
        )


def _load(folder: str) -> dict[str, dict[str, Any]]:
    found = {}
    for entry in sorted(files("plimsoll").joinpath(folder).iterdir(), key=lambda item: item.name):
        if entry.name.endswith(".toml"):
            found[entry.name.removesuffix(".toml")] = tomllib.loads(entry.read_text(encoding="utf-8"))
    return found


@cache
def profiles() -> Mapping[str, Profile]:
    """All tests by name."""
    found = {}
    for name, table in _load("profiles").items():
        profile = Profile(name=name, **{**table, "metrics": tuple(table["metrics"])})
        if profile.workload not in WORKLOADS:
            raise UnknownName("workload", profile.workload, WORKLOADS, f"profile {name}")
        read_values(profile.workload, profile.parameters, f"profile {name}")
        found[name] = profile
    return found


@cache
def suites() -> Mapping[str, Suite]:
    """All suites by name."""
    return {
        name: Suite(
            name=name,
            title=table["title"],
            question=table["question"],
            defaults=table.get("defaults", {}),
            entries=tuple(entry_from(line, f"suite {name}") for line in table["tests"]),
        )
        for name, table in _load("suites").items()
    }


def entry_from(table: Mapping[str, Any], where: str) -> Entry:
    """A `[[tests]]` table of a suite or study."""
    overrides = {name: value for name, value in table.items() if name != "test"}
    if not isinstance(table.get("test"), str):
        raise UsageError(f'{where}: every [[tests]] table needs test = "NAME"; see `plimsoll list tests`')
    return Entry(table["test"], overrides)


def cases(entries: Iterable[Entry], shared: Mapping[str, Any], where: str) -> list[Case]:
    """The cases of a list of entries; an entry may name a test or a whole suite.

    Values are taken in this order, later ones win: general defaults, the suite's defaults, the profile, the suite's
    line, the entry's own overrides, `shared` (what the user set for all tests).
    """
    found: list[Case] = []
    for entry in entries:
        if entry.test in suites():
            base = suites()[entry.test].defaults
            listed = suites()[entry.test].entries
            lines = [(Entry(line.test, {**line.overrides, **entry.overrides}), base) for line in listed]
        else:
            lines = [(entry, {})]
        for line, base in lines:
            found.append(_case(line, base, shared, where))
    if len({case.label for case in found}) < len(found):
        seen = [case.label for case in found]
        twice = sorted({label for label in seen if seen.count(label) > 1})
        raise UsageError(f"{where}: {', '.join(twice)} is listed twice; give the lines different parameters or drop it")
    return found


def _case(entry: Entry, base: Mapping[str, Any], shared: Mapping[str, Any], where: str) -> Case:
    if entry.test not in profiles():
        raise UnknownName("test or suite", entry.test, {**profiles(), **suites()}, where)
    profile = profiles()[entry.test]
    parameters = defaults(profile.workload)
    for values, origin in (
        (base, where),
        (profile.parameters, f"profile {profile.name}"),
        (entry.overrides, f"{where}, test {entry.test}"),
        (shared, where),
    ):
        parameters.update(read_values(profile.workload, values, origin))
    return Case(entry.label, profile, parameters)
