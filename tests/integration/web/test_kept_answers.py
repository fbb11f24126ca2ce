"""Answers that are kept in the store, and when they are made anew."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from sqlalchemy import select, update
from tests.factories import make_study
from tests.integration.web.conftest import Site, add

from plimsoll.model import Session, SessionState
from plimsoll.store import housekeeping, search
from plimsoll.store.connection import reading, writing
from plimsoll.store.opening import open_store
from plimsoll.store.records import sealed
from plimsoll.store.result_file import write_results
from plimsoll.store.schema import answer
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.web.answers import Answers, Judged


def filled(store: Store) -> Session:
    session, runs = make_study(("a", "b"), ("randread",), 5, {"b": 0.5})
    add(store, session, runs)
    return session


def kept(store: Store) -> dict[str, str]:
    with reading(store.engine) as connection:
        return dict(map(tuple, connection.execute(select(answer.c.session_id, answer.c.content))))


def judged(store: Store) -> Judged:
    """What a server that just began says of the only session."""
    (found,) = Answers(store).of(search.find_lines(store, search.Query())).values()
    return found


def count_judgements(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    made: list[list[str]] = []
    real = Answers._judge

    def counted(self: Answers, ids: list[str]) -> dict[str, Judged]:
        made.extend([ids] if ids else [])
        return real(self, ids)

    monkeypatch.setattr(Answers, "_judge", counted)
    return made


def test_a_session_is_judged_once_and_the_answer_is_the_same(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = filled(store)
    made = count_judgements(monkeypatch)
    first = judged(store)
    assert "worse" in first.told[0].words
    assert first.spark.startswith("<svg")
    assert judged(store) == first
    assert judged(store).spark == first.spark
    assert made == [[session.id]]
    housekeeping.delete_sessions(store, [session.id])
    assert kept(store) == {}


def test_a_changed_score_more_runs_and_damage_make_it_anew(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    session = filled(store)
    first = judged(store)
    made = count_judgements(monkeypatch)
    with writing(store.engine) as connection:
        connection.exec_driver_sql("UPDATE score SET value = value * 3 WHERE metric = 'iops' AND position = 0")
    assert "were changed after being stored" in judged(store).told[-1].words
    _, more = make_study(("a", "b"), ("ping",), 1, seed=9)
    for run in more:
        store.add_run(run.model_copy(update={"session_id": session.id}))
    assert judged(store) != first
    assert len(made) == 2
    for nonsense in ("no JSON", "[]", '{"told": [{"words": "x", "answer": "perhaps"}]}', '{"told": 1, "course": 2}'):
        before = judged(store)
        with writing(store.engine) as connection:
            connection.execute(update(answer).values(content=nonsense))
        assert judged(store) == before
    assert len(made) == 6


def test_what_is_kept_holds_no_markup(store: Store) -> None:
    session = filled(store)
    judged(store)
    content = json.loads(kept(store)[session.id])
    content["course"]["label"] = content["told"][0]["words"] = "<script>alert(1)</script>"
    with writing(store.engine) as connection:
        connection.execute(update(answer).values(content=json.dumps(content)))
    found = judged(store)
    assert "<script" not in found.spark
    assert "&lt;script" in found.spark


def test_nothing_is_kept_of_a_running_session(store: Store) -> None:
    session, runs = make_study(("a", "b"), ("randread",), 5, state=SessionState.RUNNING, ended_ns=None)
    add(store, session, runs)
    assert judged(store).told
    assert kept(store) == {}


def test_a_store_that_cannot_be_written_is_judged_all_the_same(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "r.db")) as store:
        filled(store)
        with writing(store.engine) as connection:
            connection.exec_driver_sql("PRAGMA query_only = ON")
        assert "worse" in judged(store).told[0].words
        assert kept(store) == {}


def test_a_session_that_arrives_is_judged_at_once(site: Site, tmp_path: Path) -> None:
    session, runs = make_study(("a", "b"), ("randread",), 5)
    path = tmp_path / "sent.plimsoll.gz"
    write_results(path, [session, *(sealed(run) for run in runs)])
    with site.client(site.token(Scope.UPLOAD)) as sender:
        assert sender.post("/uploads", files={"file": (path.name, path.read_bytes())}).status_code == 200
    assert list(kept(site.store)) == [session.id]
