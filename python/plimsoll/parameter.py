"""One parameter of a test: its name, how its text is read into base units, its default, and what it means.

The readers raise UsageError for text that means nothing; they also take values that are in base units already, so that
a plan can be read again.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NotRequired, get_args

from typing_extensions import TypedDict, get_original_bases

from plimsoll.database_values import read_requests, read_settings, requests_text, settings_text
from plimsoll.drivers import server_called, servers
from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import (
    exact_duration,
    exact_number,
    exact_share,
    exact_size,
    parse_count,
    parse_duration,
    parse_share,
    parse_size,
    plain_text,
)

Reader = Callable[[Any], Any]


@dataclass(frozen=True)
class Parameter:
    """One parameter: `read` turns text or a TOML value into base units."""

    name: str
    default: Any
    read: Reader
    help: str
    choices: tuple[str, ...] = ()
    write: Callable[[Any], str] | None = None
    """Writes a value as `read` reads it, where the reader is not one of this file."""
    least: float | None = None
    most: float | None = None
    fixed: bool = False
    """It cannot change while what it describes exists."""

    def check_bounds(self, value: Any) -> None:
        """Raise UsageError for a number below the least or above the most; the message says which they are."""
        if value is None or self.least is None or self.most is None:
            return
        # A mix of sizes has those of each.
        for number in [size for size, _ in value] if isinstance(value, list) else [value]:
            if not self.least <= number <= self.most:
                above = number > self.most and self.most in _UNBOUNDED
                raise UsageError(
                    f"{value_text(self, value)} is out of bounds; use {'less than 2⁶³' if above else self.room}"
                )

    def read_given(self, value: Any, where: str) -> Any:
        """A given value in base units, within the bounds; `where` names its origin in errors.

        Raises UsageError for one that means nothing or is out of bounds, UnknownName for one that is no choice.
        """
        try:
            found = self.read(value)
            self.check_bounds(found)
        except (UsageError, TypeError, ValueError) as error:
            raise UsageError(f"{where}: {self.name}: {error}") from None
        if self.choices and found not in self.choices:
            raise UnknownName(f"value for {self.name}", str(found), self.choices, where)
        return found

    @property
    def room(self) -> str:
        """The bounds as people write them, `1 to 9` or `1 or more`; empty where there are none."""
        if self.least is None or self.most is None:
            return ""
        least, most = (value_text(self, self._alike(bound)) for bound in (self.least, self.most))
        if self.most not in _UNBOUNDED:
            return f"{least} to {most}"
        return f"{least} or more"

    def _alike(self, bound: float) -> Any:
        """A bound as a value of this parameter."""
        if (self.read.read if isinstance(self.read, Optional) else self.read) is read_size_mix:
            return [[bound, 1.0]]
        return bound if self.default is None else type(self.default)(bound)


_UNBOUNDED = (2**63 - 1, sys.float_info.max)
"""What stands for no upper bound."""


def read_flag(value: Any) -> bool:
    """Yes or no, in the usual words."""
    if isinstance(value, bool):
        return value
    words = {"yes": True, "true": True, "1": True, "on": True, "no": False, "false": False, "0": False, "off": False}
    if str(value).lower() not in words:
        raise UsageError(f"{value!r} is neither yes nor no")
    return words[str(value).lower()]


def read_text(value: Any) -> str:
    """A word; case does not count."""
    return str(value).strip().lower()


def read_plain(value: Any) -> str:
    """Any text, as it stands."""
    return str(value).strip()


@dataclass(frozen=True)
class Optional:
    """Reads what another reader reads, or nothing: `none`, or an empty text."""

    read: Reader

    def __call__(self, value: Any) -> Any:
        """None for an absent value, an empty text or `none`; else what the reader of the value makes of it."""
        return None if value is None or value == "" or read_text(value) == "none" else self.read(value)


def read_positive_count(value: Any) -> int:
    """A whole number of at least 1."""
    count = parse_count(value)
    if count < 1:
        raise UsageError(f"{value!r} must be at least 1")
    return count


Sizes = list[list[float]]
"""Sizes with their weights, [[bytes, weight], …]."""


def read_size_mix(value: Any) -> Sizes:
    """`4KiB`, or a mix `4KiB:60 16KiB:40` of size:weight, as [[bytes, weight], …]."""
    if isinstance(value, list):
        return [[parse_size(size), float(weight)] for size, weight in value]
    mix: Sizes = []
    # `4 KiB`, as it is written, is one size.
    for part in re.sub(r"(\d)\s+(?=[A-Za-z])", r"\1", str(value)).split():
        size, _, weight = part.partition(":")
        try:
            mix.append([parse_size(size), float(weight or 1)])
        except ValueError:
            raise UsageError(f"{part!r} is not a size:weight; write a mix like '4KiB:60 16KiB:40'") from None
    if not mix or any(size < 1 or weight <= 0 for size, weight in mix):
        raise UsageError(f"{value!r} is not a block size; write 4KiB, or a mix like '4KiB:60 16KiB:40'")
    return mix


class Zone(TypedDict):
    """A part of the region, and its share of the operations relative to the others."""

    weight: float
    bytes: int


class Distribution(TypedDict):
    """Where random operations go, with the numbers of its kind (`crates/core/src/distribution`)."""

    kind: Literal["once", "uniform", "zipf", "pareto", "normal", "zones"]
    theta: NotRequired[float]
    h: NotRequired[float]
    deviation: NotRequired[float]
    centre: NotRequired[float]
    zones: NotRequired[list[Zone]]


class Rate(TypedDict):
    """What an open loop asks for."""

    per_second: float
    unit: Literal["operations", "bytes"]
    apart: NotRequired[dict[str, float | None]]
    """Of reads and of writes, where each has its own."""


def read_distribution(value: Any) -> dict[str, Any]:
    """`once`, `uniform`, `zipf:1.1`, `pareto:0.2`, `normal:0.1`; the last three also with a centre, `zipf:1.1:0.5`."""
    if isinstance(value, dict):
        return value
    kind, _, numbers = read_text(value).partition(":")
    number, _, centre = numbers.partition(":")
    try:
        if kind in ("once", "uniform") and not numbers:
            return {"kind": kind}
        if kind in _HOT_PLACES:
            name, usual = _HOT_PLACES[kind]
            return {"kind": kind, name: float(number or usual), **({"centre": float(centre)} if centre else {})}
    except ValueError:
        pass
    raise UsageError(
        f"{value!r} is not an access distribution; write once, uniform, zipf:1.1, pareto:0.2 or normal:0.1"
    )


_HOT_PLACES = {"zipf": ("theta", "1.1"), "pareto": ("h", "0.2"), "normal": ("deviation", "")}
"""Distributions with hot places: the name of their number, and what it is unless given; the last has to be given."""


def read_rate(value: Any) -> dict[str, Any]:
    """`1000/s` operations or `10MiB/s` bytes."""
    if isinstance(value, dict):
        return value
    number = str(value).strip().removesuffix("/s").strip()
    if number.replace(".", "", 1).isdigit():
        rate: dict[str, Any] = {"per_second": float(number), "unit": "operations"}
    else:
        rate = {"per_second": float(parse_size(number)), "unit": "bytes"}
    if rate["per_second"] <= 0:
        raise UsageError(f"{value!r}: a rate must be above zero; leave it out for as fast as possible")
    return rate


def read_cpus(value: Any) -> list[int]:
    """Numbers of processors, `0+1`, or `any`."""
    if isinstance(value, list):
        return [int(cpu) for cpu in value]
    if read_text(value) == "any":
        return []
    try:
        return [int(cpu) for cpu in str(value).replace("+", " ").split()]
    except ValueError:
        raise UsageError(f"{value!r} is not a list of CPUs; write them like 0+1") from None


def value_text(parameter: Parameter, value: Any) -> str:
    """A value in base units as people write it, with its unit; the parameter's reader reads it back to the same."""
    read = parameter.read.read if isinstance(parameter.read, Optional) else parameter.read
    if value is None:
        return "none"
    if parameter.write is not None:
        return parameter.write(value)
    if read in _WRITERS:
        return _WRITERS[read](value)
    if isinstance(value, float):
        return exact_number(value)
    return plain_text(value)


def words_text(value: list[str]) -> str:
    """`write+read`, as a list of words is typed."""
    return "+".join(value)


def _mix_text(value: Sizes) -> str:
    sizes = [(exact_size(int(size)), weight) for size, weight in value]
    return sizes[0][0] if len(sizes) == 1 else " ".join(f"{size}:{exact_number(weight)}" for size, weight in sizes)


def _distribution_text(value: dict[str, Any]) -> str:
    if "zones" in value:
        zones = (f"{exact_size(each['bytes'])}:{exact_number(each['weight'])}" for each in value["zones"])
        return f"zones {' '.join(zones)}"
    return ":".join(part if isinstance(part, str) else exact_number(part) for part in value.values())


def _rate_text(value: dict[str, Any]) -> str:
    per_second = value["per_second"]
    return f"{exact_size(int(per_second)) if value['unit'] == 'bytes' else exact_number(per_second)}/s"


_WRITERS: dict[Reader, Callable[[Any], str]] = {
    parse_size: exact_size,
    parse_duration: exact_duration,
    parse_share: exact_share,
    read_size_mix: _mix_text,
    read_distribution: _distribution_text,
    read_rate: _rate_text,
    read_settings: settings_text,
    read_requests: requests_text,
    read_cpus: lambda value: "+".join(str(cpu) for cpu in value) or "any",
}
"""How the values of each reader of this file are written; other readers come with a `write` of their own."""


def _read_words(choices: Sequence[str]) -> Reader:
    """Reads `write+read` as a list of words."""

    def read(value: Any) -> list[str]:
        found = value if isinstance(value, list) else str(value).lower().replace("+", " ").split()
        unknown = [word for word in found if word not in choices]
        if unknown or not found:
            raise UsageError(f"{value!r} names none of {', '.join(choices)}; join several with +")
        return list(found)

    return read


def _read_number(value: Any) -> float:
    try:
        found = float(value)
    except (TypeError, ValueError):
        found = math.nan
    if not math.isfinite(found):
        raise UsageError(f"{value!r} is not a number")
    return found


_READERS: dict[str, Reader] = {
    "flag": read_flag,
    "count": parse_count,
    "bytes": parse_size,
    "nanoseconds": parse_duration,
    "share": parse_share,
    "number": _read_number,
    "word": read_text,
    "text": read_plain,
    "sizes": read_size_mix,
    "rate": read_rate,
    "distribution": read_distribution,
    "cpus": read_cpus,
    "record": lambda value: value,
    "server": lambda value: server_called(str(value)),
    "settings": read_settings,
    "requests": read_requests,
}
"""How the text of each unit of `crates/core/src/parameters.rs` is read."""


@dataclass(frozen=True)
class Declared:
    """What the core declares of a parameter beside its type; the keys of the records in `declared.py` have one."""

    unit: str
    default: Any
    help: str
    least: float | None = None
    most: float | None = None

    def parameter(self, name: str, kind: Any) -> Parameter:
        """The parameter of this name and type."""
        listed = self.unit == "words"
        choices = (self.default, *servers()) if self.unit == "server" else _words(kind)
        read = _read_words(choices) if listed else _READERS[self.unit]
        return Parameter(
            name=name,
            default=self.default,
            read=Optional(read) if self.default is None else read,
            help=self.help,
            # A list of words is checked by its reader.
            choices=() if listed else choices,
            write=words_text if listed else None,
            least=self.least,
            most=self.most,
        )


def _words(kind: Any) -> tuple[str, ...]:
    """All words that a type names."""
    return (kind,) if isinstance(kind, str) else tuple(word for part in get_args(kind) for word in _words(part))


def parameters_in(record: type[Any]) -> tuple[Parameter, ...]:
    """The parameters of a record, its own before those that several records have; without optional ones."""
    shared = [name for base in get_original_bases(record) for name in getattr(base, "__annotations__", ())]
    own_first = sorted(record.__annotations__.items(), key=lambda named: named[0] in shared)
    found = [(name, *get_args(hint)) for name, hint in own_first if name in record.__required_keys__]
    return tuple(declared.parameter(name, kind) for name, kind, declared in found)
