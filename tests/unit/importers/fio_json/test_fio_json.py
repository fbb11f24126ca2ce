"""Golden: the numbers that fio printed, in base units; and the traps of its JSON."""

import json

import pytest
from tests.unit.importers.importing import HERE, load, read_text, scores, told

from plimsoll.errors import ResultFileError
from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.units import KIB, MICROSECOND, SECOND


def test_fio_3_with_text_around() -> None:
    reader, mixed = load("fio_json", "fio3.json").runs
    assert scores(reader) == {
        "iops": 20000.0,
        "throughput": 81_920_000,
        "read_mean": 390_000.25,
        "read_p50": 370_688,
        "read_p90": 493_568,
        "read_p95": 577_536,
        "read_p99": 1_056_768,
        "read_p999": 3_162_112,
        "read_p9999": 8_978_432,
        "read_max": 8_990_000,
    }
    assert reader.plan.parameters["bs"] == 4 * KIB
    assert reader.plan.parameters["size"] == 2**30
    assert "name" not in reader.plan.parameters
    assert "filename" not in reader.plan.parameters
    assert reader.target.where == "/dev/nvme1n1:/dev/nvme2n1"
    assert reader.started_ns == 1_767_225_600_500_000_000
    assert reader.ended_ns - reader.started_ns == 10 * SECOND
    assert reader.facts["latency"] == {"read": "clat"}
    assert (scores(mixed)["read_iops"], scores(mixed)["write_iops"], scores(mixed)["iops"]) == (300, 310, 610)
    assert scores(mixed)["sync_rate"] == 9.6
    assert scores(mixed)["sync_p99"] == 6_586_368
    assert not told(reader) | told(mixed)


def test_fio_2_is_in_microseconds_and_kibibytes() -> None:
    (run,) = load("fio_json", "fio2.json").runs
    assert scores(run)["throughput"] == 81_920 * KIB
    assert scores(run)["write_mean"] == pytest.approx(477_734.84 * MICROSECOND)
    assert scores(run)["write_p99"] == 823_296 * MICROSECOND
    assert scores(run)["write_max"] == 869_891 * MICROSECOND
    assert run.facts["bytes"] == {"write": 409_600 * KIB}
    assert run.started_ns == 0
    assert not run.facts["imported"]["time_known"]
    assert not told(run)


def test_clones_are_one_run_and_their_bins_are_added() -> None:
    (run,) = load("fio_json", "jsonplus_clones.json").runs
    assert scores(run)["iops"] == 2000
    assert scores(run)["read_mean"] == (128_000 + 208_000) / 2
    assert decode(run.histograms["read"]).count == 2000
    # 1400 of 2000 at 99,840 ns, then 570 near 203 µs, then the tail.
    assert scores(run)["read_p50"] == pytest.approx(99_840, rel=0.001)
    assert scores(run)["read_p99"] == pytest.approx(3_014_656, rel=0.001)


def test_clones_without_bins_have_no_percentiles() -> None:
    text = (HERE / "fio_json/fixtures/jsonplus_clones.json").read_text()
    document = json.loads(text)
    for job in document["jobs"]:
        del job["read"]["clat_ns"]["bins"]
        job["read"]["clat_ns"]["percentile"] = {"99.000000": 5}
    (run,) = read_text("fio_json", json.dumps(document)).runs
    assert not any(name.startswith("read_p") for name in scores(run))
    assert told(run) == {"percentiles"}


def test_clients_are_not_counted_twice() -> None:
    (run,) = load("fio_json", "client_server.json").runs
    assert run.plan.case == "bench"
    assert scores(run)["iops"] == 4000
    assert scores(run)["read_mean"] == 250_000
    assert "read_p99" not in scores(run)
    assert told(run) == {"percentiles"}
    assert run.plan.parameters == {"rw": "randread", "bs": 4 * KIB, "iodepth": 4}
    assert [client["iops"] for client in run.facts["clients"]] == [1000, 3000]


def test_bins_of_clients_are_added() -> None:
    text = (HERE / "fio_json/fixtures/client_server.json").read_text()
    document = json.loads(text[text.index("{") :])
    for job, bins in zip(document["client_stats"], ({"100000": 10_000}, {"500000": 30_000}), strict=False):
        job["read"]["clat_ns"]["bins"] = bins
    (run,) = read_text("fio_json", json.dumps(document)).runs
    assert scores(run)["iops"] == 4000
    assert decode(run.histograms["read"]).count == 40_000
    assert not told(run)


def test_reports_from_inside_a_run_are_no_runs() -> None:
    imported = load("fio_json", "status_interval.json")
    assert [scores(run)["iops"] for run in imported.runs] == [2000, 1900]
    assert [run.block for run in imported.runs] == [0, 1]
    assert "2 reports from inside a run" in imported.warnings[0]


def test_errors_are_failed_and_partial_runs() -> None:
    (run,) = load("fio_json", "errors_only.txt").runs
    assert run.status is RunStatus.FAILED
    assert "Input/output error" in run.reason
    assert not run.scores
    broken, never = load("fio_json", "errors_inside.json").runs
    assert (broken.status, never.status) == (RunStatus.PARTIAL, RunStatus.FAILED)
    assert "error 5 (Input/output error): fio: io_u error on file" in broken.reason
    assert never.reason == "fio reported error 28 (No space left on device)"


def test_contradictions_are_told_and_nothing_is_corrected() -> None:
    (run,) = load("fio_json", "edited.json").runs
    assert told(run) == {"rates", "units", "order", "concurrency", "link"}
    assert any("slat_ms" in finding.message for finding in run.findings)
    assert run.status is RunStatus.OK
    assert scores(run)["throughput"] == 25_000_000_000


@pytest.mark.parametrize(
    ("written", "spoilt", "line"),
    [('"iops" : 160', '"iops" : -nan', 40), ("81920", "1" + "0" * 5000, 39), ('"iops" : 160', '"iops" : -160', 40)],
)
def test_a_number_that_is_none_is_refused_with_its_line(written: str, spoilt: str, line: int) -> None:
    text = (HERE / "fio_json/fixtures/fio2.json").read_text()
    with pytest.raises(ResultFileError, match=f"file.txt: line {line}: "):
        read_text("fio_json", text.replace(written, spoilt, 1))


def test_what_is_no_number_in_a_place_that_is_not_read_does_no_harm() -> None:
    text = (HERE / "fio_json/fixtures/fio2.json").read_text()
    (run,) = read_text("fio_json", text.replace('"stddev"', '"stddev" : nan, "other"', 1)).runs
    assert scores(run)["iops"] == 160


def test_a_document_that_ends_in_the_middle() -> None:
    text = (HERE / "fio_json/fixtures/fio2.json").read_text()
    with pytest.raises(ResultFileError, match="the JSON is cut short"):
        read_text("fio_json", text[: len(text) // 2])
    imported = read_text("fio_json", text + "\n" + text[: len(text) // 2])
    assert len(imported.runs) == 1
    assert "incomplete" in imported.warnings[0]


def test_unified_reporting_of_both_kinds_counts_once() -> None:
    (run,) = load("fio_json", "unified_both.json").runs
    found = scores(run)
    assert found["iops"] == found["read_iops"] + found["write_iops"]
    assert found["throughput"] == pytest.approx(found["read_throughput"] + found["write_throughput"])
    assert sum(run.facts["operations"].values()) == 256
    assert run.plan.metrics[0] == "iops"
    # What is told of both together are the latencies alone.
    assert "mixed_p99" in found
    assert not {"mixed_iops", "mixed_throughput"} & set(found)
    assert decode(run.histograms["mixed"]).count == 256
    assert not told(run)
