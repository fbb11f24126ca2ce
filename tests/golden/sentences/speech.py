"""What the parts of the program that draw conclusions say, as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from tests.golden.sentences.templates import plain

from plimsoll import plugins
from plimsoll.report import Evidence, build_document
from plimsoll.report.document import Block, Chart, Listing, Table, Text, Warning
from plimsoll.run.evidence import RunEvidence

GUARDS = {guard.NAME: guard for guard in plugins.modules("plimsoll.run.guards")}


@dataclass(frozen=True)
class Situation:
    """Data of known truth, what must be said of them, and what must not."""

    family: str
    """Situations of one family are judged by the same parts of the program."""
    name: str
    speak: Callable[[], Sequence[str]]
    says: tuple[str, ...] = ()
    never: tuple[str, ...] = ()

    @cached_property
    def lines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(plain(line) for line in self.speak() if line))

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def of_guards(run: RunEvidence, names: Sequence[str]) -> list[str]:
    """What these guards say of a run, advice of the good ones too."""
    found = [GUARDS[name].check(run) for name in names]
    return [part for each in found if each is not None for part in (each.message, each.advice)]


def of_report(found: Evidence) -> list[str]:
    """Every word of a report."""
    return [line for section in build_document(found).sections for line in of_blocks(section.blocks)]


def of_blocks(blocks: Sequence[Block]) -> list[str]:
    return [line for block in blocks for line in _of_block(block)]


def _of_block(block: Block) -> Iterator[str]:
    match block:
        case Text():
            yield from (each.text for each in block.sentences)
        case Warning():
            yield from (block.sentence, block.advice, block.where)
        case Table():
            yield block.caption
            yield from (column.title for column in block.columns)
            yield from block.notes
            yield from (cell.text for row in block.rows for cell in row if cell is not None)
        case Chart():
            yield from (block.title, block.description, *block.series)
            yield from _of_block(block.data)
        case Listing():
            yield from (block.title, *block.content.splitlines())
