"""fio's `latency_target`: the largest depth at which enough operations of a window meet a latency.

Source: fio 3.33, `io_u.c` (`lat_target_check`). Each window is a run of its own here: nothing is in flight between two
of them, as fio has it wherever the depth changes. What is reported is the last window, as with fio.
"""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.merging import one_after_the_other
from plimsoll.model import Plan
from plimsoll.run.outcome import Failure, Outcome, failure_of, totals_of
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.local import execute
from plimsoll.stats.histogram import decode
from plimsoll.units import MILLISECOND, SECOND, format_duration

DATA = ("read", "write", "trim")
MOST_WINDOWS = 1000
STABLE = 3
"""Successes just below the bound after which the bound is tried again."""
OVER = 3
"""Behind the plan: which argument of `execute` says whether to end."""
TIMED_OUT = 110
"""The errno with which fio ends where even one operation in flight is too late."""


@dataclass(frozen=True)
class Target:
    """What a job asks for."""

    latency_ns: int
    window_ns: int
    share: float
    """Of the operations of a window that must meet it, 0…1."""
    goes_on: bool
    """`latency_run`: until the end of the job, instead of until the depth is found."""
    runtime_ns: int | None


@dataclass
class Search:
    """fio's search for the depth. `depth` is the next one to try."""

    most: int
    goes_on: bool = False
    depth: int = 1
    low: int = 1
    high: int = 0
    bounded: bool = False
    """Whether some depth has missed the target, so that `high` is a bound."""
    stable: int = 0
    final: bool = False
    """The next window is the one that counts."""
    done: bool = False

    def __post_init__(self) -> None:
        self.high = self.most

    def judged(self, met: bool) -> bool:
        """Whether enough operations of a window at `depth` met the target; False where no smaller depth is left."""
        if met:
            self.succeeded()
            return True
        return self.failed()

    def succeeded(self) -> None:
        """Enough operations of a window at `depth` met the target."""
        tried, self.low = self.depth, self.depth
        if tried + 1 == self.high:
            self.stable += 1
            if self.stable >= STABLE:
                self.high, self.stable = self.high + 1, 0
        # fio doubles once more where the depth that failed is the largest, and then never comes to an end.
        self.depth = (tried + self.high) // 2 if self.bounded else tried * 2
        self.depth = min(self.depth, self.most)
        if self.depth == tried and not self.goes_on:
            self.done, self.final = self.final, True

    def failed(self) -> bool:
        """Too many were late; False where no smaller depth is left."""
        if self.depth == 1:
            return False
        self.high, self.bounded = self.depth, True
        if self.depth == self.low:
            self.low -= 1
        self.depth, self.stable = (self.depth + self.low) // 2, 0
        return True


def target(words: Words) -> Target | None:
    """What a job asks for; nothing where it has no `latency_target`. Raises UsageError."""
    if not words.given("latency_target"):
        return None
    latency_ns, window_ns = (
        words.read(name, lambda text: values.time_ns(text, "us")) for name in ("latency_target", "latency_window")
    )
    percent = words.read("latency_percentile", float)
    if latency_ns <= 0 or not 0 < percent <= 100:
        raise UsageError(f"{words.section.where}: latency_target= and latency_percentile= must be above 0")
    if window_ns <= 0:
        raise UsageError(f"{words.section.where}: latency_target needs latency_window=, such as latency_window=5s")
    runtime_ns = words.read("runtime", lambda text: values.time_ns(text, "s")) or None
    if words.on("latency_run") and runtime_ns is None:
        raise UsageError(f"{words.section.where}: latency_run goes on until the end of the job; give runtime=")
    return Target(latency_ns, window_ns, percent / 100, words.on("latency_run"), runtime_ns)


def carry_out(job: Job) -> Callable[..., Execution]:
    """Like `execute` of the local worker; with `latency_target`, window by window."""
    wanted = target(job.words)
    if wanted is None:
        return execute

    def search(plan: Plan, *where: Any) -> Execution:
        over: Callable[[], bool] = where[OVER]
        values = plan.values(IoParameters)
        depths = Search(values["depth"], wanted.goes_on)
        spent_ns, windows, lasts_ns = 0, 0, wanted.window_ns
        left, so_far = values["max_bytes"], list[Execution]()
        while True:
            window = _window(plan, depths.depth, lasts_ns, windows, left)
            depth = depths.depth
            execution = execute(window, *where)
            found = execution.outcome
            spent_ns, windows = spent_ns + found["elapsed_ns"], windows + 1
            found["depth_found"] = depth
            so_far.append(execution)
            if found["status"] != "ok" or over():
                return execution
            if left is not None:
                left -= sum(totals_of(found, kind)["bytes"] for kind in DATA)
                if left <= 0:
                    # As with fio: the job has moved all it was to move, and everything until then is told.
                    return one_after_the_other(so_far)
            share = _share_in_time(found, wanted.latency_ns)
            if share is None:
                # Nothing was done in it, which says nothing of a depth; fio's lasts until something is.
                lasts_ns = max(lasts_ns, min(2 * lasts_ns, SECOND))
            elif not depths.judged(share >= wanted.share):
                found["status"], found["error"] = "failed", _too_late(wanted)
                return execution
            out_of_time = wanted.runtime_ns is not None and spent_ns >= wanted.runtime_ns
            if depths.done or out_of_time or windows == MOST_WINDOWS:
                return execution

    return search


def _window(plan: Plan, depth: int, lasts_ns: int, number: int, left: int | None) -> Plan:
    """One window: the same load for its time at a depth, and only the first one with the ramp."""
    values = plan.values(IoParameters)
    changed: IoParameters = {
        **values,
        "depth": depth,
        "runtime": lasts_ns,
        "max_bytes": left,
        "max_operations": None,
        "interval": max(MILLISECOND, min(lasts_ns, values["interval"] or lasts_ns)),
        "seed": (values["seed"] + number * 7919) % 2**63,
        "warmup": 0 if number else values["warmup"],
    }
    if "batch" in changed:
        changed["batch"] = {name: min(value, depth) for name, value in changed["batch"].items()}
    return plan.having(changed)


def _share_in_time(outcome: Outcome, latency_ns: int) -> float | None:
    """Share of the operations that took no longer; None where there were none."""
    total = late = 0
    for kind in DATA:
        encoded = outcome["histograms"].get(f"{kind}_service") or outcome["histograms"].get(kind)
        if encoded:
            histogram = decode(base64.b64decode(encoded))
            total += int(histogram.count)
            late += int(histogram.counts[histogram.low > latency_ns].sum())
    return (total - late) / total if total else None


def _too_late(wanted: Target) -> Failure:
    message = (
        f"latency_target: with one operation in flight, fewer than {100 * wanted.share:g} % took "
        f"{format_duration(wanted.latency_ns)} or less; allow more time, or a smaller percentile"
    )
    return failure_of(message, TIMED_OUT)
