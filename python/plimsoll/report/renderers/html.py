"""One HTML file that holds everything: no network, charts drawn by its own scripts, and every number as a table."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from plimsoll.report import palette
from plimsoll.report.document import Block, Chart, Document, Section
from plimsoll.report.renderers import _tables

if TYPE_CHECKING:
    from jinja2 import Environment

SUFFIX = ".html"


@dataclass(frozen=True)
class Charts:
    """Charts side by side."""

    pictures: tuple[tuple[Chart, str, str], ...]
    """Each with its still picture, and what a browser draws it from; one of both may be empty."""


def render(document: Document) -> str:
    """The report as one HTML page that needs no other file."""
    return _page(document, paper=False)


def paper(document: Document) -> str:
    """The same page as it is printed: all charts are still pictures."""
    return _page(document, paper=True)


def _page(document: Document, *, paper: bool) -> str:
    from markupsafe import Markup

    sections = laid_out(document.sections, paper=paper)
    drawn = any(
        spec for _, blocks in sections for block in blocks if isinstance(block, Charts) for *_, spec in block.pictures
    )
    return (
        environment()
        .get_template("page.html")
        .render(
            document=document,
            sections=sections,
            style=Markup(style()),
            scripts=() if paper else [(Markup(text), digest) for text, digest in scripts(drawn=drawn)],
        )
    )


@cache
def scripts(*, drawn: bool) -> tuple[tuple[str, str], ...]:
    """The scripts of a page, each with what the policy of the page names it by; some only where charts are drawn."""
    from plimsoll.report.charts.bundle import library

    texts = [*((library(), script("charts.js")) if drawn else ()), script("tables.js")]
    return tuple((text, f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'") for text in texts)


def script(name: str) -> str:
    """One of our own: what draws the charts of a page with that library, or what sorts and filters tables."""
    from plimsoll.report.charts.vega import CONFIG

    loader = environment().loader
    assert loader is not None
    # What all charts look like is said once.
    return loader.get_source(environment(), name)[0].replace("CHART_CONFIG", json.dumps(CONFIG))


@cache
def environment() -> Environment:
    """The templates, where every text is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("plimsoll.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    for filter in (_tables.rows, _tables.heads, _tables.judge, _tables.is_wide, _tables.is_filtered):
        made.filters[filter.__name__] = filter
    made.tests["of"] = lambda block, name: type(block).__name__ == name
    return made


def style() -> str:
    """The CSS of a report, with the dark colours of its charts."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), "page.css")[0] + palette.dark_style()


def laid_out(sections: Iterable[Section], *, paper: bool = False) -> list[tuple[Section, list[Block | Charts]]]:
    """Sections as `parts.html` shows them: neighbouring charts together."""
    return [(section, list(_grouped(section, paper))) for section in sections]


def _grouped(section: Section, paper: bool) -> Iterator[Block | Charts]:
    waiting: list[Chart] = []
    for block in section.blocks:
        if isinstance(block, Chart):
            waiting.append(block)
            continue
        if waiting:
            yield _charts(waiting, paper)
            waiting = []
        yield block
    if waiting:
        yield _charts(waiting, paper)


def _charts(found: list[Chart], paper: bool) -> Charts:
    from markupsafe import Markup

    pictures = []
    for chart, picture in [(chart, chart.draw()) for chart in found]:
        spec = "" if paper else picture.data()
        still = picture.inline(chart.description) if paper or picture.still else ""
        pictures.append((chart, Markup(still), Markup(spec)))
    return Charts(tuple(pictures))
