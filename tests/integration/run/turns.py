"""Which blocks of a session have taken turns, and that they did for as long as it was possible."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from plimsoll.run.turns import pace_for


def blocks_in_turns(runs: Sequence[dict[str, Any]], runtime_ns: int) -> list[list[dict[str, Any]]]:
    """The blocks whose targets alternated, in the order of time; of runs as result files have them.

    A block is only made one after the other if what was in flight at the ends of earlier slices took too long to come
    back, as it may on a machine that others keep busy; the first one never is, and those after such a one always.
    """
    drains_ns: list[int] = []
    found: list[list[dict[str, Any]]] = []
    possible = True
    for _, block in groupby(
        sorted(runs, key=lambda run: run["started_ns"]), key=lambda run: (run["block"], run["attempt"])
    ):
        own = list(block)
        possible = possible and pace_for(drains_ns, runtime_ns) is not None
        for run in own:
            assert ("slices" in run["facts"]) is possible, (run["block"], run["target"]["name"], drains_ns)
            drains_ns += run["facts"]["slices"]["drain_ns"] if possible else []
        if possible:
            found.append(own)
    return found
