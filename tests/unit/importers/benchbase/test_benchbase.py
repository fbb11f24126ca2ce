"""BenchBase: rates per second, latencies in µs, and what a run that was stopped is."""

from tests.unit.importers.importing import HERE, load, read_text, scores

from plimsoll.model import RunStatus
from plimsoll.units import MICROSECOND, SECOND

TEXT = (HERE / "benchbase" / "fixtures" / "tpcc.summary.json").read_text(encoding="utf-8")


def test_every_number_with_its_unit() -> None:
    (run,) = load("benchbase", "tpcc.summary.json").runs
    assert scores(run) == {
        "request_rate": 250.4989,
        "goodput": 249.25,
        "request_mean": 15300 * MICROSECOND,
        "request_p50": 14100 * MICROSECOND,
        "request_p90": 25200 * MICROSECOND,
        "request_p95": 30500 * MICROSECOND,
        "request_p99": 44100 * MICROSECOND,
        "request_max": 91234 * MICROSECOND,
    }
    assert run.plan.parameters["terminals"] == "4"
    assert run.started_ns == 1_760_000_000 * SECOND
    assert run.ended_ns - run.started_ns == 60_000_250_000
    assert run.status is RunStatus.OK
    assert not run.findings


def test_a_run_that_was_stopped_is_partial() -> None:
    (run,) = read_text("benchbase", TEXT.replace('"EXIT"', '"MEASURE"')).runs
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "BenchBase ended in the state MEASURE"


def test_more_requests_at_once_than_terminals_are_told() -> None:
    (run,) = read_text("benchbase", TEXT.replace('"terminals": "4"', '"terminals": "2"')).runs
    assert [finding.guard for finding in run.findings] == ["concurrency"]
