"""The server's pages in a real browser: with and without scripts, light and dark, wide and narrow, by keyboard."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect
from tests.factories import START_NS, make_study
from tests.integration.web.conftest import Site, add, running
from tests.web.test_report_page import CONTRASTS

from plimsoll.model import Run, Session
from plimsoll.store import comparisons
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store
from plimsoll.store.records import sealed
from plimsoll.store.result_file import write_results
from plimsoll.units import DAY

SCRIPT = "<script>document.title = 'owned'</script><img src=x onerror=\"document.title = 'owned'\">"
LONG = "a-very-long-name-" * 12


Made = tuple[Site, list[Session]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("site")
    with open_store(str(folder / "results.db")) as store:
        sessions = []
        for night in range(7):
            about = {"title": f"nightly {night}", "started_ns": START_NS + night * DAY, "seed": night}
            session, runs = make_study(("nvme", "gp3"), ("randread", "ping"), 3, {"gp3": 0.5}, intervals=4, **about)
            add(store, session, runs)
            sessions.append(session)
        for title in (SCRIPT, LONG):
            session, runs = named(title)
            add(store, session, runs)
            sessions.append(session)
        with running(store, folder / "uploads") as site:
            yield site, sessions


def named(title: str) -> tuple[Session, list[Run]]:
    """A study whose names are all `title`."""
    session, runs = make_study(("a", "b"), ("randread",), 3, title=title, intervals=3, failed=1)
    return session, [
        run.model_copy(
            update={
                "target": run.target.model_copy(update={"name": f"{run.target.name} {title}", "where": title}),
                "plan": run.plan.model_copy(update={"case": f"{run.plan.case} {title}"}),
                "reason": title,
            }
        )
        for run in runs
    ]


@contextmanager
def opened(
    browser: Browser, made: Made, width: int = 1280, scheme: str = "light", *, scripts: bool = True
) -> Iterator[Page]:
    """A page of somebody who came by the link that the server printed."""
    site, _ = made
    context = browser.new_context(
        base_url=site.address,
        viewport={"width": width, "height": 900},
        java_script_enabled=scripts,
        color_scheme="dark" if scheme == "dark" else "light",
    )
    try:
        page = context.new_page()
        wrong: list[str] = []
        page.on("console", lambda message: wrong.append(message.text) if is_wrong(message) else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("request", lambda request: None if request.url.startswith(site.address) else wrong.append(request.url))
        page.goto(f"/login?key={site.settings.owner_key}")
        yield page
        assert wrong == []
    finally:
        context.close()


def is_wrong(message: ConsoleMessage) -> bool:
    """Errors of the page; that the browser notes refusals of the server as errors is none."""
    return message.type == "error" and "the server responded with a status of 4" not in message.text


def all_pages(made: Made) -> list[str]:
    site, sessions = made
    night, script, long = sessions[0].id, sessions[-2], sessions[-1]
    run = site.store.runs([night])[0].id
    last = site.store.runs([long.id])[0]
    return [
        "/",
        "/?text=nothing-fits",
        f"/sessions/{night}",
        f"/sessions/{script.id}",
        f"/sessions/{long.id}",
        f"/sessions/{long.id}/runs",
        f"/sessions/{night}/latency",
        f"/runs/{run}",
        f"/runs/{last.id}",
        "/history",
        "/history?case=randread&target=gp3",
        f"/history?case={last.plan.case}&target={last.target.name}",
        f"/compare?s={night}&s={long.id}",
        f"/compare?t={night}:gp3&t={sessions[1].id}:gp3",
        f"/c/{comparisons.save(site.store, SCRIPT, f'?t={night}:gp3&t={long.id}:{last.target.name[0]}', 'me')}",
        f"/c/{comparisons.save(site.store, LONG, '?t=gone:gp3', 'me')}",
        f"/diff?s={night}&s={long.id}",
        "/uploads",
        "/api",
        "/docs",
        "/login",
        "/sessions/none",
    ]


@pytest.mark.parametrize(("width", "scheme"), [(360, "dark"), (390, "light"), (1280, "light")])
def test_every_page_fits_and_can_be_read_and_heard(browser: Browser, made: Made, width: int, scheme: str) -> None:
    judging: dict[str, bool] = {}
    with opened(browser, made, width, scheme) as page:
        for path in all_pages(made):
            page.goto(path)
            assert page.title() != "owned"
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            contrasts = page.evaluate(CONTRASTS)
            assert min(contrasts)[0] >= 4.5, (path, min(contrasts))
            check_names(page, path)
            page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")
            judging |= {f"{path}: {caption}": seen for caption, seen in page.evaluate(JUDGING)}
    if width == 390:
        check_judging(judging)


JUDGING = """() => [...document.querySelectorAll('table[data-judge]')].filter(each => each.checkVisibility())
  .map(each => {
    const cells = [...each.querySelectorAll(`tr > :nth-child(${each.dataset.judge})`)];
    const box = each.closest('.scroll').getBoundingClientRect();
    return [each.caption.textContent, cells.length > 1 && cells.every(cell => {
      const {left, right} = cell.getBoundingClientRect();
      return left >= box.left && right <= box.right + 1;
    })];
  })"""


def check_judging(found: dict[str, bool]) -> None:
    """A phone shows the column that judges."""
    assert [name for name, seen in found.items() if not seen] == []
    for caption in ("Newest sessions", "Every comparison", "Scores of the judged metrics", "Runs in the order"):
        assert any(caption in name for name in found), caption


NAMELESS = """() => [...document.querySelectorAll(
    'a, button, input:not([type=hidden]), select, summary, img, svg.chart, .scroll')]
  .filter(each => each.checkVisibility())
  .filter(each => !(each.labels && each.labels.length) && !each.ariaLabel && !each.textContent.trim()
    && each.getAttribute('alt') === null)
  .map(each => each.outerHTML.slice(0, 120))"""


def check_names(page: Page, path: str) -> None:
    """A screen reader has a name for everything."""
    assert page.evaluate(NAMELESS) == [], path
    assert page.locator("h1").count() == 1, path
    assert page.locator("main#content").count() == 1
    levels = [int(name[1]) for name in page.eval_on_selector_all("h1, h2, h3", "all => all.map(e => e.tagName)")]
    assert all(after - before <= 1 for before, after in pairwise(levels)), path
    assert page.locator("table:not(:has(caption)), th:not([scope])").count() == 0, path
    identities = page.eval_on_selector_all("[id]", "all => all.map(e => e.id)")
    assert len(identities) == len(set(identities)), path


CUT = """() => [...document.querySelectorAll('main *, .head *')].filter(each => each.checkVisibility())
  .filter(each => each.getBoundingClientRect().right > innerWidth + 1 || each.getBoundingClientRect().left < -1)
  .map(each => each.outerHTML.slice(0, 80))"""
PAPER_PIXELS = 703
"""A4 with margins of 12 mm."""


def test_the_list_of_sessions_is_as_wide_as_its_page(browser: Browser, made: Made) -> None:
    with opened(browser, made, 1300) as page:
        page.goto("/")
        found = page.evaluate(
            "() => { const e = document.querySelector('main .scroll'); return e.scrollWidth - e.clientWidth; }"
        )
        assert found <= 1
        assert page.get_by_role("columnheader", name="Valid runs").is_visible()


def test_paper_cuts_nothing(browser: Browser, made: Made) -> None:
    with opened(browser, made, PAPER_PIXELS) as page:
        page.emulate_media(media="print")
        for path in all_pages(made):
            page.goto(path)
            assert page.evaluate(CUT) == [], path
            # What is folded on a screen is on the paper, and at its full height.
            assert page.evaluate(
                "[...document.querySelectorAll('section > details table')].every(each => each.getClientRects().length)"
            ), path
            assert page.evaluate(
                "[...document.querySelectorAll('.scroll')].filter(each => each.checkVisibility())"
                ".every(each => each.scrollWidth <= each.clientWidth + 1)"
            ), path
            assert page.pdf(format="A4").startswith(b"%PDF")


def test_a_script_in_a_name_is_only_a_name(browser: Browser, made: Made) -> None:
    with opened(browser, made) as page:
        for path in ("/", f"/sessions/{made[1][-2].id}", f"/sessions/{made[1][-2].id}/runs", "/history"):
            page.goto(path)
            assert "<script>document.title" in page.locator("main").inner_text()
            assert page.locator('main script:not([type="application/json"]), main img').count() == 0
            assert page.title() != "owned"


@pytest.mark.parametrize("scripts", [True, False])
def test_from_the_list_to_a_comparison(browser: Browser, made: Made, scripts: bool) -> None:
    with opened(browser, made, scripts=scripts) as page:
        page.get_by_label("Search").fill("nightly")
        page.get_by_role("button", name="Search").click()
        expect(page.locator("tbody tr")).to_have_count(7)
        for night in (1, 5):
            page.get_by_label(f"Choose nightly {night}").check()
        page.get_by_role("button", name="Compare the chosen").click()
        first = page.get_by_role("group", name="nightly 1")
        first.get_by_role("radio").first.check()
        for group in page.locator("fieldset").all():
            group.get_by_label("nvme", exact=True).uncheck()
        page.get_by_role("button", name="Compare", exact=True).click()
        expect(page.get_by_role("heading", name="What can be compared")).to_be_visible()
        expect(page.locator("#comparable")).to_contain_text("the same work, but measured apart")
        assert page.locator("#verdicts li").count() >= 2
        with page.expect_download() as waiting:
            page.get_by_role("link", name="SVG").first.click()
        assert Path(waiting.value.path()).read_text().startswith("<svg")


def test_history_changes_its_metric_at_once(browser: Browser, made: Made) -> None:
    with opened(browser, made) as page:
        page.goto("/history?case=randread&target=gp3")
        page.get_by_label("Metric").select_option("read_p99")
        expect(page.locator("figcaption").first).to_contain_text("read latency p99")
        assert "metric=read_p99" in page.url
        page.get_by_role("link", name="what changed since").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Compare environments")


@pytest.mark.parametrize("scripts", [True, False])
def test_uploading(browser: Browser, made: Made, tmp_path: Path, scripts: bool) -> None:
    session, runs = make_study(title="brought along", blocks=1, seed=int(scripts))
    path = tmp_path / "brought.plimsoll.gz"
    write_results(path, [session, *(sealed(run) for run in runs)])
    with opened(browser, made, scripts=scripts) as page:
        page.get_by_role("link", name="Upload").click()
        page.get_by_label("A result file").set_input_files(path)
        page.get_by_role("button", name="Send").click()
        told = page.get_by_role("status").filter(has_text="Taken in")
        expect(told).to_contain_text(f"1 new session, {len(runs)} new runs", timeout=30_000)
        told.get_by_role("link", name=f"Session {short_id(session.id)}").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("brought along: randread, b against a")
    assert made[0].store.runs([session.id]) == runs


def test_a_bad_file_is_refused_in_words(browser: Browser, made: Made, tmp_path: Path) -> None:
    path = tmp_path / "evil.plimsoll.gz"
    path.write_bytes(b"no result at all")
    with opened(browser, made, scripts=False) as page:
        page.goto("/uploads")
        page.get_by_label("A result file").set_input_files(path)
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_contain_text("Not kept: evil.plimsoll.gz is in no format")
        expect(page.locator("tbody tr").first).to_contain_text("refused")


def test_an_empty_file_is_refused_in_words(browser: Browser, made: Made, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.touch()
    with opened(browser, made) as page:
        page.goto("/uploads")
        page.get_by_label("A result file").set_input_files(path)
        page.get_by_role("button", name="Send").click()
        told = page.get_by_role("status").filter(has_text="Not kept: the file is empty")
        expect(told).to_be_visible(timeout=30_000)


def test_by_keyboard_alone(browser: Browser, made: Made) -> None:
    with opened(browser, made) as page:
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
        page.keyboard.press("Enter")
        page.get_by_label("Search").focus()
        page.keyboard.type("nightly 6")
        page.keyboard.press("Enter")
        expect(page.locator("caption")).to_have_text("Matching sessions")
        reached = []
        for _ in range(30):
            page.keyboard.press("Tab")
            reached.append(page.evaluate("document.activeElement.outerHTML.slice(0, 200)"))
            if "/sessions/" in reached[-1] and "<a" in reached[-1]:
                break
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline == "solid"
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_contain_text("nightly")
