"""Golden: numbers of sysbench 0.4, 0.5, 1.0 and 1.1."""

from tests.unit.importers.importing import HERE, load, read_text, scores, told

from plimsoll.model import RunStatus
from plimsoll.units import KIB, MIB, MILLISECOND, SECOND


def test_0_5() -> None:
    (run,) = load("sysbench", "oltp_0.5.txt").runs
    assert scores(run) == {
        "transaction_rate": 130.18,
        "query_rate": 2343.27,
        "transaction_mean": 15.34 * MILLISECOND,
        "transaction_max": 45.67 * MILLISECOND,
        "transaction_p99": 18.90 * MILLISECOND,
    }
    assert run.facts["series"]["columns"]["transaction_rate"]["values"] == [131.95, 128.50]
    assert run.facts["series"]["columns"]["transaction_p99"]["values"] == [17_520_000, 19_020_000]
    assert run.plan.parameters["threads"] == 2
    assert not told(run)


def test_1_0_inside_another_log_with_errors() -> None:
    (run,) = load("sysbench", "prefixed_1.0.log").runs
    assert scores(run)["transaction_rate"] == 400
    assert scores(run)["transaction_p95"] == 12.30 * MILLISECOND
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "40 of 1,640 transactions failed"


def test_1_1_with_a_maximum_below_its_percentile() -> None:
    (run,) = load("sysbench", "oltp_1.1.txt").runs
    assert scores(run)["event_rate"] == 50.02
    assert scores(run)["transaction_p999"] == 45 * MILLISECOND
    assert run.plan.parameters["target_rate"] == 50
    assert told(run) == {"order"}


def test_file_io() -> None:
    (run,) = load("sysbench", "fileio_1.0.txt").runs
    assert scores(run) == {
        "read_iops": 5428.31,
        "write_iops": 3618.88,
        "iops": 5428.31 + 3618.88,
        "sync_rate": 362.38,
        "read_throughput": 84.82 * MIB,
        "write_throughput": 56.54 * MIB,
        "throughput": 84.82 * MIB + 56.54 * MIB,
        # Of the sum of latencies over 18,925 events; the mean is told as 0.11.
        "operation_mean": 105_158.256,
        "operation_max": 27.64 * MILLISECOND,
        "operation_p99": 3.96 * MILLISECOND,
    }
    assert run.plan.parameters["block_size"] == 16 * KIB
    (old,) = load("sysbench", "fileio_0.4.txt").runs
    assert scores(old)["throughput"] == 20.5 * MIB
    assert scores(old)["iops"] == 1312
    assert scores(old)["operation_p95"] == 1_200_000


def test_cpu_and_memory() -> None:
    (cpu,) = load("sysbench", "cpu_1.0.txt").runs
    assert scores(cpu)["event_rate"] == 1684.71
    (memory,) = load("sysbench", "memory_1.0.txt").runs
    assert scores(memory)["throughput"] == 3443.70 * MIB
    # 0.00 ms is less than the tool can show, and no zero.
    assert "operation_mean" not in scores(memory)


def test_a_run_without_summary_is_partial() -> None:
    text = (HERE / "sysbench/fixtures/oltp_0.5.txt").read_text()
    (run,) = read_text("sysbench", text[: text.index("OLTP test")]).runs
    assert run.status is RunStatus.PARTIAL
    assert scores(run) == {"transaction_rate": (131.95 + 128.50) / 2}


def test_two_tests_in_one_file_are_two_runs() -> None:
    text = (HERE / "sysbench/fixtures/oltp_1.1.txt").read_text()
    assert [run.ended_ns - run.started_ns for run in read_text("sysbench", text + text).runs] == [30.008 * SECOND] * 2
