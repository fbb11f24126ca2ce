"""What a user sees, kept as files: a change of the report is a change of these files, and is read in review.

`UPDATE_GOLDEN=1 pytest tests/golden/report` writes them anew; a mismatch writes a `.got` file beside the expected one.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tests.golden.kept import check
from tests.unit.report.studies import drawn_spec, pair, quick, small

from plimsoll.report import build_document, render
from plimsoll.report.document import Document
from plimsoll.report.renderers import terminal

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def documents() -> dict[str, Document]:
    return {name: build_document(make()) for name, make in (("pair", pair), ("quick", quick), ("small", small))}


def shorter_numbers(text: str) -> str:
    """Numbers with 9 digits: the last ones depend on the order in which a processor adds."""
    return re.sub(r"\d+\.\d{6,}(?:e[+-]?\d+)?", lambda match: f"{float(match[0]):.9g}", text)


@pytest.mark.parametrize("study", ["pair", "quick"])
def test_terminal(documents: dict[str, Document], study: str) -> None:
    check(HERE / f"{study}.txt", terminal.render(documents[study], width=100))


@pytest.mark.parametrize(
    ("study", "name", "suffix"), [("pair", "markdown", "md"), ("small", "json", "json"), ("small", "csv", "csv")]
)
def test_format(documents: dict[str, Document], study: str, name: str, suffix: str) -> None:
    check(HERE / f"{study}.{suffix}", shorter_numbers(render(documents[study], name)))


class Outline(HTMLParser):
    """Headings, captions, figures and table sizes of a page, one per line."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.lines: list[str] = []
        self.inside = ""
        self.rows = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("h1", "h2", "h3", "caption", "figcaption"):
            self.inside = tag
        elif tag == "svg" and dict(attrs).get("role") == "img":
            self.picture(dict(attrs)["aria-label"])
        elif tag == "div" and "data-label" in dict(attrs):
            self.picture(dict(attrs)["data-label"])
        elif tag == "tr":
            self.rows += 1

    def picture(self, label: str | None) -> None:
        """Once, whether it is a still one, one that a browser draws, or both."""
        line = f"      picture: {label}"
        self.lines += [] if self.lines[-1:] == [line] else [line]

    def handle_data(self, data: str) -> None:
        if self.inside and data.strip():
            indent = {"h1": "", "h2": "", "h3": "  ", "caption": "    table: ", "figcaption": "    figure: "}
            self.lines.append(indent[self.inside] + data.strip())

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""
        elif tag == "table":
            self.lines.append(f"      {self.rows - 1} rows")
            self.rows = 0


@pytest.mark.parametrize("study", ["pair", "quick"])
def test_page_structure(documents: dict[str, Document], study: str) -> None:
    check(HERE / f"{study}.outline", "\n".join(Outline(render(documents[study], "html")).lines) + "\n")


@pytest.mark.parametrize("chart", ["forest-0", "strip-2", "series-1", "latency-0"])
def test_specifications(documents: dict[str, Document], chart: str) -> None:
    found = next(each for each in documents["pair"].charts if each.id == chart)
    check(HERE / f"{chart}.json", shorter_numbers(json.dumps(drawn_spec(found), indent=1, ensure_ascii=False)) + "\n")
