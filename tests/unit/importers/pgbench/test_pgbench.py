"""Golden: numbers of pgbench's summaries before and after version 14, and of progress lines."""

from tests.unit.importers.importing import load, scores, told

from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND


def test_summaries_of_version_9() -> None:
    first, second = load("pgbench", "v9.txt").runs
    assert scores(first) == {
        "transaction_rate": 100.05,
        "transaction_rate_with_connections": 99.97,
        "transaction_mean": 40.012 * MILLISECOND,
    }
    assert first.plan.parameters == {
        "transaction_type": "TPC-B (sort of)",
        "scale": 10,
        "query_mode": "prepared",
        "clients": 4,
        "threads": 2,
        "duration_s": 60,
    }
    assert second.status is RunStatus.PARTIAL
    assert second.plan.case == "pgbench select only"


def test_version_15_with_progress() -> None:
    (run,) = load("pgbench", "v15_progress.txt").runs
    assert scores(run) == {"transaction_rate": 919.117417, "transaction_mean": 4.343 * MILLISECOND}
    assert run.plan.parameters["transaction_type"] == "TPC-B (sort of)"
    assert run.facts["series"]["columns"]["transaction_rate"]["values"] == [925.9, 1276.8, 1161.3, 308.0]
    assert run.facts["operations"] == {"transaction": 3675}
    assert not told(run)


def test_version_15_with_a_rate() -> None:
    (run,) = load("pgbench", "v15_statements.txt").runs
    assert scores(run)["transaction_rate"] == 101.618684
    assert scores(run)["schedule_lag_max"] == 3.615 * MILLISECOND
    assert run.status is RunStatus.OK


def test_progress_without_summary_is_partial() -> None:
    (run,) = load("pgbench", "progress_only.txt").runs
    assert run.status is RunStatus.PARTIAL
    assert scores(run) == {"transaction_rate": (10.0 * 1 + 16.0 * 2) / 3}
