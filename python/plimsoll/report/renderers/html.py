"""One HTML file that holds everything: no network, charts drawn by its own scripts, and every number as a table."""

from __future__ import annotations

import json
import os
from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import groupby
from typing import TYPE_CHECKING

from plimsoll.report import palette
from plimsoll.report.document import Block, Chart, Document, Section, Warning
from plimsoll.report.renderers import _tables
from plimsoll.report.renderers._whole import whole

if TYPE_CHECKING:
    from jinja2 import Environment

SUFFIX = ".html"


@dataclass(frozen=True)
class Charts:
    """Charts side by side."""

    pictures: tuple[tuple[Chart, _Still | str, str], ...]
    """Each with its still picture, and what a browser draws it from; one of both may be empty."""


@dataclass(frozen=True)
class More:
    """Cautions that are folded, so that the first screen has room for what they follow."""

    warnings: tuple[Warning, ...]


FEW_WARNINGS = 5
"""So many are in sight."""


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
    for filter in (
        _tables.rows,
        _tables.heads,
        _tables.judge,
        _tables.is_wide,
        _tables.is_filtered,
        _tables.is_kinds,
        whole,
    ):
        made.filters[filter.__name__] = filter
    made.tests["of"] = lambda block, name: type(block).__name__ == name
    return made


def style() -> str:
    """The CSS of a report, with the dark colours of its charts."""
    loader = environment().loader
    assert loader is not None
    return loader.get_source(environment(), "page.css")[0] + palette.dark_style()


def laid_out(sections: Iterable[Section], *, paper: bool = False) -> list[tuple[Section, list[Block | Charts | More]]]:
    """Sections as `parts.html` shows them: neighbouring charts together."""
    # Still pictures are drawn outside of Python, while the data of the other charts are written.
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        return [(section, list(_folded(_grouped(section, _Draughtsman(pool, paper))))) for section in sections]
    finally:
        pool.shutdown(wait=False)


def _folded(blocks: Iterable[Block | Charts]) -> Iterator[Block | Charts | More]:
    """With the warnings beyond the first few together, if they are more than one."""
    for warned, group in groupby(blocks, lambda block: isinstance(block, Warning)):
        found = list(group)
        kept = FEW_WARNINGS if warned and len(found) > FEW_WARNINGS + 1 else len(found)
        yield from found[:kept]
        if rest := tuple(each for each in found[kept:] if isinstance(each, Warning)):
            yield More(rest)


def _grouped(section: Section, by: _Draughtsman) -> Iterator[Block | Charts]:
    waiting: list[Chart] = []
    for block in section.blocks:
        if isinstance(block, Chart):
            waiting.append(block)
            continue
        if waiting:
            yield by.charts(waiting)
            waiting = []
        yield block
    if waiting:
        yield by.charts(waiting)


class _Still:
    """A still picture that is being drawn; templates ask for it when its turn comes."""

    def __init__(self, drawing: Future[str]) -> None:
        self._drawing = drawing

    def __html__(self) -> str:
        return self._drawing.result()


@dataclass(frozen=True)
class _Draughtsman:
    """Has the pictures of charts made."""

    pool: ThreadPoolExecutor
    paper: bool

    def charts(self, found: Sequence[Chart]) -> Charts:
        """Charts side by side, with what a browser draws and, of some, a still picture."""
        return Charts(tuple(self._pictures(chart) for chart in found))

    def _pictures(self, chart: Chart) -> tuple[Chart, _Still | str, str]:
        from markupsafe import Markup

        picture = chart.draw()
        is_still = self.paper or picture.still
        still = _Still(self.pool.submit(picture.inline, chart.description)) if is_still else ""
        return chart, still, "" if self.paper else Markup(picture.data())
