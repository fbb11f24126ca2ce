"""YCSB's lines from an outcome: keys, order, sums of halves, service and intended times."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hdrh.histogram import HdrHistogram

from plimsoll.errors import UsageError
from plimsoll.frontends.ycsb.output import Settings, ordinal, rows, settings, text
from plimsoll.frontends.ycsb.properties import Properties
from plimsoll.frontends.ycsb.status import Teller, remaining
from plimsoll.units import MICROSECOND, SECOND


def encoded(*latencies_us: int) -> str:
    histogram = HdrHistogram(1, 60 * SECOND, 3)
    for latency in latencies_us:
        histogram.record_value(latency * MICROSECOND)
    return str(histogram.encode().decode())


def totals(*latencies_us: int) -> dict[str, int]:
    return {"operations": len(latencies_us), "latency_sum_ns": sum(latencies_us) * MICROSECOND}


def outcome(**changes: Any) -> dict[str, Any]:
    """Workload F: two reads, and one read-modify-write with its halves."""
    kinds = {"read": (100, 200), "read_modify_write": (900,), "rmw_read": (300,), "rmw_update": (600,)}
    return {
        "elapsed_ns": 2 * SECOND,
        "operations": {kind: totals(*values) for kind, values in kinds.items()},
        "histograms": {kind: encoded(*values) for kind, values in kinds.items()},
        "errors": {},
        "not_found": {},
        "whole": ["read", "read_modify_write"],
        "completed": 3,
        "intervals": [],
        **changes,
    }


def chosen(**values: str) -> Settings:
    given = {name.replace("__", "."): value for name, value in values.items()}
    return settings(Properties(given, lambda _note: None), status=False)


def told(found: dict[str, Any], **values: str) -> dict[str, float]:
    return {f"{metric} {what}": value for metric, what, value in rows(found, chosen(**values))}


def test_halves_of_a_read_modify_write_are_reads_and_updates() -> None:
    found = told(outcome())
    assert found["OVERALL RunTime(ms)"] == 2000
    assert found["OVERALL Throughput(ops/sec)"] == 1.5
    assert (found["READ Operations"], found["UPDATE Operations"], found["READ-MODIFY-WRITE Operations"]) == (3, 1, 1)
    assert found["READ AverageLatency(us)"] == 200
    assert found["READ Return=OK"] == 3
    assert "READ-MODIFY-WRITE Return=OK" not in found
    names = [name.partition(" ")[2] for name in found if name.startswith("READ ")]
    assert names == [
        "Operations", "AverageLatency(us)", "MinLatency(us)", "MaxLatency(us)", "50thPercentileLatency(us)",
        "95thPercentileLatency(us)", "99thPercentileLatency(us)", "Return=OK",
    ]  # fmt: skip
    assert found["READ 50thPercentileLatency(us)"] == pytest.approx(200, rel=0.002)
    assert found["READ 99thPercentileLatency(us)"] == found["READ MaxLatency(us)"] == pytest.approx(300, rel=0.002)


def test_failed_and_missing_ones_are_told_apart() -> None:
    found = told(outcome(errors={"read": {"timeout": 2, "server": 3}}, not_found={"read": 1}))
    assert (found["READ Operations"], found["READ Return=OK"]) == (3, 2)
    assert (found["READ Return=NOT_FOUND"], found["READ Return=ERROR"], found["READ-FAILED Operations"]) == (1, 5, 5)
    assert found["OVERALL Throughput(ops/sec)"] == 4


def test_a_target_shows_both_times_unless_one_is_asked_for() -> None:
    scheduled = outcome()
    scheduled["histograms"] = {
        **scheduled["histograms"],
        "read_service": encoded(10, 20),
        "rmw_read_service": encoded(30),
    }
    both = told(scheduled, target="100")
    assert both["READ MaxLatency(us)"] == pytest.approx(30, rel=0.002)
    assert both["Intended-READ MaxLatency(us)"] == pytest.approx(300, rel=0.002)
    assert "READ AverageLatency(us)" not in told(scheduled, measurement__interval="intended")
    assert "Intended-READ AverageLatency(us)" not in told(scheduled, measurement__interval="op")


def test_percentiles_and_their_names() -> None:
    assert [ordinal(each) for each in (1.0, 2.0, 3.0, 11.0, 50.0, 92.0, 99.9)] == [
        "1st", "2nd", "3rd", "11th", "50th", "92nd", "99.9",
    ]  # fmt: skip
    found = told(outcome(), hdrhistogram__percentiles="90,99.9")
    assert "READ 90thPercentileLatency(us)" in found
    assert "READ 99.9PercentileLatency(us)" in found
    with pytest.raises(UsageError, match="50,95"):
        chosen(hdrhistogram__percentiles="p99")


def test_exporters() -> None:
    found = list(rows(outcome(), chosen()))
    lines = text(found, "TextMeasurementsExporter").splitlines()
    assert lines[0] == "[OVERALL], RunTime(ms), 2000"
    objects = json.loads(text(found, "JSONArrayMeasurementsExporter"))
    assert objects[0] == {"metric": "OVERALL", "measurement": "RunTime(ms)", "value": 2000}
    assert len(objects) == len(lines)
    assert chosen(exporter="com.yahoo.ycsb.measurements.exporter.JSONMeasurementsExporter").exporter[:4] == "JSON"
    with pytest.raises(UsageError, match="TextMeasurementsExporter"):
        chosen(exporter="a.TextMeasurementExporter")


def test_status_lines(capsys: pytest.CaptureFixture[str]) -> None:
    def interval(second: int, operations: int) -> dict[str, Any]:
        row = {"operations": operations, "bytes": 0, "p50_ns": 1, "p99_ns": 5 * MICROSECOND, "max_ns": 9 * MICROSECOND}
        return {"start_ns": second * SECOND, "duration_ns": SECOND, "errors": 0, "operations": {"read": row}}

    def line(label: str, count: int) -> str:
        return f"[{label}: Count={count}, Max=30, Min=10, Avg=20.01, 90=30, 99=30, 99.9=30, 99.99=30]"

    told = [{"read": encoded(10, 30)}]
    teller = Teller(chosen(label="lab", status__interval="2"), 500)
    loaded = interval(7, 1000)
    teller.see({"phase": "layout", "interval": loaded})
    teller.see({"phase": "measure", "interval": loaded})
    for second in range(3):
        teller.see({"phase": "measure", "interval": interval(second, 100), "interval_histograms": told})
        teller.see({"phase": "measure", "interval": interval(second, 100)})
    every = [*(interval(second, 100) for second in range(3)), interval(3, 200)]
    ended = outcome(elapsed_ns=4 * SECOND, completed=500, whole=["read"], intervals=every)
    teller.finish({**ended, "interval_histograms": told})
    lines = [line.partition(" ")[2].partition(" ")[2].strip() for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "0 sec: 0 operations;",
        f"2 sec: 200 operations; 100 current ops/sec; est completion in 3 seconds {line('READ', 4)}",
        f"4 sec: 500 operations; 150 current ops/sec; {line('READ', 4)}",
    ]


@pytest.mark.parametrize(
    ("wanted", "labels"), [("both", ["READ", "Intended-READ"]), ("op", ["READ"]), ("intended", ["Intended-READ"])]
)
def test_status_lines_of_a_target(capsys: pytest.CaptureFixture[str], wanted: str, labels: list[str]) -> None:
    teller = Teller(chosen(measurement__interval=wanted), None)
    told = [{"read": encoded(900), "read_service": encoded(100)}]
    teller.finish({**outcome(), "interval_histograms": told})
    shown = re.findall(r"\[([\w-]+): Count=1, Max=(\d+),", capsys.readouterr().err)
    longest = {"READ": 100, "Intended-READ": 900}
    assert [label for label, _ in shown] == labels
    assert all(int(most) == pytest.approx(longest[label], rel=0.002) for label, most in shown)


def test_remaining_time_in_words() -> None:
    assert remaining(0) == "0 seconds"
    assert remaining(61) == "1 minute"
    assert remaining(86400 + 9 * 3600 + 60) == "1 day 9 hours"
    assert remaining(21 * 3600 + 49 * 60) == "21 hours 49 minutes"
