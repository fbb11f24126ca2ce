from dataclasses import replace

import numpy as np
import pytest

from plimsoll.stats.policy import MODES
from plimsoll.stats.stopping import Go, Stop, closing, next_step, next_step_single
from plimsoll.stats.summary import Summary, summarise
from plimsoll.stats.verdict import StopReason, Verdict, judge

STANDARD, QUICK, PUBLISH = MODES["standard"], MODES["quick"], MODES["publish"]


def verdict(noise: float, count: int, centre: float = 0.05, mode=STANDARD) -> Verdict:
    values = (centre + np.random.default_rng(1).normal(0, noise, count)).tolist()
    return judge(values, mode=mode)


def score(noise: float, count: int) -> Summary:
    return summarise(np.exp(np.random.default_rng(1).normal(0, noise, count)).tolist(), "higher")


def test_first_look_comes_first() -> None:
    assert next_step([], STANDARD, 0) == Go(3)
    assert next_step([], replace(STANDARD, cap=2), 0) == Go(2)
    assert next_step_single([], QUICK, 1) == Go(3)


def test_goes_to_the_next_look_while_one_cell_is_open() -> None:
    decided, open_ = verdict(0.001, 5, 0.5), verdict(0.15, 5)
    assert open_.stop is None
    assert next_step([decided, open_], STANDARD, 5) == Go(6)
    assert next_step([decided], STANDARD, 5) == Stop(StopReason.DECIDED)


def test_a_cell_that_lost_blocks_catches_up() -> None:
    # Seven blocks were run, two had no valid pair: one more makes six.
    assert next_step([verdict(0.15, 5)], STANDARD, 7) == Go(8)


def test_stops_at_the_cap_and_says_what_is_missing() -> None:
    step = next_step([verdict(0.11, 6, mode=QUICK)], QUICK, 6)
    assert isinstance(step, Stop)
    assert step.reason is StopReason.CAP
    assert step.blocks_needed > 6


def test_a_cap_below_the_first_look_is_a_preview() -> None:
    two = replace(STANDARD, cap=2)
    assert next_step([verdict(0.1, 2, mode=two)], two, 2) == Stop(StopReason.CAP, 3)


def test_a_cell_that_cannot_catch_up_under_the_cap_does_not_hold_the_session() -> None:
    assert next_step([verdict(0.15, 5)], STANDARD, 12) == Stop(StopReason.CAP, verdict(0.15, 5).blocks_needed)


def test_hopeless_cells_end_the_session() -> None:
    step = next_step([judge([0.6, -0.6] * 3)], STANDARD, 6)
    assert isinstance(step, Stop)
    assert step.reason is StopReason.HOPELESS


def test_publish_waits_for_a_narrow_interval() -> None:
    assert next_step([verdict(0.06, 3, 0.7, PUBLISH)], PUBLISH, 3) == Go(4)
    assert next_step([verdict(0.06, 3, 0.7, STANDARD)], STANDARD, 3) == Stop(StopReason.DECIDED)


@pytest.mark.parametrize(
    ("noise", "blocks", "mode", "step"),
    [
        (0.5, 3, QUICK, Stop(StopReason.CAP)),
        (0.01, 3, QUICK, Stop(StopReason.PRECISE)),
        (0.01, 3, STANDARD, Stop(StopReason.PRECISE)),
        (0.5, 3, STANDARD, Go(4)),
        (0.5, 12, STANDARD, Stop(StopReason.CAP)),
        (0.02, 12, PUBLISH, Stop(StopReason.PRECISE)),
        (0.3, 12, PUBLISH, Go(16)),
    ],
)
def test_single_targets_stop_when_precise(noise: float, blocks: int, mode, step: Stop | Go) -> None:
    assert next_step_single([score(0.001, blocks), score(noise, blocks)], mode, blocks) == step


def test_nothing_valid_is_not_decided() -> None:
    assert next_step([], STANDARD, 3) == Stop(StopReason.NOTHING_VALID)
    assert next_step_single([], QUICK, 3) == Stop(StopReason.NOTHING_VALID)
    lost = judge([])
    assert next_step([lost], STANDARD, 12) == Stop(StopReason.NOTHING_VALID, lost.blocks_needed)
    # One cell with pairs is something.
    assert next_step([lost, verdict(0.15, 5)], STANDARD, 12).reason is StopReason.CAP


def wide() -> Summary:
    """A p99 of 0.13…9.1 ms."""
    return summarise([0.4e6, 1.1e6, 2.9e6], "lower")


@pytest.mark.parametrize(
    ("reason", "valid", "summaries", "told"),
    [
        (StopReason.DECIDED, (6, 6), [], "read p99 decided after 3 blocks"),
        (StopReason.CAP, (6, 6), [], "limit of 3 blocks reached, read p99 undecided"),
        (
            StopReason.CAP,
            (3, 3),
            [wide()],
            "limit of 3 blocks reached, read p99 known to within a factor of 12",
        ),
        (
            StopReason.CAP,
            (1, 6),
            [summarise([5.0], "lower")],
            "limit of 3 blocks reached, read p99 without an interval, for a single valid run has none; "
            "1 of 6 runs valid",
        ),
        (
            StopReason.PRECISE,
            (3, 3),
            [summarise([100.0, 101.0, 99.5], "lower")],
            "read p99 precise enough after 3 blocks: known to within ±1.9 %",
        ),
        (StopReason.HOPELESS, (6, 6), [], "read p99 not decidable with this noise, stopped after 3 blocks"),
        (StopReason.NOTHING_VALID, (0, 6), [], "no valid runs in 3 blocks"),
        (
            StopReason.NOTHING_VALID,
            (3, 6),
            [],
            "no valid block to judge read p99 by after 3 blocks; 3 of 6 runs valid",
        ),
    ],
)
def test_what_stopped_is_said(reason: StopReason, valid: tuple[int, int], summaries: list[Summary], told: str) -> None:
    assert closing(Stop(reason), "read_p99", 3, valid, summaries) == told


def test_decided_is_said_of_comparisons_only() -> None:
    for blocks, noise in ((3, 0.5), (3, 0.001), (12, 0.5)):
        step = next_step_single([score(noise, blocks)], STANDARD, blocks)
        if isinstance(step, Stop):
            assert "decided" not in closing(step, "iops", blocks, (blocks, blocks), [score(noise, blocks)])
