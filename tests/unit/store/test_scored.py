"""What a comparison reads says the same as whole runs, whatever their sessions are."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update
from tests.unit.report.studies import five, pair

from plimsoll.model import Run, RunStatus, Session
from plimsoll.report import Evidence, build_document
from plimsoll.store.connection import writing
from plimsoll.store.opening import open_store
from plimsoll.store.schema import score
from plimsoll.store.scored import scored_runs
from plimsoll.store.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(str(tmp_path / "results.db"))


def kept(store: Store, found: Evidence) -> Session:
    [session] = found.sessions
    store.add_session(session)
    for run in found.runs:
        store.add_run(run)
    return session


def held(session: Session, runs: list[Run]) -> Evidence:
    return Evidence([session], runs, None, 0.1)


@pytest.mark.parametrize("make", [pair, five])
def test_it_gives_the_same_verdicts_answer_and_cautions(store: Store, make: object) -> None:
    session = kept(store, make())  # type: ignore[operator]
    light, whole = held(session, scored_runs(store, [session])), held(session, store.runs([session.id]))
    assert [(run.id, run.status, run.reason) for run in light.runs] == [
        (run.id, run.status, run.reason) for run in whole.runs
    ]
    assert light.cells == whole.cells
    assert build_document(light, lead=True) == build_document(whole, lead=True)
    assert not any(run.histograms or run.intervals for run in light.runs)


def test_only_judged_scores_are_read_unless_every_one_is_wanted(store: Store) -> None:
    session = kept(store, pair())
    for run in scored_runs(store, [session]):
        assert {each.metric for each in run.scores} <= set(run.plan.metrics)
    whole = {run.id: run.scores for run in store.runs([session.id])}
    assert {run.id: run.scores for run in scored_runs(store, [session], every=True)} == whole


def test_a_changed_score_does_not_count(store: Store) -> None:
    session = kept(store, five())
    changed = scored_runs(store, [session])[3]
    with writing(store.engine) as connection:
        connection.execute(update(score).where(score.c.run_id == changed.id).values(value=7.0))
    light, whole = scored_runs(store, [session])[3], store.runs([session.id])[3]
    assert (light.id, light.status) == (changed.id, RunStatus.INVALID)
    assert light.findings[-1].advice == whole.findings[-1].advice
    assert held(session, scored_runs(store, [session])).cells == held(session, store.runs([session.id])).cells


def test_what_other_tools_measured_is_read_whole(store: Store) -> None:
    found = pair()
    imported = found.sessions[0].model_copy(update={"study": {"interleaved": False}})
    session = kept(store, Evidence([imported], found.runs, None, 0.1))
    assert scored_runs(store, [session]) == store.runs([session.id])
