"""Which sessions are allocations of their own: those none of whose places any other session has had."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from plimsoll.identity import place_facts, told_apart
from plimsoll.model import Run, Session, Target
from plimsoll.report.memory import is_memory
from plimsoll.stats.cases import NOT_THE_WORK
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.policy import MODES
from plimsoll.stats.products import Product, products

_OF_A_PRODUCT = {"volume", "file system"}
"""Facts of a place that are those of the product; in the others allocations may differ."""


def of_products(
    judged: Sequence[ScoreRow],
    found: Iterable[Cell],
    allocation_of: Mapping[str, int],
    stored: Mapping[str, str],
    baseline: str | None,
    *,
    band: float,
    policy: int,
) -> tuple[Product, ...]:
    """What allocations say of the products, by the names in `stored`: those that the sessions gave the targets.

    `judged` are the scores that are compared, `found` what the places were found to be, and `allocation_of` is the
    number of each session's allocation. The band is a share: 0.10 is ±10 %.
    """
    rows = [row._replace(target=stored.get(row.target, row.target)) for row in judged]
    targets = dict.fromkeys(row.target for row in rows)
    if len(targets) < 2:
        return ()
    reference = stored.get(baseline or "", next(iter(targets)))
    mode = MODES["publish"]
    places = list(found)
    lasting = {
        (cell.case, cell.metric, stored.get(cell.target, cell.target)): cell.standings
        for cell in places
        if cell.standings != (None, None)
    }
    memory = {(cell.case, cell.metric) for cell in places if is_memory(cell)}
    compared = [
        replace(cell, standings=lasting.get((cell.case, cell.metric, cell.target), (None, None)))
        for cell in cells(rows, reference, band=band, mode=mode, policy=policy)
        if (cell.case, cell.metric) not in memory
    ]
    return tuple(products(compared, allocation_of, mode=mode, policy=policy))


def several_products(runs: Sequence[Run], stored: Mapping[str, str]) -> list[str]:
    """The names under which sessions had different things: other volumes, file systems or parameters."""
    shared = {(id(run.plan), id(run.target)): run for run in runs}
    found: dict[tuple[str, str], set[str]] = {}
    for run in shared.values():
        name, place = stored.get(run.target.name, run.target.name), place_facts(run.target, {})
        found.setdefault((name, run.plan.case), set()).add(_work(run))
        for fact in _OF_A_PRODUCT & place.keys():
            found.setdefault((name, fact), set()).add(place[fact])
    return list(dict.fromkeys(name for (name, _), seen in found.items() if len(seen) > 1))


def _work(run: Run) -> str:
    values = {name: value for name, value in run.plan.parameters.items() if name not in NOT_THE_WORK}
    return json.dumps(values, sort_keys=True, default=str)


def allocations(sessions: Sequence[Session], runs: Sequence[Run], stored: Mapping[str, str]) -> dict[str, int]:
    """By session the number of its allocation, in the order of time; those that shared a place have one number.

    Places are told apart by their facts. What is not known differs from nothing: two sessions that may have had the
    same volume count as one allocation.
    """
    ordered = sorted(sessions, key=lambda session: session.started_ns)
    places: dict[str, dict[str, Target]] = {}
    for run in runs:
        name = stored.get(run.target.name, run.target.name)
        places.setdefault(name, {}).setdefault(run.session_id, run.target)
    number = {session.id: place for place, session in enumerate(ordered)}
    for by_session in places.values():
        known = [session for session in ordered if session.id in by_session]
        groups = told_apart([place_facts(by_session[session.id], session.host) for session in known])
        first: dict[int, int] = {}
        for session, group in zip(known, groups, strict=True):
            mine, other = number[session.id], first.setdefault(group, number[session.id])
            number = {name: min(mine, other) if each in (mine, other) else each for name, each in number.items()}
            first[group] = number[session.id]
    return number
