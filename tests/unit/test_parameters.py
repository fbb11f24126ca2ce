"""Parameters: every default can be written and read back; every bad value is refused with its place."""

import pytest

from plimsoll.errors import UnknownName, UsageError
from plimsoll.parameter import Parameter, value_text
from plimsoll.parameters import IO_PARAMETERS, defaults, interval_length_ns, read_values
from plimsoll.units import SECOND


@pytest.mark.parametrize("parameter", IO_PARAMETERS, ids=lambda parameter: parameter.name)
def test_the_written_default_reads_back(parameter: Parameter) -> None:
    text = value_text(parameter, parameter.default)
    if parameter.name == "cpus":
        assert text == "any"
        return
    assert parameter.read(text) == parameter.default


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("block_size", "4KiB:60 16KiB:40", [[4096, 60.0], [16384, 40.0]]),
        ("distribution", "zipf:0.9", {"kind": "zipf", "theta": 0.9}),
        ("distribution", "pareto", {"kind": "pareto", "h": 0.2}),
        ("rate", "1000/s", {"per_second": 1000.0, "unit": "operations"}),
        ("rate", "10MiB/s", {"per_second": 10 * 2**20, "unit": "bytes"}),
        ("rate", "none", None),
        ("cpus", "0+1", [0, 1]),
        ("direct", "off", False),
        ("max_operations", "10k", 10_000),
    ],
)
def test_texts(name: str, text: str, value: object) -> None:
    assert read_values("io", {name: text}, "here") == {name: value}


@pytest.mark.parametrize(
    ("name", "text"),
    [("block_size", "0"), ("block_size", "4k:x"), ("depth", "0"), ("depth", "many"), ("mode", "sideways"),
     ("distribution", "normal"), ("distribution", "zipf:x"), ("rate", "0"), ("direct", "maybe"), ("cpus", "a+b"),
     ("read_share", "150%"), ("sync", "always"), ("layout", "fil")],
)  # fmt: skip
def test_bad_values_are_refused_with_their_place(name: str, text: str) -> None:
    with pytest.raises(UsageError, match="over there"):
        read_values("io", {name: text}, "over there")


def test_a_wrong_name_suggests_the_nearest() -> None:
    with pytest.raises(UnknownName, match="did you mean 'depth'"):
        read_values("io", {"deth": "3"}, "target a")


def test_intervals_are_bounded_whatever_the_run_time() -> None:
    for hours in (0.001, 1, 24, 24 * 365):
        runtime_ns = int(hours * 3600 * SECOND)
        assert runtime_ns / interval_length_ns(runtime_ns) <= 3600
    assert interval_length_ns(10 * SECOND) == SECOND


def test_defaults_are_complete() -> None:
    assert set(defaults("io")) == {parameter.name for parameter in IO_PARAMETERS}
