"""An imported session once more, from the raw files that were kept with it."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.errors import PlimsollError
from plimsoll.importers.reading import formats
from plimsoll.importers.source import Options, Source
from plimsoll.model import Run, Score, Session


def reread(session: Session, runs: Sequence[Run]) -> dict[str, tuple[Score, ...]]:
    """The scores that the raw files give today, by run id; runs that can no longer be made are absent.

    Ids are made from the content, so a run that is found again is the same in everything.
    """
    module = formats().get(str(session.study.get("imported")))
    files = [artefact for run in runs for artefact in run.artefacts]
    if module is None or not files:
        return {}
    sources = [Source(each.name, each.content) for each in files]
    source = Source(sources[0].name, sources[0].content, tuple(sources[1:]))
    wanted = {run.id for run in runs}
    # A name given with --as covers all runs of a file; without it the file names them.
    names = [None, *sorted({run.target.name for run in runs})[:1]]
    for name in names:
        try:
            imported = module.read(source, Options(target=name))
        except PlimsollError:
            continue
        found = {run.id: run.scores for run in imported.runs if run.id in wanted}
        if found:
            return found
    return {}
