"""Sections about file-system tests: phases, memory, capacity, all targets in one table, scaling."""

from __future__ import annotations

from typing import Any

from tests.factories import make_study

from plimsoll.model import Finding, Level, Plan, Run, Score
from plimsoll.phases import MEMORY_GUARD
from plimsoll.report.document import Chart, Table, cell_text
from plimsoll.report.evidence import Evidence
from plimsoll.report.sections import matrix, phases, scaling, scores, strips, verdicts

IOPS = {"p200": 200, "p400": 400, "p1000": 1000}


def phase(name: str, value: float, **fields: Any) -> dict[str, Any]:
    numbers = [{"name": "throughput", "value": value, "unit": "MB/s", "better": "higher"}]
    common = {"start_ns": 0, "elapsed_ns": 10**9, "scores": numbers, "kinds": {}, "cold": "no"}
    return {"name": name, **common, **fields}


def with_results(run: Run, results: Any, *, memory: bool = False, workload: str = "dbench") -> Run:
    plan = Plan(test="dbench", case="dbench", workload=workload, parameters={}, metrics=("throughput",))
    finding = Finding(guard=MEMORY_GUARD, level=Level.WARN, message="memory", values={"run": 0.1})
    score = Score(metric="throughput", value=84.7e6, unit="B/s", direction="higher")
    return run.model_copy(
        update={
            "plan": plan,
            "scores": (score,),
            "facts": {"results": results},
            "findings": (finding,) if memory else (),
        }
    )


def study(results: Any, **fields: Any) -> Evidence:
    session, runs = make_study(targets=("a", "b"), cases=("randread",), blocks=3)
    return Evidence([session], [with_results(run, results, **fields) for run in runs], None, 0.1)


def text_of(table: Table) -> str:
    return "\n".join(" | ".join(cell_text(cell) for cell in row) for row in table.rows)


def test_phases_stand_in_the_units_of_the_original_and_in_base_units() -> None:
    (table,) = phases.build(study([phase("run", 84.7)]))
    assert isinstance(table, Table)
    assert "84.7 MB/s | 80.8 MiB/s" in text_of(table)


def test_what_memory_answered_is_never_shown_as_the_disk() -> None:
    evidence = study([phase("run", 84.7)], memory=True)
    for block in (*scores.build(evidence), *verdicts.build(evidence)):
        if isinstance(block, Table):
            assert "throughput (memory, not the disk)" in text_of(block)
    for cell in evidence.cells:
        assert [note.text for note in cell.notes if note.kind == "memory"] == [
            "measured memory, not the disk, on a and b"
        ]
    assert all("(memory" in block.title for block in strips.build(evidence) if isinstance(block, Chart))
    (table,) = phases.build(evidence)
    assert isinstance(table, Table)
    assert "run, throughput (memory)" in text_of(table)
    assert not study([phase("run", 84.7)]).from_memory


def test_results_that_make_no_sense_are_left_out() -> None:
    for results in ("x", [1], [{"name": "run"}], [phase("run", float("nan"))], None):
        evidence = study(results, memory=True)
        assert phases.build(evidence) == []
        assert not evidence.from_memory


def test_zcav_has_a_chart_over_the_capacity() -> None:
    points = [{"position": n << 29, "bytes": 1 << 29, "elapsed_ns": 10**9 * (n + 1)} for n in range(4)]
    _, chart = phases.build(study([phase("read", 84.7, points=points)], workload="zcav"))
    assert isinstance(chart, Chart)
    assert "128 MiB/s | 512 MiB/s | 0.25" in text_of(chart.data)
    assert chart.svg().startswith("<svg")


def volumes(ratios: dict[str, float]) -> Evidence:
    names = ("standard", *IOPS)
    session, runs = make_study(
        targets=names,
        cases=("randread", "seqwrite"),
        blocks=4,
        ratios={(name, case): ratio for name, ratio in ratios.items() for case in ("randread", "seqwrite")},
    )
    options = {name: {"cap_iops": str(iops)} for name, iops in IOPS.items()}
    known = [
        run.model_copy(update={"target": run.target.model_copy(update={"options": options.get(run.target.name, {})})})
        for run in runs
    ]
    return Evidence([session], known, "standard", 0.1)


def test_one_table_has_all_tests_and_targets() -> None:
    (table,) = matrix.build(volumes({"p200": 0.5, "p400": 1.0, "p1000": 2.5}))
    assert isinstance(table, Table)
    assert [column.title for column in table.columns] == ["Case", "Metric", "standard", *IOPS]
    first = table.rows[0]
    assert cell_text(first[-1]).endswith("faster")
    assert cell_text(first[3]).endswith("slower")
    [pair] = matrix.build(study([phase("run", 84.7)]))
    assert isinstance(pair, Table)
    assert len(pair.rows) == 1


def test_scaling_says_how_many_iops_would_match() -> None:
    (table,) = scaling.build(volumes({"p200": 0.5, "p400": 1.0, "p1000": 2.5}))
    assert isinstance(table, Table)
    row = dict(zip((column.title for column in table.columns), table.rows[0], strict=True))
    assert cell_text(row["Capped targets"]) == "none"
    matching = row["To match standard"]
    assert matching is not None
    assert 340 < float(cell_text(matching)) < 460
    assert "would match standard" in cell_text(row["In words"])


def test_scaling_names_what_is_capped() -> None:
    (table,) = scaling.build(volumes({"p200": 0.5, "p400": 0.75, "p1000": 0.75}))
    assert isinstance(table, Table)
    row = dict(zip((column.title for column in table.columns), table.rows[0], strict=True))
    assert "p1000" in cell_text(row["Capped targets"])
    assert "no number of IOPS reaches standard" in cell_text(row["In words"])
    (flat,) = scaling.build(volumes(dict.fromkeys(IOPS, 0.5)))
    assert isinstance(flat, Table)
    assert "does not grow with IOPS" in text_of(flat)


def test_scaling_concludes_nothing_from_a_line_that_does_not_fit() -> None:
    (table,) = scaling.build(volumes({"p200": 0.5, "p400": 4.0, "p1000": 0.4}))
    assert isinstance(table, Table)
    row = dict(zip((column.title for column in table.columns), table.rows[0], strict=True))
    assert [row[name] for name in ("Capped targets", "Enough IOPS", "To match standard", "Interval")] == [None] * 4
    words = cell_text(row["In words"])
    assert words.startswith("no answer: the scores are ")
    assert "away from any line with a cap (at most 20 %)" in words
    (good,) = scaling.build(volumes({"p200": 0.5, "p400": 1.0, "p1000": 2.5}))
    assert "no answer" not in text_of(good)
