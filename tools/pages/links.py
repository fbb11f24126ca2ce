"""Looks at the built pages: links lead somewhere, nothing would be fetched, no Markdown is left in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import SplitResult, unquote, urlsplit

FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "link": "href"}
"""What a browser asks for without being told to."""
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)*(:\d+)?", re.IGNORECASE)
STYLE = re.compile(r"(?:url\(|@import\s)['\"\s]*((?:https?:)?//[^'\")\s]+)")
"""An address that a style would fetch."""
MARKDOWN = re.compile(r".{0,30}(?:```|\|---|\]\().{0,30}")
"""A fence, a table or a link that the reader of Markdown did not take for one."""
VERBATIM = {"pre", "code", "script", "style"}


@dataclass
class Page:
    """What leads out of a page, and where links into it may point."""

    ids: set[str] = field(default_factory=set)
    links: list[tuple[str, str]] = field(default_factory=list)
    """Element and address."""
    left_over: list[str] = field(default_factory=list)
    """Text that a reader would see as Markdown."""


class _Reader(HTMLParser):
    def __init__(self, page: Page) -> None:
        super().__init__()
        self.page = page
        self.style = False
        self.verbatim = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.page.ids |= {given[name] for name in ("id", "name") if name in given}
        wanted = FETCHED.get(tag, "href" if tag == "a" else "")
        if wanted in given:
            self.page.links.append((tag, given[wanted]))
        self.style = tag == "style"
        self.verbatim += tag in VERBATIM

    def handle_endtag(self, tag: str) -> None:
        self.style = False
        self.verbatim -= tag in VERBATIM

    def handle_data(self, data: str) -> None:
        if self.style:
            self.page.links += [("link", address) for address in STYLE.findall(data)]
        if not self.verbatim:
            self.page.left_over += MARKDOWN.findall(data)


@cache
def read(path: Path) -> Page:
    """A page of HTML."""
    page = Page()
    _Reader(page).feed(path.read_text(encoding="utf-8"))
    return page


def problems(site: Path) -> Iterator[str]:
    """One line for each link that leads nowhere, each address that would be fetched, and Markdown that was not read."""
    read.cache_clear()
    for path in sorted(site.rglob("*.html")):
        yield from (f"{path.relative_to(site)}: {text!r} stands in the text" for text in read(path).left_over)
        for tag, address in read(path).links:
            why = _problem(site, path, tag, address)
            if why:
                yield f"{path.relative_to(site)}: {address}: {why}"
    for path in sorted(site.rglob("*.css")):
        for address in STYLE.findall(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site)}: {address}: would be fetched"


def _problem(site: Path, path: Path, tag: str, address: str) -> str | None:
    try:
        parts = urlsplit(address)
    except ValueError as error:
        return str(error)
    if parts.scheme == "data":
        return None
    if parts.scheme or parts.netloc:
        return "would be fetched" if tag in FETCHED else _badly_written(parts)
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path.resolve()
    if not target.is_relative_to(site.resolve()) or not target.is_file():
        return "no such file"
    known = parts.fragment == "" or target.suffix != ".html" or unquote(parts.fragment) in read(target).ids
    return None if known else "no such place in that page"


def _badly_written(parts: SplitResult) -> str | None:
    """Of an address elsewhere: whether there is such a page is not asked, because there may be no network."""
    well = parts.scheme == "mailto" or (parts.scheme in ("http", "https") and HOST.fullmatch(parts.netloc))
    return None if well else "is no address that a browser can open"
