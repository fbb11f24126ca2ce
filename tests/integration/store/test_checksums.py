"""A run that is changed after it was stored is told to be, in both databases and wherever it is copied to."""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.store.conftest import NewStore

from plimsoll.altered import GUARD, has_no_checksum, is_altered
from plimsoll.errors import ResultFileError
from plimsoll.model import Level, Run, RunStatus, Session
from plimsoll.store import exchange, histories, search
from plimsoll.store.connection import writing
from plimsoll.store.records import told
from plimsoll.store.result_file import read_results
from plimsoll.store.store import Store


@pytest.fixture
def study(store: Store) -> tuple[Session, list[Run]]:
    session, runs = make_study(("a", "b"), ("randrw",), 3, intervals=4, artefacts=True, failed=1)
    store.add_session(session)
    for run in runs:
        store.add_run(run)
    return session, runs


def change(store: Store, statement: str) -> None:
    with writing(store.engine) as connection:
        assert connection.exec_driver_sql(statement).rowcount


def first_ok(runs: list[Run]) -> Run:
    return next(run for run in runs if run.status is RunStatus.OK)


OF_SCORES = [
    "UPDATE score SET value = value * 10 WHERE run_id = '{0}' AND metric = 'iops'",
    "UPDATE score SET direction = 'lower' WHERE run_id = '{0}' AND metric = 'iops'",
    "UPDATE score SET metric = 'iops_burst' WHERE run_id = '{0}' AND metric = 'iops'",
    "UPDATE score SET checksum = NULL WHERE run_id = '{0}' AND metric = 'iops'",
    "UPDATE run SET target_name = 'c' WHERE id = '{0}'",
    "UPDATE run SET block = 7 WHERE id = '{0}'",
    "UPDATE run SET status = 'partial' WHERE id = '{0}'",
]
OF_PARTS = [
    "UPDATE run SET reason = 'none' WHERE id = '{0}'",
    "UPDATE run SET facts = '{{}}' WHERE id = '{0}'",
    "UPDATE run SET started_ns = started_ns + 1 WHERE id = '{0}'",
    "UPDATE finding SET level = 'ok', message = 'fine' WHERE run_id = '{0}'",
    "DELETE FROM finding WHERE run_id = '{0}'",
    "DELETE FROM series WHERE run_id = '{0}'",
    "DELETE FROM histogram WHERE run_id = '{0}' AND kind = 'read'",
    "DELETE FROM artefact WHERE run_id = '{0}'",
    "DELETE FROM score WHERE run_id = '{0}' AND metric = 'iops'",
]


@pytest.mark.parametrize("statement", OF_SCORES)
def test_a_run_whose_scores_were_changed_does_not_count(
    store: Store, study: tuple[Session, list[Run]], statement: str
) -> None:
    session, runs = study
    run = first_ok(runs)
    assert store.altered([session.id]) == {}
    change(store, statement.format(run.id))
    (now,) = [each for each in store.runs([session.id]) if each.id == run.id]
    assert now.status is RunStatus.INVALID
    assert "changed after the run was stored" in now.reason
    assert is_altered(now)
    assert set(store.altered([session.id])) == {run.id}
    assert [row.status for row in store.score_rows([session.id])].count("invalid") == len(run.scores)
    (line,) = [line for line in search.run_lines(store, session.id) if line.id == run.id]
    assert (line.status, line.reason) == ("invalid", "changed after it was stored")
    others = [each for each in store.runs([session.id]) if each.id != run.id]
    assert others == [each for each in runs if each.id != run.id]


@pytest.mark.parametrize("statement", OF_PARTS)
def test_another_part_that_was_changed_is_told_and_the_scores_count(
    store: Store, study: tuple[Session, list[Run]], statement: str
) -> None:
    session, runs = study
    run = next(run for run in runs if run.status is RunStatus.OK and run.findings)
    change(store, statement.format(run.id))
    (now,) = [each for each in store.runs([session.id]) if each.id == run.id]
    assert now.status is RunStatus.OK
    assert [finding.level for finding in now.findings if finding.guard == GUARD] == [Level.WARN]
    assert store.altered([session.id]) == {}


def test_a_history_keeps_the_score_that_was_measured(store: Store, study: tuple[Session, list[Run]]) -> None:
    _, runs = study
    run = first_ok(runs)
    works = tuple(histories.works(store, run.plan.case, run.target.name))
    asked = (store, histories.Wanted(run.plan.case, run.plan.hash, works), "iops")
    before = histories.scores(*asked)
    assert before[0].scores[0].value == next(score.value for score in run.scores if score.metric == "iops")
    change(store, OF_SCORES[0].format(run.id))
    assert histories.scores(*asked) == before
    points = histories.points(*asked, [run.session_id])
    assert [each.run_id for each in points if each.status == "invalid"] == [run.id]


def test_what_was_changed_is_told_of_every_copy(
    store: Store, study: tuple[Session, list[Run]], new_store: NewStore, tmp_path: Path
) -> None:
    session, runs = study
    run = first_ok(runs)
    change(store, OF_SCORES[0].format(run.id))
    path = tmp_path / "x.plimsoll.gz"
    exchange.export(store, [session.id], path)
    copy = new_store()
    exchange.import_results(copy, path)
    assert copy.runs([session.id]) == store.runs([session.id])
    assert copy.altered([session.id]) == store.altered([session.id]) != {}
    of_file = [told(each) for each in read_results(path) if isinstance(each, Run)]
    assert sorted(of_file, key=lambda each: each.id) == sorted(store.runs([session.id]), key=lambda each: each.id)


def test_a_result_file_whose_score_was_changed_by_hand(
    store: Store, study: tuple[Session, list[Run]], new_store: NewStore, tmp_path: Path
) -> None:
    """By somebody who knows of the file's own checksum, but not of those of the runs."""
    session, _ = study
    path = tmp_path / "x.plimsoll.gz"
    exchange.export(store, [session.id], path)
    *lines, last = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if b'"status":"ok"' in line)
    record = json.loads(lines[place])
    record["run"]["scores"][0]["value"] *= 10
    lines[place] = json.dumps(record).encode() + b"\n"
    end = json.loads(last)
    end["end"]["sha256"] = hashlib.sha256(b"".join(lines)).hexdigest()
    path.write_bytes(gzip.compress(b"".join(lines) + json.dumps(end).encode() + b"\n"))
    copy = new_store()
    exchange.import_results(copy, path)
    assert set(copy.altered([session.id])) == {record["run"]["id"]}
    with pytest.raises(ResultFileError, match=r"the one in .*x.plimsoll.gz does not match its checksum; leave it out"):
        exchange.import_results(store, path)


def test_what_has_no_checksum_is_told_to_have_none(store: Store, study: tuple[Session, list[Run]]) -> None:
    """As every run of an older store, after its migration."""
    session, runs = study
    change(store, "UPDATE run SET checksum = NULL")
    change(store, "UPDATE score SET checksum = NULL")
    change(store, OF_SCORES[0].format(first_ok(runs).id))
    assert all(has_no_checksum(run) for run in store.runs([session.id]))
    assert store.altered([session.id]) == {}
