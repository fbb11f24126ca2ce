"""The page of a running session in a real browser: it fills as runs arrive, and ends with the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect
from tests.integration.web.conftest import running
from tests.integration.web.test_live import begun
from tests.web.test_server_pages import Made, opened

from plimsoll.model import SessionState
from plimsoll.store.opening import open_store


@pytest.fixture
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("live")
    with open_store(str(folder / "r.db")) as store, running(store, folder / "uploads") as found:
        yield found, []


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_fills_while_it_is_looked_at(browser: Browser, site: Made, width: int) -> None:
    store = site[0].store
    session, runs = begun(store)
    with opened(browser, site, width) as page:
        page.goto(f"/sessions/{session.id}")
        shown = page.get_by_role("region", name="Progress", exact=True).first
        expect(page.locator("#live")).to_contain_text("0 runs stored so far")
        expect(page.locator("main")).not_to_contain_text("Without scripts")
        for number, run in enumerate(runs[:4], 1):
            store.add_run(run)
            expect(page.locator("#live")).to_contain_text(f"{number} {'run' if number == 1 else 'runs'} stored so far")
        expect(shown.locator("tbody tr")).to_have_count(2)
        assert page.locator("#live .spark").count() == 2
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        store.finish_session(session.id, SessionState.DONE, runs[3].ended_ns)
        # The page is loaded anew, with the report of all runs.
        expect(page.locator("#live")).to_have_count(0)
        expect(page.locator("#scores").first).to_be_attached()


def test_a_browser_without_scripts_loads_the_page_again(browser: Browser, site: Made) -> None:
    session, _ = begun(site[0].store)
    with opened(browser, site, scripts=False) as page:
        page.goto(f"/sessions/{session.id}")
        expect(page.locator("main")).to_contain_text("Without scripts the browser does so itself, every 20 s")
        assert page.locator('head noscript meta[http-equiv="refresh"]').get_attribute("content") == "20"
