"""How parameters that only databases have are read and written: settings, and which records are asked for."""

from __future__ import annotations

from typing import Any, Literal, NotRequired

from typing_extensions import TypedDict

from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import exact_number


def _number(value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise UsageError(f"{value!r} is not a number") from None


def read_settings(value: Any) -> dict[str, str]:
    """Settings from `name=value name=value` or a table; raises UsageError for a word without a value."""
    if isinstance(value, dict):
        return {str(name): str(each) for name, each in value.items()}
    found: dict[str, str] = {}
    if str(value).strip().lower() == "none":
        return found
    for word in str(value).split():
        name, equals, text = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{word!r} is not a setting; write name=value, several separated by spaces")
        found[name] = text
    return found


class Requests(TypedDict):
    """Which records are asked for, with the numbers of its kind (`crates/db/src/parameters.rs`)."""

    kind: Literal["uniform", "sequential", "zipfian", "latest", "hotspot", "exponential"]
    theta: NotRequired[float]
    data: NotRequired[float]
    operations: NotRequired[float]
    percentile: NotRequired[float]
    share: NotRequired[float]


def read_requests(value: Any) -> dict[str, Any]:
    """`uniform`, `zipfian[:0.99]`, `latest`, `hotspot[:0.2:0.8]`, `sequential` or `exponential[:95:0.857]`."""
    if isinstance(value, dict):
        return value
    kind, *words = str(value).strip().lower().split(":")
    fields: dict[str, tuple[tuple[str, float], ...]] = {
        "uniform": (),
        "sequential": (),
        "zipfian": (("theta", 0.99),),
        "latest": (("theta", 0.99),),
        "hotspot": (("data", 0.2), ("operations", 0.8)),
        "exponential": (("percentile", 95.0), ("share", 0.8571428571)),
    }
    if kind not in fields:
        raise UnknownName("request distribution", kind, fields)
    numbers = [_number(word) for word in words]
    if len(numbers) > len(fields[kind]):
        raise UsageError(f"{value!r} has too many numbers; {kind} takes {len(fields[kind]) or 'none'}")
    given = [*numbers, *(default for _, default in fields[kind][len(numbers) :])]
    return {"kind": kind, **{name: number for (name, _), number in zip(fields[kind], given, strict=True)}}


def settings_text(value: dict[str, str]) -> str:
    """As `read_settings` reads it."""
    return " ".join(f"{name}={text}" for name, text in value.items()) or "none"


def requests_text(value: dict[str, Any]) -> str:
    """As `read_requests` reads it."""
    return ":".join(part if isinstance(part, str) else exact_number(part) for part in value.values())
