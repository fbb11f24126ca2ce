"""Tests and suites as data: the one reader of `profiles/*.toml` and `suites/*.toml`.

A *profile* defines one test: as it always was (mode *classic*), and in further modes where that differs, such as
`fs-mark:durable`. A *suite* lists tests, each line with its own overrides. A line with everything it needs is a *case*:
what all targets of a block execute.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from plimsoll import plugins
from plimsoll.errors import PlimsollError, UnknownName, UsageError
from plimsoll.model import Plan
from plimsoll.parameters import all_workloads, defaults, parameters_of, programs, read_values

CLASSIC = "classic"
"""The mode that every test has: its definition as it is."""


@dataclass(frozen=True)
class Mode:
    """A named variant of a test."""

    meaning: str
    parameters: Mapping[str, Any]


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
    quick_sizes: Mapping[str, Any] = field(default_factory=dict)
    """What replaces the sizes of a test, whoever set them, for a trial that only has to be over soon."""
    modes: Mapping[str, Mode] = field(default_factory=dict)
    """Modes by name, beside `classic`, which is the test as it was defined."""
    original: str = ""
    """The tool that `implementation=original` runs, where its workload has several."""
    made_equal: str = ""
    """How a native test was made equal to its original."""
    beside: str = ""
    """Why figures differ from the original's; the figures themselves are in docs/data."""
    cannot_say: str = ""
    unverified: str = ""
    """What of the definition could not be confirmed."""

    def mode(self, name: str, where: str) -> Mapping[str, Any]:
        """What a mode changes. Raises UnknownName."""
        if name == CLASSIC:
            return {}
        if name not in self.modes:
            raise UnknownName("mode", name, (CLASSIC, *self.modes), f"{where}, test {self.name}")
        return self.modes[name].parameters


@dataclass(frozen=True)
class Entry:
    """One line of a suite or study: a test or `TEST:MODE`, and the parameters it overrides (as text)."""

    test: str
    overrides: Mapping[str, Any]

    @property
    def name(self) -> str:
        """The test without its mode."""
        return self.test.partition(":")[0]

    @property
    def mode(self) -> str:
        """The mode; classic where none is said."""
        return self.test.partition(":")[2] or CLASSIC

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
    parameters: Mapping[str, object]
    """Every parameter of the workload in base units."""
    unset: frozenset[str] = frozenset()
    """Those that have their general defaults."""

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
    found = {name: _profile(name, written) for name, written in _load("profiles").items()}
    for each in programs().values():
        for name, written in each.module.TESTS.items():
            if name in found:
                plugins.tell_once(f"test {name} of {each.label} is left out: there is one of this name")
                continue
            try:
                found[name] = _profile(name, {"workload": each.name, **written})
            except (PlimsollError, KeyError, TypeError, ValueError, AttributeError) as error:
                plugins.tell_once(f"test {name} of {each.label} is left out: {type(error).__name__}: {error}")
    return found


def _profile(name: str, written: Mapping[str, Any]) -> Profile:
    """The profile that a file, or a table of another package, holds."""
    modes = {mode: Mode(**changed) for mode, changed in written.get("modes", {}).items()}
    profile = Profile(name=name, **{**written, "metrics": tuple(written["metrics"]), "modes": modes})
    if profile.workload not in all_workloads():
        raise UnknownName("workload", profile.workload, all_workloads(), f"profile {name}")
    for values in (profile.parameters, profile.quick_sizes, *(mode.parameters for mode in modes.values())):
        read_values(profile.workload, values, f"profile {name}")
    return profile


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


def cases(entries: Iterable[Entry], shared: Mapping[str, Any], where: str, *, quick_sizes: bool = False) -> list[Case]:
    """The cases of a list of entries; an entry may name a test or a whole suite, each with a mode.

    Values are taken in this order, later ones win: general defaults, the suite's defaults, the profile, its mode, the
    suite's line, the entry's own overrides, the profile's quick sizes if they are asked for, `shared` (what the user
    set for all tests). What a suite or the user sets for all counts for the tests that have such a parameter.
    Lines that such values make equal are one case.
    """
    lines = [line for entry in entries for line in _lines(entry, where)]
    for line, _ in lines:
        if line.name not in profiles():
            hint = f"to set a parameter, give --set {line.name}" if "=" in line.name else ""
            raise UnknownName("test or suite", line.name, {**profiles(), **suites()}, where, hint)
    together = {profiles()[line.name].workload for line, _ in lines}
    written = [line.label for line, _ in lines]
    if twice := sorted({label for label in written if written.count(label) > 1}):
        raise UsageError(f"{where}: {', '.join(twice)} is listed twice; give the lines different parameters or drop it")
    found: dict[str, Case] = {}
    for line, base in lines:
        workload = profiles()[line.name].workload
        for_this = for_workload(workload, base, together), for_workload(workload, shared, together)
        case = _case(line, *for_this, where, quick_sizes)
        if found.setdefault(case.label, case).parameters != case.parameters:
            raise UsageError(f"{where}: two different tests are both called {case.label}; drop one of the two")
    return list(found.values())


def for_workload(workload: str, values: Mapping[str, Any], together: Iterable[str]) -> dict[str, Any]:
    """Of values for several workloads, those for one: what it has, and what none has, for reading them to refuse it."""
    own = {parameter.name for parameter in parameters_of(workload)}
    others = {parameter.name for other in together for parameter in parameters_of(other)} - own
    return {name: value for name, value in values.items() if name not in others}


def _lines(entry: Entry, where: str) -> list[tuple[Entry, Mapping[str, Any]]]:
    """What an entry stands for, each line with its suite's defaults. A suite in a mode has the tests that have it."""
    suite = suites().get(entry.name)
    if suite is None:
        return [(entry, {})]
    listed = suite.entries
    if entry.mode != CLASSIC:
        listed = tuple(
            Entry(f"{line.name}:{entry.mode}", line.overrides)
            for line in suite.entries
            if entry.mode in profiles()[line.name].modes
        )
    if not listed:
        known = sorted({mode for line in suite.entries for mode in profiles()[line.name].modes})
        raise UnknownName("mode", entry.mode, (CLASSIC, *known), f"{where}, suite {suite.name}")
    lines = {line.label: line for line in listed}
    return [(Entry(line.test, {**line.overrides, **entry.overrides}), suite.defaults) for line in lines.values()]


def _case(entry: Entry, base: Mapping[str, Any], shared: Mapping[str, Any], where: str, quick_sizes: bool) -> Case:
    profile = profiles()[entry.name]
    quick = profile.quick_sizes if quick_sizes else {}
    parameters = defaults(profile.workload)
    unset = set(parameters)
    for values, origin in (
        (base, where),
        (profile.parameters, f"profile {profile.name}"),
        (profile.mode(entry.mode, where), f"profile {profile.name}, mode {entry.mode}"),
        (entry.overrides, f"{where}, test {entry.test}"),
        (quick, f"profile {profile.name}"),
        (shared, where),
    ):
        parameters.update(read_values(profile.workload, values, origin))
        unset -= values.keys()
    # A label never names another value than the one that is carried out.
    carried_out = {name: {**entry.overrides, **quick, **shared}[name] for name in entry.overrides}
    label = Entry(entry.test if entry.mode != CLASSIC else entry.name, carried_out).label
    return Case(label, profile, parameters, frozenset(unset))
