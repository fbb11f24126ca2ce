"""Heat maps and axes of dates."""

from __future__ import annotations

import re

import pytest
from tests.factories import make_histogram

from plimsoll.report.palette import HEAT
from plimsoll.stats.histogram import decode
from plimsoll.web.pictures import SHARE_NAMES, SHARES, Column, _shade, dates, heat_map


def test_every_step_of_the_key_has_its_colour() -> None:
    assert len(HEAT) == len(SHARE_NAMES) == len(SHARES) + 1
    assert [_shade(share) for share in (1e-9, *SHARES)] == list(HEAT)
    assert _shade(1.0) == list(HEAT)[-1]


def test_a_heat_map_is_drawn_inside_its_frame() -> None:
    found = [Column(str(n), decode(make_histogram(1e5 * (n + 1), 10_000))) for n in range(5)]
    chart = heat_map("heat", "latency", found)
    picture = chart.svg()
    for colour in (list(HEAT)[-1], list(HEAT)[3]):
        assert f'fill="{colour}"' in picture
    for x, y in re.findall(r"M([\d.-]+),([\d.-]+)h", picture):
        assert 0 <= float(x) <= 340
        assert 0 <= float(y) <= 224
    assert len(chart.data.rows) == 5


def test_a_heat_map_without_any_operation_is_empty_and_drawn() -> None:
    assert "<svg" in heat_map("heat", "latency", []).inline()


@pytest.mark.parametrize("length", [0, 0.2, 3, 40, 400, 5000])
def test_dates_are_few_and_inside(length: float) -> None:
    scale = dates(20_000, 20_000 + length)
    assert 1 <= len(scale.ticks) <= 6
    assert all(scale.domain[0] <= at <= scale.domain[1] for at, _ in scale.ticks)
    assert all(re.fullmatch(r"\d{4}-\d\d-\d\d", label) for _, label in scale.ticks)
