"""A report says of each case what stopped it, as the schedule did; "decided" of comparisons only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.report.studies import evidence

from plimsoll.model import RunStatus, SessionState
from plimsoll.report import Evidence, build_document
from plimsoll.report.endings import endings
from plimsoll.report.renderers.json import as_json
from plimsoll.units import parse_duration


def told(found: Evidence, **study: Any) -> str:
    session = found.sessions[0]
    changed = session.model_copy(update={"study": {**session.study, **study}})
    return endings(Evidence([changed], found.runs, found.baseline, found.band), "randread")


def test_a_clear_difference_is_decided() -> None:
    clear = evidence(ratios={"b": 2.0}, noise=0.005, blocks=3)
    assert told(clear) == "IOPS decided after 3 blocks"
    assert "IOPS decided after 3 blocks" in json.dumps(as_json(build_document(clear)))


def test_noise_is_not_decided() -> None:
    noisy = evidence(noise=0.3, blocks=6)
    assert told(noisy, mode="quick").startswith("limit of 6 blocks reached, IOPS undecided")
    assert told(noisy, blocks=6).startswith("limit of 6 blocks reached, IOPS undecided")


def test_targets_that_take_short_turns_have_more_blocks() -> None:
    noisy = evidence(noise=0.3, blocks=12)

    def in_turns(runtime: str, blocks: int) -> str:
        runs = [
            run.model_copy(
                update={
                    "facts": {**run.facts, "slices": {}},
                    "plan": run.plan.having({**run.plan.parameters, "runtime": parse_duration(runtime)}),
                }
            )
            for run in noisy.runs
            if run.block < blocks
        ]
        return told(Evidence(noisy.sessions, runs, noisy.baseline, noisy.band), mode="quick")

    assert in_turns("1s", 12).startswith("limit of 12 blocks reached, IOPS undecided")
    assert in_turns("2s", 6).startswith("limit of 6 blocks reached, IOPS undecided")
    assert not in_turns("1s", 5).startswith("limit of")


def test_one_target_is_precise_enough_or_not() -> None:
    assert told(evidence(targets=("a",), noise=0.005, block_noise=0.005, blocks=3)).startswith(
        "IOPS precise enough after 3 blocks: known to within ±"
    )
    wild = told(evidence(targets=("a",), noise=0.5, blocks=3), mode="quick")
    assert wild.startswith("limit of 3 blocks reached, IOPS known to within")


def test_a_limit_that_was_asked_for_is_not_said_to_be_reached_before_it_is() -> None:
    alone = evidence(targets=("a",), noise=0.5, blocks=3)
    assert told(alone, mode="quick", blocks=4).startswith("stopped after 3 of at most 4 blocks, IOPS known to within")
    assert told(alone, mode="quick", blocks=4).endswith(
        "one target alone gets no more; --repeats 4 makes exactly so many"
    )
    assert told(alone, mode="quick", blocks=3).startswith("limit of 3 blocks reached")
    compared = evidence(noise=0.3, blocks=6)
    said = "stopped after 6 of at most 7 blocks, IOPS undecided: the next look would be after 8"
    assert told(compared, blocks=7).startswith(said)


def test_one_valid_run_of_six() -> None:
    found = evidence(targets=("a",), blocks=6)
    lost = {"status": RunStatus.INVALID, "reason": "cached"}
    runs = [run if run.block == 2 else run.model_copy(update=lost) for run in found.runs]
    words = told(Evidence(found.sessions, runs, None, 0.10), mode="quick")
    assert words.endswith("without an interval, for a single valid run has none; 1 of 6 runs valid")
    none = [run.model_copy(update=lost) for run in found.runs]
    assert told(Evidence(found.sessions, none, None, 0.10)) == "no valid runs in 6 blocks"


@pytest.mark.parametrize(
    ("study", "state", "words"),
    [
        ({"time": "1m"}, SessionState.DONE, "the time was used up after 4 blocks"),
        ({}, SessionState.INTERRUPTED, "interrupted after 4 blocks"),
        ({"repeats": 4}, SessionState.DONE, "repeated 4 times, as asked"),
    ],
)
def test_other_endings(study: dict[str, Any], state: SessionState, words: str) -> None:
    found = evidence(noise=0.3, blocks=4, state=state)
    assert told(found, **study) == words


def test_imported_runs_were_stopped_by_nobody_we_know() -> None:
    assert told(evidence(blocks=4), interleaved=False) == ""
