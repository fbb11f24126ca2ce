"""Tables in a real browser: sorted, filtered and copied, by mouse and by keyboard."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page
from tests.factories import many_cases
from tests.unit.report.studies import evidence, pair
from tests.web.test_report_page import _many

from plimsoll.report import Document, build_document, render
from plimsoll.report.document import Column, Section, Table, columns, number, phrase

HOSTILE = (
    '=HYPERLINK("http://x")',
    "+1+2",
    "-2+3|cmd",
    "@SUM(A1)",
    "</td><script>document.title='owned'</script>",
    'a "b", c',
)


@contextmanager
def opened(
    browser: Browser,
    folder: Path,
    report: str,
    *,
    scripts: bool = True,
    width: int = 1300,
) -> Iterator[Page]:
    path = folder / "report.html"
    path.write_text(report, encoding="utf-8")
    context = browser.new_context(viewport={"width": width, "height": 900}, java_script_enabled=scripts)
    if scripts:
        context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    try:
        page.goto(path.as_uri())
        yield page
        assert wrong == [], wrong
    finally:
        context.close()


def of(*tables: Table) -> str:
    section = Section("own", "Own", tables, lead=True)
    return render(Document("title", "subtitle", (section,), make_scores=lambda: tables[0]), "html")


@cache
def many() -> str:
    """A report of 20 tests and 5 targets, made once."""
    return render(build_document(_many()), "html")


@cache
def apart() -> str:
    """A report of 20 tests and 5 targets that differ."""
    cases, names = many_cases(20), ("gp2", "gp3", "io1", "io2", "nvme")
    places = [(name, case) for name in names for case in cases]
    ratios = {place: (0.4, 1.0, 1.7, 3.0)[(i + i // 20) % 4] for i, place in enumerate(places)}
    found = evidence(baseline="gp2", targets=names, cases=cases, blocks=6, ratios=ratios, title="twenty by five")
    return render(build_document(found), "html")


def times() -> Table:
    """Durations in several units, one of them missing, and rates in one."""
    found = (("c", 900e3, 3000.0), ("a", 2e6, 20_000.0), ("b10", None, 118_204.0), ("b9", 1.5e9, 7.0))
    rows = tuple((phrase(name), number(ns, "ns"), number(rate, "1/s")) for name, ns, rate in found)
    return Table("Times", columns("Test", ">p99", ">Rate"), rows)


def first_cells(page: Page, caption: str = "Times") -> list[str]:
    table = page.locator("table", has=page.locator("caption", has_text=caption))
    return list(table.locator("tbody th:visible").all_inner_texts())


def copied(page: Page, button: Locator) -> list[list[str]]:
    button.click()
    button.locator("xpath=following-sibling::span").get_by_text("Copied").wait_for()
    return list(csv.reader(io.StringIO(page.evaluate("() => navigator.clipboard.readText()"))))


def test_a_head_sorts_its_column_by_mouse(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, of(times())) as page:
        head = page.locator("th", has_text="p99")
        assert head.get_attribute("aria-sort") == "none"
        head.get_by_role("button").click()
        # The largest first, by what the words stand for, and what is missing last in both directions.
        assert head.get_attribute("aria-sort") == "descending"
        assert first_cells(page) == ["b9", "a", "c", "b10"]
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "ascending"
        assert first_cells(page) == ["c", "a", "b9", "b10"]
        head.get_by_role("button").click()
        assert head.get_attribute("aria-sort") == "none"
        assert first_cells(page) == ["c", "a", "b10", "b9"]


def test_a_head_sorts_its_column_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, of(times())) as page:
        page.get_by_role("button", name="Test").focus()
        page.keyboard.press("Enter")
        assert first_cells(page) == ["a", "b9", "b10", "c"]
        page.keyboard.press("Tab")
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert first_cells(page) == ["b10", "a", "c", "b9"]
        assert page.locator("th", has_text="Test").get_attribute("aria-sort") == "none"


def test_scores_are_sorted_by_how_much_better_they_are(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, apart()) as page:
        table = page.locator(".lead table").first
        head = table.locator("thead th", has_text="io2")
        place = head.evaluate("head => head.cellIndex") + 1
        head.get_by_role("button").click()
        head.get_by_role("button").click()
        shapes = [text[0] for text in table.locator(f"tbody tr td:nth-child({place}) b").all_inner_texts()]
        # Those that are the same or undecided lie between them.
        assert shapes == sorted(shapes, key={"▲": 0, "=": 1, "?": 1, "▼": 2}.__getitem__)
        assert {"▲", "▼"} <= set(shapes)


def test_what_is_copied_is_what_is_shown_with_numbers_as_numbers(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, of(times())) as page:
        page.get_by_role("button", name="Test").click()
        button = page.get_by_role("button", name="Copy as CSV")
        wanted = [
            ["Test", "p99 (ns)", "Rate (/s)"],
            ["a", "2e6", "20000"],
            ["b9", "1.5e9", "7"],
            ["b10", "", "118204"],
            ["c", "9e5", "3000"],
        ]
        assert copied(page, button) == wanted
        button.focus()
        page.keyboard.press("Enter")
        page.get_by_text("Copied").wait_for()
        assert button.evaluate("button => document.activeElement === button")


def test_a_page_without_a_clipboard_copies_nevertheless(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, of(times())) as page:
        page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }")
        assert copied(page, page.get_by_role("button", name="Copy as CSV"))[1][0] == "c"


def test_words_of_strangers_are_only_words_in_a_spreadsheet(browser: Browser, tmp_path: Path) -> None:
    rows = tuple((phrase(word), number(-5.0, "1", "-5")) for word in HOSTILE)
    with opened(browser, tmp_path, of(Table("=caption", columns("=Test", ">Change"), rows))) as page:
        lines = copied(page, page.get_by_role("button", name="Copy as CSV"))
        assert page.title() != "owned"
        assert lines[0] == ["'=Test", "Change"]
        assert [line[0] for line in lines[1:]] == [*(f"'{word}" for word in HOSTILE[:4]), *HOSTILE[4:]]
        # A negative number is no formula.
        assert {line[1] for line in lines[1:]} == {"-5"}


def filter_box(page: Page) -> Locator:
    return page.get_by_role("searchbox", name="Show only tests and targets with")


def test_the_filter_leaves_tests_and_targets(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, many()) as page:
        matrix = page.locator(".lead table").first
        rows, heads = matrix.locator("tbody tr:visible"), matrix.locator("thead th:visible")
        before = rows.count(), heads.all_inner_texts()
        filter_box(page).fill("randread io2")
        assert 0 < rows.count() < before[0]
        assert all("randread" in each for each in matrix.locator("tbody th:visible").all_inner_texts())
        assert [each for each in heads.all_inner_texts() if each in ("gp2", "gp3", "io1", "io2", "nvme")] == ["io2"]
        assert page.locator(".find output").inner_text().endswith("rows in all tables")
        # Charts of other tests go, too.
        page.evaluate("() => document.querySelectorAll('details.evidence').forEach(each => each.open = true)")
        titles = page.locator("#latency figcaption:visible").all_inner_texts()
        assert titles
        assert all("randread" in each for each in titles)
        filter_box(page).focus()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")
        assert (rows.count(), heads.all_inner_texts()) == before
        page.keyboard.type("nothing-like-this")
        assert page.locator(".find output").inner_text() == "Nothing has all of these words"
        assert rows.count() == 0
        # What is not about tests and targets stays.
        assert page.locator("#method table:visible").count() > 0


def test_a_filtered_table_is_copied_as_it_is_shown(browser: Browser, tmp_path: Path) -> None:
    rows = tuple((phrase(f"test {i}"), *(number(i * k, "1/s") for k in (1, 2))) for i in range(8))
    heads = (*columns("Test"), Column("target_0", "old", "right"), Column("target_1", "new", "right"))
    with opened(browser, tmp_path, of(Table("Scores", heads, rows))) as page:
        filter_box(page).fill("TEST 3 new")
        assert copied(page, page.get_by_role("button", name="Copy as CSV")) == [["Test", "new (/s)"], ["test 3", "6"]]


def test_few_rows_have_no_filter_and_one_has_no_order(browser: Browser, tmp_path: Path) -> None:
    one = Table("One", columns("Test", ">Rate"), ((phrase("a"), number(1.0, "1/s")),))
    with opened(browser, tmp_path, of(one)) as page:
        assert filter_box(page).count() == 0
        assert page.locator(".sort").count() == 0
        assert page.get_by_role("button", name="Copy as CSV").count() == 1


def test_without_scripts_tables_just_stand_there(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, of(times()), scripts=False) as page:
        assert first_cells(page) == ["c", "a", "b10", "b9"]
        assert page.locator("button, input, [aria-sort]").count() == 0


@pytest.mark.parametrize("width", [1300, 390])
def test_the_first_screen_is_the_same_with_scripts(browser: Browser, tmp_path: Path, width: int) -> None:
    heights = []
    for scripts in (False, True):
        with opened(browser, tmp_path, many(), scripts=scripts, width=width) as page:
            box = page.locator(".lead").last.bounding_box()
            assert box is not None
            heights.append(box["y"] + box["height"])
            wide = page.locator(".lead .scroll").first.evaluate("each => each.scrollWidth - each.clientWidth")
            assert wide <= 1 or width < 1000
    assert heights[1] <= heights[0] + 2


def test_paper_has_no_buttons(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, render(build_document(pair()), "html")) as page:
        page.emulate_media(media="print")
        assert page.locator(".copy:visible, .find:visible").count() == 0


def test_many_rows_are_filtered_at_once(browser: Browser, tmp_path: Path) -> None:
    found = evidence(targets=("a", "b"), cases=("randread",), blocks=150)
    with opened(browser, tmp_path, render(build_document(found), "html")) as page:
        took = page.evaluate(
            """() => {
                const box = document.querySelector(".find input"), start = performance.now();
                box.value = "randread";
                box.dispatchEvent(new Event("input"));
                return performance.now() - start;
            }"""
        )
        assert took < 500
