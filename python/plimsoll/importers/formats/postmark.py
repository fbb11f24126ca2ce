"""PostMark: its verbose report. Times are whole seconds; its megabytes are MiB."""

from __future__ import annotations

import sys
from collections.abc import Iterator

from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import FIELD, count, figure, located
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import GIB, KIB, MIB, SECOND

NAME = "postmark"
TITLE = "PostMark report"
TOOLS = ("PostMark",)

_VERSION = Sought(r"PostMark v(\d[\d.]{0,8})", "PostMark v")
_SETTINGS = {
    "files": Sought(rf"The base number of files is {FIELD}", "The base number of files is "),
    "transactions": Sought(rf"Transactions: {FIELD}", "Transactions: "),
    "seed": Sought(rf"Random number generator seed is {FIELD}", "Random number generator seed is "),
}
_TOTAL = Sought(rf"(?<!\S){FIELD} seconds total", " seconds total")
_TRANSACTIONS = Sought(rf"(?<!\S){FIELD} seconds of transactions \({FIELD} per second\)", " seconds of transactions (")
_FILES = Sought(rf"\t{FIELD} (created|read|appended|deleted) \({FIELD} per second\)", " per second)")
_ALONE = Sought(rf"\t(Creation|Deletion) alone: {FIELD} files \({FIELD} per second\)", "ion alone: ")
_DATA = Sought(rf"\t{FIELD} (bytes|kilobytes|megabytes|gigabytes) (read|written) ", "bytes read ", "bytes written ")
_UNITS = {"bytes": 1, "kilobytes": KIB, "megabytes": MIB, "gigabytes": GIB}
_START = "Creating files..."


def recognise(head: bytes, name: str) -> bool:
    """`PostMark v1.51 : 8/14/01` at the beginning of a line, or its line of transactions."""
    del name
    if b"PostMark" not in head and b" seconds of transactions (" not in head:
        return False
    text = head.decode("utf-8", "replace")
    return _VERSION.match(text) is not None or _TRANSACTIONS.search(text) is not None


@located
def read(source: Source, options: Options) -> Imported:
    """One run for every time that the program created its files."""
    before, *parts = source.text.split(_START)
    version = _VERSION.search(before)
    settings = {name: found for name, form in _SETTINGS.items() if (found := _last(form, before)) is not None}
    drafts = (_draft(part, settings, version[1] if version else "") for part in parts)
    return build(sys.modules[__name__], source, options, drafts)


def _last(form: Sought, text: str) -> int | None:
    found = list(form.finditer(text))
    return count(found[-1]) if found else None


def _draft(text: str, settings: dict[str, int], version: str) -> Draft:
    draft = Draft(test="postmark", case="postmark", parameters=dict(settings), storage=True)
    draft.known(tool_version=version)
    if total := _TOTAL.search(text):
        draft.duration_ns = figure(total, 1, SECOND)
    if found := _TRANSACTIONS.search(text):
        seconds = count(found)
        draft.rate("transactions_postmark", figure(found, 2))
        draft.known(transaction_seconds=seconds)
        # A file that is read again must say what it said: its words are part of the stored run.
        draft.warn(
            "whole_seconds",
            f"PostMark counts whole seconds: of {seconds} s the rate is exact to {1 / max(1, seconds):.0%} at best",
            "run more transactions",
        )
    else:
        draft.fail("the report has no line of transactions; is the file complete?")
    for name, value in _counts(text):
        draft.known(counts={name: value})
    for match in _ALONE.finditer(text):
        draft.rate({"Creation": "create_postmark", "Deletion": "delete_postmark"}[match[1]], figure(match, 3))
    return draft


def _counts(text: str) -> Iterator[tuple[str, float]]:
    """Files and bytes, which are the same for the same settings and seed."""
    for match in _FILES.finditer(text):
        yield match[2], float(count(match))
    for match in _DATA.finditer(text):
        moved = figure(match, 1, _UNITS[match[2]])
        if moved is not None:
            yield f"{match[3]}_bytes", moved
