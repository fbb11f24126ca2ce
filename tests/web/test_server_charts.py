"""Charts and tables on the pages of a server, whose policy allows its own scripts only."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.web.geometry import check_geometry
from tests.web.test_every_chart import marks
from tests.web.test_server_pages import Made, made, opened  # noqa: F401 (one is a fixture)

HISTORY = "/history?case=randread&target=gp3"


def drawn(page: Page) -> None:
    page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
    expect(page.locator(".vega:not(.drawn)")).to_have_count(0, timeout=30_000)


@pytest.mark.parametrize("width", [390, 1280])
def test_every_chart_of_a_session_a_run_and_a_series_is_drawn(browser: Browser, made: Made, width: int) -> None:  # noqa: F811
    _, sessions = made
    with opened(browser, made, width) as page:
        page.goto(f"/sessions/{sessions[0].id}/runs")
        run = page.locator("tbody a").first.get_attribute("href")
        paths = {f"/sessions/{sessions[0].id}": 6, f"{run}": 1, HISTORY: 2, f"/sessions/{sessions[0].id}/latency": 2}
        for path, fewest in paths.items():
            page.goto(path)
            drawn(page)
            charts = page.locator(".vega .live svg").all()
            assert len(charts) >= fewest, path
            for chart in charts:
                check_geometry(chart, width, path)


def test_a_score_over_months_is_looked_at_closer_by_keyboard(browser: Browser, made: Made) -> None:  # noqa: F811
    with opened(browser, made) as page:
        page.goto(HISTORY)
        drawn(page)
        place = page.locator("#over-time")
        before = marks(place)
        place.get_by_label("From day").focus()
        for _ in range(5):
            page.keyboard.press("PageUp")
        page.wait_for_timeout(150)
        assert 0 < marks(place) < before
        point = place.locator(".live .mark-symbol.role-mark path").first
        point.hover(force=True)
        page.locator("#vg-tooltip-element.visible").wait_for()
        assert "Median in" in page.locator("#vg-tooltip-element").inner_text()


def test_arrow_keys_walk_over_a_heat_map(browser: Browser, made: Made) -> None:  # noqa: F811
    _, sessions = made
    with opened(browser, made) as page:
        page.goto(f"/sessions/{sessions[0].id}/latency")
        drawn(page)
        place = page.locator(".vega").first
        said = place.locator("output")
        place.locator(".live").focus()
        page.keyboard.press("ArrowRight")
        first = said.inner_text()
        assert re.fullmatch(r"Column: .+, Latency: .+ to .+, Share: .+", first)
        page.keyboard.press("ArrowUp")
        above = said.inner_text()
        assert above != first
        assert above.partition(", Latency")[0] == first.partition(", Latency")[0]
        page.keyboard.press("ArrowDown")
        assert said.inner_text() == first
        # The same words as for the mouse.
        box = place.locator(".at").bounding_box()
        assert box is not None
        page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        page.locator("#vg-tooltip-element.visible").wait_for()
        shown = page.locator("#vg-tooltip-element").inner_text()
        assert all(part.partition(": ")[2] in shown for part in first.split(", "))


def test_tables_of_a_report_are_sorted_filtered_and_copied(browser: Browser, made: Made) -> None:  # noqa: F811
    _, sessions = made
    with opened(browser, made) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"/sessions/{sessions[0].id}")
        page.get_by_role("searchbox", name="Show only tests and targets with").fill("ping")
        table = page.locator(".lead table").first
        assert set(table.locator("tbody th:visible").all_inner_texts()) == {"ping"}
        table.get_by_role("button", name="Metric").press("Enter")
        assert table.locator("th", has_text="Metric").get_attribute("aria-sort") == "ascending"
        table.get_by_role("button", name="Copy as CSV").click()
        table.get_by_text("Copied").wait_for()
        copied = page.evaluate("() => navigator.clipboard.readText()")
        assert copied.startswith("Case,Metric,nvme,gp3\r\nping,")
        assert "randread" not in copied
        # Lists of the server itself are sorted by what they show.
        page.goto("/")
        assert page.locator(".sort, .copy").count() == 0
