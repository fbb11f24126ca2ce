"""All checks in one word and one sentence."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from plimsoll.doctor.examination import Check
from plimsoll.model import Level

UNFIT_EXIT = 1
"""Exit code of `plimsoll doctor` where something keeps tests from working; otherwise 0."""


class Fitness(StrEnum):
    """Whether a host and a place on it are fit for measuring."""

    FIT = "fit"
    CARE = "fit with care"
    UNFIT = "not fit"


def fitness(checks: Sequence[Check]) -> Fitness:
    """The worst that a check says: some tests cannot work, results will be worse than they could be, or neither."""
    levels = {check.level for check in checks}
    if Level.INVALID in levels:
        return Fitness.UNFIT
    return Fitness.CARE if Level.WARN in levels else Fitness.FIT


def sentence(checks: Sequence[Check]) -> str:
    """What it means for whoever is about to measure."""
    match fitness(checks):
        case Fitness.FIT:
            return "Fit for measuring: no check found a problem."
        case Fitness.CARE:
            return f"Fit with care: {_named(checks, Level.WARN)}. Measuring works; the problems above can blur results."
        case Fitness.UNFIT:
            return (
                f"Not fit as it is: {_named(checks, Level.INVALID)}. Some tests cannot work here until that is fixed."
            )


def _named(checks: Sequence[Check], level: Level) -> str:
    names = [check.name.replace("_", " ") for check in checks if check.level is level]
    return (
        f"{len(names)} {'check found a problem' if len(names) == 1 else 'checks found problems'} ({', '.join(names)})"
    )
