"""Time series of imported files: drawn, and their cliffs named with both levels and the time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.unit.report.studies import pair

from plimsoll.model import Plan, Run, RunStatus, Score, Session, SessionState, Target
from plimsoll.report import Evidence, build_document
from plimsoll.report.document import Chart, Warning
from plimsoll.report.sections.series import changes
from plimsoll.stats.course import imported_series

SECOND = 10**9


def imported(series: Any) -> Evidence:
    session = Session(
        id="00000000-0000-8000-8000-000000000001", title="a file", started_ns=0, ended_ns=0, state=SessionState.DONE,
        study={"interleaved": False, "imported": "table"}, plimsoll_version="0",
    )  # fmt: skip
    plan = Plan(test="t", case="t", workload="imported:table", parameters={}, metrics=("operation_rate",))
    run = Run(
        id="00000000-0000-8000-8000-000000000002", session_id=session.id, block=0, order=0,
        target=Target(name="gp2", kind="imported", where="unknown"), plan=plan, started_ns=0, ended_ns=0,
        status=RunStatus.OK, scores=(Score(metric="operation_rate", value=1.0, unit="1/s", direction="higher"),),
        facts={"imported": {"format": "table"}, "series": series},
    )  # fmt: skip
    return Evidence([session], [run], None, 0.1)


def rates(values: list[float | None], name: str = "operation_rate", unit: str = "1/s") -> dict[str, Any]:
    times = [float(second * SECOND) for second in range(len(values))]
    return {"time_ns": times, "columns": {name: {"unit": unit, "values": values}}}


def cliff() -> list[float | None]:
    random = np.random.default_rng(1)
    return [3000 * (1 + 0.01 * each) for each in random.standard_normal(300)] + [
        1000 * (1 + 0.01 * each) for each in random.standard_normal(300)
    ]


def test_a_cliff_is_named_with_both_levels_and_the_time() -> None:
    found = imported(rates(cliff()))
    ((_, finding),) = changes(found)
    assert "after 5 min" in finding.message
    assert "a burst of 3,0" in finding.message or "a burst of 2,9" in finding.message
    assert "67 %" in finding.message
    blocks = [block for section in build_document(found).sections for block in section.blocks]
    assert any(isinstance(block, Warning) and "burst" in block.sentence for block in blocks)
    assert any(isinstance(block, Chart) and block.id == "series-0" for block in blocks)


def test_reads_and_writes_add_up() -> None:
    series = rates([100.0] * 30, "read_iops")
    series["columns"]["write_iops"] = {"unit": "1/s", "values": [50.0] * 30}
    document = build_document(imported(series))
    chart = next(chart for chart in document.charts if chart.id == "series-0")
    assert chart.data.rows[0][4].value == 150.0  # type: ignore[union-attr]


def test_gaps_are_left_out() -> None:
    values = [None, *cliff()]
    values[400] = None
    assert len(changes(imported(rates(values)))) == 1
    assert changes(imported(rates([value if i % 2 else None for i, value in enumerate(values)]))) == []


def test_own_runs_have_a_guard_for_it() -> None:
    assert changes(pair()) == []


@pytest.mark.parametrize(
    "hostile",
    [None, [], "x", {"time_ns": "x"}, {"time_ns": [1], "columns": []}, {"time_ns": ["a"], "columns": {}},
     {"time_ns": [1.0], "columns": {"a": {"unit": "1/s", "values": [float("nan")]}}},
     {"time_ns": [3.0, 2.0, 1.0], "columns": {"a": {"unit": "1/s", "values": [1.0, 2.0, 3.0]}}},
     {"time_ns": [1.0, 1.0], "columns": {"a": {"unit": "1/s", "values": [1.0, -2.0]}}},
     {"time_ns": [1.0, 2.0], "columns": {"a": {"unit": {}, "values": [True, 1e300]}}}],
)  # fmt: skip
def test_strange_series_are_no_series(hostile: Any) -> None:
    found = imported(hostile)
    assert build_document(found).sections
    assert changes(found) == []
    imported_series({"series": hostile})
