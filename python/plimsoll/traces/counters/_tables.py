"""What readers of tables share: rates per second, row by row."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from plimsoll.errors import UsageError
from plimsoll.traces.series import Column, Found

_THOUSANDS = re.compile(r"-?[1-9]\d{0,2}(,\d{3})+(\.\d+)?")
"""`1,234` is a thousand and more in one country, and a little more than one in another."""


class Device:
    """Rates of one device as they come."""

    def __init__(self) -> None:
        """Nothing seen yet."""
        self.times: dict[str, list[float]] = {}
        self.values: dict[str, list[float]] = {}

    def add(self, time_s: float, name: str, value: float) -> None:
        """One value of a column."""
        self.times.setdefault(name, []).append(time_s)
        self.values.setdefault(name, []).append(value)

    def columns(self, kind: str = "rate") -> dict[str, Column]:
        """All of it."""
        return {name: Column(kind, self.times[name], self.values[name]) for name in self.times}  # type: ignore[arg-type]


def collected(devices: Mapping[str, Device], zone: str, notes: Sequence[str]) -> list[Found]:
    """One entry per device."""
    return [Found(name, each.columns(), zone=zone, notes=tuple(notes)) for name, each in devices.items()]


def number(text: str, where: str) -> float:
    """A number with a point or a comma before its fraction; NaN where there is none."""
    text = text.strip().strip('"')
    if text in ("", "-", "N/A", "?", "NaN", "nan", "null"):
        return math.nan
    if _THOUSANDS.fullmatch(text):
        raise UsageError(
            f"{where}: {text[:40]!r} may be {text.replace(',', '')[:40]} or {text.replace(',', '.', 1)[:40]}; save it "
            "with numbers that have no comma"
        )
    try:
        return float(text.replace(",", "."))
    except ValueError:
        raise UsageError(f"{where}: {text[:40]!r} is not a number") from None
