"""Did the rate change for good inside the run?"""

from __future__ import annotations

from plimsoll.metrics import DATA_KINDS
from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding
from plimsoll.stats.course import whole_rates
from plimsoll.stats.steady import Regime, Shape

NAME = "change_point"
TITLE = "Burst or step inside the run"
WHY = """Burst credits run out, caches fill, flash starts to collect garbage: the rate steps to another level. The
mean of two levels is neither. Such a run gets a score per level, or none."""

SHORTEST_INVALID_S = 60.0
"""Below a minute a level has too few seconds to tell a trend from noise for sure: a warning."""
_ADVICE = {
    Shape.STEP_DOWN: "Quote both levels, burst and sustained; run longer for a better sustained score.",
    Shape.WARMUP: "Set warmup= to at least the time the rate needed to settle.",
    Shape.DECAY: "Run longer, or precondition with layout=random, so that the rate settles before it is measured.",
    Shape.EPISODE: "Find out what else was going on then, or run longer to see how often it happens.",
    Shape.CYCLIC: "Run over at least three whole cycles.",
    Shape.DRIFT: "Run longer: there is no steady state yet.",
}


def check(evidence: RunEvidence) -> Finding | None:
    """Runs of several seconds without a rate of their own; the classifier says from when on it can tell."""
    if evidence.is_paced or evidence.in_slices:
        return None
    rates = whole_rates(
        [
            (
                each["duration_ns"],
                sum(each["operations"][kind]["operations"] for kind in DATA_KINDS if kind in each["operations"]),
            )
            for each in evidence.outcome["intervals"]
        ]
    )
    if not rates.values:
        return None
    regime = rates.regime()
    if regime.shape is Shape.SHORT:
        return None
    level = _level(regime, rates.measured_s)
    return finding(
        NAME,
        level,
        regime.sentence,
        _ADVICE.get(regime.shape, ""),
        levels=len(regime.segments),
        **({"burst": regime.burst, "sustained": regime.sustained} if regime.burst and regime.sustained else {}),
    )


def _level(regime: Regime, length_s: float) -> Level:
    if regime.shape is Shape.FLAT:
        return Level.OK
    if regime.accepted or length_s < SHORTEST_INVALID_S:
        return Level.WARN
    return Level.INVALID
