"""A session watched by other programs: events as JSON lines, and OpenTelemetry at a receiver of the real protocol."""

from __future__ import annotations

import gzip
import http.server
import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from tests import guides
from tests.integration.run.conftest import Answer, Command

GUIDE = Path(__file__).parents[3] / "docs" / "observability.md"
WORDS = ("--set", "engine=null", "--set", "direct=no", "--set", "runtime=200ms", "--set", "warmup=0s", "--noisy-host")


@dataclass
class Received:
    """What came by OTLP over HTTP, decoded, and what to answer."""

    address: str = ""
    spans: list[Any] = field(default_factory=list)
    metrics: dict[str, Any] = field(default_factory=dict)
    resource: dict[str, str] = field(default_factory=dict)
    answer: int = 200


@pytest.fixture
def receiver() -> Iterator[Received]:
    found = Received()

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                body = gzip.decompress(body)
            if found.answer == 200:
                _take(found, self.path, body)
            self.send_response(found.answer)
            self.end_headers()

        def log_message(self, format: str, *arguments: object) -> None:
            del format, arguments

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.address = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield found
        server.shutdown()
        thread.join()


def _take(found: Received, path: str, body: bytes) -> None:
    if path == "/v1/traces":
        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            found.resource = {each.key: each.value.string_value for each in sent.resource.attributes}
            found.spans += [span for scope in sent.scope_spans for span in scope.spans]
    elif path == "/v1/metrics":
        for of_resource in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            for scope in of_resource.scope_metrics:
                found.metrics |= {metric.name: metric for metric in scope.metrics}


def measured(plimsoll: Command, disk: Path, *words: str, **more: Any) -> Answer:
    return plimsoll("run", "randread", "--on", f"null={disk}", *WORDS, "--repeats", "2", "-q", *words, **more)


def events(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_each_event_is_a_line_of_json(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    measured(plimsoll, disk, "--log-json", str(log))
    found = [each for each in events(log) if each["kind"] != "progress"]
    assert [each["kind"] for each in found] == ["session", "run", "result", "run", "result", "look", "end"]
    assert len({each["session_id"] for each in found}) == 1
    first, second = (each for each in found if each["kind"] == "result")
    assert first["run"]["status"] == second["run"]["status"] == "ok"
    assert first["run"]["scores"]["iops"]["unit"] == "1/s"
    assert found[-2]["closed"] is True


def test_a_log_goes_on_and_standard_error_is_one_too(plimsoll: Command, disk: Path, tmp_path: Path) -> None:
    log = tmp_path / "events.jsonl"
    log.write_text('{"kind": "mine"}\n', encoding="utf-8")
    measured(plimsoll, disk, "--log-json", str(log))
    assert events(log)[0] == {"kind": "mine"}
    told = measured(plimsoll, disk, "--log-json", "-").err
    assert [json.loads(line)["kind"] for line in told.splitlines()][-1] == "end"


@pytest.mark.parametrize("place", ["/dev/null/x", "/proc/no", "folder/"])
def test_a_log_that_cannot_be_is_refused_before_anything_is_measured(
    plimsoll: Command, disk: Path, tmp_path: Path, place: str
) -> None:
    (tmp_path / "folder").mkdir()
    answer = measured(plimsoll, disk, "--log-json", place, check=2)
    assert answer.err.startswith("plimsoll: "), answer.err
    assert plimsoll("list", "sessions", "--json").json == []


def test_spans_and_metrics_of_a_session(plimsoll: Command, disk: Path, receiver: Received) -> None:
    measured(plimsoll, disk, "--otlp", receiver.address)
    (session,) = [span for span in receiver.spans if span.name == "plimsoll session"]
    runs = [span for span in receiver.spans if span.name == "run randread"]
    assert receiver.resource["service.name"] == "plimsoll"
    assert len(runs) == 2
    assert all(run.parent_span_id == session.span_id and run.trace_id == session.trace_id for run in runs)
    assert all(session.start_time_unix_nano < run.start_time_unix_nano < run.end_time_unix_nano for run in runs)
    attributes = {each.key: each.value for each in runs[-1].attributes}
    assert attributes["plimsoll.target"].string_value == "null"
    iops = attributes["plimsoll.score.iops"].double_value
    gauge = receiver.metrics["plimsoll.score.iops"]
    assert gauge.unit == "1/s"
    assert gauge.gauge.data_points[0].as_double == iops
    latency = attributes["plimsoll.score.read_p99"].double_value
    seconds = receiver.metrics["plimsoll.score.read_p99"]
    assert seconds.unit == "s", "OpenTelemetry has seconds"
    assert seconds.gauge.data_points[0].as_double == pytest.approx(latency / 1e9)
    assert receiver.metrics["plimsoll.runs"].sum.data_points[0].as_int == 2


def test_a_receiver_that_refuses_is_told_once_and_nothing_is_lost(
    plimsoll: Command, disk: Path, receiver: Received
) -> None:
    receiver.answer = 403
    answer = measured(plimsoll, disk, "--otlp", receiver.address)
    assert answer.err.count("nothing is delivered to") == 1
    assert len(answer.err.splitlines()) == 1, answer.err
    assert [each["valid"] for each in plimsoll("list", "sessions", "--json").json] == [2]


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "ftp://127.0.0.1", "nonsense", "http://:4318"])
def test_an_address_where_nobody_is_refused_before_anything_is_measured(
    plimsoll: Command, disk: Path, address: str
) -> None:
    answer = measured(plimsoll, disk, "--otlp", address, check=2)
    assert "such as http://127.0.0.1:4318" in answer.err
    assert not list(disk.iterdir())


def test_the_guide_works_as_it_is_written(tmp_path: Path, receiver: Received) -> None:
    commands = "".join(guides.blocks(GUIDE)).replace("http://127.0.0.1:4318", receiver.address)
    done = guides.carried_out(commands, tmp_path)
    assert done.stdout.count('"kind": "result"') == 2
    assert len(receiver.spans) == 3
    assert json.loads((tmp_path / "plimsoll.json").read_text())["panels"]


def test_replays_and_verifications_tell_their_events_too(
    plimsoll: Command, disk: Path, tmp_path: Path, receiver: Received
) -> None:
    trace, log = tmp_path / "load.txt", tmp_path / "events.jsonl"
    moments = [
        (number, number / 100 + later, action) for number in range(20) for later, action in ((0, "Q"), (1e-4, "C"))
    ]
    trace.write_text(
        "".join(f"8,0 1 1 {at:.9f} 7 {action} R {number * 8} + 8 [app]\n" for number, at, action in moments)
    )
    words = ("--log-json", str(log), "--otlp", receiver.address, "-q")
    plimsoll("replay", trace, "--on", f"a={disk},direct=no", "--noisy-host", *words)
    replayed = [each["kind"] for each in events(log)]
    assert replayed[0] == "session"
    assert replayed.count("result") == 1
    assert replayed[-1] == "end"
    verify = ("verify", str(disk), "--as", "gp3,size=10GiB", "--size", "8MiB", "--runtime", "1s")
    plimsoll(*verify, *words, check=None)
    verified = events(log)[len(replayed) :]
    assert verified[-1]["kind"] == "end"
    assert len({each["session_id"] for each in verified}) == 1
    assert len([span for span in receiver.spans if span.name == "plimsoll session"]) == 2
