"""What a caller names, in the words of a study: text where the command line has text, Python's values elsewhere."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from os import PathLike, fspath
from typing import Any

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
    if isinstance(test, str | PathLike):
        return str(fspath(test))
    raise UsageError(f"a test is a name, or a table like {{'test': 'randread', 'depth': 16}}, not {test!r}")


def targets_of(targets: Targets) -> list[str | Target]:
    """Words `NAME=WHERE,option=value`, and targets of tables."""
    if isinstance(targets, str):
        return [targets]
    if not isinstance(targets, Mapping | Sequence):
        raise UsageError(f"targets are places by name, like {{'nvme': '/mnt/a'}}, not {targets!r}")
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
    raise UsageError(f"target {name} is a place, or a table like {{'where': '/mnt/a', 'depth': 16}}, not {place!r}")


def _target(table: Any) -> Target:
    if not isinstance(table, Mapping):
        raise UsageError(f"a target is NAME=WHERE, or a table with name and where, not {table!r}")
    return target_from({name: text_of(value) for name, value in table.items()}, "targets")


def text_of(value: object) -> Any:
    """A value as a study file has it."""
    if isinstance(value, timedelta):
        return f"{value.total_seconds():.10g}s"
    return fspath(value) if isinstance(value, PathLike) else value


def given_of(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a study that were given, as the study has them."""
    given = {name: value for name, value in options.items() if value is not None and value is not False}
    if "time" in given:
        given["time_ns"] = _duration_ns(given.pop("time"))
    if "band" in given:
        given["band"] = parse_share(given["band"]) if isinstance(given["band"], str) else float(given["band"])
    return given


def _duration_ns(time: str | float | timedelta) -> int:
    if isinstance(time, str):
        return parse_duration(time)
    return round((time.total_seconds() if isinstance(time, timedelta) else time) * SECOND)


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
        raise UsageError(f"{name} = {load!r}: give a range, such as (1, 64) or '1..64'") from None
