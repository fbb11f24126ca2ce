"""What a verification runs: an empty device is written first, or not measured in vain."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.catalog.delivery import Role
from plimsoll.catalog.shape import options_from, volume_shape
from plimsoll.model import Target
from plimsoll.run.verify import never_written, verification
from plimsoll.targets.datafile import only_zeros
from plimsoll.units import MIB, SECOND

SHAPE = volume_shape(options_from("gp3,size=10GiB", "test"), "test")
PASSES = [Role.FIRST, Role.AGAIN, Role.CONTROL]
LOADS = [Role.READS, Role.DEEPER, Role.WRITES, Role.STREAM]


@pytest.mark.parametrize(
    ("writes", "empty", "roles", "layouts"),
    [
        (True, True, [*PASSES, *LOADS], ["refill"]),
        (True, False, [*PASSES, *LOADS], []),
        (False, False, [*PASSES, *(each for each in LOADS if each is not Role.WRITES)], []),
        (False, True, PASSES, []),
    ],
)
def test_an_empty_device_is_written_before_the_loads_or_has_none(
    writes: bool, empty: bool, roles: list[Role], layouts: list[str]
) -> None:
    target = Target(name="a", where="/dev/a", kind="device")
    asked = verification(target, SHAPE, 2 * SECOND, 64 * MIB, None, writes, empty)
    assert list(asked.roles.values()) == roles
    found = [entry.overrides["layout"] for entry in asked.study.entries if "layout" in entry.overrides]
    assert found == layouts


def test_a_device_is_empty_if_the_few_blocks_looked_at_are_zeros(tmp_path: Path) -> None:
    region = tmp_path / "region"
    region.write_bytes(bytes(MIB))
    assert only_zeros(region, MIB)
    region.write_bytes(b"written" * MIB)
    assert not only_zeros(region, MIB)
    assert not only_zeros(tmp_path / "none", MIB)
    # Files are written by the tests themselves.
    assert not never_written(Target(name="a", where=str(tmp_path)), MIB)
