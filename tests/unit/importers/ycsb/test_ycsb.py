"""Golden: numbers of YCSB's output of all generations."""

import pytest
from tests.unit.importers.importing import load, read_text, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.units import MICROSECOND, MILLISECOND, SECOND


def test_the_first_generation_counts_milliseconds() -> None:
    (run,) = load("ycsb", "first_generation.dat").runs
    assert scores(run) == {
        "operation_rate": 200,
        "update_mean": 2218.5 * MICROSECOND,
        "update_max": 1900 * MICROSECOND,
        "update_p95": 4 * MILLISECOND,
        "update_p99": 7 * MILLISECOND,
        "update_rate": 80,
        "read_mean": 38.5 * MICROSECOND,
        "read_max": 102 * MICROSECOND,
        "read_rate": 120,
    }
    # A 0 for p95 is less than one millisecond and no zero; the maximum is below what the rows hold.
    assert told(run) == {"resolution", "order", "counts"}
    assert run.facts["buckets"]["update"]["over"] == 1
    assert run.plan.case == "ycsb run workloada"
    assert run.plan.parameters["threads"] == 4
    assert "secret" not in str(run.plan.parameters)
    assert "jdbc" not in str(run.plan.parameters)


def test_status_lines_and_summary_with_text_between() -> None:
    (run,) = load("ycsb", "status_and_summary.txt").runs
    assert scores(run)["operation_rate"] == 2000
    assert scores(run)["read_p999"] == 33_983 * MICROSECOND
    assert scores(run)["intended_read_p99"] == 70_000 * MICROSECOND
    assert "intended_read_rate" not in scores(run)
    assert not any("cleanup" in name for name in scores(run))
    assert run.facts["operations"] == {"read": 3800, "update": 200}
    assert run.facts["series"]["columns"]["read_p99"]["values"] == [None, 9_719_000, 9_551_000]
    assert told(run) == {"not_found"}
    assert run.plan.parameters["target"] == 2000


def test_errors_make_a_partial_run() -> None:
    (run,) = load("ycsb", "errors.txt").runs
    assert run.status is RunStatus.PARTIAL
    assert run.reason == "51 of 100 operations failed"
    assert told(run) == {"counts"}
    failed = "[OVERALL], RunTime(ms), 1000\n[READ-FAILED], Operations, 7\n[READ-FAILED], AverageLatency(us), 9.0\n"
    (run,) = read_text("ycsb", failed + "[OVERALL], Throughput(ops/sec), 0.0\n").runs
    assert run.status is RunStatus.FAILED


def test_the_json_exporter() -> None:
    (run,) = load("ycsb", "exporter.json").runs
    assert scores(run) == {
        "operation_rate": 500,
        "read_mean": 150.5 * MICROSECOND,
        "read_p99": 900 * MICROSECOND,
        "read_max": 1200 * MICROSECOND,
        "read_rate": 500,
    }


def test_a_killed_run_is_partial() -> None:
    (run,) = load("ycsb", "killed.txt").runs
    assert run.status is RunStatus.PARTIAL
    assert scores(run) == {"operation_rate": 2000}


def test_summaries_one_after_the_other_are_runs() -> None:
    text = "[OVERALL], RunTime(ms), 1000\n[OVERALL], Throughput(ops/sec), {}\n"
    runs = read_text("ycsb", text.format(10) + text.format(20)).runs
    assert [scores(run)["operation_rate"] for run in runs] == [10, 20]


def test_failed_ones_apart_and_halves_of_operations_are_counted_once() -> None:
    lines = [
        "Command line: -t -db site.ycsb.BasicDB -P workloads/workloadf -threads 1",
        "[OVERALL], RunTime(ms), 1000",
        "[OVERALL], Throughput(ops/sec), 110.0",
        "[READ], Operations, 100",
        "[READ], AverageLatency(us), 4000.0",
        "[READ], Return=OK, 100",
        "[READ], Return=ERROR, 10",
        "[READ-FAILED], Operations, 10",
        "[UPDATE], Operations, 50",
        "[UPDATE], AverageLatency(us), 10000.0",
        "[UPDATE], Return=OK, 50",
        "[READ-MODIFY-WRITE], Operations, 50",
        "[READ-MODIFY-WRITE], AverageLatency(us), 14000.0",
    ]
    (run,) = read_text("ycsb", "\n".join(lines)).runs
    assert run.reason == "10 of 110 operations failed"
    assert told(run) == set()


def test_objects_one_behind_the_other_with_the_rows_of_an_hdr_histogram() -> None:
    (run,) = load("ycsb", "exporter_rows.json").runs
    assert scores(run)["operation_rate"] == 100
    assert decode(run.histograms["read"]).count == 100
    # measurement.histogram.verbose writes the µs that were seen, so percentiles that are not given come from them.
    assert scores(run)["read_p50"] == pytest.approx(200 * MICROSECOND, rel=0.001)
    assert scores(run)["read_p90"] == pytest.approx(350 * MICROSECOND, rel=0.001)
    assert scores(run)["read_p99"] == 1900 * MICROSECOND
    assert not told(run)


def test_rows_of_every_millisecond_stay_milliseconds() -> None:
    rows = "".join(f'{{"metric":"READ","measurement":"{ms}","value":{count}}},' for ms, count in enumerate([90, 8, 2]))
    start = '[{"metric":"OVERALL","measurement":"RunTime(ms)","value":1000},'
    start += '{"metric":"READ","measurement":"Operations","value":100},'
    (run,) = read_text("ycsb", f'{start}{rows}{{"metric":"READ","measurement":">1000","value":0}}]').runs
    assert run.facts["buckets"]["read"] == {
        "width_ns": MILLISECOND, "counts": {"0": 90.0, "1": 8.0, "2": 2.0}, "over": 0.0
    }  # fmt: skip
    assert not run.histograms


def test_rows_of_many_digits_count_as_well() -> None:
    start = "[OVERALL], RunTime(ms), 86400000\n[READ], Operations, 12345678902\n"
    (run,) = read_text("ycsb", f"{start}[READ], 250, 12345678900\n[READ], 12345678901, 2\n").runs
    assert decode(run.histograms["read"]).count == 12_345_678_902
    # That is 3.4 hours, and the longest of a histogram is one.
    (finding,) = run.findings
    assert finding.message == "2 read operations count as 1 h in the histogram, which took longer"
    with pytest.raises(ResultFileError, match="line 3: '12345678901234567' is longer than any latency"):
        read_text("ycsb", f"{start}[READ], 12345678901234567, 1")


@pytest.mark.parametrize("at", [0, 1_425_165_600_000])
def test_means_by_time_are_no_histogram(at: int) -> None:
    """measurementtype=timeseries; with a time that counts from 1970 as well."""
    lines = ["[OVERALL], RunTime(ms), 3000", "[READ], Operations, 300", "[READ], AverageLatency(us), 510.5"]
    lines += [f"[READ], {at}, 500.0", f"[READ], {at + 1000}, 521.25", f"[READ], {at + 2000}, NaN"]
    entries = [line.strip("[").replace("], ", ", ").split(", ") for line in lines[:-1]]
    array = ",".join(f'{{"metric":"{kind}","measurement":"{what}","value":{value}}}' for kind, what, value in entries)
    for text in ("\n".join(lines), f"[{array}]"):
        (run,) = read_text("ycsb", text).runs
        assert not run.histograms
        assert not told(run)
        assert "read_p99" not in scores(run)
        series = run.facts["series"]
        assert series["columns"]["read_mean"]["values"] == [500 * MICROSECOND, 521.25 * MICROSECOND]
        assert [time - series["time_ns"][0] for time in series["time_ns"]] == [0, SECOND]


def test_the_latency_of_a_row_is_read_whole_or_refused_with_its_line() -> None:
    start = "[OVERALL], RunTime(ms), 1000\n[READ], Operations, 100\n"
    (plain,) = read_text("ycsb", f"{start}[READ], 7654, 100").runs
    (marked,) = read_text("ycsb", f"{start}[READ], 7_654, 100").runs
    assert scores(marked) == scores(plain)
    assert "read_p50" in scores(plain)
    for row in ("7654k", "0x1f", "nan", "-5", "7.5", " "):
        with pytest.raises(ResultFileError, match="line 3: "):
            read_text("ycsb", f"{start}[READ], {row}, 100")
