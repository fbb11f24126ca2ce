"""Golden: the last line of each operation."""

from tests.unit.importers.importing import load, scores

from plimsoll.model import RunStatus
from plimsoll.units import MICROSECOND


def test_the_end_counts_and_errors_make_it_partial() -> None:
    (run,) = load("go_ycsb", "run.txt").runs
    assert scores(run)["read_rate"] == 300
    assert scores(run)["operation_rate"] == 300
    assert scores(run)["read_p99"] == 1910 * MICROSECOND
    assert scores(run)["read_max"] == 3000 * MICROSECOND
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "30 of 630 operations failed"
    assert "secret" not in str(run.plan.parameters)
