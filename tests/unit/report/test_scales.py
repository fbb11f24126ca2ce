import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.report import palette, scales

sizes = st.floats(1e-6, 1e15)


@given(sizes)
def test_linear_ticks_start_at_zero_and_reach_the_top(top: float) -> None:
    ticks = scales.linear_ticks(top)
    assert ticks[0] == 0
    assert ticks[-1] >= top * 0.999
    assert 3 <= len(ticks) <= 7


@given(sizes, st.floats(1.01, 1e9))
def test_log_ticks_enclose_the_data_and_stay_few(low: float, factor: float) -> None:
    ticks = scales.log_ticks(low, low * factor)
    assert list(ticks) == sorted(set(ticks))
    assert ticks[0] <= low * 1.001
    assert ticks[-1] >= low * factor * 0.999
    assert 2 <= len(ticks) <= 9


@given(
    st.lists(st.just(0.0) | st.floats(1e-9, 1e12), min_size=1, max_size=20), st.sampled_from(["1/s", "B/s", "ns", "1"])
)
def test_every_value_lies_inside_its_axis(known: list[float], unit: str) -> None:
    axis = scales.values(known, unit)
    # To a thousandth, which is less than a pixel.
    assert all(-1e-3 <= axis.place(value) <= 1.001 for value in known)
    # Bars and strips are honest: a linear axis starts at zero.
    assert axis.log or axis.domain[0] == 0


@given(st.floats(1e-9, 1.0), st.floats(1.0, 1e9))
def test_ratio_axes_always_show_one(low: float, high: float) -> None:
    ticks = scales.ratio_ticks(low, high)
    assert (1.0, "1×") in [(value, label) for value, label in ticks]
    assert len(ticks) <= 9


def test_ticks_are_in_units_that_people_read() -> None:
    assert [label for _, label in scales.values([210e6], "B/s").ticks] == ["0", "100", "200", "300"]
    assert scales.values([210e6], "B/s").title == "MiB/s"
    assert scales.values([118e3], "1/s").title == "k/s"
    assert [label for _, label in scales.times(80e3, 4e6).ticks] == [
        "50 µs",
        "100 µs",
        "200 µs",
        "500 µs",
        "1 ms",
        "2 ms",
        "5 ms",
    ]


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
    looks = palette.symbols(42)
    assert len(set(looks)) == 42
    assert math.lcm(len(palette.COLOURS), 7) == 42
