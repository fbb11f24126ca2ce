"""Runs under the names that tell them apart: cases by their parameters, targets by the facts of their places."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.model import Plan, Run, Session, Target
from plimsoll.report.against import Saved
from plimsoll.stats.cases import Names, Work, name_works, unchanged
from plimsoll.stats.paired import ScoreRow
from plimsoll.stats.policy import FACTS_FROM


@dataclass(frozen=True)
class Named:
    """Runs under their new names, in the order in which they were given."""

    runs: list[Run]
    called: Mapping[str, Work]
    """By run: the session, case, target and plan under which its scores are compared."""
    names: Names


def named(
    sessions: Sequence[Session],
    runs: Sequence[Run],
    policy: int,
    across: Collection[str] = (),
    saved: Saved | None = None,
    *,
    apart: bool = False,
) -> Named:
    """The runs as they are told; rules older than FACTS_FROM took every label as it stands.

    The targets of a `saved` baseline are never those of the other sessions. With `apart`, several sessions of a single
    target are told apart by their short ids instead of being pooled.
    """
    works = _works(runs)
    first: dict[Work, tuple[Plan, Target]] = {}
    for run in runs:
        first.setdefault(works[run.id], (run.plan, run.target))
    names = unchanged(first)
    if policy >= FACTS_FROM:
        words = {saved.session.id: saved.name} if saved else None
        names = name_works(first, sessions, across=across, each_session=words)
        if apart and not saved and len(names.named) < 2 <= len(sessions):
            words = {session.id: session.id[-8:] for session in sessions}
            names = name_works(first, sessions, across=across, each_session=words)
    called = {run_id: names.works[work] for run_id, work in works.items()}
    return Named(_renamed(runs, called) if names.changed else list(runs), called, names)


def _works(runs: Sequence[Run]) -> dict[str, Work]:
    """By run. Runs share plans, so each different plan is hashed once."""
    hashes = {place: plan.hash for place, plan in {id(run.plan): run.plan for run in runs}.items()}
    return {run.id: Work(run.session_id, run.plan.case, run.target.name, hashes[id(run.plan)]) for run in runs}


def _renamed(runs: Sequence[Run], called: Mapping[str, Work]) -> list[Run]:
    plans: dict[tuple[int, str], Plan] = {}
    targets: dict[tuple[int, str], Target] = {}
    renamed = []
    for run in runs:
        # Runs share plans and targets, and go on to do so: sections tell them apart by identity.
        work = called[run.id]
        plan = plans.setdefault((id(run.plan), work.case), _plan(run.plan, work.case))
        target = targets.setdefault((id(run.target), work.target), _target(run.target, work.target))
        renamed.append(run if plan is run.plan and target is run.target else _run(run, plan, target))
    return renamed


def named_rows(
    sessions: Sequence[Session],
    rows: Sequence[ScoreRow],
    plans: Mapping[str, Plan],
    targets: Mapping[str, Mapping[str, Target]],
    short_ids: Mapping[str, str],
    across: Collection[str] = (),
    apart: Mapping[str, str] | None = None,
) -> tuple[Names, list[ScoreRow]]:
    """The same for score rows, with the plans by hash and the targets of each session by name.

    Several sessions of a single target are compared with each other, and told apart by their short ids. `apart` gives
    the words for sessions whose targets are never those of the others.
    """
    works = dict.fromkeys(Work(row.session, row.case, row.target, row.plan_hash) for row in rows)
    known = {work: (plans[work.plan], targets[work.session][work.target]) for work in works}
    names = name_works(known, sessions, across=across, each_session=apart)
    if not apart and len(names.named) < 2 <= len(sessions):
        names = name_works(known, sessions, across=across, each_session=short_ids)
    if not names.changed:
        return names, list(rows)
    found = []
    for row in rows:
        session, case, target, plan = names.works[Work(row.session, row.case, row.target, row.plan_hash)]
        found.append(row._replace(session=session, case=case, target=target, plan_hash=plan))
    return names, found


def _plan(plan: Plan, case: str) -> Plan:
    return plan if plan.case == case else plan.model_copy(update={"case": case})


def _target(target: Target, name: str) -> Target:
    return target if target.name == name else target.model_copy(update={"name": name})


def _run(run: Run, plan: Plan, target: Target) -> Run:
    return run.model_copy(update={"plan": plan, "target": target})
