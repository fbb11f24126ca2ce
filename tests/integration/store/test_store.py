"""What a store promises, once in SQLite and once in PostgreSQL."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import event
from tests.factories import START_NS, make_study, many_cases
from tests.integration.store.strategies import RUNS, SESSIONS

from plimsoll.errors import StoreError, UnknownName, UsageError
from plimsoll.model import Finding, Level, Run, RunStatus, Score, Session, SessionState
from plimsoll.phases import MEMORY_GUARD
from plimsoll.report.evidence import Evidence
from plimsoll.stats.paired import cells
from plimsoll.store.exchange import merge
from plimsoll.store.housekeeping import delete_sessions
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store
from plimsoll.store.scored import scored_runs
from plimsoll.store.store import Store
from plimsoll.store.union import add_records


def add(store: Store, session: Session, runs: list[Run]) -> None:
    store.add_session(session)
    for run in runs:
        store.add_run(run)


def test_a_study_comes_back_as_it_was(store: Store) -> None:
    session, runs = make_study(("a", "b", "c"), many_cases(9), 2, failed=2, invalid=1, artefacts=True)
    add(store, session, runs)
    assert store.sessions() == [session]
    assert store.runs([session.id]) == runs
    assert store.runs([session.id], {"a", "c", "none"}) == [run for run in runs if run.target.name in "ac"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(session=SESSIONS, run=RUNS)
def test_every_field_comes_back(store: Store, session: Session, run: Run) -> None:
    run = run.model_copy(update={"session_id": session.id})
    add(store, session, [run])
    try:
        assert store.sessions() == [session]
        assert store.runs([session.id]) == [run]
        for kind, encoded in run.histograms.items():
            assert store.histograms([run.id], kind) == {run.id: encoded}
    finally:
        delete_sessions(store, [session.id])


def test_what_was_added_is_there_for_the_next_one_who_opens(store: Store, store_url: str) -> None:
    session, runs = make_study(blocks=1)
    add(store, session, runs)
    with open_store(store_url) as again:
        assert again.runs([session.id]) == runs


def test_sessions_come_newest_first(store: Store) -> None:
    made = [make_study(title=f"study {n}", started_ns=START_NS + n, blocks=0)[0] for n in (2, 0, 1)]
    for session in made:
        store.add_session(session)
    assert [each.title for each in store.sessions()] == ["study 2", "study 1", "study 0"]
    assert [each.title for each in store.sessions(limit=2)] == ["study 2", "study 1"]


def test_the_last_session_is_the_one_that_came_last(store: Store, tmp_path: Path) -> None:
    """However long ago it was measured: who has just imported something means that."""
    new, old, older = (make_study(title=f"study {n}", started_ns=START_NS + n, blocks=0)[0] for n in (9, 5, 1))
    store.add_session(new)
    assert store.last_session() == new
    add_records(store, [old], "a file")
    assert store.last_session() == old
    with open_store(str(tmp_path / "other.db")) as other:
        other.add_session(older)
        other.add_session(new)
        # What is known already does not come again.
        merge(store, [other])
    assert store.last_session() == older
    assert [each.title for each in store.sessions()] == ["study 9", "study 5", "study 1"]


def test_of_sessions_that_came_at_once_the_one_begun_last_is_the_last(store: Store, tmp_path: Path) -> None:
    """In whatever order of their ids a merge brings them."""
    made = [make_study(title=f"study {n}", started_ns=START_NS + n, blocks=0)[0] for n in (1, 2, 3)]
    by_id = sorted((each.id for each in made), reverse=True)
    with open_store(str(tmp_path / "other.db")) as other:
        for session, number in zip(made, by_id, strict=True):
            other.add_session(session.model_copy(update={"id": number}))
        merge(store, [other])
    last = store.last_session()
    assert last is not None
    assert last.title == "study 3"


def test_a_session_that_is_gone_on_with_is_the_last(store: Store) -> None:
    first, second = (make_study(title=f"study {n}", started_ns=START_NS + n, blocks=0)[0] for n in (1, 2))
    store.add_session(first)
    store.add_session(second)
    store.reopen_session(first)
    last = store.last_session()
    assert last is not None
    assert last.id == first.id


def test_an_empty_store_has_no_last_session(store: Store) -> None:
    assert store.last_session() is None
    assert store.sessions() == []
    assert store.score_rows([]) == []
    with pytest.raises(UnknownName, match="no session named 'x'"):
        store.find_session("x")


def test_a_session_is_found_by_short_id_and_title(store: Store) -> None:
    first, second = (make_study(title=title, seed=n, blocks=0)[0] for n, title in enumerate(("one", "two")))
    store.add_session(first)
    store.add_session(second)
    assert store.find_session(short_id(first.id)) == first
    assert store.find_session(short_id(first.id)[:5]) == first
    assert store.find_session(second.id) == second
    assert store.find_session("two") == second
    with pytest.raises(UsageError, match=f"2 sessions.*{short_id(second.id)}"):
        store.find_session(first.id[:8])


def test_a_session_ends_and_goes_on(store: Store) -> None:
    session, _ = make_study(blocks=0, state=SessionState.RUNNING, ended_ns=None)
    store.add_session(session)
    store.finish_session(session.id, SessionState.INTERRUPTED, START_NS + 5)
    expected = session.model_copy(update={"state": SessionState.INTERRUPTED, "ended_ns": START_NS + 5})
    assert store.last_session() == expected
    store.reopen_session(session)
    assert store.last_session() == session
    store.finish_session(session.id, SessionState.DONE, START_NS + 9)
    assert store.sessions()[0].state is SessionState.DONE


def test_unknown_sessions_are_named(store: Store) -> None:
    for action in (
        lambda: store.finish_session("gone", SessionState.DONE, 1),
        lambda: delete_sessions(store, ["gone"]),
    ):
        with pytest.raises(UnknownName, match="gone"):
            action()
    never_added, _ = make_study(blocks=0)
    with pytest.raises(UnknownName, match=never_added.id):
        store.reopen_session(never_added)


def test_a_deleted_session_takes_its_runs_along(store: Store) -> None:
    kept, kept_runs = make_study(blocks=1, seed=1)
    gone, gone_runs = make_study(blocks=1, seed=2, title="gone", artefacts=True)
    add(store, kept, kept_runs)
    add(store, gone, gone_runs)
    delete_sessions(store, [gone.id])
    assert store.sessions() == [kept]
    assert store.runs([kept.id, gone.id]) == kept_runs
    assert store.histograms([run.id for run in gone_runs], "read") == {}
    add(store, gone, gone_runs)
    assert store.runs([gone.id]) == gone_runs


def test_nothing_is_stored_twice_or_without_its_session(store: Store) -> None:
    session, runs = make_study(blocks=1)
    with pytest.raises(StoreError, match=f"its session {session.id} is not"):
        store.add_run(runs[0])
    add(store, session, runs)
    with pytest.raises(StoreError, match="already there"):
        store.add_run(runs[0].model_copy(update={"reason": "other"}))
    with pytest.raises(StoreError, match="already in the store"):
        store.add_session(session)
    assert store.runs([session.id]) == runs


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"facts": {"cpu": {"share": float("nan")}}}, "facts.cpu.share is nan"),
        ({"facts": {"counter": 2**64}}, "facts.counter is a number of more than 64 bits"),
        ({"facts": {"path": object()}}, "facts.path is a object"),
        ({"reason": "a\0b"}, "reason contains a NUL"),
        ({"reason": "\udcff"}, "reason contains bytes that are not Unicode text"),
        ({"id": "1"}, "id is '1', which is not a UUID"),
        ({"block": -1}, "block is -1"),
        ({"started_ns": 2**63}, "started_ns is"),
    ],
)
def test_what_cannot_be_kept_is_refused_as_a_whole(store: Store, change: dict[str, object], named: str) -> None:
    session, (run, *_) = make_study(blocks=1)
    store.add_session(session)
    with pytest.raises(StoreError) as caught:
        store.add_run(run.model_copy(update=change))
    assert named in str(caught.value)
    assert store.runs([session.id]) == []


def test_score_rows_are_what_comparisons_take(store: Store) -> None:
    session, runs = make_study(("a", "b"), ("randread", "commit"), 6, {"b": 2.0})
    add(store, session, runs)
    rows = store.score_rows([session.id])
    assert len(rows) == sum(len(run.scores) for run in runs)
    run, score, row = runs[0], runs[0].scores[0], rows[0]
    assert (row.session, row.case, row.target, row.block) == (session.id, run.plan.case, run.target.name, run.block)
    assert (row.attempt, row.order, row.status, row.plan_hash) == (run.attempt, run.order, run.status, run.plan.hash)
    assert (row.metric, row.unit, row.direction, row.value) == (score.metric, score.unit, score.direction, score.value)
    found = {(cell.case, cell.metric): cell.verdict.ratio for cell in cells(rows, "a")}
    assert 1.8 < found["randread", "iops"] < 2.2
    assert 1.8 < found["commit", "commit_rate"] < 2.2


def test_what_memory_answered_is_found_as_the_report_finds_it(store: Store) -> None:
    session, runs = make_study(("a", "b"), ("randread",), 3)
    score = {"name": "throughput", "value": 1.0, "unit": "MB/s", "better": "higher"}
    results = [{"name": "run", "start_ns": 0, "elapsed_ns": 1, "scores": [score], "kinds": {}}]
    memory = Finding(guard=MEMORY_GUARD, level=Level.WARN, message="memory", values={"run": 0.1})
    changed = [
        run.model_copy(update={"facts": {"results": results}, "findings": (memory,)}) if run.target.name == "b" else run
        for run in runs
    ]
    add(store, session, changed)
    for found in (scored_runs(store, [session]), changed):
        assert Evidence([session], found, None, 0.1).from_memory == {("randread", "throughput", "b")}


def test_a_run_without_a_wanted_score_was_tried(store: Store) -> None:
    session, runs = make_study(("a", "b"), ("randread",), 3)
    lost = runs[0].model_copy(update={"scores": tuple(each for each in runs[0].scores if each.metric != "iops")})
    add(store, session, [lost, *runs[1:]])
    rows = store.score_rows([session.id], {run.plan.hash: ("iops",) for run in runs})
    assert {row.metric for row in rows} == {"iops"}
    assert len(rows) == len(runs)
    assert [(row.target, row.block) for row in rows if row.value is None] == [(lost.target.name, lost.block)]


def test_score_rows_are_two_statements_over_indexes(store: Store) -> None:
    """However many runs there are; this is what keeps `compare` fast. The first looks at the checksums."""
    session, runs = make_study(("a",), ("randread",), 30)
    add(store, session, runs)
    statements: list[tuple[str, tuple[str, ...]]] = []
    event.listen(store.engine, "before_cursor_execute", lambda *words: statements.append((words[2], words[3])))
    store.score_rows([session.id], {run.plan.hash: run.plan.metrics for run in runs})
    selects = [each for each in statements if each[0].startswith("SELECT")]
    assert len(selects) == 2
    for asked, values in selects if store.engine.dialect.name == "sqlite" else ():
        with store.engine.connect() as connection:
            plan = connection.exec_driver_sql("EXPLAIN QUERY PLAN " + asked, values).all()
        steps = [row[3] for row in plan]
        assert any("run USING INDEX" in step for step in steps)
        assert any("score USING PRIMARY KEY" in step for step in steps)
        assert not [step for step in steps if step.startswith("SCAN") and "CONSTANT" not in step]


def test_a_failed_run_is_a_row_without_value(store: Store) -> None:
    session, runs = make_study(("a", "b"), ("randread",), 3, failed=1)
    add(store, session, runs)
    failed = next(run for run in runs if run.status is RunStatus.FAILED)
    rows = [row for row in store.score_rows([session.id]) if row.value is None]
    assert {row.metric for row in rows} >= {"iops", "read_p99"}
    assert {(row.target, row.block, row.status) for row in rows} == {(failed.target.name, failed.block, "failed")}


def test_plans_say_what_was_run(store: Store) -> None:
    session, runs = make_study(("a",), ("ping", "randread depth=1", "randwrite"), 1)
    add(store, session, runs)
    plans = store.plans([session.id])
    assert set(plans) == {run.plan.hash for run in runs}
    for run in runs:
        assert plans[run.plan.hash].parameters == run.plan.parameters
        # `ping` and `randread depth=1` do the same thing and judge different metrics of it.
        assert set(plans[run.plan.hash].metrics) >= set(run.plan.metrics)


def test_histograms_are_found_by_run_and_kind(store: Store) -> None:
    session, runs = make_study(("a",), ("randrw", "randread"), 1)
    add(store, session, runs)
    ids = [run.id for run in runs]
    assert store.histograms(ids, "read") == {run.id: run.histograms["read"] for run in runs}
    assert store.histograms(ids, "write") == {runs[0].id: runs[0].histograms["write"]}
    assert store.histograms(ids[1:], "write") == {}


def test_targets_whose_rates_may_end_are_found_without_their_runs(store: Store) -> None:
    session, runs = make_study(("a", "b", "c"), ("randread",), 2)
    burst = Score(metric="iops_burst", value=3000.0, unit="1/s", direction="higher")

    def changed(run: Run) -> Run:
        if run.target.name == "a":
            return run.model_copy(update={"target": run.target.model_copy(update={"options": {"as": "gp2+size=1GiB"}})})
        return run.model_copy(update={"scores": (*run.scores, burst)}) if run.target.name == "b" else run

    add(store, session, [changed(run) for run in runs])
    assert store.may_end([session.id]) == {"a", "b"}
    assert not store.may_end(["another"])
