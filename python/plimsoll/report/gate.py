"""What a comparison could not compare, and whether a gate may pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from plimsoll.stats.cases import Names
from plimsoll.stats.paired import Cell
from plimsoll.stats.ratio_text import levels_told

MOST_SHOWN = 3
"""So many cases are named, the others counted."""


def nothing_compared(cells: Sequence[Cell], names: Names) -> str:
    """Why there is not a single ratio, and what to do; empty where there is one."""
    if any(cell.verdict.estimate is not None or levels_told(cell) for cell in cells):
        return ""
    if cells:
        sides = ", ".join(dict.fromkeys(f"{cell.target} and {cell.baseline}" for cell in cells))
        return (
            f"nothing was compared: {sides} have no valid runs of both; `plimsoll show` says what was wrong with them"
        )
    ran: dict[str, dict[str, None]] = {}
    for called in names.works.values():
        ran.setdefault(called.target, {})[called.case] = None
    told = "; ".join(f"{target} ran {_listed(cases)}" for target, cases in ran.items())
    return f"nothing was compared: the targets have no case in common ({told}){_advice(names)}"


def ran_alone(names: Names) -> str:
    """Which cases only one target ran, so that nothing is said of them; empty where there is none."""
    ran: dict[str, dict[str, None]] = {}
    for called in names.works.values():
        ran.setdefault(called.case, {})[called.target] = None
    alone = [f"{case} ({next(iter(targets))} only)" for case, targets in ran.items() if len(targets) == 1]
    return f"not compared: {_listed(alone)}" if alone else ""


def _listed(cases: Iterable[str]) -> str:
    found = list(cases)
    more = f" and {len(found) - MOST_SHOWN} more" if len(found) > MOST_SHOWN else ""
    return ", ".join(found[:MOST_SHOWN]) + more


def _advice(names: Names) -> str:
    """Which parameters keep cases of one label apart."""
    kinds: dict[str, set[str]] = {}
    for stored, called in names.works.items():
        kinds.setdefault(stored.case, set()).add(called.case)
    words = [
        word.partition("=")[0]
        for label, labels in kinds.items()
        if len(labels) > 1
        for each in sorted(labels)
        for word in each.removeprefix(label).split()
        if "=" in word and not word.startswith("plan=")
    ]
    if not words:
        return "; give sessions that ran the same tests"
    options = " ".join(f"--across {name}" for name in dict.fromkeys(words))
    return f"; their parameters differ, and `{options}` compares them all the same"
