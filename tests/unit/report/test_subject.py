"""Reports on several allocations: the product is what they are about, and its allocations are evidence."""

from __future__ import annotations

import io
import math

import pytest
from rich.console import Console
from tests.unit.report.test_bill_section import rented
from tests.unit.report.test_products import judged

from plimsoll.api.comparing import comparison
from plimsoll.api.verdicts import rows
from plimsoll.cli.comparison_text import print_comparison
from plimsoll.model import Run
from plimsoll.report import Evidence, build_document, render
from plimsoll.report.comparisons import formats
from plimsoll.report.document import Section, Table, Text, is_short
from plimsoll.report.subject import Products, subject
from plimsoll.stats.verdict import Answer

FORMATS = ("terminal", "markdown", "json", "html")


def section(found: Evidence, name: str) -> Section:
    return next(each for each in build_document(found).sections if each.id == name)


def words(found: Evidence, name: str) -> str:
    """What the short forms of a section say."""
    told: list[str] = []
    for block in section(found, name).blocks:
        if isinstance(block, Text) and is_short(block):
            told += [each.text for each in block.sentences]
        elif isinstance(block, Table) and is_short(block):
            told += [block.caption, *(column.title for column in block.columns)]
            told += [cell.text for row in block.rows for cell in row if cell is not None]
    return "\n".join(told)


@pytest.mark.parametrize("name", ["answer", "products", "matrix", "cost"])
def test_the_product_is_the_subject(name: str) -> None:
    told = words(rented([1.0, 0.9, 0.8]), name)
    assert "allocation 0000" not in told
    assert "a" in told.split()


def test_what_allocations_reached_is_kept_and_folded() -> None:
    found = rented([1.0, 0.9, 0.8])
    for name in ("verdicts", "scores"):
        assert not any(map(is_short, section(found, name).blocks))
    tables = [block for block in section(found, "scores").blocks if isinstance(block, Table)]
    assert [table.caption for table in tables] == [
        "Scores of the products",
        "Scores of each allocation",
        "All other metrics of each allocation",
    ]
    first, own, _ = ({row[2].text for row in table.rows if row[2] is not None} for table in tables)
    assert first == {"a", "b"}
    assert own == {f"{name} (allocation 0000000{number})" for name in "ab" for number in range(3)}


def test_an_allocation_counts_once_however_many_runs_it_has() -> None:
    found = rented([1.0, 0.9, 0.8])
    about = subject(found)
    assert isinstance(about, Products)
    for line in about.lines:
        own = [each for each in found.lines if (each.case, each.metric) == (line.case, line.metric)]
        means = [each.summary.value for each in own if each.target.startswith(line.target) and each.summary]
        assert line.values == tuple(means)
        assert len(means) == 3
        assert line.summary is not None
        assert line.summary.value == pytest.approx(math.exp(sum(map(math.log, means)) / 3))


def test_equal_products_cost_the_same_and_the_bill_is_apart() -> None:
    found = rented([1.0, 0.9, 0.8])
    volumes, operations = section(found, "cost").blocks
    assert isinstance(volumes, Table)
    assert isinstance(operations, Table)
    assert [row[0].text for row in volumes.rows if row[0] is not None] == ["a", "b"]
    assert "of the measurement" not in words(found, "cost")
    assert "3 rentals, one after the other" in words(found, "bill")


def test_products_that_were_not_rented_have_no_shares_that_differ_by_their_order() -> None:
    found = judged([0.8, 0.8, 0.8])
    options = {"as": "gp3+size=100GiB+instance=m5.large"}
    runs = [run.model_copy(update={"target": run.target.model_copy(update={"options": options})}) for run in found.runs]
    told = words(Evidence(found.sessions, as_stored(found, runs), "gp3", 0.1), "cost")
    line = next(each for each in told.splitlines() if "of the measurement" in each)
    assert "(" not in line
    assert "each instance type counted once" in line


def as_stored(found: Evidence, runs: list[Run]) -> list[Run]:
    """The runs with the names that their sessions gave."""
    stored = found.named.names.named
    return [
        run.model_copy(update={"target": run.target.model_copy(update={"name": stored[run.target.name]})})
        for run in runs
    ]


def test_the_spread_between_allocations_is_told_once() -> None:
    for form in FORMATS[:2]:
        told = " ".join(render(build_document(rented([1.0, 0.9, 0.8])), form).split())
        assert told.count("allocation to allocation that varies by") == 1


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_has_the_same_answer(form: str) -> None:
    told = " ".join(render(build_document(rented([1.0, 0.9, 0.8])), form).split())
    assert "2 targets (a, b)" in told
    assert "b is 1.26× slower than a (1.20…1.33) in randread (IOPS)." in told
    assert "from 3 fresh allocations" in told


def test_two_rented_allocations_are_allocations_of_products_without_a_verdict() -> None:
    found = rented([1.0, 0.9])
    assert isinstance(subject(found), Products)
    assert "has no verdict" in words(found, "answer")
    assert "a verdict on products needs 3" in words(found, "products")


@pytest.mark.parametrize(
    "found",
    [
        judged([0.8, 0.8]),
        judged([0.8, 0.8, 0.8], hosts=["a", "a", "a"]),
        judged([0.8]),
    ],
    ids=["two by hand", "one place", "one session"],
)
def test_places_that_are_no_allocations_stay_targets(found: Evidence) -> None:
    assert subject(found) is found


def test_a_name_for_two_things_is_no_product() -> None:
    """Another size is another product, whatever it is called."""
    found = rented([1.0, 0.9, 0.8])
    last = found.sessions[-1].id
    runs = [
        run.model_copy(
            update={"target": run.target.model_copy(update={"where": run.target.where.replace("100", "500")})}
        )
        if run.session_id == last
        else run
        for run in as_stored(found, list(found.runs))
    ]
    other = Evidence(found.sessions, runs, "a", 0.1)
    assert sorted(other.several_products) == ["a", "b"]
    assert found.several_products == []
    assert other.products == ()
    assert subject(other) is other


def fallen() -> Evidence:
    """Allocations of two products, of which one gives a twentieth from the middle of each session on."""
    found = judged([0.8, 0.8, 0.8], blocks=12)
    runs = [_fallen(run) if run.target.name.startswith("io2") and run.block >= 6 else run for run in found.runs]
    return Evidence(found.sessions, as_stored(found, runs), "gp3", 0.1)


def test_allocations_that_fall_leave_the_product_without_a_score() -> None:
    found = fallen()
    (line,) = [each for each in subject(found).lines if (each.target, each.metric) == ("io2", "iops")]
    assert (line.summary, line.uneven) == (None, 3)
    assert "io2 has no single score within 3 allocations in randread (IOPS)" in words(found, "answer")
    assert "no single score within 3 allocations" in words(found, "matrix")
    assert "no single score" not in words(judged([0.8, 0.8, 0.8], blocks=12), "answer")


def _fallen(run: Run) -> Run:
    scores = [each.model_copy(update={"value": each.value / 20}) for each in run.scores]
    return run.model_copy(update={"scores": scores})


@pytest.mark.parametrize(("every", "shown"), [(False, False), (True, True)])
def test_compare_tells_of_single_allocations_when_asked(every: bool, shown: bool) -> None:
    told = compared(rented([1.0, 0.9, 0.8]), every=every)
    assert "b is 1.26× slower than a (1.20…1.33) in randread (IOPS)." in told
    assert ("b (allocation 00000002) is" in told) is shown
    assert ("10 comparisons of single allocations: `--all` shows these too." in told) is not shown


def test_compare_tells_of_places_as_ever() -> None:
    told = compared(judged([0.8]), every=False)
    assert "Comparisons" in told
    assert "single allocations" not in told


def compared(found: Evidence, *, every: bool) -> str:
    """What `plimsoll compare` writes."""
    out = io.StringIO()
    screen = Console(file=out, width=200, color_system=None)
    print_comparison(found, comparison(found, frozenset(), allocations=every), screen, every=every)
    return " ".join(out.getvalue().split())


@pytest.mark.parametrize("name", [*formats(), "rows"])
def test_programs_hear_of_products_too(name: str) -> None:
    """Allocations that are worse close no gate of products of which nothing is decided."""
    found = judged([0.7, 1.35, 0.8, 1.25], blocks=12)
    closing = frozenset({Answer.WORSE})
    assert Answer.WORSE in {cell.verdict.answer for cell in comparison(found, closing, allocations=True).cells}
    about = comparison(found, closing)
    assert Answer.WORSE not in {cell.verdict.answer for cell in about.cells}
    told = str(rows(about)) if name == "rows" else formats()[name].render(about)
    assert "(allocation" not in told
    assert " blocks" not in told.replace("| blocks |", "")


def test_a_row_counts_allocations_in_place_of_blocks() -> None:
    found = rented([1.0, 0.9, 0.8])
    first = rows(comparison(found, frozenset()))[0]
    assert (first["allocations"], first["blocks"], first["blocks_needed"]) == (3, None, None)
    assert first["sentence"].endswith("3 fresh allocations of each") or "over 3 fresh allocations" in first["sentence"]
    single = rows(comparison(found, frozenset(), allocations=True))[0]
    assert single["allocations"] is None
    # Verdicts on products are not corrected for their number, and do not say that they were.
    assert {row["survives_correction"] for row in rows(comparison(found, frozenset()))} == {None}
    assert single["blocks"] > 0
