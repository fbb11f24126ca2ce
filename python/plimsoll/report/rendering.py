"""From a document to its formats, and to files."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from types import ModuleType

from plimsoll import plugins
from plimsoll.drafts import whole_file
from plimsoll.errors import UnknownName, UsageError
from plimsoll.report import printing
from plimsoll.report.document import Chart, Document

PNG_SCALE = 2.0
"""For screens of double density."""
MOST_DRAWN_AT_ONCE = 8
"""Each has an engine of its own, of some 50 MB."""


@cache
def formats() -> dict[str, ModuleType]:
    """The renderers by the name of their format."""
    return {module.__name__.rsplit(".", 1)[-1]: module for module in plugins.modules("plimsoll.report.renderers")}


def format_of(path: Path) -> str:
    """The format that a file name asks for by its suffix.

    Raises UnknownName, and UsageError for a PDF where nothing can print one: callers ask before they measure.
    """
    by_suffix = {module.SUFFIX: name for name, module in formats().items()} | {printing.SUFFIX: printing.FORMAT}
    if path.suffix.lower() not in by_suffix:
        raise UnknownName("report format", path.suffix or path.name, by_suffix, str(path))
    chosen = by_suffix[path.suffix.lower()]
    if chosen == printing.FORMAT:
        printing.browser()
    return chosen


def write(document: Document, format: str, path: Path) -> None:
    """The document as a file in a format of `format_of`, whole or not at all."""
    if format == printing.FORMAT:
        _write(path, printing.pdf(formats()["html"].paper(document)))
    else:
        render(document, format, path)


def render(document: Document, format: str, path: Path | None = None) -> str:
    """The document in one of the formats of `formats()`; also written to `path` if there is one."""
    if format not in formats():
        raise UnknownName("report format", format, formats())
    written: str = formats()[format].render(document)
    if path is not None:
        _write(path, written.encode())
    return written


def chart_files(document: Document, directory: Path) -> list[Path]:
    """The files that `write_charts` writes."""
    return [directory / f"{chart.id}{suffix}" for chart in document.charts for suffix in (".svg", ".png")]


def write_charts(document: Document, directory: Path) -> list[Path]:
    """Every chart as `NAME.svg` and `NAME.png` in `directory`, which is made if it is missing; returns the files."""
    written = []
    # Drawing is done outside of Python, by as many at once as there are processors.
    with ThreadPoolExecutor(min(MOST_DRAWN_AT_ONCE, os.cpu_count() or 1)) as pool:
        for chart, pictures in zip(document.charts, pool.map(_drawn, document.charts), strict=True):
            for suffix, content in pictures.items():
                written.append(directory / f"{chart.id}{suffix}")
                _write(written[-1], content)
    return written


def _drawn(chart: Chart) -> dict[str, bytes]:
    """The pictures of a chart by their suffixes."""
    import vl_convert

    picture = chart.svg()
    return {".svg": picture.encode(), ".png": vl_convert.svg_to_png(picture, scale=PNG_SCALE)}


def _write(path: Path, content: bytes) -> None:
    """The whole file or nothing: a full disk never leaves half a report."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole_file(path) as file:
            file.write(content)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}; choose another place with -o") from None
