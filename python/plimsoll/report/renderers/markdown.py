"""Markdown for pull requests: answer, table, cautions and what differs; scores and how it was measured are folded."""

from __future__ import annotations

import re
from html import escape

from plimsoll.model import Level
from plimsoll.report.document import (
    Block,
    Chart,
    Document,
    Listing,
    Section,
    Table,
    Text,
    Tone,
    Warning,
    cell_text,
    is_short,
)

SUFFIX = ".md"
FOLDED = ("scores", "environment", "method")
_SPECIAL = re.compile(r"([\\`*_\[\]|~#@])")
_MARKS = {Tone.BETTER: "🟢 ", Tone.WORSE: "🔴 ", Tone.SAME: "⚪ ", Tone.UNKNOWN: "🟡 "}
_LEVELS = {Level.OK: "note", Level.WARN: "warning", Level.INVALID: "invalid"}


def render(document: Document) -> str:
    """The short sections, then the folded ones."""
    shown = document.short_sections
    parts = [f"# {inline(document.title)}", inline(document.subtitle)]
    for section in shown:
        parts += [f"## {inline(section.title)}", *_blocks(section, short=True)]
    for section in document.sections:
        if section.id in FOLDED and section not in shown:
            body = "\n\n".join(_blocks(section, short=False))
            parts.append(f"<details><summary>{escape(section.title)}</summary>\n\n{body}\n\n</details>")
    return "\n\n".join(part for part in parts if part) + "\n"


def _blocks(section: Section, *, short: bool) -> list[str]:
    shown = [block for block in section.blocks if is_short(block) or not short]
    return [written for block in shown if (written := _block(block))]


def _block(block: Block) -> str:
    match block:
        case Text():
            return "\n".join(f"- {_MARKS.get(each.tone, '')}{inline(each.text)}" for each in block.sentences)
        case Table():
            return _table(block)
        case Warning():
            runs = f" ({': '.join(filter(None, (block.amount, block.where)))})" if block.where else ""
            advice = f" → {block.advice}" if block.advice else ""
            return f"- **{_LEVELS[block.level]}**: {inline(block.sentence + runs + advice)}"
        case Listing():
            fence = "`" * (1 + max((len(run) for run in re.findall("`+", block.content)), default=2))
            return f"{inline(block.title)}\n\n{fence}\n{block.content.rstrip()}\n{fence}"
        case Chart():
            return ""


def _table(table: Table) -> str:
    lines = [
        "| " + " | ".join(inline(column.title) or " " for column in table.columns) + " |",
        "|" + "|".join("---:" if column.align == "right" else "---" for column in table.columns) + "|",
    ]
    lines += ["| " + " | ".join(inline(cell_text(cell)) or " " for cell in row) + " |" for row in table.rows]
    notes = "".join(f"\n\n{inline(note)}" for note in table.notes)
    return f"**{inline(table.caption)}**\n\n" + "\n".join(lines) + notes


def inline(words: str) -> str:
    """Words as one line of Markdown that means nothing but themselves."""
    plain = escape(" ".join(words.split()), quote=False)
    return _SPECIAL.sub(r"\\\1", plain)
