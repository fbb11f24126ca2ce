"""Which sessions are allocations of their own: those none of whose places any other session has had."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from plimsoll.identity import place_facts, told_apart
from plimsoll.model import Run, Session, Target
from plimsoll.report.memory import is_memory
from plimsoll.stats.cases import NOT_THE_WORK
from plimsoll.stats.paired import ScoreRow, cells
from plimsoll.stats.policy import MODES
from plimsoll.stats.products import Product, products

if TYPE_CHECKING:
    from plimsoll.report.evidence import Evidence

_OF_A_PRODUCT = {"volume", "file system"}
"""Facts of a place that are those of the product; in the others allocations may differ."""


def of_products(evidence: Evidence) -> tuple[Product, ...]:
    """What the sessions of `evidence` say of the products: their targets by the names that the sessions gave them."""
    if len(evidence.sessions) < 2 or evidence.saved is not None or evidence.across:
        return ()
    stored = evidence.named.names.named
    sessions = {run.id: run.session_id for run in evidence.runs}
    rows = [_row(row, stored) for row in evidence.rows if evidence.every or row.metric in evidence.judged[row.case]]
    targets = dict.fromkeys(row.target for row in rows)
    if len(targets) < 2 or not sessions or several_products(evidence):
        return ()
    baseline = stored.get(evidence.reference or "", next(iter(targets)))
    allocation_of = allocations(evidence.sessions, evidence.runs, stored)
    mode = MODES["publish"]
    found = cells(rows, baseline, band=evidence.band, mode=mode, policy=evidence.policy)
    lasting = {
        (cell.case, cell.metric, stored.get(cell.target, cell.target)): cell.standings
        for cell in evidence.cells
        if cell.standings != (None, None)
    }
    memory = {(cell.case, cell.metric) for cell in evidence.cells if is_memory(cell)}
    found = [
        replace(cell, standings=lasting.get((cell.case, cell.metric, cell.target), (None, None)))
        for cell in found
        if (cell.case, cell.metric) not in memory
    ]
    return tuple(products(found, allocation_of, mode=mode, policy=evidence.policy))


def several_products(evidence: Evidence) -> list[str]:
    """The names under which sessions had different things: other volumes, file systems or parameters."""
    stored = evidence.named.names.named
    shared = {(id(run.plan), id(run.target)): run for run in evidence.runs}
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


def _row(row: ScoreRow, stored: Mapping[str, str]) -> ScoreRow:
    return row._replace(target=stored.get(row.target, row.target))


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
