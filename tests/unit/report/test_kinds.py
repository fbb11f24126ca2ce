"""Many tests stand in groups by their kind of work, in the same order in every format."""

from __future__ import annotations

import pytest
from tests.factories import many_cases
from tests.unit.report.studies import evidence, pair

from plimsoll.model import Plan
from plimsoll.report import build_document, render
from plimsoll.report.document import Table
from plimsoll.report.kinds import FEWEST_CASES, grouped, kind_of_work
from plimsoll.report.sections import matrix


def plan(case: str, workload: str = "imported:table", **parameters: object) -> Plan:
    return Plan(test=case, case=case, workload=workload, parameters=parameters, metrics=("iops",))


@pytest.mark.parametrize(
    ("found", "kind"),
    [
        (plan("x", "io", mode="randread"), "reads"),
        (plan("x", "io", mode="write"), "writes"),
        (plan("x", "io", mode="randrw"), "mixed"),
        (plan("x", "postmark"), "files"),
        (plan("x", "ycsb"), "databases"),
        (plan("x", "sqlite"), "databases"),
        (plan("x", "web"), "web"),
        (plan("x", "of-a-package"), "other"),
        (plan("job1", "imported:fio_json", rw="readwrite"), "mixed"),
        (plan("job1", "imported:pgbench"), "databases"),
        (plan("PostgreSQL, read only"), "databases"),
        (plan("mail server"), "files"),
        (plan("sequential writes"), "writes"),
        (plan("compile"), "other"),
    ],
)
def test_the_kind_is_that_of_the_parameters_or_of_the_name(found: Plan, kind: str) -> None:
    assert kind_of_work(found) == kind


def test_few_tests_and_those_of_one_kind_need_no_groups() -> None:
    reads = {f"read {i}": plan(f"read {i}") for i in range(FEWEST_CASES)}
    assert grouped(reads) == {}
    assert grouped({"write": plan("write"), "read": plan("read")}) == {}
    found = grouped({"compile": plan("compile"), "write": plan("write"), **reads, "write 2": plan("write 2")})
    assert list(found) == ["write", "write 2", *reads, "compile"]


def test_all_formats_have_the_same_order() -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=many_cases(20), blocks=3)
    kinds = list(found.kinds.values())
    assert len(kinds) == 20
    assert len(list(dict.fromkeys(kinds))) == sum(a != b for a, b in zip([None, *kinds], kinds, strict=False))
    first = matrix.build(found)[0]
    assert isinstance(first, Table)
    assert [row[0] and row[0].text for row in first.rows] == kinds
    places = {name: _places(render(build_document(found), name), found.cases) for name in ("terminal", "markdown")}
    assert all(place == sorted(place) for place in places.values())
    assert list(dict.fromkeys(cell.case for cell in found.cells)) == list(found.cases)


def _places(text: str, cases: tuple[str, ...]) -> list[int]:
    lines = [line.strip("| ").split("  ")[0].split(" | ") for line in text.splitlines()]
    starts = [cell.strip() for line in lines for cell in line[:2]]
    return [starts.index(case) for case in cases]


def test_the_page_says_each_kind_once_and_keeps_it_for_copies() -> None:
    found = evidence(baseline="a", targets=("a", "b"), cases=many_cases(20), blocks=3)
    page = render(build_document(found), "html")
    assert page.count('<tr><td class="w">reads<th scope="row">') == len(matrix.build(found)) == 2
    assert '<span class="again">reads</span><th scope="row">' in page
    assert 'class="kinds"' not in render(build_document(pair()), "html")
