"""Golden: dbench's throughput, table of operations and progress."""

import pytest
from tests.unit.importers.importing import load, read_text, scores

from plimsoll.model import RunStatus
from plimsoll.units import MILLISECOND, SECOND


def test_a_whole_output() -> None:
    (run,) = load("dbench", "two_clients_4.00.txt").runs
    found = scores(run)
    assert found["throughput"] == pytest.approx(78.9213e6)
    assert found["max_latency"] == pytest.approx(54.812 * MILLISECOND)
    assert found["flush_mean"] == pytest.approx(9.328 * MILLISECOND)
    assert run.facts["operations"]["ntcreatex"] == 6330
    assert run.facts["series"]["time_ns"] == [SECOND, 2 * SECOND]
    assert run.plan.parameters["clients"] == 2
    assert run.facts["tool_version"] == "4.00"


def test_an_output_without_its_end_is_partial() -> None:
    text = "dbench version 4.00 - Copyright\n\n   2      6400   103.68 MB/sec  execute   1 sec  latency 46.194 ms\n"
    (run,) = read_text("dbench", text).runs
    assert run.status is RunStatus.PARTIAL
    assert scores(run)["throughput"] == pytest.approx(103.68e6)
