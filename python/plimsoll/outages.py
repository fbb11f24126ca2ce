"""What the facts of a database run tell of the times in which its server was away. Shapes: `Outage` and `Kept` in
`crates/db/src/outcome.rs`; all times in ns since the measured part began."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

from plimsoll.model import Interval
from plimsoll.units import SECOND

RECOVERED = 0.9
"""Share of the rate before an outage at which a server has recovered."""


def outages(facts: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Each time without service; runs of versions that did not look have none."""
    return list(facts.get("outages") or ())


def without_service_ns(facts: Mapping[str, Any]) -> int:
    """All of them together."""
    return sum(int(each["duration_ns"]) for each in outages(facts))


def recovery_ns(facts: Mapping[str, Any], intervals: Sequence[Interval]) -> int | None:
    """From the begin of the first outage to the first interval after the last one at the old rate; None where there was
    no rate before, or where it was not reached again. As fine as an interval is long."""
    seen = outages(facts)
    if not seen or not seen[-1]["back"]:
        return None
    begin_ns, end_ns = int(seen[0]["start_ns"]), int(seen[-1]["start_ns"] + seen[-1]["duration_ns"])
    before = [_rate(each, facts) for each in intervals if each.start_ns + each.duration_ns <= begin_ns]
    if not before:
        return None
    wanted = RECOVERED * median(before)
    # Its last interval is as short as the run left it, too short to have a rate.
    after = (each for each in intervals[:-1] if each.start_ns + each.duration_ns > end_ns)
    reached = next((each for each in after if _rate(each, facts) >= wanted), None)
    return None if reached is None else int(max(reached.start_ns, end_ns) - begin_ns)


def _rate(interval: Interval, facts: Mapping[str, Any]) -> float:
    done = sum(interval.operations[name].operations for name in facts["whole"] if name in interval.operations)
    return done * SECOND / interval.duration_ns


def writes_lost(facts: Mapping[str, Any]) -> int | None:
    """Rows that were acknowledged and are not there; at least so many, because rows that were never acknowledged may be
    there in their place. None where nobody counted, or nobody could."""
    kept = facts.get("kept")
    if not kept or kept["after"] is None:
        return None
    return max(0, int(kept["before"]) + int(kept["acknowledged"]) - int(kept["after"]))
