"""PostMark: its verbose report. Times are whole seconds; its megabytes are MiB."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator

from plimsoll.importers.draft import Draft
from plimsoll.importers.quantities import number, scaled, whole
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import GIB, KIB, MIB, SECOND

NAME = "postmark"
TITLE = "PostMark report"
TOOLS = ("PostMark",)

_VERSION = re.compile(r"PostMark v(\d[\d.]{0,8})")
_SETTINGS = {
    "files": re.compile(r"The base number of files is (\d{1,12})"),
    "transactions": re.compile(r"Transactions: (\d{1,12})"),
    "seed": re.compile(r"Random number generator seed is (\d{1,12})"),
}
_TOTAL = re.compile(r"\s(\d{1,12}) seconds total")
_TRANSACTIONS = re.compile(r"\s(\d{1,12}) seconds of transactions \((\d{1,12}) per second\)")
_FILES = re.compile(r"\t(\d{1,12}) (created|read|appended|deleted) \((\d{1,12}) per second\)")
_ALONE = re.compile(r"\t(Creation|Deletion) alone: (\d{1,12}) files \((\d{1,12}) per second\)")
_DATA = re.compile(r"\t([\d.]{1,20}) (bytes|kilobytes|megabytes|gigabytes) (read|written) ")
_UNITS = {"bytes": 1, "kilobytes": KIB, "megabytes": MIB, "gigabytes": GIB}
_START = "Creating files..."


def recognise(head: bytes, name: str) -> bool:
    """`PostMark v1.51 : 8/14/01` at the beginning of a line, or its line of transactions."""
    del name
    text = head.decode("utf-8", "replace")
    return _VERSION.match(text) is not None or _TRANSACTIONS.search(text) is not None


def read(source: Source, options: Options) -> Imported:
    """One run for every time that the program created its files."""
    before, *parts = source.text.split(_START)
    version = _VERSION.search(before)
    settings = {name: found for name, form in _SETTINGS.items() if (found := _last(form, before)) is not None}
    drafts = (_draft(part, settings, version[1] if version else "") for part in parts)
    return build(sys.modules[__name__], source, options, drafts)


def _last(form: re.Pattern[str], text: str) -> int | None:
    found = form.findall(text)
    return whole(found[-1]) if found else None


def _draft(text: str, settings: dict[str, int], version: str) -> Draft:
    draft = Draft(test="postmark", case="postmark", parameters=dict(settings), storage=True)
    draft.known(tool_version=version)
    if total := _TOTAL.search(text):
        draft.duration_ns = scaled(total[1], SECOND)
    if found := _TRANSACTIONS.search(text):
        seconds = whole(found[1]) or 0
        draft.rate("transactions_postmark", number(found[2]))
        draft.known(transaction_seconds=seconds)
        draft.warn(
            "whole_seconds",
            f"PostMark counts whole seconds: of {seconds} s the rate is exact to {1 / max(1, seconds):.0%} at best",
            "run more transactions",
        )
    else:
        draft.fail("the report has no line of transactions; is the file complete?")
    for name, value in _counts(text):
        draft.known(counts={name: value})
    for kind, _, rate in _ALONE.findall(text):
        draft.rate({"Creation": "create_postmark", "Deletion": "delete_postmark"}[kind], number(rate))
    return draft


def _counts(text: str) -> Iterator[tuple[str, float]]:
    """Files and bytes, which are the same for the same settings and seed."""
    for count, what, _ in _FILES.findall(text):
        yield what, float(count)
    for amount, unit, way in _DATA.findall(text):
        moved = scaled(amount, _UNITS[unit])
        if moved is not None:
            yield f"{way}_bytes", moved
