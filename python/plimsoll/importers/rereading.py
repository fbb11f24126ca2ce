"""An imported session once more, from the raw files that were kept with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from plimsoll.errors import PlimsollError
from plimsoll.importers.joining import parts_of
from plimsoll.importers.reading import formats
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Artefact, Run, Score, Session


def reread(session: Session, runs: Sequence[Run]) -> dict[str, tuple[Score, ...]]:
    """The scores that the raw files give today, by run id; runs that can no longer be made are absent.

    Ids are made from the content, so a run that is found again is the same in everything.
    """
    if "imported" not in session.study:
        return {}
    kept = {artefact.sha256: artefact for run in runs for artefact in run.artefacts}
    found: dict[str, tuple[Score, ...]] = {}
    for (format_name, hashes), members in parts_of(runs).items():
        if hashes and all(each in kept for each in hashes):
            found |= _read_again(format_name, [kept[each] for each in hashes], members)
    return found


def _read_again(format_name: str, files: Sequence[Artefact], runs: Sequence[Run]) -> Mapping[str, tuple[Score, ...]]:
    format = formats().get(format_name)
    if format is None:
        return {}
    sources = [Source(each.name, each.content) for each in files]
    source = Source(sources[0].name, sources[0].content, tuple(sources[1:]))
    # In a session of several files a run has another id than alone.
    wanted = {str(run.facts["imported"].get("alone", run.id)): run.id for run in runs}
    # A name given with --as covers all runs of a file; without it the file names them.
    names = [None, *sorted({run.target.name for run in runs})[:1]]
    for name in names:
        try:
            imported = format.call("read", source, Options(target=name), answers=Imported, otherwise=None)
        except PlimsollError:
            continue
        if imported is None:
            continue
        found = {wanted[run.id]: run.scores for run in imported.runs if run.id in wanted}
        if found:
            return found
    return {}
