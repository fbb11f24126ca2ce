"""What a report is made of: sections of blocks, without a word about how they look.

Sections build blocks; renderers write them. Cells keep the raw number next to the text that people read, so that JSON
and CSV get numbers and the page gets `118,000/s`. Every text that enters a block is cleaned of control characters
here, once, because names and messages come from other people's files; escaping for HTML, Markdown or a terminal is the
renderer's part.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Literal

from plimsoll.model import Level
from plimsoll.report.charts.vega import Vega
from plimsoll.report.printable import clean
from plimsoll.units import format_value, plain_text

MISSING_TEXT = "n/a"


class Tone(StrEnum):
    """What a sentence or a cell means for the reader; never shown by colour alone."""

    PLAIN = "plain"
    BETTER = "better"
    WORSE = "worse"
    SAME = "same"
    UNKNOWN = "unknown"
    NOTE = "note"


@dataclass(frozen=True)
class Sentence:
    """One sentence of running text."""

    text: str
    tone: Tone = Tone.PLAIN

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean(self.text))


@dataclass(frozen=True)
class Text:
    """Sentences, each on a line of its own."""

    sentences: tuple[Sentence, ...]
    short: bool = True
    """Whether the short report of a terminal and of a pull request has it, too."""


def text(*sentences: str, tone: Tone = Tone.PLAIN, short: bool = True) -> Text:
    """A block of sentences of one tone."""
    return Text(tuple(Sentence(sentence, tone) for sentence in sentences), short)


@dataclass(frozen=True)
class Number:
    """A number in a base unit (`1/s`, `B/s`, `ns`, `B`, `1`, or `x` for a ratio) and how people read it."""

    value: float
    unit: str
    text: str = ""

    def __post_init__(self) -> None:
        if not self.text:
            object.__setattr__(self, "text", format_value(self.value, self.unit))


@dataclass(frozen=True)
class Phrase:
    """A cell of words with a tone; `brief` says the same where space is scarce."""

    text: str
    tone: Tone = Tone.PLAIN
    brief: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", clean(self.text))
        object.__setattr__(self, "brief", clean(self.brief or self.text))


@dataclass(frozen=True)
class Span:
    """Two ends of a range in a base unit and how people read them."""

    low: float
    high: float
    unit: str
    text: str


SHAPES = {Tone.BETTER: "▲", Tone.WORSE: "▼", Tone.SAME: "=", Tone.UNKNOWN: "?"}
"""The shape of each verdict, so that none is told by colour alone."""


@dataclass(frozen=True)
class Judged:
    """A score, and how it compares with the baseline; `ratio` is target / baseline of the metric as measured."""

    value: float | None
    unit: str
    score: str
    ratio: float | None = None
    told: str = ""
    """The ratio with its direction in words; empty for the baseline itself."""
    brief_told: str = ""
    """How many times better or worse, for tables that say which of the two by the shape: `1.8×`."""
    tone: Tone = Tone.PLAIN

    def __post_init__(self) -> None:
        for name in ("score", "told", "brief_told"):
            object.__setattr__(self, name, clean(getattr(self, name)))

    @property
    def verdict(self) -> str:
        """Shape and ratio: `▲ 1.8× faster`; empty for the baseline."""
        return f"{SHAPES.get(self.tone, '')} {self.told}".strip()

    @property
    def text(self) -> str:
        """What people read where there is room."""
        return f"{self.score} {self.verdict}".strip()

    @property
    def brief(self) -> str:
        """What they read where there is little; the score only where nothing is compared with it."""
        return f"{SHAPES[self.tone]}{self.brief_told}" if self.tone in SHAPES else self.score


KIND = "kind"
"""Key of a first column whose words head groups of rows: renderers say each once for its group."""

Cell = Number | Span | Phrase | Judged | None
"""None is "not there": shown as n/a, null in JSON, empty in CSV; never zero."""


def number(value: float | None, unit: str, text: str = "") -> Number | None:
    """A number cell, or None where there is no finite number."""
    return None if value is None or not math.isfinite(value) else Number(float(value), unit, text)


def span(low: float | None, high: float | None, unit: str, text: str) -> Span | None:
    """A range cell, or None where an end is missing."""
    known = low is not None and high is not None and math.isfinite(low) and math.isfinite(high)
    return Span(low, high, unit, text) if known and low is not None and high is not None else None


def phrase(words: object, tone: Tone = Tone.PLAIN) -> Phrase:
    """A cell of words; anything else as people write it, never as Python does."""
    return Phrase(words if isinstance(words, str) else plain_text(words), tone)


def cell_text(cell: Cell) -> str:
    """What people read in a cell."""
    return MISSING_TEXT if cell is None else cell.text


@dataclass(frozen=True)
class Column:
    """A column: `key` names it in JSON, `title` on the page. Numbers are aligned right."""

    key: str
    title: str
    align: Literal["left", "right"] = "left"

    def __post_init__(self) -> None:
        object.__setattr__(self, "key", clean(self.key))
        object.__setattr__(self, "title", clean(self.title))


def columns(*titles: str) -> tuple[Column, ...]:
    """Columns from `title`, or `>title` for one of numbers; the key is the title in lower case with underscores."""
    made = []
    for title in titles:
        name = title.removeprefix(">")
        key = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
        made.append(Column(key, name, "right" if title.startswith(">") else "left"))
    return tuple(made)


@dataclass(frozen=True)
class Table:
    """A table with a caption; `rows` are as long as `columns`. `notes` are printed below it.

    `brief` names the column keys that a terminal shows, where that is not all of them; a table that is not `short` is
    left out of short forms, because sentences above it say the same.
    """

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    brief: tuple[str, ...] = ()
    short: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "caption", clean(self.caption))
        object.__setattr__(self, "notes", tuple(clean(note) for note in self.notes))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"table {self.caption!r}: a row of {len(row)} cells under {len(self.columns)} columns")


@dataclass(frozen=True)
class Chart:
    """A picture of the numbers in `data`. `description` says in words what it shows.

    `draw` makes the picture; only renderers that show pictures call it. `series` names what it tells apart, in order.
    """

    id: str
    title: str
    description: str
    data: Table
    draw: Callable[[], Vega] = field(compare=False, repr=False)
    series: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", clean(self.title))
        object.__setattr__(self, "description", clean(self.description))
        object.__setattr__(self, "series", tuple(clean(name) for name in self.series))

    def inline(self) -> str:
        """The picture as an `<svg>` element for a page."""
        return self.draw().inline(self.description)

    def svg(self) -> str:
        """The picture as an SVG file that stands alone."""
        return self.draw().svg(self.title, self.description)


@dataclass(frozen=True)
class Warning:
    """What a guard found: one sentence, what to do, and in which runs."""

    level: Level
    sentence: str
    advice: str = ""
    count: int = 1
    where: str = ""
    total: int = 0
    """Runs of which `count` are concerned; 0 where that is not known."""

    def __post_init__(self) -> None:
        for name in ("sentence", "advice", "where"):
            object.__setattr__(self, name, clean(getattr(self, name)))

    @property
    def amount(self) -> str:
        """`27 of 300 runs`, `all 300 runs`, `1 run`; empty where it is of no runs in particular."""
        if not self.count:
            return ""
        if self.total > 1:
            return f"all {self.total:,} runs" if self.count == self.total else f"{self.count:,} of {self.total:,} runs"
        return f"{self.count:,} run{'' if self.count == 1 else 's'}"


@dataclass(frozen=True)
class Listing:
    """Text that is shown as it is, such as a study file."""

    title: str
    content: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", clean(self.title))
        object.__setattr__(self, "content", clean(self.content))


Block = Text | Table | Chart | Warning | Listing


def is_short(block: Block) -> bool:
    """Whether the short report of a terminal and of a pull request has a block."""
    return not isinstance(block, Table | Text) or block.short


@dataclass(frozen=True)
class Section:
    """One part of a report. `short` ones are all that a terminal and a pull request show."""

    id: str
    title: str
    blocks: tuple[Block, ...]
    short: bool = False
    lead: bool = False
    """Belongs to what is read first, and is never folded."""


@dataclass(frozen=True)
class Document:
    """A whole report. `make_scores` makes the flat table of every score of every run, which few renderers want."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    make_scores: Callable[[], Table] = field(compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "title", clean(self.title))
        object.__setattr__(self, "subtitle", clean(self.subtitle))

    @cached_property
    def scores(self) -> Table:
        """The flat table of every score of every run."""
        return self.make_scores()

    @property
    def short_sections(self) -> Sequence[Section]:
        """The sections that a terminal and a pull request show: short ones with more than long tables."""
        return [section for section in self.sections if section.short and any(map(is_short, section.blocks))]

    @property
    def charts(self) -> Sequence[Chart]:
        """All charts in order."""
        return [block for section in self.sections for block in section.blocks if isinstance(block, Chart)]
