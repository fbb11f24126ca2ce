"""What a caller names, in the words of a study: text where the command line has text, Python's values elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from numbers import Integral, Real
from os import PathLike, fspath
from typing import Any, TypedDict

from plimsoll.api.arguments import has_null, shown
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.profile import Entry, entry_from
from plimsoll.run.study import target_from
from plimsoll.units import SECOND, parse_duration, parse_share

Test = str | PathLike[str] | Mapping[str, object]
Tests = Test | Sequence[Test]
Place = str | PathLike[str] | Mapping[str, object]
Targets = str | Mapping[str, Place] | Sequence[str | Mapping[str, object]]


def entries_of(tests: Tests) -> list[str | Entry]:
    """Names of tests, suites and studies, and lines with parameters of their own."""
    listed: Sequence[Any] = list(tests) if isinstance(tests, Sequence) and not isinstance(tests, str) else [tests]
    return [_entry(each) for each in listed]


def _entry(test: Any) -> str | Entry:
    if isinstance(test, Mapping):
        return entry_from({name: text_of(value) for name, value in test.items()}, "a test")
    if isinstance(test, str | PathLike) and str(test).strip():
        return str(fspath(test))
    raise UsageError(f"a test is a name, or a table like {{'test': 'randread', 'depth': 16}}, not {shown(test)}")


def targets_of(targets: Targets) -> list[str | Target]:
    """Words `NAME=WHERE,option=value`, and targets of tables."""
    if isinstance(targets, str):
        return [targets]
    if not isinstance(targets, Mapping | Sequence):
        raise UsageError(f"targets are places by name, like {{'nvme': '/mnt/a'}}, not {shown(targets)}")
    if isinstance(targets, Mapping):
        return [_target({"name": name, **_place(name, place)}) for name, place in targets.items()]
    return [each if isinstance(each, str) else _target(each) for each in targets]


def _place(name: str, place: Any) -> Mapping[str, Any]:
    if isinstance(place, Mapping):
        if "where" not in place:
            raise UsageError(f"target {name}: say where it is: {{'where': '/mnt/a', …}}")
        return place
    if isinstance(place, str | PathLike):
        return {"where": fspath(place)}
    raise UsageError(
        f"target {name} is a place, or a table like {{'where': '/mnt/a', 'depth': 16}}, not {shown(place)}"
    )


def _target(table: Any) -> Target:
    if not isinstance(table, Mapping):
        raise UsageError(f"a target is NAME=WHERE, or a table with name and where, not {shown(table)}")
    return target_from({name: text_of(value) for name, value in table.items()}, "targets")


def paths_of(files: Any) -> list[str]:
    """One file or several, also those that a generator such as `Path.glob` gives."""
    if isinstance(files, bytes | Mapping) or not isinstance(files, str | PathLike | Iterable):
        raise UsageError(f"files = {shown(files)}: give a path, or a list of paths")
    listed = [fspath(each) if isinstance(each, PathLike) else each for each in _several(files)]
    for each in listed:
        if not isinstance(each, str) or not each.strip() or has_null(each):
            raise UsageError(f"a file is named by a path, not by {shown(each)}")
    return listed


def _several(files: Any) -> list[Any]:
    return [files] if isinstance(files, str | PathLike) else list(files)


def text_of(value: object) -> Any:
    """A value as a study file has it; numbers of other libraries are numbers there."""
    if isinstance(value, timedelta):
        return f"{value.total_seconds():.10g}s"
    if isinstance(value, PathLike):
        return fspath(value)
    if isinstance(value, Real) and not isinstance(value, bool):
        return int(value) if isinstance(value, Integral) else float(value)
    return value


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a study that were given, as the study has them."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if "time" in given:
        given["time_ns"] = _duration_ns(given.pop("time"))
    if isinstance(given.get("band"), str):
        given["band"] = parse_share(given["band"])
    return {name: text_of(value) for name, value in given.items()}


def _duration_ns(time: str | float | timedelta) -> int:
    if isinstance(time, str):
        return parse_duration(time)
    return round((time.total_seconds() if isinstance(time, timedelta) else time) * SECOND)


class Rent(TypedDict, total=False):
    """How targets such as `aws:gp3,size=500GiB` are rented: the options of the command, by their names."""

    provider: str | None
    """Rents what a study would emulate."""
    instance: str | None
    region: str | None
    zone: str | None
    image: str | None
    spot: bool
    clients_on: str | None
    """Machines that are the clients of a rented database: `"aws:m7i.large,count=8"`."""
    allocations: int | None
    """How often everything is rented afresh, at most."""
    budget: str | float | None
    """The most that it may cost: `"5USD"`, or USD."""
    lease: str | float | timedelta | None
    """Everything ends by itself then: `"2h"`, or seconds."""
    accept_unattended: bool
    """Also what cannot end by itself, such as a database."""


def rent_of(asked: Rent) -> dict[str, Any]:
    """What was said about renting, as a study has it; nothing where nothing was."""
    table = {name: text_of(value) for name, value in asked.items() if value is not None and value is not False}
    found = {"provider": table.pop("provider")} if "provider" in table else {}
    if "lease" in table and not isinstance(table["lease"], str):
        table["lease"] = f"{table['lease']:.10g}s"
    return {**found, **({"rent": table} if table else {})}


def load_texts(loads: Mapping[str, str | tuple[float, float] | None]) -> dict[str, str]:
    """The ranges that were given, as the command line has them."""
    return {name: _range(name, load) for name, load in loads.items() if load is not None}


def _range(name: str, load: Any) -> str:
    if isinstance(load, str):
        return load
    try:
        low, high = load
        return f"{low:.10g}..{high:.10g}"
    except (TypeError, ValueError):
        raise UsageError(f"{name} = {shown(load)}: give a range, such as (1, 64) or '1..64'") from None
