"""What a probe says in words."""

from __future__ import annotations

from plimsoll.cli.commands.plan import _in_words
from plimsoll.run.probe import Expected
from plimsoll.units import SECOND


def test_each_width_has_its_time() -> None:
    told = _in_words(0.1, 6, Expected(valid=5, noise=0.02, block_ns=4 * SECOND))
    assert told == (
        "expect the ratio to within ±10 % in about 15 s, ±3 % after about 8 blocks, of which it has 6 at most, if "
        "blocks go on to scatter by ±2 % as 5 short ones did"
    )
    told = _in_words(0.1, 12, Expected(valid=5, noise=0.02, block_ns=4 * SECOND))
    assert "±10 % in about 15 s, ±3 % in about 30 s, if blocks" in told


def test_noise_that_no_session_gets_over_is_told_as_that() -> None:
    told = _in_words(0.1, 6, Expected(valid=5, noise=0.5, block_ns=4 * SECOND))
    assert "±3 % not at all" in told


def test_too_few_valid_blocks_are_no_estimate() -> None:
    told = _in_words(0.1, 6, Expected(valid=2, noise=None, block_ns=4 * SECOND))
    assert told == "no estimate: 2 of 5 short blocks are valid on all targets, and it takes 3"
    assert "expect" not in told
