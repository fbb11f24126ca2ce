"""What fio tells while jobs run: a status every `--status-interval`, and the line of the ETA."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from plimsoll.frontends.fio.execution import Done, Member
from plimsoll.frontends.fio.normal_output import number
from plimsoll.run.outcome import Amount
from plimsoll.units import SECOND

UNKNOWN = 2**31 - 1
"""fio's ETA until three seconds have gone by."""
UNTOLD_S = 3.0
LETTERS = {"read": "R", "write": "W", "trim": "D", "rw": "M"}
DIRECTIONS = {"read": "r", "write": "w", "trim": "t"}


@dataclass
class Monitor:
    """Called often while jobs run; both intervals in seconds, 0 for none."""

    members: Sequence[Member]
    tell: Callable[[list[Done], int], None]
    """Gets all jobs as they stand, and the seconds that are left."""
    status_s: float = 0.0
    eta_s: float = 0.0
    newline_s: float = 0.0
    """The line of the ETA stays and another one begins, so often."""
    _began: float | None = None
    """The first call: when the files are laid out."""
    _told: int = 0
    _shown: int = 0
    _kept: int = 0
    _width: int = 0

    def tick(self) -> None:
        """Tell what is due."""
        now = time.monotonic()
        self._began = self._began or now
        elapsed = now - self._began
        if self.status_s and (due := int(elapsed / self.status_s)) > self._told:
            self._told = due
            self.tell([member.so_far() for member in self.members], self.eta(elapsed))
        if self.eta_s and (due := int(elapsed / self.eta_s)) > self._shown:
            self._shown = due
            self._show(elapsed)

    def eta(self, elapsed: float) -> int:
        """Seconds until all jobs have ended: the longest of each stage, one stage after the other."""
        if elapsed < UNTOLD_S:
            return UNKNOWN
        left = 0.0
        for _, stage in groupby(self.members, key=lambda member: member.job.stage):
            left += max((member.left_s() or 0.0) for member in stage)
        return round(left)

    def _show(self, elapsed: float) -> None:
        line = self.line(elapsed)
        start = ""
        if self.newline_s and (due := int(elapsed / self.newline_s)) > self._kept:
            start, self._kept, self._width = "\n" if self._width else "", due, 0
        sys.stdout.write(f"{start}{line:{self._width}}\r")
        sys.stdout.flush()
        self._width = len(line)

    def line(self, elapsed: float) -> str:
        """`Jobs: 1 (f=1): [r(1)][50.0%][r=39.4MiB/s][r=10.1k IOPS][eta 00m:01s]`."""
        running = [member for member in self.members if state(member) not in "P_X"]
        line = f"Jobs: {len(running)} (f={sum(len(member.job.paths) for member in running)})"
        left = self.eta(elapsed)
        if left == UNKNOWN or not running:
            return line
        share = f"{100 * elapsed / (elapsed + left):3.1f}%" if left else "-.-%"
        states = ",".join(f"{letter}({len(list(same))})" for letter, same in groupby(map(state, self.members)))
        rates, iops = [], []
        for kind, letter in DIRECTIONS.items():
            bytes_per_s, per_s = (
                sum(rate(member, kind, name) for member in running) for name in ("bytes", "operations")
            )
            if per_s:
                rates.append(f"{letter}={number(bytes_per_s, unit='B/s')}")
                iops.append(f"{letter}={number(per_s, 1000)}")
        moved = f"[{','.join(rates)}][{','.join(iops)} IOPS]" if rates else ""
        return f"{line}: [{states}][{share}]{moved}[eta {clock(left)}]"


def state(member: Member) -> str:
    """fio's letter of what a job does."""
    live = member.live
    if live is None:
        return "P"
    if live.over:
        return "X" if live.failed else "_"
    letter = {"": "I", "layout": "I", "warmup": "/", "verify": "V", "finished": "f"}.get(live.phase)
    mode = member.job.mode
    kind = LETTERS[mode.removeprefix("rand")]
    return letter or (kind.lower() if mode.startswith("rand") else kind)


def rate(member: Member, kind: str, name: Amount) -> float:
    """Bytes or operations per second of one direction, in the last complete interval."""
    interval = member.live.interval if member.live else None
    found = interval["operations"].get(kind) if interval else None
    return float(found[name] * SECOND / interval["duration_ns"]) if found and interval else 0.0


def clock(seconds: int) -> str:
    """`01d:02h:03m:04s`, days and hours where there are any."""
    minutes, second = divmod(seconds, 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"{f'{days:02d}d:' if days else ''}{f'{hour:02d}h:' if hours else ''}{minute:02d}m:{second:02d}s"
