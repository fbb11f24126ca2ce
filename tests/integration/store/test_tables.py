"""Parquet tables hold what the records hold, and other programs read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.conftest import need
from tests.factories import make_study

from plimsoll.errors import UsageError
from plimsoll.stats.histogram import decode
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.store.tables import TABLES, write_tables
from plimsoll.store.union import add_records

try:
    import duckdb
    import pandas
    import pyarrow.parquet
except ImportError:
    duckdb = None


@pytest.fixture
def tables(tmp_path: Path) -> tuple[Store, Path]:
    need(duckdb is not None, "pyarrow, duckdb and pandas")
    store = open_store(str(tmp_path / "a.db"))
    for seed in (1, 2):
        session, runs = make_study(cases=("randread", "commit"), failed=1, seed=seed, title=f"session {seed}")
        add_records(store, [session, *runs], "test")
    write_tables(store, [session.id for session in store.sessions()], tmp_path / "tables")
    return store, tmp_path / "tables"


def test_every_score_is_there(tables: tuple[Store, Path]) -> None:
    store, folder = tables
    runs = store.runs([session.id for session in store.sessions()])
    rows = duckdb.sql(f"select run_id, metric, value, unit, judged from '{folder}/scores.parquet'").fetchall()
    wanted = {
        (run.id, score.metric, score.value, score.unit, score.metric in run.plan.metrics)
        for run in runs
        for score in run.scores
    }
    assert set(rows) == wanted
    assert len(rows) == len(wanted)


def test_runs_that_failed_are_there_too(tables: tuple[Store, Path]) -> None:
    store, folder = tables
    frame = pandas.read_parquet(folder / "runs.parquet")
    runs = store.runs([session.id for session in store.sessions()])
    assert sorted(frame["run_id"]) == sorted(run.id for run in runs)
    assert (frame["status"] == "failed").sum() == 2
    first = frame.set_index("run_id").loc[runs[0].id]
    assert first["started"].value == runs[0].started_ns
    assert first["duration_ns"] == runs[0].ended_ns - runs[0].started_ns


def test_histograms_add_up_in_sql(tables: tuple[Store, Path]) -> None:
    store, folder = tables
    runs = store.runs([session.id for session in store.sessions()])
    total = sum(decode(run.histograms["read"]).count for run in runs if "read" in run.histograms)
    query = f"select sum(count) from '{folder}/histograms.parquet' where kind = 'read'"
    assert duckdb.sql(query).fetchall() == [(total,)]


def test_intervals_keep_every_kind(tables: tuple[Store, Path]) -> None:
    store, folder = tables
    runs = store.runs([session.id for session in store.sessions()])
    operations = sum(each.operations for run in runs for part in run.intervals for each in part.operations.values())
    query = f"select sum(operations)::bigint, count(distinct kind) from '{folder}/intervals.parquet'"
    assert duckdb.sql(query).fetchall() == [(operations, 4)]


def test_every_column_is_described(tables: tuple[Store, Path]) -> None:
    for name, columns in TABLES.items():
        schema = pyarrow.parquet.read_schema(tables[1] / f"{name}.parquet")
        assert schema.names == list(columns)
        assert all(schema.field(column).metadata[b"description"] for column in columns)
        for column in columns:
            measured = column.removesuffix("_ns") if column.endswith("_ns") else ""
            assert not measured or columns[column][0] in ("int64", "float64")


def test_nothing_is_replaced_unasked(tables: tuple[Store, Path]) -> None:
    store, folder = tables
    ids = [session.id for session in store.sessions()]
    before = (folder / "scores.parquet").read_bytes()
    with pytest.raises(UsageError, match="already exists"):
        write_tables(store, ids, folder)
    write_tables(store, ids, folder, replace=True)
    assert (folder / "scores.parquet").read_bytes() == before
    assert not list(folder.glob(".*"))
