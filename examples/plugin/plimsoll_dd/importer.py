"""Reads what dd printed."""

from __future__ import annotations

import sys

from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import located
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import SECOND
from plimsoll_dd.output import copies, is_told_of

PLIMSOLL_CONTRACT = 1
NAME = "dd"
TITLE = "what GNU dd prints"
TOOLS = ("dd",)


def recognise(head: bytes, name: str) -> bool:
    """Whether a file can be in this format, by its first 64 KiB. Asked only of files in no format of Plimsoll's own."""
    del name
    return is_told_of(head.decode("utf-8", "replace"))


@located  # a number that is refused is named with its file and line
def read(source: Source, options: Options) -> Imported:
    """One run for each copy. Raises ResultFileError (from `build`) where there is none."""
    drafts = []
    for each in copies(source.text):
        draft = Draft(test="dd", case="dd", parameters={"bytes": each.bytes}, storage=True)
        draft.duration_ns = each.elapsed_s * SECOND
        draft.bandwidth("throughput", each.bytes_per_s)
        drafts.append(draft)
    return build(sys.modules[__name__], source, options, drafts)
