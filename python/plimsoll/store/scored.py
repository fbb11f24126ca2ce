"""Runs with what a comparison needs: thousands in the time that full ones of a few hundred take.

Histograms, time series and files stay where they are, and long facts, too, where no verdict asks for them. Runs whose
series or facts have a say in what their scores mean are read whole: those of other tools, of searches, and on volumes
that may burst.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, case, or_, select, tuple_

from plimsoll import altered
from plimsoll.model import Finding, Plan, Run, RunStatus, Score, Session, Target
from plimsoll.phases import MEMORY_GUARD
from plimsoll.store.connection import reading
from plimsoll.store.records import damage, read_plan, read_target
from plimsoll.store.schema import finding, run, score
from plimsoll.store.score_rows import MOST_WANTED
from plimsoll.store.seal import OF_RUN, joined, of_score
from plimsoll.store.store import Store

Key = tuple[str, str, str]
"""Session, case and plan hash."""


def scored_runs(store: Store, sessions: Sequence[Session], *, every: bool = False) -> list[Run]:
    """The runs of the sessions in the order in which they started, with their judged scores, or with `every` one.

    Runs whose scores were changed after they were stored are told as `Store.runs` tells them. Raises StoreError.
    """
    whole = [each.id for each in sessions if not each.interleaved or "load_line" in each.study]
    rest = [each.id for each in sessions if each.id not in whole]
    unsure = store.may_end(rest) if rest else frozenset()
    found = store.runs(whole) if whole else []
    if unsure:
        found += store.runs(rest, unsure)
    if rest:
        with reading(store.engine) as connection, damage(f"a run of session {' or '.join(rest)}"):
            found += _light(connection, rest, unsure, every=every)
    if len(rest) < len(sessions) or unsure:
        places = {id(each): place for place, each in enumerate(found)}
        found.sort(key=lambda each: (each.started_ns, each.order, places[id(each)]))
    return found


def _light(connection: Connection, sessions: Sequence[str], but: Collection[str], *, every: bool) -> list[Run]:
    plans = _plans(connection, sessions)
    targets = _targets(connection, sessions)
    findings = _findings(connection, sessions)
    memory = select(finding.c.run_id).where(finding.c.run_id == run.c.id, finding.c.guard == MEMORY_GUARD).exists()
    asked = or_(run.c.facts.contains('"after_own"'), run.c.facts.contains('"lost_machine"'), memory)
    columns = [run.c[name] for name in (*OF_RUN, "started_ns", "ended_ns", "reason", "checksum")]
    statement = select(*columns, case((asked, run.c.facts))).where(run.c.session_id.in_(sessions))
    statement = statement.order_by(run.c.started_ns, run.c.position, run.c.id)
    rows = connection.execute(statement).all()
    if but:
        rows = [row for row in rows if row.target_name not in but]
    heads = {row[0]: _Head(row, plans) for row in rows}
    _read_scores(connection, sessions, heads, None if every else plans)
    made = []
    for row in rows:
        name, session, _, target, block, attempt, position, status, _, started_ns, ended_ns, reason, _, facts = row
        head = heads[name]
        light = Run(
            id=name,
            session_id=session,
            block=block,
            order=position,
            attempt=attempt,
            target=targets[session, target],
            plan=head.plan,
            started_ns=started_ns,
            ended_ns=ended_ns,
            status=RunStatus(status),
            reason=reason,
            scores=tuple(head.scores),
            findings=tuple(findings.get(name, ())),
            facts=json.loads(facts) if facts else {},
        )
        made.append(altered.with_altered_scores(light, head.wrong) if head.wrong else light)
    return made


class _Head:
    """What the scores of a run are read with, and these."""

    __slots__ = ("of_run", "plan", "scores", "wrong")

    def __init__(self, row: Row[*tuple[Any, ...]], plans: Mapping[Key, Plan]) -> None:
        of_run = row[: len(OF_RUN)]
        self.plan = plans[of_run[1], of_run[2], of_run[-1]]
        self.of_run = None if row.checksum is None else joined(of_run)
        self.scores: list[Score] = []
        self.wrong: list[str] = []
        """Metrics whose scores were changed."""

    def add(self, metric: str, value: Any, unit: Any, direction: Any, seal: str | None) -> None:
        """The next score, with its checksum."""
        self.scores.append(Score(metric=metric, value=value, unit=unit, direction=direction))
        if self.of_run is not None and of_score(self.of_run, metric, unit, direction, value) != seal:
            self.wrong.append(metric)


def _plans(connection: Connection, sessions: Sequence[str]) -> dict[Key, Plan]:
    named = (run.c.session_id, run.c.test, run.c.case_label, run.c.plan_hash)
    kinds = select(*named).where(run.c.session_id.in_(sessions)).distinct().subquery()
    text_of = select(run.c.plan).where(*(column == kinds.c[column.name] for column in named)).limit(1)
    statement = select(kinds.c.session_id, kinds.c.case_label, kinds.c.plan_hash, text_of.scalar_subquery())
    return {(where, label, key): read_plan(text) for where, label, key, text in connection.execute(statement)}


def _targets(connection: Connection, sessions: Sequence[str]) -> dict[tuple[str, str], Target]:
    columns = (run.c.session_id, run.c.target_name, run.c.target)
    statement = select(*columns).where(run.c.session_id.in_(sessions)).distinct().order_by(run.c.target)
    return {(where, name): read_target(text) for where, name, text in connection.execute(statement)}


def _read_scores(
    connection: Connection, sessions: Sequence[str], heads: Mapping[str, _Head], plans: Mapping[Key, Plan] | None
) -> None:
    """Give each run its scores, with `plans` only those that these judge."""
    columns = (score.c[name] for name in ("run_id", "metric", "value", "unit", "direction", "checksum"))
    statement = select(*columns).join_from(run, score).where(run.c.session_id.in_(sessions))
    if plans is not None:
        statement = statement.where(_judged(plans))
    # The order in which the indexes have them: to sort them by their place alone takes as long as to read them.
    ordered = statement.order_by(run.c.session_id, run.c.started_ns, run.c.id, score.c.position)
    for name, metric, *rest in connection.execute(ordered).all():
        head = heads.get(name)
        if head is not None and (plans is None or metric in head.plan.metrics):
            head.add(metric, *rest)


def _judged(plans: Mapping[Key, Plan]) -> ColumnElement[bool]:
    """What leaves out most scores that no plan judges."""
    pairs = sorted({(key[-1], name) for key, plan in plans.items() for name in plan.metrics})
    if len(pairs) <= MOST_WANTED:
        return tuple_(run.c.plan_hash, score.c.metric).in_(pairs)
    return score.c.metric.in_(sorted({name for _, name in pairs}))


def _findings(connection: Connection, sessions: Sequence[str]) -> Mapping[str, list[Finding]]:
    columns = (finding.c[name] for name in ("run_id", "guard", "level", "message", "advice", "measured"))
    statement = select(*columns).join(run, run.c.id == finding.c.run_id).where(run.c.session_id.in_(sessions))
    found: dict[str, list[Finding]] = defaultdict(list)
    made: dict[tuple[str, ...], Finding] = {}
    for name, *parts in connection.execute(statement.order_by(finding.c.position)).all():
        said = tuple(parts)
        if said not in made:
            guard, level, message, advice, measured = said
            values = json.loads(measured)
            made[said] = Finding(guard=guard, level=level, message=message, advice=advice, values=values)
        found[name].append(made[said])
    return found
