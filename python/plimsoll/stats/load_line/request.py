"""What a session's study says about its search: the key `load_line` of the study's table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.errors import UnknownName, UsageError
from plimsoll.stats.load_line.levels import LoadRange, parse_range
from plimsoll.stats.load_line.points import STORED_NS
from plimsoll.stats.load_line.slo import Objective, parse_objective
from plimsoll.units import format_duration, parse_duration

KEY = "load_line"
_KEYS = ("parameter", "range", "slo", "stored")
LOADS = {"depth": "operations in flight", "clients": "clients", "threads": "threads", "rate": "operations per second"}
"""Parameters that are a load, with what they count."""


@dataclass(frozen=True)
class Request:
    """The load parameter of the test, the range it is searched in, and the objective."""

    parameter: str
    bounds: LoadRange
    objective: Objective | None = None
    stored_ns: int = STORED_NS
    """How long a place may give what it had stored while it rested, beyond what it carries."""

    @property
    def open_loop(self) -> bool:
        """Whether the load is a schedule, which a system can fail to keep."""
        return self.parameter == "rate"

    def text(self, load: float) -> str:
        """For sentences: `8 clients`, `depth 8`, `a rate of 1,400/s`."""
        match self.parameter:
            case "rate":
                return f"a rate of {self.brief(load)}"
            case "depth":
                return f"depth {self.brief(load)}"
            case _:
                return f"{self.brief(load)} {self.parameter if load != 1 else self.parameter.removesuffix('s')}"

    def texts(self, loads: Sequence[float]) -> str:
        """Several, for sentences: `1, 2 and 8 clients`, `depths 4 and 6`, `rates of 1,400/s and 2,000/s`."""
        if len(loads) == 1:
            return self.text(loads[0])
        named = [self.brief(load) for load in loads]
        listed = f"{', '.join(named[:-1])} and {named[-1]}"
        before = {"rate": "rates of ", "depth": "depths "}.get(self.parameter, "")
        return f"{before}{listed}" if before else f"{listed} {self.parameter}"

    def brief(self, load: float) -> str:
        """For tables: `8`, `1,400/s`."""
        number = f"{load:,.4g}" if load < 1000 else f"{load:,.0f}"
        return f"{number}/s" if self.open_loop else number

    def to_table(self) -> dict[str, str]:
        """As a study file holds it."""
        table = {"parameter": self.parameter, "range": self.bounds.text}
        table |= {"slo": self.objective.text} if self.objective else {}
        return table | ({"stored": self.stored_text} if self.stored_ns != STORED_NS else {})

    @property
    def stored_text(self) -> str:
        """As the command line takes it: `1s`."""
        return format_duration(self.stored_ns).replace(" ", "") if self.stored_ns else "0s"


def request_from(study: Mapping[str, Any], where: str) -> Request | None:
    """The request in a study's table, or None; raises UsageError where it cannot be read."""
    table = study.get(KEY)
    if table is None:
        return None
    if not isinstance(table, Mapping) or not {"parameter", "range"} <= table.keys():
        raise UsageError(f'{where}: [{KEY}] needs parameter = "depth" and range = "1..256"')
    for key in table:
        if key not in _KEYS:
            raise UnknownName("key", str(key), _KEYS, f"{where}, [{KEY}]")
    slo, stored = (str(table[name]) if name in table else None for name in ("slo", "stored"))
    return request(str(table["parameter"]), str(table["range"]), slo, stored)


def request(parameter: str, range_text: str, slo: str | None, stored: str | None = None) -> Request:
    """The request in words: `depth`, `1..256`, `p99<5ms`, `1s`; raises UsageError."""
    if parameter not in LOADS:
        raise UnknownName("load", parameter, LOADS)
    bounds = parse_range(range_text, whole=parameter != "rate")
    stored_ns = STORED_NS if stored is None else parse_duration(stored)
    return Request(parameter, bounds, parse_objective(slo) if slo else None, stored_ns)
