"""Runs with what a comparison needs: thousands in the time that full ones of a few hundred take.

Histograms, time series and files stay where they are, and long facts, too, where no verdict asks for them. Runs whose
series or facts have a say in what their scores mean are read whole: those of other tools, of searches, and on volumes
that may burst.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, case, or_, select

from plimsoll import altered
from plimsoll.model import Finding, Plan, Run, RunStatus, Score, Session, Target
from plimsoll.phases import MEMORY_GUARD
from plimsoll.store.connection import reading
from plimsoll.store.records import damage, read_plan, read_target
from plimsoll.store.schema import finding, run, score
from plimsoll.store.seal import OF_RUN, of_score
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
    scores = _scores(connection, sessions, None if every else plans)
    findings = _findings(connection, sessions)
    memory = select(finding.c.run_id).where(finding.c.run_id == run.c.id, finding.c.guard == MEMORY_GUARD).exists()
    asked = or_(run.c.facts.contains('"after_own"'), run.c.facts.contains('"lost_machine"'), memory)
    columns = [run.c[name] for name in (*OF_RUN, "started_ns", "ended_ns", "reason", "checksum")]
    statement = select(*columns, case((asked, run.c.facts))).where(run.c.session_id.in_(sessions))
    statement = statement.order_by(run.c.started_ns, run.c.position, run.c.id)
    made = []
    for row in connection.execute(statement).all():
        of_run, (started_ns, ended_ns, reason, checksum, facts) = row[: len(OF_RUN)], row[len(OF_RUN) :]
        name, session, label, target, block, attempt, position, status, plan_hash = of_run
        if target in but:
            continue
        read = scores.get(name, ())
        light = Run(
            id=name,
            session_id=session,
            block=block,
            order=position,
            attempt=attempt,
            target=targets[session, target],
            plan=plans[session, label, plan_hash],
            started_ns=started_ns,
            ended_ns=ended_ns,
            status=RunStatus(status),
            reason=reason,
            scores=tuple(each for each, _ in read),
            findings=tuple(findings.get(name, ())),
            facts=json.loads(facts) if facts else {},
        )
        wrong = [] if checksum is None else [each.metric for each, seal in read if _differs(of_run, each, seal)]
        made.append(altered.with_altered_scores(light, wrong) if wrong else light)
    return made


def _differs(of_run: Sequence[Any], each: Score, seal: str | None) -> bool:
    return of_score(of_run, each.metric, each.unit, each.direction, each.value) != seal


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


def _scores(
    connection: Connection, sessions: Sequence[str], plans: Mapping[Key, Plan] | None
) -> Mapping[str, Iterable[tuple[Score, str | None]]]:
    """By run its scores with their checksums; with `plans` only those that these judge."""
    of_run = (run.c.id, run.c.session_id, run.c.case_label, run.c.plan_hash)
    of_score = (score.c.metric, score.c.value, score.c.unit, score.c.direction, score.c.checksum)
    statement = select(*of_run, *of_score).join_from(run, score).where(run.c.session_id.in_(sessions))
    if plans is not None:
        statement = statement.where(
            score.c.metric.in_(sorted({name for each in plans.values() for name in each.metrics}))
        )
    found: dict[str, list[tuple[Score, str | None]]] = defaultdict(list)
    rows = connection.execute(statement.order_by(score.c.position)).all()
    for name, *key, metric, value, unit, direction, seal in rows:
        if plans is None or metric in plans[key[0], key[1], key[2]].metrics:
            found[name].append((Score(metric=metric, value=value, unit=unit, direction=direction), seal))
    return found


def _findings(connection: Connection, sessions: Sequence[str]) -> Mapping[str, list[Finding]]:
    columns = (finding.c[name] for name in ("run_id", "guard", "level", "message", "advice", "measured"))
    statement = select(*columns).join(run, run.c.id == finding.c.run_id).where(run.c.session_id.in_(sessions))
    found: dict[str, list[Finding]] = defaultdict(list)
    for name, guard, level, message, advice, measured in connection.execute(statement.order_by(finding.c.position)):
        values = json.loads(measured)
        found[name].append(Finding(guard=guard, level=level, message=message, advice=advice, values=values))
    return found
