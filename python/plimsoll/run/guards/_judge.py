"""What the guards share: grading a value and writing a finding."""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.model import Finding, Level


def graded(value: float, warn: float, invalid: float) -> Level:
    """The level of a value that is worse the larger it is."""
    if value > invalid:
        return Level.INVALID
    return Level.WARN if value > warn else Level.OK


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


def percent(share: float) -> str:
    """`3.1 %`, `48 %`, `0.02 %`."""
    number = share * 100
    digits = 0 if abs(number) >= 10 or number == 0 else 1 if abs(number) >= 1 else 2
    return f"{number:.{digits}f} %"
