"""Golden: sums over the rows that pgbench wrote."""

import pytest
from tests.unit.importers.importing import load, scores, told

from plimsoll.importers.formats.pgbench_logs import group
from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.units import MICROSECOND, SECOND


def test_transactions_of_two_threads() -> None:
    (run,) = load("pgbench_logs", "pertx.22248", "pertx.22248.1").runs
    assert decode(run.histograms["transaction"]).count == 24
    assert scores(run)["transaction_max"] == 15_148 * MICROSECOND
    assert run.target.name == "pertx"


def test_aggregates_of_two_threads_are_added_by_second() -> None:
    (run,) = load("pgbench_logs", "agg.22276", "agg.22276.1").runs
    assert run.facts["operations"] == {"transaction": 11 + 188 + 436 + 9 + 171 + 442}
    # The first interval is cut, so the rate is that of the two others.
    assert scores(run)["transaction_rate"] == (188 + 436 + 171 + 442) / 2
    total = 58_065 + 1_004_066 + 995_723 + 62_016 + 1_001_230 + 998_288
    assert scores(run)["transaction_mean"] == pytest.approx(total / 1257 * MICROSECOND)
    assert scores(run)["transaction_max"] == 18_132 * MICROSECOND
    assert run.started_ns == 1_795_294_833 * SECOND
    assert not any(name.startswith("transaction_p") for name in scores(run))


def test_aggregates_of_six_columns() -> None:
    (run,) = load("pgbench_logs", "agg9.100").runs
    assert scores(run)["transaction_rate"] == 305
    assert scores(run)["transaction_mean"] == 2000 * MICROSECOND


def test_skipped_and_failed_transactions() -> None:
    (run,) = load("pgbench_logs", "rated.22299").runs
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "1 of 9 transactions failed"
    assert told(run) == {"skipped"}


def test_files_of_one_process_belong_together() -> None:
    assert group("run1.4711") == group("run1.4711.3") == "run1.4711"
