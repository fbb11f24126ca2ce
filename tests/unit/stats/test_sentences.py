import math
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.stats.digits import decimals, in_columns, rounded, wide_open, with_interval
from plimsoll.stats.direction import difference, relation
from plimsoll.stats.paired import Cell, ScoreRow, cells
from plimsoll.stats.policy import MODES
from plimsoll.stats.sentences import band, sentence


def cell(ratios: list[float], *, metric: str = "iops", unit="1/s", direction="higher", **options) -> Cell:
    rows = [
        ScoreRow("s", "c", metric, unit, direction, target, block, 0, 0, "ok", value, "p")
        for block, each in enumerate(ratios)
        for target, value in (("nvme", 1000.0), ("gp3", 1000.0 * each))
    ]
    return cells(rows, "nvme", **options)[0]


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (cell([0.31, 0.312, 0.308, 0.31]), "gp3 is 3.23× slower than nvme (3.17…3.29), 4 blocks"),
        (cell([0.31, 0.32, 0.30, 0.31]), "gp3 is 3.2× slower than nvme (2.9…3.5), 4 blocks"),
        (
            cell([3.1, 3.2, 3.0, 3.1], metric="read_p99", unit="ns", direction="lower"),
            "gp3 is 3.1× slower than nvme (2.8…3.4), 4 blocks",
        ),
        (
            cell([0.5, 0.51, 0.49], metric="read_p99", unit="ns", direction="lower"),
            "gp3 is 2.0× faster than nvme (1.7…2.3), 3 blocks",
        ),
        (
            cell([2.0, 2.01, 2.0], metric="hit_share", unit="1"),
            "gp3 is 2.00× higher than nvme (1.96…2.05), 3 blocks",
        ),
        (
            cell([1.001, 1.004, 0.998]),
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %): 1.00× as fast (0.98…1.02), 3 blocks",
        ),
        (
            cell([0.97, 0.969, 0.971, 0.97]),
            "gp3 and nvme are the same within ±10 % (−9.1 %/+10 %): 0.970× as fast "
            "(0.963…0.977) (nvme ahead by 3.1 %, 2.4…3.8 %), 4 blocks",
        ),
        (cell([1.2, 1.3]), "preview, no verdict: gp3 is 1.2× as fast as nvme after 2 blocks; a verdict needs 3"),
    ],
)
def test_sentences(found: Cell, text: str) -> None:
    assert sentence(found) == text


def test_not_enough_data_says_how_much_more() -> None:
    found = cell([1.1, 1.3, 0.9, 1.2])
    text = sentence(found, cost="12 min, $0.40")
    assert text.startswith("not enough data: gp3 is 1.1× as fast as nvme (")
    more = found.verdict.blocks_needed - 4
    assert f"about {more} more blocks (12 min, $0.40)" in text


def test_hopeless_says_what_to_do() -> None:
    found = cell([1.1, 3.3, 0.4, 1.2, 0.9, 0.6], mode=replace(MODES["quick"], cap=8))
    assert sentence(found).endswith(": reduce the noise or widen the band")


def test_the_last_look_needs_a_new_session() -> None:
    assert sentence(cell([math.exp((-1) ** block) for block in range(540)])).endswith("in a new session")
    assert "new session" not in sentence(cell([1.05 + 0.25 * (-1) ** block for block in range(20)]))


def test_no_common_block() -> None:
    rows = [ScoreRow("s", "c", "iops", "1/s", "higher", t, i, 0, 0, "ok", 1.0, "p") for i, t in enumerate(("a", "b"))]
    assert sentence(cells(rows, "a")[0]) == "no verdict: b and a have no valid block in common"


@given(st.floats(1e-6, 1e6))
def test_half_widths_keep_one_or_two_digits(half_width: float) -> None:
    digits = decimals(half_width)
    assert 2 * (1 - 1e-6) <= half_width * 10**digits < 20 * (1 + 1e-6) or digits == 6


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=12))
def test_no_ratio_is_printed_as_zero(ratios: list[float]) -> None:
    told = re.sub(
        r"gp3 (is|against nvme:)|as fast( as nvme)?|until block \d+,|from block \d+ on", "", relation(cell(ratios))
    )
    text = re.sub(r"\((wide open|a trend|two groups|neighbouring runs alike)\)", "", told)
    numbers = text.replace("×", "").replace("(", "").replace(")", "").replace("…", " ").replace(",", "").split()
    assert all(float(number) > 0 for number in numbers if float(number) != math.inf)


def test_an_interval_that_says_nothing_is_not_printed() -> None:
    wild = cell([0.66, 30.0, 0.02])
    assert relation(wild).endswith("as nvme (wide open)")
    assert relation(cell([2312.0])) == "gp3 is 2,300× as fast as nvme"
    assert "(wide open) after 3 blocks; more than 1,000 more blocks" in sentence(wild)
    # A ratio that is large for sure is something else.
    assert difference(cell([1000.0, 1010.0, 990.0])) == "gp3 is 1,000× faster than nvme (930…1,080)"


@pytest.mark.parametrize(
    ("ends", "open_"),
    [((0.5, 1.0, 2.0), False), ((0.02, 1.0, 50.0), False), ((0.009, 1.0, 2.0), True), ((0.5, 1.0, 101.0), True)],
)
def test_wide_open_is_beyond_a_hundred_times_the_middle(ends: tuple[float, float, float], open_: bool) -> None:
    assert wide_open(*ends) is open_


def test_numbers() -> None:
    assert rounded(1234.5, -2) == "1,200"
    assert band(0.10) == "±10 % (−9.1 %/+10 %)"
    assert band(0.05) == "±5 % (−4.8 %/+5 %)"


def test_a_point_has_the_digits_of_its_interval() -> None:
    assert with_interval(12.6, 13.0, 13.4) == ("13.0×", " (12.6…13.4)")
    assert in_columns(12.6, 13.0, 13.4) == ("13.0×", "12.6×…13.4×")
    assert in_columns(2.9, 3.2, 3.6) == ("3.2×", "2.9×…3.6×")
    assert in_columns(0.001, 1.0, 2.0) == ("1×", "wide open")
    assert in_columns(None, 1.08, None) == ("1.1×", "n/a")
    assert in_columns(None, None, None) == ("n/a", "n/a")


def test_an_interval_beside_1_is_written_so() -> None:
    assert with_interval(1.047, 1.2, 1.47) == ("1.2×", " (1.05…1.5)")
    assert with_interval(0.7, 0.8, 0.9962) == ("0.80×", " (0.70…0.996)")
    assert with_interval(0.9, 1.1, 1.3) == ("1.1×", " (0.90…1.3)"), "it holds 1, and may round to it"
