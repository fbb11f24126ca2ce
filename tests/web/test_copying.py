"""Copying a command with one click, by mouse and by keyboard, and where a page may not copy."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.factories import make_study
from tests.integration.web.conftest import add, running
from tests.web.test_server_pages import Made, opened

from plimsoll.store.opening import open_store


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Made]:
    session, runs = make_study(("nvme", "gp3"), ("randread",), 3)
    with open_store(str(tmp_path / "r.db")) as store:
        add(store, session, runs)
        with running(store, tmp_path / "uploads") as found:
            yield found, [session]


def open_tools(page: Page, made: Made) -> str:
    page.goto(f"/sessions/{made[1][0].id}")
    page.get_by_text("Download, compare, look closer").click()
    return page.locator("#again").inner_text()


def test_one_click_copies_the_command(browser: Browser, site: Made) -> None:
    with opened(browser, site) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=site[0].address)
        command = open_tools(page, site)
        assert command.startswith("curl ")
        page.get_by_role("button", name="Copy", exact=True).click()
        expect(page.get_by_role("status").filter(has_text="copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == command
        assert site[0].settings.owner_key not in command


def test_where_a_page_may_not_copy_the_text_is_chosen(browser: Browser, site: Made) -> None:
    with opened(browser, site, 390) as page:
        command = open_tools(page, site)
        page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
        page.get_by_role("button", name="Copy", exact=True).focus()
        page.keyboard.press("Enter")
        expect(page.get_by_role("status").filter(has_text="press Ctrl-C")).to_be_visible()
        assert page.evaluate("getSelection().toString()").strip() == command.strip()


def test_without_scripts_the_command_is_there_and_no_button(browser: Browser, site: Made) -> None:
    with opened(browser, site, scripts=False) as page:
        assert open_tools(page, site).startswith("curl ")
        expect(page.get_by_role("button", name="Copy", exact=True)).to_have_count(0)


def test_a_comparison_is_saved_from_its_page(browser: Browser, site: Made) -> None:
    with opened(browser, site) as page:
        page.goto(f"/compare?t={site[1][0].id}:nvme&t={site[1][0].id}:gp3")
        page.get_by_text("Save or repeat").click()
        page.get_by_label("Title").fill("Disks of the week")
        page.get_by_role("button", name="Save under a short address").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Disks of the week")
        assert page.locator("#link").inner_text() == page.url
