"""Reports: sections make blocks, renderers write them. Never opens a store.

build_document(Evidence) → Document (with short=True only what a terminal shows)
render(Document, format, path) → text, and the file if there is a path
write(Document, format, path) → the file, a PDF too
write_charts(Document, directory) → every chart as SVG and PNG
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from plimsoll.report.build import build_document
    from plimsoll.report.document import Document
    from plimsoll.report.evidence import Evidence
    from plimsoll.report.rendering import PNG_SCALE, chart_files, format_of, formats, render, write, write_charts

_PLACES = {
    "build_document": "build",
    "Document": "document",
    "Evidence": "evidence",
    **dict.fromkeys(
        ("PNG_SCALE", "chart_files", "format_of", "formats", "render", "write", "write_charts"), "rendering"
    ),
}


def __getattr__(name: str) -> Any:
    """Loaded when used: a comparison on the terminal needs no charts."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_PLACES[name]}"), name)


__all__ = [
    "PNG_SCALE",
    "Document",
    "Evidence",
    "build_document",
    "chart_files",
    "format_of",
    "formats",
    "render",
    "write",
    "write_charts",
]
