"""The site as somebody opens it from the file system: it searches, fits, asks no network, and has no errors."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page
from tests.conftest import need, need_program
from tools.pages import gallery

ROOT = Path(__file__).parents[2]
REPORTS = tuple(each.name for each in gallery.SITUATIONS)
NOTEBOOKS = {
    "compare-two-disks": ("12 of 12 runs valid", "p50 ", "undecided: "),
    "explore-a-published-table": ("40 of 40 runs valid", "To match standard it would take"),
    "load-line-of-a-postgresql": ("highest throughput", "Every load"),
}
"""What each has to show after its cells were carried out."""
PAGES = (
    "index",
    "docs/tasks",
    "docs/glossary",
    "docs/reference/commands",
    "docs/reference/tests/bonnie++",
    "METHODOLOGY",
    "gallery/index",
    *(f"docs/notebooks/{name}" for name in NOTEBOOKS),
    *(f"gallery/{name}" for name in REPORTS),
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make site` builds it, with the whole gallery."""
    need(importlib.util.find_spec("furo") is not None, "what `make .venv/bin/.set-up-site` installs")
    need_program("chromium")
    output = tmp_path_factory.mktemp("site") / "site"
    words = [sys.executable, "-m", "tools.pages", "--output", output]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"site: {output / 'index.html'}\n"
    assert [each.name for each in output.parent.iterdir()] == ["site"], "nothing is left beside it"
    return output


@contextmanager
def opened(browser: Browser, path: Path, width: int = 1300, scheme: str = "light") -> Iterator[Page]:
    """A page, of which nothing may come from elsewhere and no error may be told when it is left."""
    context = browser.new_context(
        viewport={"width": width, "height": 900}, color_scheme="dark" if scheme == "dark" else "light"
    )
    page = context.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(path.as_uri())
    yield page
    page.wait_for_load_state("networkidle")
    assert [url for url in asked if not url.startswith(("file:", "data:", "blob:"))] == []
    assert said == []
    context.close()


@pytest.mark.parametrize("width", [390, 1300])
@pytest.mark.parametrize("name", PAGES)
def test_pages_fit_and_ask_no_network(browser: Browser, site: Path, name: str, width: int) -> None:
    with opened(browser, site / f"{name}.html", width) as page:
        assert page.locator("h1").first.is_visible()
        page.mouse.move(width / 2, 400)
        page.mouse.wheel(400, 0)
        assert page.evaluate("() => window.scrollX") == 0, "the page cannot be moved sideways"


def test_dark_is_dark(browser: Browser, site: Path) -> None:
    colours = set()
    for scheme in ("light", "dark"):
        with opened(browser, site / "docs/glossary.html", scheme=scheme) as page:
            colours.add(page.evaluate("() => getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_the_search_works_without_a_server(browser: Browser, site: Path) -> None:
    with opened(browser, site / "docs/reference/guards.html") as page:
        field = page.locator("input.sidebar-search")
        field.fill("Goeman")
        field.press("Enter")
        page.locator("#search-results li a").first.wait_for()
        assert page.locator("#search-results li a").all_text_contents() == ["Methodology"]
        page.locator("#search-results li a").first.click()
        page.wait_for_url(re.compile(r"METHODOLOGY\.html"))
        assert page.locator("h1").inner_text().startswith("Methodology")


def test_a_word_that_stands_nowhere_is_not_found(browser: Browser, site: Path) -> None:
    with opened(browser, site / "search.html") as page:
        field = page.locator("input.sidebar-search")
        field.fill("xyzzyplugh <i>hm</i>")
        field.press("Enter")
        page.locator("#search-results p", has_text=re.compile("did not match", re.IGNORECASE)).wait_for()
        assert page.locator("#search-results li a").count() == 0
        assert page.locator("#search-results i").count() == 0


def test_the_gallery_shows_five_reports_of_its_own(browser: Browser, site: Path) -> None:
    titles = {}
    for name in REPORTS:
        with opened(browser, site / f"gallery/{name}.html") as page:
            titles[name] = page.locator("h1").inner_text()
    assert len(set(titles.values())) == 5, titles
    assert "invented" in titles["imported-table"]
    assert "simulated" in titles["burst-series"]
    with opened(browser, site / "gallery/index.html") as page:
        for each in gallery.SITUATIONS:
            part = page.locator("section section", has=page.locator("h2", has_text=each.title))
            assert each.origin in part.inner_text()
            picture = part.locator("img")
            picture.scroll_into_view_if_needed()
            page.wait_for_function("image => image.complete && image.naturalWidth > 0", arg=picture.element_handle())
            part.get_by_role("link", name="Open the report").click()
            page.wait_for_url(f"**/{each.name}.html")
            page.go_back()


def test_bursts_and_the_table_are_what_they_are_called(site: Path) -> None:
    bursts = (site / "gallery/burst-series.html").read_text()
    assert "900 of 900 runs" in bursts
    assert re.search(r"3,000/s[^<]*run 30 [^<]*150/s|3,000/s to 150/s from run 30 ", bursts), (
        "credits of 50 GiB end there"
    )
    table = (site / "gallery/imported-table.html").read_text()
    assert "20 cases · 5 targets" in table


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_show_what_their_cells_gave(browser: Browser, site: Path, name: str) -> None:
    with opened(browser, site / f"docs/notebooks/{name}.html") as page:
        said = page.locator("article").inner_text()
        assert [each for each in NOTEBOOKS[name] if each not in said] == []
        assert page.locator("article table").count() >= 2
        chart = page.locator("article .cell_output img")
        chart.scroll_into_view_if_needed()
        page.wait_for_function("image => image.complete && image.naturalWidth > 200", arg=chart.element_handle())
