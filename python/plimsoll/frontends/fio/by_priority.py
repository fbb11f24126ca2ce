"""fio's completion latencies by I/O priority: of jobs whose operations, or whose members, have several.

Source: fio 3.33, `stat.c` (`sum_clat_prio_stats`): a job without priorities of single operations counts under its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.declared import IoParameters
from plimsoll.frontends.fio import priorities
from plimsoll.frontends.fio.execution import Done
from plimsoll.frontends.fio.latency import Latency, latency_of, together

COMPLETION = ("{}_completion", "{}_service", "{}")
WHOLE = ("{}_service", "{}")
"""The core's names of each latency of a kind, the first of which that is there counts."""

Named = list[tuple[int, tuple[str, ...]]]


def by_priority(kinds: Sequence[str], members: Sequence[Done]) -> list[tuple[int, Latency]]:
    """The kernel's number of each priority, and the latency under it; nothing unless there are two."""
    words = members[0].job.words
    whole = words.on("lat_percentiles")
    if words.on("gtod_reduce") or words.on("disable_lat" if whole else "disable_clat"):
        return []
    # One priority is that of all: there is nothing to tell apart.
    if len({number for each in members for kind in kinds for number, _ in _names(each, kind, whole=whole)}) < 2:
        return []
    found: dict[int, list[Latency]] = {}
    for each in members:
        if each.ended is None:
            continue
        outcome = each.ended.execution.outcome
        for kind in kinds:
            for number, names in _names(each, kind, whole=whole):
                if (latency := latency_of([outcome], names)).count:
                    found.setdefault(number, []).append(latency)
    return [(number, together(parts)) for number, parts in found.items()] if len(found) > 1 else []


def _names(each: Done, kind: str, *, whole: bool) -> Named:
    """The priorities that operations of one kind of a job have, and where their latencies are."""
    own = priorities.of_job(each.job.words) or 0
    asked = each.plan.values(IoParameters).get("priorities") or {}
    if not (shares := asked.get(f"{kind}s")):
        return [(own, tuple(name.format(kind) for name in (WHOLE if whole else COMPLETION)))]
    numbers = dict.fromkeys(share["priority"] for share in shares)
    return [(own, (f"{kind}_priority_own",)), *((number, (f"{kind}_priority_{number}",)) for number in numbers)]
