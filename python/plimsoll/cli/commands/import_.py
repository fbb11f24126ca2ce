"""`plimsoll import`: results into the store, our own and those of other tools."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from plimsoll.importers.reading import Outcome
    from plimsoll.model import Session
    from plimsoll.store.store import Store

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll import results.plimsoll.gz`, `plimsoll import fio.json --as gp3`, `plimsoll import 'old/*.csv'`, "
    "`plimsoll import 's3://bucket/*.plimsoll.gz'`. "
    "Several files in one command are one session, in their order. "
    "A file is checked completely before anything of it is stored; the raw file is kept with the runs, but for logs of "
    "more than 16 MiB together: those may be of any size."
)


def command(
    files: Annotated[list[str], typer.Argument(metavar="FILE…", help="Files, globs, archives or addresses.")],
    target: Annotated[
        str | None, typer.Option("--as", metavar="NAME", help="Name of the target of these results.")
    ] = None,
    format_name: Annotated[
        str | None, typer.Option("--format", metavar="FORMAT", help="Read as this format; `plimsoll list formats`.")
    ] = None,
    each: Annotated[bool, typer.Option("--each", help="A session of its own for each file, not one for all.")] = False,
    json: Json = False,
) -> None:
    """Add results of Plimsoll and of other tools (fio, Phoronix, Bonnie++, YCSB, sysbench, pgbench, ioping, …)."""
    from plimsoll.cli.output import print_json, say
    from plimsoll.errors import ResultFileError
    from plimsoll.remote import fetched
    from plimsoll.store.result_file import is_result_file
    from plimsoll.store.store import open_store

    with open_store() as store, fetched(files) as found:
        own = [(name, path) for name, path in found if format_name is None and is_result_file(path)]
        others = [every for every in found if every not in own]
        rows = [_own(store, name, path) for name, path in own]
        shown = {str(path): name for name, path in found}
        rows += _foreign(store, {str(path): name for name, path in others}, target, format_name, each) if others else []
    for row in rows:
        path = row["file"]
        row["file"] = shown.get(path, path)
        row["says"] = [sentence.replace(path, row["file"]) for sentence in row["says"]]
    if json:
        print_json(rows)
    for row in rows:
        for sentence in row["says"]:
            say(f"{row['file']}: {sentence}")
    failed = [row["file"] for row in rows if row["failed"]]
    if failed:
        raise ResultFileError(
            f"not imported: {', '.join(failed)}; the reasons are above; the other files are in the store"
        )


def _own(store: Store, name: str, path: Path) -> dict[str, Any]:
    from plimsoll.errors import PlimsollError
    from plimsoll.store import exchange

    try:
        summary = exchange.import_results(store, path)
    except PlimsollError as error:
        return {"file": name, "format": "plimsoll", "failed": True, "says": [str(error)]}
    return {"file": name, "format": "plimsoll", "failed": False, "says": [str(summary)], **asdict(summary)}


def _foreign(
    store: Store, files: dict[str, str], target: str | None, format_name: str | None, each: bool
) -> list[dict[str, Any]]:
    """Files of other tools, with the names they were given by: one session, unless each is to have its own."""
    from plimsoll.cli.transfer import reading
    from plimsoll.importers.joining import SEVERAL, join, joined_title, may_join
    from plimsoll.importers.reading import read_files
    from plimsoll.importers.source import Options
    from plimsoll.store import exchange

    outcomes = read_files(list(files), Options(target=target), format_name=format_name, watch=reading)
    if each:
        return [_stored(store, outcome) for outcome in outcomes]
    known = list(outcomes)
    parts = [(outcome.place, outcome.imported) for outcome in known if outcome.imported is not None]
    if not may_join([imported for _, imported in parts]):
        return [_stored(store, outcome) for outcome in known]
    title = joined_title([files.get(place, place) for place, _ in parts])
    joined = join([imported for _, imported in parts], title)
    summary = exchange.add_records(store, [joined.session, *joined.runs], title)
    says = f"{summary}; one session of {len(parts):,} files, `--each` makes one of each; {_next(joined.session)}"
    rows = [_told(outcome) for outcome in known]
    return [*rows, {"file": title, "format": SEVERAL, "failed": False, "says": [says], **asdict(summary)}]


def _stored(store: Store, outcome: Outcome) -> dict[str, Any]:
    """What became of one foreign file: stored, left out, or refused."""
    from plimsoll.store import exchange

    row = _told(outcome)
    if outcome.imported is None:
        return row
    summary = exchange.add_records(store, [outcome.imported.session, *outcome.imported.runs], outcome.place)
    says = [f"{outcome.format}: {summary}; {_next(outcome.imported.session)}", *row["says"][1:]]
    return {**row, "says": says, **asdict(summary)}


def _next(session: Session) -> str:
    """Imported results may be older than the last session, which commands take where none is named."""
    from plimsoll.store.store import short_id

    return f"`plimsoll show {short_id(session.id)}`"


def _told(outcome: Outcome) -> dict[str, Any]:
    """What is to be said of one foreign file, wherever its runs are stored."""
    from collections import Counter

    row: dict[str, Any] = {"file": outcome.place, "format": outcome.format, "failed": outcome.error is not None}
    if outcome.imported is None:
        return {**row, "says": [str(outcome.error or outcome.skipped)]}
    runs = outcome.imported.runs
    says = [f"{outcome.format}: {len(runs):,} run{'' if len(runs) == 1 else 's'}", *outcome.imported.warnings]
    told = Counter(finding.message for run in runs for finding in run.findings)
    says += [f"warning: {message}{f' ({count} runs)' if count > 1 else ''}" for message, count in told.items()]
    return {**row, "says": says}
