"""The table of tests and targets: whole cells, one verdict each, on any width and with any names."""

from __future__ import annotations

import json
import re

import pytest
from tests.factories import many_cases
from tests.golden.sentences.speech import of_blocks
from tests.unit.report.studies import evidence, pair, with_runs

from plimsoll.report import Evidence, build_document, render
from plimsoll.report.document import Judged, Table, Tone
from plimsoll.report.renderers import terminal
from plimsoll.report.sections import answer, matrix

HOSTILE = "<script>[bold red]\x1b[31m\u202e|`x`"


def published() -> Evidence:
    """A table of 20 tests and 5 targets, as another tool would have published it."""
    cases, names = many_cases(20), ("gp2", "gp3", "io1", "io2", "nvme")
    places = [(name, case) for name in names for case in cases]
    ratios = {place: (0.4, 1.0, 1.7, 3.0)[i % 4] for i, place in enumerate(places)}
    found = evidence(baseline="gp2", targets=names, cases=cases, blocks=3, ratios=ratios)
    runs = [
        run.model_copy(update={"plan": run.plan.model_copy(update={"metrics": run.plan.metrics[:1]}), "findings": ()})
        for run in found.runs
    ]
    session = found.sessions[0].model_copy(update={"study": {**found.sessions[0].study, "interleaved": False}})
    return Evidence([session], runs, "gp2", 0.1)


def cells(found: Evidence) -> dict[tuple[str, str], Judged]:
    [table] = matrix.build(found)
    assert isinstance(table, Table)
    return {
        (str(row[0] and row[0].text), column.title): cell
        for row in table.rows
        for column, cell in zip(table.columns, row, strict=True)
        if isinstance(cell, Judged)
    }


def test_a_published_table_needs_one_screen_of_a_terminal() -> None:
    lines = terminal.render(build_document(published()), 80).splitlines()
    assert len(lines) <= 70
    assert max(map(len, lines)) <= 80
    assert sum(line.startswith((" ping", " rand", " seq", " commit")) for line in lines) == 20


def test_ratios_say_their_direction() -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=("ping", "randread"), blocks=5, ratios={"b": 0.5})
    assert found.judged["ping"][0] == "read_p50"
    [table] = matrix.build(found)
    assert isinstance(table, Table)
    told = {(row[0] and row[0].text, row[1] and row[1].text): row[3] for row in table.rows}
    latency, rate = told["ping", "read latency p50"], told["randread", "IOPS"]
    assert isinstance(latency, Judged)
    assert isinstance(rate, Judged)
    assert latency.verdict.startswith("▼ ")
    assert latency.verdict.endswith("× slower")
    assert rate.verdict.endswith("× slower")
    assert rate.ratio is not None
    assert rate.ratio < 1


def test_a_shorter_time_is_faster_as_its_arrow_says() -> None:
    """Beside ▲, “0.50× as long” was read as half as good."""
    found = evidence(baseline="a", targets=("a", "b"), cases=("ping",), blocks=5, ratios={"b": 2.0}, noise=0.005)
    [table] = matrix.build(found)
    assert isinstance(table, Table)
    times = [row[-1] for row in table.rows if isinstance(row[-1], Judged) and row[-1].unit == "ns"]
    assert re.fullmatch(r"▲ (2\.0\d?|1\.9\d?)× faster", times[0].verdict)
    assert not any(cell.verdict.startswith("▲") and cell.verdict.endswith("slower") for cell in times)


def test_the_answer_has_the_digits_of_the_table() -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=("randread", "seqread"), blocks=5, ratios={"b": 1.4})
    [table] = matrix.build(found)
    assert isinstance(table, Table)
    said = {row[-1].verdict.split()[1] for row in table.rows if isinstance(row[-1], Judged) and row[-1].ratio}
    whole = "\n".join(of_blocks(answer.build(found)))
    [range_] = re.findall(r"\(randread, seqread, ([^)]*)\)", whole)
    assert set(range_.split(" to ")) <= said


def test_what_all_targets_begin_with_is_said_once() -> None:
    names = ("db7, gp3 of 100 GiB", "db7, gp3 of 500 GiB")
    [table] = matrix.build(evidence(baseline=names[0], targets=names, cases=("randread", "seqread"), blocks=3))
    assert isinstance(table, Table)
    assert table.caption == "Scores of db7, gp3 of, compared with 100 GiB"
    assert [column.title for column in table.columns[-2:]] == ["100 GiB", "500 GiB"]
    assert [column.key for column in table.columns[-2:]] == list(names), "programs get the whole names"


def test_what_is_undecided_has_no_direction_and_a_ratio_that_is_no_quotient_is_explained() -> None:
    [table] = matrix.build(evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=3, noise=0.3))
    assert isinstance(table, Table)
    cell = table.rows[0][-1]
    assert isinstance(cell, Judged)
    assert cell.verdict == "? undecided"
    assert table.notes == ()
    [table] = matrix.build(evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=3, ratios={"b": 2.0}))
    assert isinstance(table, Table)
    assert table.notes == (matrix.PAIRED,)
    assert all(not each.notes for each in matrix.build(published()) if isinstance(each, Table)), "measured apart"


def test_a_baseline_has_no_verdict_and_every_other_cell_one() -> None:
    for (_, target), cell in cells(published()).items():
        assert (cell.tone is Tone.PLAIN) == (target == "gp2")
        assert bool(cell.verdict) == (target != "gp2")


@pytest.mark.parametrize(("width", "says"), [(40, "times better"), (80, "times better"), (140, "? undecided")])
def test_a_cell_is_never_broken_and_wide_terminals_have_words(width: int, says: str) -> None:
    text = terminal.render(build_document(published()), width)
    assert says in text
    assert all(line.rstrip()[-1:] not in ("▲", "▼") for line in text.split("Cautions")[0].splitlines() if "×" in line)


def test_programs_get_raw_numbers() -> None:
    document = json.loads(render(build_document(pair()), "json"))
    [section] = [each for each in document["sections"] if each["id"] == "matrix"]
    row = next(row for row in section["blocks"][0]["rows"] if row["test"] == "randread")
    assert row["gp3"]["verdict"] == "worse"
    assert 0.5 < row["gp3"]["ratio"] < 0.7
    assert row["nvme"] == {**row["nvme"], "ratio": None, "verdict": None}


@pytest.mark.parametrize("name", ["html", "markdown", "terminal"])
def test_names_of_strangers_are_only_words(name: str) -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=("randread",), blocks=3, ratios={"b": 2.0})
    runs = [
        run.model_copy(
            update={"target": run.target.model_copy(update={"name": f"{HOSTILE}{run.target.name}{'n' * 4000}"})}
        )
        for run in found.runs
    ]
    text = render(build_document(with_runs(Evidence(found.sessions, runs, None, 0.1), runs)), name)
    assert "\x1b" not in text
    assert "\u202e" not in text
    # Scripts of our own draw the charts of a page and sort its tables.
    assert name == "terminal" or text.count("<script>") == (3 if name == "html" else 0)
    assert name != "terminal" or "[bold\nred]" in text


def test_nothing_is_answered_where_nothing_was_compared_or_measured() -> None:
    nothing = Evidence(pair().sessions, [], None, 0.1)
    assert answer.build(nothing) == []
    assert matrix.build(nothing) == []
