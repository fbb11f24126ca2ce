"""`plimsoll.import_files`: results into the store, our own and those of other tools."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from plimsoll.api import faults
from plimsoll.api.arguments import checked
from plimsoll.api.asked import paths_of
from plimsoll.api.finding import place_of
from plimsoll.errors import PlimsollError, ResultFileError
from plimsoll.importers.joining import SEVERAL, join, joined_title, may_join
from plimsoll.importers.reading import Outcome, read_files
from plimsoll.importers.source import Options
from plimsoll.importers.streams import Watch
from plimsoll.remote import fetched
from plimsoll.store import exchange
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import is_result_file
from plimsoll.store.store import Store
from plimsoll.store.union import ImportSummary, add_records


@dataclass(frozen=True)
class ImportedFile:
    """What became of one file, or of several that make one session."""

    file: str
    format: str
    """Name of the format; empty for a file that was left out, `several` for a session of several files."""
    failed: bool
    says: tuple[str, ...]
    """What was read, what to know about it, or why it was not."""
    session_id: str | None = None
    """Of the session that holds its runs; None where they are in one of several files, and of a result file."""
    summary: ImportSummary | None = None
    """What is new in the store; None where nothing was stored by itself."""

    def row(self) -> dict[str, Any]:
        """As `plimsoll import --json` writes it."""
        found = {"file": self.file, "format": self.format, "failed": self.failed, "says": list(self.says)}
        return found | (vars(self.summary) if self.summary else {})


@checked("files")
def import_files(
    files: str | PathLike[str] | Iterable[str | PathLike[str]],
    *,
    target: str | None = None,
    format: str | None = None,
    each: bool = False,
    strict: bool = True,
    store: str | Path | None = None,
) -> list[ImportedFile]:
    """Add results of Plimsoll and of other tools to the store, as `plimsoll import` does.

    `files` are names, globs, archives and addresses; several are one session, in their order, unless `each` is to have
    its own. `target` names the target of the results, `format` reads as one of `plimsoll list formats`. Raises
    ResultFileError if a file could not be read, after all others were stored; with `strict=False` the list says so.
    """
    with faults.told():
        names = paths_of(files)
        with open_store(place_of(store)) as opened:
            found = imported(opened, names, target, format, each=each)
        if strict:
            check_imported(found)
    return found


def imported(
    store: Store,
    files: Sequence[str],
    target: str | None,
    format_name: str | None,
    *,
    each: bool,
    watch: Watch | None = None,
) -> list[ImportedFile]:
    """What became of each file; places that were fetched are told as they were given."""
    with fetched(files) as found:
        own = [(name, path) for name, path in found if format_name is None and is_result_file(path)]
        others = {str(path): name for name, path in found if (name, path) not in own}
        rows = [_own(store, name, path) for name, path in own]
        if others:
            rows += _foreign(store, others, Options(target=target), format_name, each, watch)
        shown = {str(path): name for name, path in found}
        return [_as_given(row, shown) for row in rows]


def check_imported(found: Sequence[ImportedFile]) -> None:
    """Raise ResultFileError where a file could not be read."""
    if failed := [each for each in found if each.failed]:
        raise ResultFileError(
            f"not imported: {', '.join(each.file for each in failed)}; "
            f"{'; '.join(sentence for each in failed for sentence in each.says)}; the other files are in the store"
        )


def _as_given(row: ImportedFile, shown: dict[str, str]) -> ImportedFile:
    path = row.file
    name = shown.get(path, path)
    return replace(row, file=name, says=tuple(sentence.replace(path, name) for sentence in row.says))


def _own(store: Store, name: str, path: Path) -> ImportedFile:
    try:
        summary = exchange.import_results(store, path)
    except PlimsollError as error:
        return ImportedFile(name, "plimsoll", True, (str(error),))
    return ImportedFile(name, "plimsoll", False, (str(summary),), summary=summary)


def _foreign(
    store: Store, files: dict[str, str], options: Options, format_name: str | None, each: bool, watch: Watch | None
) -> list[ImportedFile]:
    """Files of other tools, with the names they were given by: one session, unless each is to have its own."""
    outcomes = read_files(list(files), options, format_name=format_name, watch=watch)
    if each:
        return [_stored(store, outcome) for outcome in outcomes]
    known = list(outcomes)
    parts = [(outcome.place, outcome.imported) for outcome in known if outcome.imported is not None]
    if not may_join([part for _, part in parts]):
        return [_stored(store, outcome) for outcome in known]
    title = joined_title([files.get(place, place) for place, _ in parts])
    joined = join([part for _, part in parts], title)
    summary = add_records(store, [joined.session, *joined.runs], title)
    says = f"{summary}; one session of {len(parts):,} files, `--each` makes one of each; {_next(joined.session.id)}"
    rows = [_told(outcome) for outcome in known]
    return [*rows, ImportedFile(title, SEVERAL, False, (says,), joined.session.id, summary)]


def _stored(store: Store, outcome: Outcome) -> ImportedFile:
    """What became of one foreign file: stored, left out, or refused."""
    row = _told(outcome)
    if outcome.imported is None:
        return row
    session = outcome.imported.session
    summary = add_records(store, [session, *outcome.imported.runs], outcome.place)
    says = (f"{outcome.format}: {summary}; {_next(session.id)}", *row.says[1:])
    return replace(row, says=says, session_id=session.id, summary=summary)


def _next(session_id: str) -> str:
    """Commands take the session that came last where none is named; that may be another one soon."""
    return f"`plimsoll show {short_id(session_id)}`"


def _told(outcome: Outcome) -> ImportedFile:
    """What is to be said of one foreign file, wherever its runs are stored."""
    if outcome.imported is None:
        return ImportedFile(
            outcome.place, outcome.format, outcome.error is not None, (str(outcome.error or outcome.skipped),)
        )
    runs = outcome.imported.runs
    told = Counter(finding.message for run in runs for finding in run.findings)
    return ImportedFile(
        outcome.place,
        outcome.format,
        False,
        (
            f"{outcome.format}: {len(runs):,} run{'' if len(runs) == 1 else 's'}",
            *outcome.imported.warnings,
            *(f"warning: {message}{f' ({count} runs)' if count > 1 else ''}" for message, count in told.items()),
        ),
    )
