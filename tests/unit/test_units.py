"""Units: what is written is what is read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll import units
from plimsoll.errors import UsageError
from plimsoll.units import format_spread


@pytest.mark.parametrize(
    ("text", "size_bytes"),
    [("4096", 4096), ("4k", 4096), ("4KiB", 4096), ("4 kib", 4096), ("1M", 2**20), ("1.5G", 3 * 2**29),
     ("1kB", 1000), ("2GB", 2 * 10**9), ("1T", 2**40)],
)  # fmt: skip
def test_sizes(text: str, size_bytes: int) -> None:
    assert units.parse_size(text) == size_bytes


@pytest.mark.parametrize("text", ["", "four", "4x", "-4k", "0.3", "4 k k", "1e9"])
def test_bad_sizes_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_size(text)


@pytest.mark.parametrize(
    ("text", "duration_ns"),
    [("10s", 10**10), ("10", 10**10), ("250ms", 250 * 10**6), ("1h30m", 5400 * 10**9), ("2 min", 120 * 10**9),
     ("1.5us", 1500), ("3µs", 3000), ("7ns", 7)],
)  # fmt: skip
def test_durations(text: str, duration_ns: int) -> None:
    assert units.parse_duration(text) == duration_ns


@pytest.mark.parametrize("text", ["", "soon", "10x", "5 s 3", "-1s"])
def test_bad_durations_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_duration(text)


@pytest.mark.parametrize(("text", "share"), [("75%", 0.75), ("0.75", 0.75), (1, 1.0), ("0%", 0.0)])
def test_shares(text: str, share: float) -> None:
    assert units.parse_share(text) == share


@pytest.mark.parametrize("text", ["101%", "1.2", "-1%", "half"])
def test_bad_shares_are_refused(text: str) -> None:
    with pytest.raises(UsageError):
        units.parse_share(text)


@given(st.integers(1, 2**60))
def test_a_written_size_is_within_its_three_digits(size_bytes: int) -> None:
    number, unit = units.format_size(size_bytes).split()
    factor = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50}[unit]
    assert float(number.replace(",", "")) * factor == pytest.approx(size_bytes, rel=0.006)


@given(st.integers(1, 10**18))
def test_a_written_duration_reads_back_to_its_digits(duration_ns: int) -> None:
    read = units.parse_duration(units.format_duration(duration_ns))
    assert read == pytest.approx(duration_ns, rel=0.02)


def test_values_carry_their_unit() -> None:
    assert units.format_value(1011 * 2**20, "B/s") == "1,011 MiB/s"
    assert units.format_value(118_204, "1/s") == "118,204/s"
    assert units.format_value(82_100, "ns") == "82.1 µs"
    assert units.format_value(2**20, "B/s") == "1 MiB/s"
    assert units.format_value(0, "ns") == "0 s"


@pytest.mark.parametrize(
    ("value", "spread", "unit", "told"),
    [
        (15.87e6, 0.51e6, "B/s", "15.13 ± 0.49 MiB/s"),
        (1234.69e9, 286.56e9, "ns", "1,235 ± 287 s"),
        (750e3, 11.4e3, "ns", "750 ± 11 µs"),
        (12.6, 0.0, "1/s", "12.6 ± 0/s"),
        (27.1, 1.12, "1/s", "27.1 ± 1.1/s"),
        (3631.0, 7.0, "1", "3,631.0 ± 7.0"),
    ],
)
def test_a_spread_has_the_unit_of_its_value(value: float, spread: float, unit: str, told: str) -> None:
    assert format_spread(value, spread, unit) == told


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0 s"), (6.38, "6 s"), (44.7, "45 s"), (220, "3 min 40 s"), (880, "15 min"), (7_899, "2 h 10 min")],
)
def test_an_estimate_is_no_finer_than_anybody_knows_it(seconds: float, said: str) -> None:
    assert units.format_estimate(seconds * units.SECOND) == said
