"""The parameters of tests: name, how its text is read, default, and what it means.

One table per workload. Profiles, suites, studies, target options and the reference page all read this table; a plan
holds every parameter of its workload in base units (bytes, ns, shares 0…1, operations).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, cast

from plimsoll import plugins
from plimsoll.declared import DB, FILES, IoParameters
from plimsoll.errors import UnknownName, UsageError
from plimsoll.meanings import nearest
from plimsoll.model import Plan
from plimsoll.parameter import Parameter, parameters_in, value_text
from plimsoll.plugins import Plugin
from plimsoll.units import (
    MINUTE,
    SECOND,
    exact_duration,
    exact_size,
    parse_duration,
    plain_text,
)

FILES_WORKLOADS = {name: parameters_in(record) for name, record in FILES.items()}

DB_WORKLOADS = {name: parameters_in(record) for name, record in DB.items()}

WORKLOADS: dict[str, tuple[Parameter, ...]] = {"io": parameters_in(IoParameters), **FILES_WORKLOADS, **DB_WORKLOADS}
"""The parameters of each of our workloads that a profile can name."""

LONGEST_NAME = 64
"""A longer one is no slip of the keyboard."""

RECORDING = Parameter("recording", None, lambda value: value, "the trace that is replayed; `plimsoll replay` sets it")
"""Of block I/O, and in plans only where a trace is replayed: no other plan has it."""

TIMEOUT = Parameter("timeout", 10 * MINUTE, parse_duration, "a program that takes longer is ended, and the run fails")
"""What every workload of other packages has beside its own."""


@cache
def programs() -> Mapping[str, Plugin]:
    """The workloads of other packages, each of which runs a program, by name. Those with bad parameters are told."""
    found = {}
    for each in plugins.of_others("workloads"):
        names = [getattr(parameter, "name", None) for parameter in each.module.PARAMETERS]
        if not all(isinstance(parameter, Parameter) for parameter in each.module.PARAMETERS):
            plugins.tell_once(f"{each.label} is left out: something in PARAMETERS is not a Parameter")
        elif len({*names, TIMEOUT.name}) <= len(names):
            plugins.tell_once(f"{each.label} is left out: two of PARAMETERS have one name, or one is named timeout")
        else:
            found[each.name] = each
    return found


def parameters_of(workload: str) -> tuple[Parameter, ...]:
    """The parameters of a workload, ours or another package's. Raises UnknownName."""
    if workload in WORKLOADS:
        return WORKLOADS[workload]
    if workload in programs():
        return (*programs()[workload].module.PARAMETERS, TIMEOUT)
    raise UnknownName(
        "workload", workload, all_workloads(), hint="the package that brings it may not be installed here"
    )


def all_workloads() -> Mapping[str, tuple[Parameter, ...]]:
    """The parameters of all workloads, ours first."""
    return {**WORKLOADS, **{name: parameters_of(name) for name in programs()}}


def kind_of(workload: str) -> str:
    """Kind of a workload: `io`, `files`, `db`, or `program` where another package has it.

    Those of one kind are planned, carried out and scored in one way.
    """
    if workload in FILES_WORKLOADS:
        return "files"
    if workload in DB_WORKLOADS:
        return "db"
    return "program" if workload not in WORKLOADS and workload in programs() else workload


def read_values(workload: str, values: Mapping[str, object], where: str) -> dict[str, object]:
    """The given parameters of `workload` in base units; `where` names their origin in errors.

    Raises UnknownName for a parameter that does not exist and UsageError for a value that cannot be read.
    """
    known = {parameter.name: parameter for parameter in parameters_of(workload)}
    if workload == "io" and isinstance(values.get(RECORDING.name), Mapping):
        known[RECORDING.name] = RECORDING
    read: dict[str, object] = {}
    for name, value in values.items():
        if name not in known:
            others = [
                other for other, each in all_workloads().items() if any(name == parameter.name for parameter in each)
            ]
            hint = f"it belongs to other tests: {', '.join(others[:5])}" if others else ""
            raise UnknownName("parameter", name, known, where, hint)
        read[name] = known[name].read_given(value, where)
    return read


def check_stored(workload: str, values: Mapping[str, object], where: str) -> None:
    """Refuse base-unit values of a stored plan that none can have had; `where` names their origin in errors.

    A parameter that is not known here may be one of another version. It is misspelt where the one that it resembles is
    missing, for a plan has all of them. Workloads of other packages are not known.
    Raises UnknownName for such a name, and UsageError for a value out of bounds.
    """
    known = {each.name: each for each in WORKLOADS.get(workload, ())}
    absent = known.keys() - values.keys()
    for name, value in values.items():
        if name in known:
            try:
                known[name].check_bounds(value)
            except UsageError as error:
                raise UsageError(f"{where}: {name}: {error}") from None
            except (TypeError, ValueError):
                raise UsageError(f"{where}: {name}: {ascii(value)[:80]} is not a value for it") from None
        elif len(name) <= LONGEST_NAME and nearest(name, absent):
            raise UnknownName("parameter", name, absent, where)


def defaults(workload: str) -> dict[str, object]:
    """Every parameter of `workload` with its default, in base units."""
    return {parameter.name: parameter.default for parameter in parameters_of(workload)}


def io_defaults() -> IoParameters:
    """Those of block I/O."""
    return cast(IoParameters, defaults("io"))


def written(workload: str, name: str, value: Any) -> str:
    """A value of a plan with its unit, as `value_text` writes it.

    Plans of other tools' runs, and of other versions, have parameters that no table knows: a unit in the name counts.
    """
    has = WORKLOADS.get(workload) or (parameters_of(workload) if workload in programs() else ())
    known = next((each for each in has if each.name == name), None)
    try:
        if known is not None:
            return value_text(known, value)
        if isinstance(value, int) and not isinstance(value, bool):
            unit = next((unit for unit in _NAMED_UNITS if name == unit or name.endswith(f"_{unit}")), None)
            return _NAMED_UNITS[unit](value) if unit else str(value)
    except (TypeError, ValueError, KeyError, AttributeError, ArithmeticError):
        pass  # A record of another version or program may hold anything there.
    return plain_text(value)


def all_written(plan: Plan) -> dict[str, str]:
    """Every parameter of a plan as it is written."""
    return {name: written(plan.workload, name, value) for name, value in plan.parameters.items()}


_NAMED_UNITS: dict[str, Callable[[int], str]] = {
    "ns": exact_duration,
    "s": lambda seconds: exact_duration(seconds * SECOND),
    "bytes": exact_size,
    "block_size": exact_size,
}


def parameter(workload: str, name: str) -> Parameter:
    """The parameter of that name."""
    return next(each for each in parameters_of(workload) if each.name == name)
