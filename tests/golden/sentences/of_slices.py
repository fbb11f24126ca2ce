"""Reports of runs that were made in slices: how targets took turns, and what nobody looked at."""

from __future__ import annotations

from tests.golden.sentences.of_reports import of_evidence
from tests.golden.sentences.speech import Situation
from tests.unit.report.studies import evidence, with_runs

from plimsoll.model import Run
from plimsoll.report import Evidence


def _sliced(*cases: str) -> Evidence:
    """Two settings of one disk; the runs of these cases were made in slices."""
    found = evidence(targets=("a", "b"), cases=("randread", "ping"), blocks=3)
    slices = {"discard_ns": 20_000_000, "shared_by": 2, "drain_ns": [1000], "after_other": 0.0, "after_own": 0.0}

    def made(run: Run) -> Run:
        one = slices | {"slice_ns": 120_000_000 + run.block * 4_000_000}
        return run.model_copy(update={"facts": {**run.facts, "slices": one}}) if run.plan.case in cases else run

    return with_runs(found, [made(run) for run in found.runs])


def _at_once(*cases: str) -> Evidence:
    """Two volumes; the runs of these cases were made at the same time."""
    found = evidence(targets=("a", "b"), cases=("randread", "ping"), blocks=3)
    facts = {"parallel": {"shared_by": 2, "overlap": 1.0}}
    return with_runs(
        found,
        [
            run.model_copy(update={"facts": {**run.facts, **facts}}) if run.plan.case in cases else run
            for run in found.runs
        ],
    )


def _left_behind(after_own: float) -> Evidence:
    """b is faster than a, and so much slower or not right after a slice of its own."""
    found = evidence(baseline="a", targets=("a", "b"), cases=("randread", "seqread"), blocks=6, ratios={"b": 1.5})

    def made(run: Run) -> Run:
        own = after_own if run.target.name == "b" else 0.0
        slices = {"discard_ns": 20_000_000, "shared_by": 2, "drain_ns": [1000], "after_other": -own, "after_own": own}
        return run.model_copy(update={"facts": {**run.facts, "slices": slices | {"slice_ns": 120_000_000}}})

    return with_runs(found, [made(run) for run in found.runs])


SITUATIONS: list[Situation] = [
    of_evidence(
        "what the other target leaves behind",
        lambda: _left_behind(-0.5),
        "So far, b against a: randread 1.",
        "Why this is no verdict yet: an answer must also hold in slices that follow an own one",
        never=("b is faster than a",),
    ),
    of_evidence(
        "nothing left behind",
        lambda: _left_behind(0.0),
        "b is faster than a on 2 of 2 tests",
        never=("Why this is no verdict", "So far"),
    ),
    of_evidence(
        "all in slices",
        lambda: _sliced("randread", "ping"),
        "The targets of a block take turns of 120 ms to 128 ms, in an order that is random",
        "the warm-up and the first 20 ms of each turn do not count",
        never=("Every block runs", "All other blocks"),
    ),
    of_evidence(
        "a test in slices",
        lambda: _sliced("randread"),
        "In randread, the targets of a block take turns of 120 ms to 128 ms",
        "All other blocks run each target once",
        never=("In ping",),
    ),
    of_evidence(
        "all at once",
        lambda: _at_once("randread", "ping"),
        "All targets of a block run at the same time.",
        never=("Every block runs", "All other blocks", "take turns"),
    ),
    of_evidence(
        "a test at once",
        lambda: _at_once("randread"),
        "In randread, the targets of a block run at the same time. All other blocks run each target once",
        never=("In ping", "All targets of a block"),
    ),
    of_evidence(
        "none in slices",
        _sliced,
        "Every block runs each target once",
        never=("take turns of", "took turns with", "at the same time"),
    ),
    of_evidence(
        "the rate inside slices",
        lambda: _sliced("randread", "ping"),
        "12 runs took turns with other targets, so nobody looked whether their rates changed inside",
        never=("too short to tell", "No run"),
    ),
    of_evidence(
        "the rate inside some slices",
        lambda: _sliced("randread"),
        "6 runs took turns with other targets",
        "of those that did not take turns",
    ),
]
