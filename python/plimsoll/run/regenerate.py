"""Scores of a stored run once more, from its own raw material: counts, histograms and intervals."""

from __future__ import annotations

from typing import cast

from plimsoll.errors import PlimsollError
from plimsoll.model import Run, Score
from plimsoll.run import workloads
from plimsoll.run.outcome import Outcome


def regenerated(run: Run) -> tuple[Score, ...] | None:
    """The scores that `run` must have; None where the record does not hold what they are made of."""
    try:
        return tuple(workloads.of(run.plan).scores(run.plan, cast(Outcome, run.facts), run.histograms, run.intervals))
    except (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError, PlimsollError):
        # The record may come from a stranger, or from a version that kept less.
        return None
