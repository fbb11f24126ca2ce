"""YCSB's status lines: every ten seconds how far it is, and what it did since the last line."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from plimsoll.frontends.ycsb.output import NAMES, tried
from plimsoll.units import MICROSECOND, MILLISECOND, SECOND

_WHOLE = ("read", "update", "insert", "scan", "read_modify_write")


class Teller:
    """Prints a line on standard error whenever `interval_s` of the measured part are over, and one at its end."""

    def __init__(self, label: str, interval_s: int, expected: int | None) -> None:
        """`expected` is the number of operations that there will be, where it is known."""
        self._label, self._interval_ns, self._expected = label, interval_s * SECOND, expected
        self._begun = False
        self._loading: Mapping[str, Any] | None = None
        """The last interval of a load before the measured part, which is told until the first of that is complete."""
        self._seen_ns = 0
        """End of the last interval taken in, since the start of the measured part."""
        self._told_ns = 0
        self._operations = 0
        self._told_operations = 0
        self._since: list[Mapping[str, Any]] = []

    def see(self, progress: Mapping[str, Any]) -> None:
        """Take in what a running job tells."""
        interval = progress["interval"]
        if progress["phase"] == "measure" and not self._begun:
            self._begun, self._loading = True, interval
            self._print(0)
        if self._begun and interval not in (None, self._loading) and interval["start_ns"] >= self._seen_ns:
            self._take(interval)

    def _take(self, interval: Mapping[str, Any]) -> None:
        self._seen_ns = interval["start_ns"] + interval["duration_ns"]
        self._since.append(interval)
        done = sum(row["operations"] for kind, row in interval["operations"].items() if kind in _WHOLE)
        self._operations += done + interval["errors"]
        if self._seen_ns - self._told_ns >= self._interval_ns:
            self._print(self._seen_ns)

    def finish(self, outcome: Mapping[str, Any]) -> None:
        """The last line, with all operations, and with the intervals that ended between two looks."""
        self._since = [each for each in outcome["intervals"] if each["start_ns"] >= self._told_ns]
        self._operations = tried(outcome)
        self._print(outcome["elapsed_ns"])

    def _print(self, now_ns: int) -> None:
        print(self._line(now_ns, time.time_ns()), file=sys.stderr, flush=True)
        self._told_ns, self._told_operations, self._since = now_ns, self._operations, []

    def _line(self, now_ns: int, clock_ns: int) -> str:
        stamp = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(clock_ns / SECOND))
        line = f"{self._label}{stamp}:{clock_ns // MILLISECOND % 1000:03d} {now_ns // SECOND} sec: "
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
        """`[READ: Count=1354, Max=74431, 99=22559]`; a percentile of several intervals is not known."""
        for name, kinds in NAMES.items():
            found = [each["operations"][kind] for each in self._since for kind in kinds if kind in each["operations"]]
            rows = [row for row in found if row["operations"]]
            if not rows:
                continue
            worst = max(row["max_ns"] for row in rows) // MICROSECOND
            tail = f", 99={rows[0]['p99_ns'] // MICROSECOND}" if len(rows) == 1 else ""
            yield f"[{name}: Count={sum(row['operations'] for row in rows)}, Max={worst}{tail}]"


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
