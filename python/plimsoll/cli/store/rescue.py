"""`plimsoll store rescue`: what can be read of a damaged store, into a new one or into result files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from plimsoll.store.checkup import Checked, Examination

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll store rescue saved.plimsoll.gz` (one result file), `plimsoll store rescue saved/` (one per session), "
    "`plimsoll store rescue new.db` (a new store). Exit status 1: something could not be saved."
)


def command(
    out: Annotated[str, typer.Argument(metavar="OUT", help="A new result file, a folder, or a new store.")],
    parts: Annotated[
        bool, typer.Option("--parts", help="Also save damaged sessions, with those of their runs that can be read.")
    ] = False,
) -> None:
    """Save every intact session of a damaged store. The store itself is not changed.

    Sessions that were altered after they were stored are saved as they are, and stay marked as altered.
    """
    from plimsoll.cli.output import say
    from plimsoll.errors import StoreError
    from plimsoll.store.checkup import Examination
    from plimsoll.store.connection import parse_location
    from plimsoll.store.location import store_location

    _refuse_what_is_there(out)
    with Examination(parse_location(store_location())) as examination:
        found = examination.checkup
        saved = [each for each in found.sessions if each.record is not None and (each.whole or parts)]
        if not saved:
            reason = next(iter(found.sentences), "it is empty")
            raise StoreError(f"nothing of the store {found.place} can be rescued: {reason}; nothing was written")
        _write(examination, saved, out)
    runs = sum(len(each.readable) for each in saved)
    say(f"rescued {len(saved):,} of {len(found.sessions):,} sessions with {runs:,} runs into {out}")
    left = [each for each in found.sessions if not each.whole]
    for each in left:
        kept = "the rest of it was rescued" if each in saved else "left out, --parts takes what can be read of it"
        say(f"session {each.id[-8:]} ({each.title or 'no title'}): {'; '.join(each.damages[:3])}: {kept}")
    if left:
        raise typer.Exit(1)


def _refuse_what_is_there(out: str) -> None:
    from plimsoll.errors import UsageError

    path = Path(out)
    if "://" in out:
        raise UsageError(f"{out}: rescue writes files; merge them into a database with `plimsoll merge` afterwards")
    if path.exists() and not (path.is_dir() and out.endswith("/")):
        raise UsageError(f"{out} already exists, and nothing was written; name a new file, or a folder as {out}/")


def _write(examination: Examination, saved: list[Checked], out: str) -> None:
    from plimsoll.store.opening import open_store
    from plimsoll.store.result_file import SUFFIX, write_results
    from plimsoll.store.union import merge_records

    if out.endswith("/"):
        Path(out).mkdir(exist_ok=True)
        for each in saved:
            write_results(Path(out) / f"{each.id}{SUFFIX}", examination.records(each))
        return
    records = (record for each in saved for record in examination.records(each))
    if out.endswith(SUFFIX):
        write_results(Path(out), records)
    else:
        with open_store(out) as store:
            merge_records(store, records, examination.checkup.place)
