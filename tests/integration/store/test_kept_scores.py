"""Scores that are kept for histories agree with the runs, however these came and went."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import delete, func, select, update
from tests.factories import make_study

from plimsoll.model import RunStatus, Session
from plimsoll.store import exchange, histories, housekeeping, kept_scores, migrate
from plimsoll.store.checkup import Examination
from plimsoll.store.connection import connect, parse_location, reading, writing
from plimsoll.store.histories import SessionScores, Wanted
from plimsoll.store.opening import open_store
from plimsoll.store.schema import session_score, session_work
from plimsoll.store.store import Store


def filled(store: Store, **about: object) -> Session:
    """One run after the other, as they are measured."""
    session, runs = make_study(("a", "b"), ("randread", "ping"), 4, failed=2, invalid=1, **about)
    store.add_session(session)
    for each in runs:
        store.add_run(each)
    return session


def of_history(store: Store, metric: str = "iops", most: int = 100) -> list[SessionScores]:
    works = histories.works(store, "randread", "a")
    return histories.scores(store, Wanted("randread", works[0].plan, tuple(works)), metric, most)


def expected(store: Store, session: Session, metric: str = "iops") -> list[tuple[int, int, float]]:
    runs = [each for each in store.runs([session.id]) if (each.plan.case, each.target.name) == ("randread", "a")]
    ok = [each for each in runs if each.status is RunStatus.OK]
    return sorted((e.block, e.attempt, score.value) for e in ok for score in e.scores if score.metric == metric)


def is_kept_right(store: Store) -> bool:
    with reading(store.engine) as connection:
        return not any(kept_scores.differing(connection, each.id) for each in store.sessions())


def test_scores_are_kept_as_runs_are_added_merged_and_deleted(store: Store, tmp_path: Path) -> None:
    first = filled(store, title="one")
    (found,) = of_history(store)
    assert list(found.scores) == expected(store, first) != []
    assert found.runs == 5  # one block was repeated
    with open_store(str(tmp_path / "other.db")) as other:
        second = filled(other, title="two", seed=5, started_ns=first.started_ns + 10**12)
        for _ in range(2):
            exchange.merge(store, [other])
    assert is_kept_right(store)
    assert [each.session_id for each in of_history(store)] == [first.id, second.id]
    assert [each.session_id for each in of_history(store, most=1)] == [second.id]
    assert list(of_history(store, "read_p99")[1].scores) == expected(store, second, "read_p99")
    housekeeping.delete_sessions(store, [first.id])
    assert [each.session_id for each in of_history(store)] == [second.id]
    housekeeping.delete_sessions(store, [second.id])
    with reading(store.engine) as connection:
        assert connection.execute(select(func.count()).select_from(session_score)).scalar_one() == 0


def test_what_is_kept_and_damaged_is_asked_of_the_runs(store: Store) -> None:
    session = filled(store)
    before = of_history(store)
    with writing(store.engine) as connection:
        connection.execute(update(session_score).values(content="[[0,0,1.0]]"))
    assert of_history(store) == before
    assert not is_kept_right(store)
    # A run that comes later does not make it look right.
    _, more = make_study(("a",), ("randread",), 1, seed=9)
    store.add_run(more[0].model_copy(update={"session_id": session.id, "block": 7}))
    (found,) = of_history(store)
    assert list(found.scores) == expected(store, session)
    assert found.scores[-1].block == 7


def test_runs_whose_scores_were_not_kept_are_asked_themselves(store: Store) -> None:
    """An older version that had the store open while it was migrated adds runs, and no scores of theirs."""
    filled(store)
    before = of_history(store)
    with writing(store.engine) as connection:
        connection.execute(delete(session_score))
    assert of_history(store) == before


@pytest.mark.parametrize("many", [1, 1000])
def test_the_scores_of_an_older_store_are_kept(store_url: str, monkeypatch: pytest.MonkeyPatch, many: int) -> None:
    told: list[str] = []
    monkeypatch.setattr(migrate, "MANY_RUNS", many)
    monkeypatch.setattr(migrate, "tell", told.append)
    with open_store(store_url) as store:
        filled(store)
        filled(store, title="two", seed=4)
        before = of_history(store)
    engine = connect(parse_location(store_url))
    with writing(engine) as connection:
        connection.exec_driver_sql("DROP TABLE session_score")
        connection.exec_driver_sql("DROP INDEX ix_session_added_ns_id")
        connection.exec_driver_sql("ALTER TABLE session DROP COLUMN added_ns")
        connection.exec_driver_sql("UPDATE plimsoll_version SET version_num = '0006'")
    engine.dispose()
    with open_store(store_url) as store:
        assert of_history(store) == before
        assert is_kept_right(store)
        assert ["runs take about" in each and "0006" not in each for each in told] == ([True] if many == 1 else [])
        # Nobody knows which of them came last: the one that began last.
        assert store.last_session() == store.sessions()[0]


@pytest.mark.parametrize(
    "change",
    [
        delete(session_score).where(session_score.c.metric == "iops"),
        update(session_score).values(content="[]"),
        update(session_work).values(valid=session_work.c.valid + 1),
        delete(session_work),
    ],
    ids=("scores lost", "scores changed", "counts changed", "counts lost"),
)
def test_store_check_says_what_is_counted_wrong(store_url: str, change: object) -> None:
    with open_store(store_url) as store:
        session = filled(store)
        place = parse_location(store_url)
        with Examination(place) as examination:
            assert examination.checkup.good
            assert "differ from its runs" not in " ".join(examination.checkup.sentences)
        with writing(store.engine) as connection:
            connection.execute(change)  # type: ignore[call-overload]
    with Examination(place) as examination:
        found = examination.checkup
    assert [(each.id, each.miscounted, each.whole) for each in found.sessions] == [(session.id, True, True)]
    assert not found.good
    (sentence,) = found.sentences
    assert sentence.endswith("the counts or scores that lists and histories show of it differ from its runs")
