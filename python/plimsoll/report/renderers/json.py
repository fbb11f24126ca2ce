"""JSON for programs: the whole document with raw numbers.

    {"format": "plimsoll-report", "version": 1, "title", "subtitle",
     "sections": [{"id", "title", "blocks": [block, …]}],
     "scores": table}

    block   {"type": "text", "sentences": [{"text", "tone"}]}
            {"type": "table", "caption", "columns": [{"key", "title"}], "rows": [{key: cell}], "notes": [text]}
            {"type": "chart", "id", "title", "description", "series": [name], "data": table}
            {"type": "warning", "level", "sentence", "advice", "count", "where"}
            {"type": "listing", "title", "content"}
    cell    {"value": number, "unit": text} · {"low", "high", "unit"} · text · null where there is nothing
            {"value", "unit", "score": text, "ratio": target / baseline or null, "verdict": text or null}

Units are base units: `1/s`, `B/s`, `ns`, `B`, `1`, `USD`, and `x` for ratios. There is no NaN and no infinity. Fields
may be added in version 1; none is removed or changes its meaning.
"""

from __future__ import annotations

import json
from typing import Any

from plimsoll.report.document import (
    Block,
    Cell,
    Chart,
    Document,
    Judged,
    Listing,
    Number,
    Phrase,
    Span,
    Table,
    Text,
    Tone,
    Warning,
)

SUFFIX = ".json"
FORMAT, VERSION = "plimsoll-report", 1


def render(document: Document) -> str:
    """The document as JSON text with a newline at its end."""
    return json.dumps(as_json(document), indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def as_json(document: Document) -> dict[str, Any]:
    """The document as plain lists and maps."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "title": document.title,
        "subtitle": document.subtitle,
        "sections": [
            {"id": section.id, "title": section.title, "blocks": [_block(block) for block in section.blocks]}
            for section in document.sections
        ],
        "scores": _table(document.scores),
    }


def _block(block: Block) -> dict[str, Any]:
    match block:
        case Text():
            sentences = [{"text": sentence.text, "tone": sentence.tone.value} for sentence in block.sentences]
            return {"type": "text", "sentences": sentences}
        case Table():
            return _table(block)
        case Chart():
            about = {"id": block.id, "title": block.title, "description": block.description}
            return {"type": "chart", **about, "series": list(block.series), "data": _table(block.data)}
        case Warning():
            about = {"level": block.level.value, "sentence": block.sentence, "advice": block.advice}
            return {"type": "warning", **about, "count": block.count, "where": block.where}
        case Listing():
            return {"type": "listing", "title": block.title, "content": block.content}


def _table(table: Table) -> dict[str, Any]:
    keys = [column.key for column in table.columns]
    return {
        "type": "table",
        "caption": table.caption,
        "columns": [{"key": column.key, "title": column.title} for column in table.columns],
        "rows": [dict(zip(keys, map(_cell, row), strict=True)) for row in table.rows],
        "notes": list(table.notes),
    }


def _cell(cell: Cell) -> Any:
    match cell:
        case Number():
            return {"value": cell.value, "unit": cell.unit}
        case Span():
            return {"low": cell.low, "high": cell.high, "unit": cell.unit}
        case Judged():
            about = {"value": cell.value, "unit": cell.unit, "score": cell.score, "ratio": cell.ratio}
            return {**about, "verdict": None if cell.tone is Tone.PLAIN else cell.tone.value}
        case Phrase():
            return cell.text
        case None:
            return None
