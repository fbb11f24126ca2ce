"""Counts that are kept agree with the runs, however these came and went."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from sqlalchemy import func, select
from tests.factories import make_study

from plimsoll.model import RunStatus, Session
from plimsoll.store import exchange, housekeeping, search
from plimsoll.store.connection import connect, parse_location, reading, writing
from plimsoll.store.opening import open_store
from plimsoll.store.schema import place, run, session_work, work
from plimsoll.store.store import Store
from plimsoll.store.works import count_all

FIELDS = ("session_id", "test", "case_label", "target_name", "target_kind", "plan_hash")


def counted(store: Store) -> tuple[dict[tuple[str, ...], tuple[int, ...]], ...]:
    """What is kept, and the same from the runs themselves."""
    kept = select(
        session_work.c.session_id,
        *(work.c[name] for name in FIELDS[1:]),
        *(session_work.c[name] for name in ("runs", "valid", "first_ns", "last_ns")),
    ).join_from(session_work, work)
    ok = func.sum((run.c.status == RunStatus.OK.value).cast(session_work.c.runs.type))
    from_runs = select(
        *(run.c[name] for name in FIELDS), func.count(), ok, func.min(run.c.started_ns), func.max(run.c.started_ns)
    ).group_by(*(run.c[name] for name in FIELDS))
    with reading(store.engine) as connection:
        both = [connection.execute(statement).all() for statement in (kept, from_runs)]
    return tuple({tuple(row[:6]): tuple(map(int, row[6:])) for row in rows} for rows in both)


def filled(store: Store, **about: object) -> Session:
    session, runs = make_study(("a", "b"), ("randread", "ping"), 3, failed=2, invalid=1, **about)
    store.add_session(session)
    for each in runs:
        store.add_run(each)
    return session


def test_counts_follow_runs_that_are_added_merged_and_deleted(store: Store, tmp_path: Path) -> None:
    first = filled(store, title="one")
    kept, real = counted(store)
    assert kept == real != {}
    assert search.run_counts(store)[first.id] == (
        sum(each[1] for each in real.values()),
        sum(each[0] for each in real.values()),
    )
    with open_store(str(tmp_path / "other.db")) as other:
        second = filled(other, title="two", seed=5)
        for _ in range(2):
            exchange.merge(store, [other])
    kept, real = counted(store)
    assert kept == real
    assert {key[0] for key in kept} == {first.id, second.id}
    housekeeping.delete_sessions(store, [first.id])
    kept, real = counted(store)
    assert kept == real
    assert {key[0] for key in kept} == {second.id}
    housekeeping.delete_sessions(store, [second.id])
    # What nobody has any more is not offered.
    assert search.choices(store).tests == search.choices(store).kinds == ()


def test_one_name_on_two_machines_is_two_places(store: Store) -> None:
    filled(store, title="here", host={"hostname": "one"})
    filled(store, title="there", host={"hostname": "two"}, seed=1)
    with reading(store.engine) as connection:
        found = connection.execute(select(place.c.host, place.c.facts).order_by(place.c.host)).all()
        works = connection.execute(select(func.count()).select_from(work)).scalar_one()
    assert [(host, json.loads(facts)["host"]) for host, facts in found] == [("one", "one"), ("two", "two")]
    assert works == 2 * 4


def test_the_runs_of_an_older_store_are_counted(store_url: str) -> None:
    with open_store(store_url) as store:
        filled(store)
        before = counted(store)[0]
    engine = connect(parse_location(store_url))
    with writing(engine) as connection:
        for name in ("session_score", "session_work", "work", "place", "pin", "comparison", "answer"):
            connection.exec_driver_sql(f"DROP TABLE {name}")
        connection.exec_driver_sql("DROP INDEX ix_session_added_ns_id")
        connection.exec_driver_sql("ALTER TABLE session DROP COLUMN added_ns")
        connection.exec_driver_sql("CREATE INDEX ix_run_test ON run (test, target_kind)")
        connection.exec_driver_sql("UPDATE plimsoll_version SET version_num = '0004'")
    engine.dispose()
    with open_store(store_url) as store:
        assert counted(store) == (before, before)
        assert before


def test_a_damaged_target_is_counted_all_the_same(store: Store) -> None:
    session = filled(store)
    with writing(store.engine) as connection:
        connection.exec_driver_sql("UPDATE run SET target = 'no JSON'")
        for name in ("session_score", "session_work", "work", "place"):
            connection.exec_driver_sql(f"DELETE FROM {name}")
        count_all(connection)
    kept, real = counted(store)
    assert kept == real
    assert Counter(key[0] for key in kept) == {session.id: 4}
