"""What a harbour master writes down."""

from __future__ import annotations

import sys

from plimsoll.importers.draft import Draft
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source

NAME = "harbour"
TITLE = "a harbour master's log"
TOOLS = ("harbour",)


def recognise(head: bytes, name: str) -> bool:
    """By its first line, whatever its name is."""
    return bool(name) and head.startswith(b"ships per second: ")


def read(source: Source, options: Options) -> Imported:
    """One run."""
    draft = Draft(test="ships", case="ships", parameters={}, storage=True)
    draft.rate("iops", float(source.text.removeprefix("ships per second: ")))
    return build(sys.modules[__name__], source, options, [draft])
