"""Parameters: every default can be written and read back; every bad value is refused with its place."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.errors import UnknownName, UsageError
from plimsoll.parameter import Optional, Parameter, value_text
from plimsoll.parameters import (
    WORKLOADS,
    defaults,
    parameter,
    read_values,
    written,
)
from plimsoll.profile import profiles
from plimsoll.units import (
    SECOND,
    exact_duration,
    exact_share,
    exact_size,
    parse_duration,
    parse_share,
    parse_size,
)

PYTHON_SPELLING = re.compile(r"None|True|False|[\[\]{}']")


EVERY = [(workload, each) for workload, table in WORKLOADS.items() for each in table]
EVERY_VALUE = [
    *((workload, each, each.default) for workload, each in EVERY),
    *(
        (profile.workload, each, each.read(value))
        for profile in profiles().values()
        for values in (profile.parameters, profile.quick_sizes, *(mode.parameters for mode in profile.modes.values()))
        for name, value in values.items()
        for each in [parameter(profile.workload, name)]
    ),
]
"""Every default of every workload, and every value that a profile gives: workload, parameter, value in base units."""


@pytest.mark.parametrize(("workload", "each", "value"), EVERY_VALUE, ids=lambda part: str(getattr(part, "name", part)))
def test_what_a_report_writes_reads_back_to_the_same_value(workload: str, each: Parameter, value: Any) -> None:
    text = written(workload, each.name, value)
    assert each.read(text) == value
    assert not PYTHON_SPELLING.search(text), text


@pytest.mark.parametrize(("workload", "each"), EVERY, ids=lambda part: str(getattr(part, "name", part)))
def test_a_parameter_is_written_with_its_unit(workload: str, each: Parameter) -> None:
    read = each.read.read if isinstance(each.read, Optional) else each.read
    units = {parse_duration: "3 min", parse_size: "192 KiB", parse_share: "0.000018 %"}
    if read in units or each.name in ("field_length", "field_length_min"):
        value = {parse_duration: 180 * SECOND, parse_share: 1.8e-7}.get(read, 196_608)
        assert written(workload, each.name, value) == units.get(read, "192 KiB")
        assert each.read(units.get(read, "192 KiB")) == value


@given(st.integers(0, 2**60))
def test_any_size_reads_back(size_bytes: int) -> None:
    assert parse_size(exact_size(size_bytes)) == size_bytes


@given(st.integers(0, 2**62))
def test_any_duration_reads_back(duration_ns: int) -> None:
    assert parse_duration(exact_duration(duration_ns)) == duration_ns


@given(st.floats(0, 1))
def test_any_share_reads_back(share: float) -> None:
    assert parse_share(exact_share(share)) == share


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("timeout", 3_600_000_000_000, "1 h"),
        ("runtime", 500_000_000, "500 ms"),
        ("runtime", 5_400_000_000_000, "1 h 30 min"),
        ("size", 1_500_000_000, "1500 MB"),
        ("size", 1_234_567, "1234567 B"),
        ("block_size", [[4096, 60.0], [16384, 40.0]], "4 KiB:60 16 KiB:40"),
        ("max_bytes", None, "none"),
        ("rate", {"per_second": 1_234_567.0, "unit": "operations"}, "1234567/s"),
        ("cpus", [], "any"),
    ],
)
def test_written(name: str, value: Any, text: str) -> None:
    workload = "ycsb" if name == "timeout" else "io"
    assert written(workload, name, value) == text


@pytest.mark.parametrize(
    ("workload", "name", "value", "sentence"),
    [
        ("gzip", "level", "10", "10 is out of bounds; use 1 to 9"),
        ("postmark", "read_block", "2MiB", "2 MiB is out of bounds; use 1 B to 1 MiB"),
        ("dbench", "runtime", "0s", "0 s is out of bounds; use 1 ns or more"),
        ("sysbench", "ratio", "-1", "-1 is out of bounds; use 0 or more"),
        ("unpack", "scale", "0.01%", "0.01 % is out of bounds; use 0.1 % to 100 %"),
    ],
)
def test_a_value_beyond_its_bounds_is_refused_with_what_they_are(
    workload: str, name: str, value: str, sentence: str
) -> None:
    with pytest.raises(UsageError) as refused:
        read_values(workload, {name: value}, "--set")
    assert str(refused.value) == f"--set: {name}: {sentence}"


BOUNDED = [(workload, each) for workload, each in EVERY if each.least is not None]


@pytest.mark.parametrize(("workload", "each"), BOUNDED, ids=lambda part: str(getattr(part, "name", part)))
def test_values_at_the_bounds_are_taken(workload: str, each: Parameter) -> None:
    """And those next to them are not."""
    mixed = each.name.endswith("block_size") and workload == "io"
    for bound, beyond in ((each.least, -1), (each.most, 1)):
        taken, refused = ([[at, 1.0]] if mixed else at for at in (bound, bound + beyond))
        assert read_values(workload, {each.name: value_text(each, taken)}, "here") == {each.name: taken}
        if isinstance(bound, int) and bound not in (0, 2**63 - 1):
            # No size at all is refused by its reader.
            with pytest.raises(UsageError, match=r"out of bounds|is no block size|is not a block size"):
                read_values(workload, {each.name: value_text(each, refused)}, "here")


def test_parameters_of_other_tools_are_written_plainly() -> None:
    values = {"duration_s": 600, "clients": 8, "block_size": 4096, "nothing": None, "on": True, "list": ["a", "b"],
              "table": {"a": 1, "b": None}, "block_size_text": "4k"}  # fmt: skip
    told = {name: written("imported:pgbench", name, value) for name, value in values.items()}
    assert list(told.values()) == ["10 min", "8", "4 KiB", "none", "yes", "a, b", "a=1, b=none", "4k"]


def test_a_value_of_another_type_than_the_table_says_is_still_written() -> None:
    """Stores hold plans of other versions."""
    assert written("io", "size", "1GiB") == "1GiB"
    assert written("io", "block_size", 4096) == "4096"
    assert written("io", "gone", [1, None]) == "1, none"


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


def test_defaults_are_complete() -> None:
    assert set(defaults("io")) == {parameter.name for parameter in WORKLOADS["io"]}
