import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.report import palette
from plimsoll.report.charts import axes, direct
from plimsoll.report.charts.forest import ratio_ticks

sizes = st.floats(1e-6, 1e15)


@given(sizes, st.floats(1.01, 1e9))
def test_log_ticks_enclose_the_data_and_stay_few(low: float, factor: float) -> None:
    ticks = axes.log_ticks(low, low * factor)
    assert list(ticks) == sorted(set(ticks))
    assert ticks[0] <= low * 1.001
    assert ticks[-1] >= low * factor * 0.999
    assert 2 <= len(ticks) <= 9


@given(st.lists(st.just(0.0) | st.floats(1e-9, 1e12), min_size=1, max_size=20), st.sampled_from(["1/s", "B/s", "1"]))
def test_an_axis_that_starts_at_zero_or_says_that_it_is_logarithmic(known: list[float], unit: str) -> None:
    factor, axis = axes.rates("v", known, unit)
    assert factor > 0
    logarithmic = axis["scale"] == {"type": "log"}
    assert logarithmic or axis["scale"] == {"zero": True}
    assert logarithmic == ("logarithmic" in (axis["title"] or ""))
    assert not logarithmic or min(known) > 0


@given(st.lists(st.just(0.0) | st.just(math.inf) | st.floats(-10, 1e13), max_size=20))
def test_every_duration_lies_inside_its_axis(known: list[float]) -> None:
    axis = axes.durations("v", known, "latency")
    low, high = axis["scale"]["domain"]
    assert 0 < low < high
    assert all(low <= max(1.0, value) <= high * 1.001 for value in known if math.isfinite(value))
    assert 2 <= len(axis["axis"]["values"]) <= 11


@given(st.floats(1e-9, 1.0), st.floats(1.0, 1e9))
def test_ratio_axes_always_show_one(low: float, high: float) -> None:
    ticks = ratio_ticks(low, high)
    assert 1.0 in ticks
    assert len(ticks) <= 9


def test_axes_are_in_units_that_people_read() -> None:
    assert axes.rates("v", [210e6], "B/s")[1]["title"] == "MiB/s"
    assert axes.rates("v", [118e3], "1/s", "throughput")[1]["title"] == "throughput, thousand/s"
    assert axes.rates("v", [1, 118e3], "1/s")[1]["title"] == "1/s, logarithmic"
    assert axes.durations("v", [80e3, 4e6], "latency")["axis"]["values"] == [5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6]


@given(st.lists(st.floats(0, 200), min_size=1, max_size=12))
def test_numbers_beside_lines_do_not_touch_and_keep_their_order(places: list[float]) -> None:
    moved = direct.apart(places)
    assert all(after - before >= direct.LETTERS - 1e-6 for before, after in pairwise(sorted(moved)))
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    assert [moved[i] for i in order] == sorted(moved)


def test_numbers_that_have_room_stay_where_they_are() -> None:
    assert direct.apart([50.0, 10.0, 90.0]) == [50.0, 10.0, 90.0]
    assert direct.apart([50.0, 50.0]) == [44.5, 55.5]


def luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(a * b for a, b in zip(linear, (0.2126, 0.7152, 0.0722), strict=True))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colour", palette.COLOURS)
def test_series_stand_out_on_light_and_dark_pages(colour: str) -> None:
    assert contrast(colour, palette.PAGE) >= 3
    assert contrast(palette.DARK[colour], palette.DARK[palette.PAGE]) >= 3


@pytest.mark.parametrize("colour", [palette.INK, palette.MUTED])
def test_words_are_readable_on_light_and_dark_pages(colour: str) -> None:
    assert contrast(colour, palette.PAGE) >= 4.5
    assert contrast(palette.DARK[colour], palette.DARK[palette.PAGE]) >= 4.5


def test_series_differ_in_colour_and_shape() -> None:
    looks = {(palette.colour(series), palette.shape(series)) for series in range(42)}
    assert len(looks) == 42
    assert math.lcm(len(palette.COLOURS), 7) == 42
