"""What every import must be, however damaged the file was."""

from __future__ import annotations

import math

from plimsoll.importers.source import Imported
from plimsoll.model import RunStatus
from plimsoll.stats.histogram import decode
from plimsoll.store.codec import as_stored, canonical_json, check_storable


def assert_valid(imported: Imported) -> None:
    """Both databases and a result file can hold it, and it says what it is."""
    check_storable(imported.session.model_dump())
    assert imported.runs
    assert len({run.id for run in imported.runs}) == len(imported.runs)
    places = [(run.plan.case, run.block) for run in imported.runs]
    assert len(set(places)) == len(places), "no two runs of a file may look like a pair"
    for run in imported.runs:
        values = as_stored(run)
        check_storable(values)
        canonical_json(values)
        assert run.session_id == imported.session.id
        assert run.target.name
        assert run.plan.workload.startswith("imported:")
        assert run.plan.metrics == tuple(score.metric for score in run.scores)
        assert all(math.isfinite(score.value) for score in run.scores)
        assert all(score.value >= 0 for score in run.scores if score.unit != "1")
        assert (run.status is RunStatus.OK) == (not run.reason)
        assert run.scores or run.status is RunStatus.FAILED
        for encoded in run.histograms.values():
            assert decode(encoded).count > 0
