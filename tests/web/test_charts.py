"""Charts in a real browser with scripts on: what they show, how they are laid out, mouse and keyboard."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.factories import make_study
from tests.unit.report.studies import evidence, five, pair, with_runs
from tests.web.geometry import check_geometry

from plimsoll.model import Interval, IntervalOperations, Run
from plimsoll.report import Evidence, build_document, render
from plimsoll.units import SECOND

SIXTY = "a-name-of-sixty-characters-that-is-as-long-as-names-may-get-"


@cache
def report(make: Callable[..., Evidence], *about: object) -> str:
    """The page of `make(*about)`, made once: it takes longer than to look at it."""
    return render(build_document(make(*about)), "html")


@contextmanager
def opened(browser: Browser, folder: Path, report: str, width: int = 1280, scheme: str = "light") -> Iterator[Page]:
    """The report, with nothing fetched and nothing refused by its own policy."""
    path = folder / "report.html"
    path.write_text(report, encoding="utf-8")
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    wrong: list[str] = []
    page.on("console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: None if request.url == path.as_uri() else wrong.append(request.url))
    try:
        page.goto(path.as_uri())
        yield page
        assert wrong == [], wrong
    finally:
        context.close()


def drawn(page: Page, chart: str) -> Locator:
    """A chart once its section is unfolded and its picture is there, as wide as its place."""
    page.evaluate("() => document.querySelectorAll('details.evidence').forEach(each => each.open = true)")
    place = page.locator(f"#{chart} .vega")
    place.scroll_into_view_if_needed()
    page.locator(f"#{chart} .vega.drawn").wait_for()
    page.wait_for_function(
        """chart => {
            const place = document.querySelector(`#${chart} .vega`);
            return place.querySelector(".live svg").getBoundingClientRect().width <= place.clientWidth + 1;
        }""",
        arg=chart,
    )
    return place.locator(".live svg")


def points(picture: Locator) -> Locator:
    return picture.locator(".mark-symbol.role-mark path")


def check_points(picture: Locator, width: int = 1280) -> None:
    """There are some, and all words can be read."""
    assert points(picture).count() > 0
    check_geometry(picture, width, "")


def targets(count: int, name: str = "t") -> Evidence:
    names = tuple(f"{name}{i}" for i in range(count))
    ratios = {each: 10 ** (i % 6 - 2.5) for i, each in enumerate(names) if i}
    return evidence(baseline=names[0], targets=names, cases=("ping", "commit"), blocks=3, ratios=ratios)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("count", [2, 3, 6, 12])
@pytest.mark.parametrize("name", ["t", SIXTY])
def test_a_forest_of_many_targets_over_six_decades(
    browser: Browser,
    tmp_path: Path,
    count: int,
    name: str,
    width: int,
) -> None:
    with opened(browser, tmp_path, report(targets, count, name), width) as page:
        picture = drawn(page, "forest-0")
        check_points(picture, width)
        box = picture.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= width
        size = picture.locator("text").first.evaluate("text => parseFloat(getComputedStyle(text).fontSize)")
        assert size >= 9


def test_arrow_keys_find_what_a_mouse_finds(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(five)) as page:
        for chart, words in (("forest-0", "Ratio: "), ("latency-0", "Latency: "), ("series-0", "Seconds: ")):
            drawn(page, chart)
            place = page.locator(f"#{chart} .vega")
            place.locator(".live").focus()
            said = []
            for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
                page.keyboard.press(key)
                said.append(place.locator("output").inner_text())
            assert all(words in each for each in said), said
            assert said[0] != said[1]
            assert place.locator(".at").bounding_box() is not None
            page.keyboard.press("Escape")
            assert place.locator("output").inner_text() == ""
            assert place.locator(".at").count() == 0


def test_targets_are_hidden_by_mouse_and_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(five)) as page:
        picture = drawn(page, "forest-0")
        before = points(picture).count()
        box = page.get_by_role("checkbox", name="1 gp3")
        box.click()
        assert 0 < points(picture).count() < before
        box.focus()
        page.keyboard.press("Space")
        assert points(picture).count() == before
        page.keyboard.press("Tab")
        page.keyboard.press("Space")
        assert not page.get_by_role("checkbox", name="2 io2").is_checked()
        assert 0 < points(picture).count() < before


def test_all_targets_hidden_leave_the_axes(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(five)) as page:
        picture = drawn(page, "forest-0")
        for box in page.locator("#forest-0 .controls input").all():
            box.click()
        assert points(picture).count() == 0
        assert picture.is_visible()


def test_hovering_says_which_comparison_it_is(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(pair)) as page:
        points(drawn(page, "forest-0")).first.hover()
        told = page.locator("#vg-tooltip-element.visible")
        told.wait_for()
        words = told.inner_text()
        assert all(each in words for each in ("ping", "gp3", "×", "Verdict"))


def test_names_of_strangers_are_only_names(browser: Browser, tmp_path: Path) -> None:
    hostile = "</script><script>document.title='owned'</script>'+alert(1)+'<img src=x onerror=alert(1)>\u202e"
    with opened(browser, tmp_path, report(targets, 3, hostile)) as page:
        points(drawn(page, "forest-0")).first.hover()
        page.locator("#vg-tooltip-element.visible").wait_for()
        assert page.locator("main img, #vg-tooltip-element img").count() == 0
        assert page.title() != "owned"
        assert "\u202e" not in page.locator("body").inner_text()


def test_the_chart_follows_the_window_and_the_scheme(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(pair), scheme="dark") as page:
        picture = drawn(page, "forest-0")
        fill = picture.locator("text").first.evaluate("text => getComputedStyle(text).fill")
        assert fill == "rgb(166, 176, 187)"
        page.set_viewport_size({"width": 390, "height": 900})
        expect(picture).to_have_attribute("width", re.compile("^3[0-8][0-9]"))
        check_points(picture, 390)


def test_paper_has_the_still_picture(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(pair), scheme="dark") as page:
        drawn(page, "forest-0")
        page.emulate_media(media="print")
        still = page.locator("#forest-0 .still svg")
        assert still.is_visible()
        assert not page.locator("#forest-0 .live").is_visible()
        assert still.locator("text").first.evaluate("text => getComputedStyle(text).fill") == "rgb(91, 101, 113)"


def of_two(blocks: int, failed: int) -> Evidence:
    session, runs = make_study(("a", "b"), ("ping",), blocks, failed=failed)
    return Evidence([session], runs, "a", 0.1)


def test_one_run_per_target_and_no_valid_run(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(of_two, 1, 0)) as page:
        check_points(drawn(page, "forest-0"))
    with opened(browser, tmp_path, report(of_two, 2, 4)) as page:
        assert page.locator("#forest").count() == 0
        assert page.locator(".vega").count() == 0


def test_a_policy_that_forbids_scripts_leaves_the_still_picture(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    text = report(five).replace("script-src 'sha256-", "script-src 'sha256-x")
    path.write_text(text)
    page = browser.new_page()
    page.goto(path.as_uri())
    page.locator("details.evidence > summary", has=page.locator("text=Comparison at a glance")).click()
    assert page.locator("#forest-0 .still svg").is_visible()
    assert page.locator("#forest-0 .live").count() == 0
    page.close()


def over_time(runs: int, seconds: int, count: int = 2, name: str = "t") -> Evidence:
    """Runs of so many seconds each, whose rates spread over six decades, one of them with a stall."""
    names = tuple(f"{name}{i}" for i in range(count))
    found = evidence(baseline=names[0], targets=names, cases=("randread",), blocks=runs)

    def rated(place: int, run: Run) -> Run:
        intervals = tuple(
            Interval(
                start_ns=second * SECOND,
                duration_ns=SECOND,
                errors=0,
                operations={
                    "read": IntervalOperations(
                        operations=0 if place == 1 and second == 1 else 10 ** (place % 7) + second % 7,
                        bytes=0,
                        p50_ns=1000,
                        p99_ns=2000,
                        max_ns=3000,
                    )
                },
            )
            for second in range(seconds)
        )
        return run.model_copy(update={"intervals": intervals})

    return with_runs(found, [rated(place, run) for place, run in enumerate(found.runs)])


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("runs", "seconds", "count"), [(1, 3, 1), (1, 12, 2), (3, 200, 1), (3, 100, 12), (20, 500, 2)])
def test_rates_over_time_of_few_and_many_points(
    browser: Browser,
    tmp_path: Path,
    runs: int,
    seconds: int,
    count: int,
    width: int,
) -> None:
    with opened(browser, tmp_path, report(over_time, runs, seconds, count, SIXTY), width) as page:
        picture = drawn(page, "series-0")
        check_points(picture, width)
        assert picture.locator(".mark-line.role-mark path").count() >= count
        assert points(picture).count() <= max(200, 20 * count)


def test_time_and_targets_are_chosen_by_keyboard(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(over_time, 1, 40)) as page:
        picture = drawn(page, "series-0")
        assert points(picture).count() == 80
        page.get_by_label("From second").focus()
        page.keyboard.press("End")
        page.keyboard.press("Home")
        for _ in range(100):
            page.keyboard.press("ArrowRight")
        page.wait_for_timeout(200)
        assert points(picture).count() == 40
        page.locator("#series-0").get_by_role("checkbox", name="t1").press("Space")
        assert points(picture).count() == 20


def test_the_axis_becomes_logarithmic_and_keeps_what_was_chosen(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(over_time, 1, 12, 1)) as page:
        picture = drawn(page, "series-0")
        before = picture.locator(".role-axis-label text").all_text_contents()
        page.get_by_label("From second").fill("5.5")
        box = page.locator("#series-0").get_by_role("checkbox", name="Logarithmic")
        box.press("Space")
        page.wait_for_timeout(300)
        assert picture.locator(".role-axis-label text").all_text_contents() != before
        assert points(picture).count() == 6
        assert box.evaluate("box => document.activeElement === box")
        check_points(picture)
    # A stall has no place on such an axis, so it is not offered.
    with opened(browser, tmp_path, report(over_time, 1, 12, 2)) as page:
        drawn(page, "series-0")
        assert page.locator("#series-0").get_by_role("checkbox", name="Logarithmic").count() == 0


def test_hovering_over_a_run_says_which_and_what(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(over_time, 1, 12)) as page:
        points(drawn(page, "series-0")).nth(3).hover()
        told = page.locator("#vg-tooltip-element.visible")
        told.wait_for()
        words = told.inner_text()
        assert all(each in words for each in ("block 1", "too short to tell", "Seconds", "Rate in"))


def test_all_charts_are_drawn_before_long(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(five)) as page:
        expect(page.locator(".vega:not(.drawn)")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize(("runs", "count"), [(4, 1), (12, 2), (12, 12), (300, 2), (100, 9)])
def test_runs_by_block_of_few_and_many(
    browser: Browser,
    tmp_path: Path,
    runs: int,
    count: int,
    width: int,
) -> None:
    with opened(browser, tmp_path, report(over_time, runs, 2, count, SIXTY), width) as page:
        picture = drawn(page, "strip-0")
        check_points(picture, width)
        assert points(picture).count() <= max(200, 20 * count)
        # Another point may lie over it.
        points(picture).first.hover(force=True)
        page.locator("#vg-tooltip-element.visible").wait_for()


def test_a_few_runs_are_a_table_and_no_chart(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(over_time, 3, 2, 1)) as page:
        assert page.locator("#strips figure").count() == 0
        assert page.locator("#strips table").count() == 1
        assert "Each point" not in page.locator("#strips").inner_text()


def test_runs_that_do_not_count_are_crosses_and_say_why(browser: Browser, tmp_path: Path) -> None:
    with opened(browser, tmp_path, report(pair)) as page:
        lost = drawn(page, "strip-1").locator(".mark-text.role-mark text")
        assert lost.first.text_content() == "✕"
        lost.first.hover(force=True)
        told = page.locator("#vg-tooltip-element.visible")
        told.wait_for()
        assert "Finding" in told.inner_text()
