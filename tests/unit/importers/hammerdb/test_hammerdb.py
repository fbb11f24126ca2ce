"""Golden: results of HammerDB; per minute in the log, per second here."""

import pytest
from tests.unit.importers.importing import load, scores

from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND, MINUTE, SECOND


def test_tproc_c() -> None:
    (run,) = load("hammerdb", "tproc_c.log").runs
    assert scores(run)["new_order_rate"] == pytest.approx(12_000 / 60)
    assert scores(run)["transaction_rate"] == pytest.approx(27_600 / 60)
    assert scores(run)["new_order_p99"] == 9.8 * MILLISECOND
    assert scores(run)["new_order_max"] == 50.25 * MILLISECOND
    assert run.facts["nopm"] == 12_000
    assert run.plan.parameters["virtual_users"] == 8
    assert run.plan.parameters["database"] == "PostgreSQL"
    assert run.ended_ns - run.started_ns == 5 * MINUTE
    assert run.facts["series"]["columns"]["transaction_rate"]["values"] == [500, 600]


def test_older_results_and_failures() -> None:
    good, partial, failed = load("hammerdb", "old_and_failed.log").runs
    assert scores(good)["new_order_rate"] == pytest.approx(500)
    assert good.plan.parameters["virtual_users"] == 4
    assert partial.status is RunStatus.PARTIAL
    assert "ORA-00060" in partial.reason
    assert failed.status is RunStatus.FAILED
    assert "connection refused" in failed.reason


def test_tproc_h() -> None:
    (run,) = load("hammerdb", "tproc_h.log").runs
    assert scores(run) == {"query_set_time": 73 * SECOND, "query_geometric_mean": 1.23456 * SECOND}
