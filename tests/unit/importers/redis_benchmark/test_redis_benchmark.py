"""What redis-benchmark 7.0 printed here: its CSV, and its text with four requests in a pipeline."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.importers.importing import load, scores

from plimsoll.errors import ResultFileError
from plimsoll.importers.formats import redis_benchmark
from plimsoll.importers.reading import read_files
from plimsoll.importers.source import Options, Source
from plimsoll.model import RunStatus
from plimsoll.units import MICROSECOND, SECOND

FIXTURES = Path(__file__).parent / "fixtures"


def test_each_row_is_a_run() -> None:
    runs = load("redis_benchmark", "v7.csv").runs
    assert [run.plan.case for run in runs] == [
        "redis-benchmark SET", "redis-benchmark GET", "redis-benchmark LPUSH", "redis-benchmark MSET (10 keys)",
    ]  # fmt: skip
    assert scores(runs[0]) == {
        "operation_rate": 21857.92,
        "operation_mean": 378 * MICROSECOND,
        "operation_p50": 119 * MICROSECOND,
        "operation_p95": 2503 * MICROSECOND,
        "operation_p99": 5015 * MICROSECOND,
        "operation_max": 19199 * MICROSECOND,
    }


def test_the_text_has_what_was_run_too() -> None:
    first, second = load("redis_benchmark", "v7_pipelined.txt").runs
    assert scores(first)["operation_rate"] == 96153.84
    assert scores(first)["operation_mean"] == 348 * MICROSECOND
    assert scores(second)["operation_p99"] == 6791 * MICROSECOND
    assert first.plan.parameters == {"test": "SET", "clients": 10, "payload_bytes": 100}
    assert first.ended_ns - first.started_ns == round(0.21 * SECOND)
    assert first.findings == (), "a pipeline holds more requests than there are clients"


def test_a_test_without_its_end_has_failed() -> None:
    text = (FIXTURES / "v7_pipelined.txt").read_bytes()
    whole = redis_benchmark.read(Source("a.txt", text), Options()).runs
    cut = redis_benchmark.read(Source("a.txt", text[: text.rindex(b"Summary:")]), Options()).runs
    assert [run.status for run in whole] == [RunStatus.OK, RunStatus.OK]
    assert [run.status for run in cut] == [RunStatus.OK, RunStatus.FAILED]
    assert "did not end" in cut[1].reason


@pytest.mark.parametrize(("old", "new"), [('"0.378"', '"0,378"'), ('"21857.92"', '"-21857.92"'), ('"5.015"', '""')])
def test_a_number_that_cannot_be_read_is_refused_with_its_line(tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "a.csv").write_text((FIXTURES / "v7.csv").read_text().replace(old, new))
    (outcome,) = read_files([tmp_path / "a.csv"])
    assert isinstance(outcome.error, ResultFileError)
    assert "a.csv: line 2" in str(outcome.error)


def test_its_old_csv_without_a_header_is_not_claimed() -> None:
    """Redis 5 printed two columns that could be anything."""
    assert not redis_benchmark.recognise(b'"SET","93457.95"\n"GET","95238.10"\n', "a.csv")
    assert not redis_benchmark.recognise(b"====== SET ======\n", "a.txt")
