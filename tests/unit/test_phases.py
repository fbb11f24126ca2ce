"""Phases of file-system tests: units of the originals, and which metrics are memory's."""

from __future__ import annotations

from typing import Any

import pytest
from tests.factories import make_study

from plimsoll.model import Finding, Level
from plimsoll.phases import MEMORY_GUARD, memory_metrics, phase_scores, phases
from plimsoll.units import KIB, MIB


def result(name: str, *numbers: tuple[str, float, str], **kinds: int) -> dict[str, Any]:
    scores = [{"name": title, "value": value, "unit": unit, "better": "higher"} for title, value, unit in numbers]
    moved = {kind: {"bytes": amount, "operations": 1} for kind, amount in kinds.items()}
    return {"name": name, "start_ns": 0, "elapsed_ns": 1, "scores": scores, "kinds": moved}


@pytest.mark.parametrize(
    ("unit", "base", "factor"),
    [("MB/s", "B/s", 1e6), ("MiB/s", "B/s", MIB), ("KiB/s", "B/s", KIB), ("s", "ns", 1e9), ("ms", "ns", 1e6),
     ("µs", "ns", 1e3), ("files/s", "1/s", 1), ("transactions/s", "1/s", 1), ("1", "1", 1)],
)  # fmt: skip
def test_units_of_the_originals_become_base_units(unit: str, base: str, factor: float) -> None:
    (found,) = phase_scores(phases({"results": [result("run", ("number", 2.5, unit))]}))
    assert (found.score.metric, found.score.unit) == ("number", base)
    assert found.score.value == pytest.approx(2.5 * factor)


def test_metrics_of_several_phases_carry_their_names() -> None:
    both = phases({"results": [result("write", ("rate", 1, "MiB/s")), result("read", ("rate", 1, "MiB/s"))]})
    assert [each.score.metric for each in phase_scores(both)] == ["write_rate", "read_rate"]


def test_bytes_are_those_of_the_calls() -> None:
    (found,) = phases({"results": [result("run", write=3, append=4, read=5, stat=9)]})
    assert (found.read_bytes, found.written_bytes) == (5, 7)


def test_what_was_timed_to_the_end_of_a_sync_is_the_disks() -> None:
    _, runs = make_study(targets=("a",), cases=("randread",), blocks=1)
    numbers = ("throughput", 700.0, "MiB/s"), ("throughput_with_fsync", 90.0, "MiB/s")
    finding = Finding(guard=MEMORY_GUARD, level=Level.WARN, message="memory", values={"random_write": 0.1})
    facts = {"results": [result("random_write", *numbers)]}
    run = runs[0].model_copy(update={"facts": facts, "findings": (finding,)})
    assert memory_metrics(run) == {"throughput"}
    assert memory_metrics(run.model_copy(update={"findings": ()})) == frozenset()
