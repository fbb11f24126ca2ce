"""YCSB's status lines: every ten seconds how far it is, and what it did since the last line."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.frontends.ycsb.output import NAMES, Settings, added, is_scheduled, tried, value_us
from plimsoll.run.outcome import DbOutcome, Progress
from plimsoll.stats.histogram import Histogram
from plimsoll.units import MICROSECOND, MILLISECOND, SECOND

_WHOLE = ("read", "update", "insert", "scan", "read_modify_write")
_PERCENTS = (90, 99, 99.9, 99.99)


class Teller:
    """Prints a line on standard error whenever `interval_s` of the measured part are over, and one at its end."""

    def __init__(self, chosen: Settings, expected: int | None) -> None:
        """`expected` is the number of operations that there will be, where it is known."""
        self._chosen, self._interval_ns, self._expected = chosen, chosen.status_s * SECOND, expected
        self._begun = False
        self._loading: Mapping[str, Any] | None = None
        """The last interval of a load before the measured part, which is told until the first of that is complete."""
        self._seen_ns = 0
        """End of the last interval taken in, since the start of the measured part."""
        self._told_ns = 0
        self._operations = 0
        self._told_operations = 0
        self._since: list[Mapping[str, str]] = []
        """Encoded histograms by kind of the intervals since the last line."""

    def see(self, progress: Progress) -> None:
        """Take in what a running job tells."""
        interval = progress["interval"]
        if progress["phase"] == "measure" and not self._begun:
            self._begun, self._loading = True, interval
            self._print(0)
        self._since += progress.get("interval_histograms", ())
        if self._begun and interval not in (None, self._loading) and interval["start_ns"] >= self._seen_ns:
            self._take(interval)

    def _take(self, interval: Mapping[str, Any]) -> None:
        self._seen_ns = interval["start_ns"] + interval["duration_ns"]
        done = sum(row["operations"] for kind, row in interval["operations"].items() if kind in _WHOLE)
        self._operations += done + interval["errors"]
        if self._seen_ns - self._told_ns >= self._interval_ns:
            self._print(self._seen_ns)

    def finish(self, outcome: DbOutcome) -> None:
        """The last line, with all operations, and with the intervals that ended after the last look."""
        self._since += outcome.get("interval_histograms", ())
        self._operations = tried(outcome)
        self._print(outcome["elapsed_ns"])

    def _print(self, now_ns: int) -> None:
        print(self._line(now_ns, time.time_ns()), file=sys.stderr, flush=True)
        self._told_ns, self._told_operations, self._since = now_ns, self._operations, []

    def _line(self, now_ns: int, clock_ns: int) -> str:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(clock_ns / SECOND))
        line = f"{self._chosen.label}{stamp}:{clock_ns // MILLISECOND % 1000:03d} {now_ns // SECOND} sec: "
        line += f"{self._operations} operations; "
        span_ns = now_ns - self._told_ns
        if self._operations and span_ns > 0:
            rate = (self._operations - self._told_operations) * SECOND / span_ns
            line += f"{_short(rate)} current ops/sec; "
        if self._expected is not None and self._operations and self._operations < self._expected:
            left_s = (self._expected - self._operations) * now_ns / self._operations / SECOND
            line += f"est completion in {remaining(math.ceil(left_s))} "
        return line + " ".join(self._parts())

    def _parts(self) -> Iterator[str]:
        """`[READ: Count=1354, Max=74431, …]`, and with a target `[Intended-READ: …]` after those."""
        scheduled = any(is_scheduled(kinds, each) for each in self._since for kinds in NAMES.values())
        series = {"": "_service", "Intended-": ""} if scheduled else {"": ""}
        left_out = {"op": "Intended-", "intended": ""}.get(self._chosen.intervals) if scheduled else None
        for prefix, suffix in series.items():
            for name, kinds in NAMES.items() if prefix != left_out else ():
                found = added(kinds, suffix, self._since)
                if found.count:
                    yield f"[{prefix}{name}: {_described(found)}]"


def _described(found: Histogram) -> str:
    """As HdrHistogram's summary in YCSB, in µs."""
    values = {
        "Count": found.count,
        "Max": (found.max or 0) // MICROSECOND,
        "Min": int(found.low[0]) // MICROSECOND,
        "Avg": _short((found.mean or 0.0) / MICROSECOND),
        **{f"{percent:g}": value_us(found, percent) for percent in _PERCENTS},
    }
    return ", ".join(f"{name}={value}" for name, value in values.items())


def _short(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def remaining(seconds: int) -> str:
    """`1 day 9 hours`, `21 hours 49 minutes`, `12 seconds`."""
    days, rest = divmod(seconds, 86400)
    hours, rest = divmod(rest, 3600)
    minutes = rest // 60 if not days else 0
    parts = [(days, "day"), (hours, "hour"), (minutes, "minute")]
    words = [f"{count} {unit}{'' if count == 1 else 's'}" for count, unit in parts if count]
    return " ".join(words) or f"{rest} second{'' if rest == 1 else 's'}"
