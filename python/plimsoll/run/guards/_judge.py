"""What the guards share: grading a value and writing a finding."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence, Window
from plimsoll.run.workers.local import engines
from plimsoll.units import format_share

percent = format_share
"""`3.1 %`, `48 %`: how guards write a share."""


def graded(value: float, warn: float, invalid: float) -> Level:
    """The level of a value that is worse the larger it is."""
    if value > invalid:
        return Level.INVALID
    return Level.WARN if value > warn else Level.OK


def graded_below(value: float, warn: float, invalid: float) -> Level:
    """The level of a value that is worse the smaller it is."""
    return graded(-value, -warn, -invalid)


def softened(level: Level, certain: bool) -> Level:
    """The level, but a warning at most where the run is too short to be certain."""
    return level if certain else at_most(level, Level.WARN)


def at_most(level: Level, most: Level) -> Level:
    """The milder of two levels."""
    order = [Level.OK, Level.WARN, Level.INVALID]
    return order[min(order.index(level), order.index(most))]


def worst(*levels: Level) -> Level:
    """The most severe of some levels."""
    return max(levels, key=[Level.OK, Level.WARN, Level.INVALID].index)


def severest(findings: Iterable[Finding]) -> Finding | None:
    """The first of the findings with the most severe level."""
    order = [Level.INVALID, Level.WARN, Level.OK]
    return min(findings, key=lambda each: order.index(each.level), default=None)


def finding(guard: str, level: Level, message: str, advice: str = "", **values: float) -> Finding:
    """A finding; advice is only given where something is to be done."""
    return Finding(guard=guard, level=level, message=message, advice="" if level is Level.OK else advice, values=values)


def not_checkable(guard: str, reason: str) -> Finding:
    """The guard applies, but what it needs cannot be seen here."""
    return finding(guard, Level.OK, f"not checkable: {reason}")


def device_window(guard: str, evidence: RunEvidence) -> Window | Finding:
    """The part of the run in which the counters of the device can be read, or the finding that they cannot."""
    if not evidence.on_device:
        return not_checkable(guard, evidence.why_not_checkable)
    return evidence.window or not_checkable(guard, "the run is too short for the once-a-second counters")


def moves_nothing(evidence: RunEvidence) -> bool:
    """Whether what a run counted as bytes is none of the device's business."""
    return evidence.plan.workload == "io" and not engines()[evidence.io["engine"]].stores
