"""How commands speak: results on standard output, messages on standard error."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.addresses import shown_in

if TYPE_CHECKING:
    from rich.console import Console


def console(*, stderr: bool = False) -> Console:
    """The terminal; plain text where the stream is none."""
    from rich.console import Console

    return Console(stderr=stderr, highlight=False, soft_wrap=not (sys.stderr if stderr else sys.stdout).isatty())


def harmless(text: object) -> str:
    """Text without control characters: titles and names come from files, and must not drive the terminal."""
    text = str(text)
    if text.isprintable():
        return text
    return "".join(character for character in text if character == "\n" or character.isprintable())


def say(sentence: str) -> None:
    """A message to the user, on standard error; when nobody reads there any more, the work goes on."""
    with suppress(BrokenPipeError):
        print(shown_in(harmless(sentence)), file=sys.stderr, flush=True)


def refuse_to_replace(name: str | Path | None, force: bool) -> None:
    """Raise UsageError if a file, or an object at an address, is there already and nobody said `--force`."""
    from plimsoll import remote
    from plimsoll.errors import UsageError
    from plimsoll.outgoing import check_output

    if name is not None and not remote.is_remote(name):
        check_output(name)
    if name is None or force:
        return
    if remote.exists(str(name)) if remote.is_remote(name) else Path(name).exists():
        raise UsageError(f"{name} already exists; choose another name, or replace it with --force")


def check_report_file(output: str | None, force: bool) -> None:
    """Raise UsageError, before anything is measured, if the report could not be written there."""
    from plimsoll.report import format_of

    if output is not None:
        format_of(Path(output))
        refuse_to_replace(output, force)


def when(time_ns: int) -> str:
    """A moment in the time of this place: `2026-11-25 16:35`."""
    from datetime import datetime

    # Files of other tools do not always say when they were made.
    return f"{datetime.fromtimestamp(time_ns / 1e9):%Y-%m-%d %H:%M}" if time_ns else "unknown"


def print_json(value: Any) -> None:
    """A result for programs."""
    json.dump(value, sys.stdout, indent=2, ensure_ascii=False, default=str)
    sys.stdout.write("\n")


def print_csv(rows: Sequence[Mapping[str, Any]]) -> None:
    """Rows with the same keys as CSV with a header."""
    if rows:
        writer = csv.DictWriter(sys.stdout, fieldnames=list(rows[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: harmless(field(value)) for name, value in row.items()} for row in rows)


def field(value: object) -> str:
    """A value in a table: nothing where there is none, a number with all its digits, never Python's own spelling."""
    from plimsoll.units import plain_text

    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, list | tuple):
        return "; ".join(field(each) for each in value)
    return str(value) if isinstance(value, int | float) and not isinstance(value, bool) else plain_text(value)


WIDEST_NAME = 32


def print_table(rows: Sequence[Mapping[str, Any]], *, right: Sequence[str] = ()) -> None:
    """Rows with the same keys as a table for people; `right` names the columns of numbers."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    if not rows:
        return
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(rows[0]):
        # What a row is about stays in one piece; the other columns give way.
        longest = max(len(field(row[name])) for row in rows)
        whole = number == 0 and longest <= WIDEST_NAME
        table.add_column(name, justify="right" if name in right else "left", overflow="fold", no_wrap=whole)
    for row in rows:
        table.add_row(*(Text(harmless(field(value))) for value in row.values()))
    console().print(table)
