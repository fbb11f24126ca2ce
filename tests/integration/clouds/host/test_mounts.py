"""Machines and workers of the tests hold nothing that is mounted on this system: other tests unmount it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.clouds.clients import network, workers
from tests.conftest import need_module
from tests.integration.clouds.host.conftest import Rented, needed


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Path]:
    """A place where something is mounted while the others begin."""
    place = tmp_path / "mounted"
    place.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "tmpfs", str(place)], check=True)
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=False, capture_output=True)


def holders(place: Path) -> list[str]:
    """Commands that still have it among their mounts."""
    found = []
    for each in Path("/proc").glob("[0-9]*/mountinfo"):
        try:
            if str(place) in each.read_text():
                found.append((each.parent / "cmdline").read_text().replace("\0", " "))
        except OSError:
            continue  # It ended meanwhile.
    return found


def test_a_machine_holds_nothing_of_what_is_mounted_here(rented: Rented, mounted: Path) -> None:
    rented.boot("m1", {})
    assert holders(mounted)
    subprocess.run(["umount", str(mounted)], check=True)
    assert holders(mounted) == []


def test_a_worker_holds_nothing_of_what_is_mounted_here(mounted: Path, tmp_path: Path) -> None:
    needed()
    need_module("distributed")
    with network(1) as (gateway, spaces), workers(gateway, spaces, tmp_path):
        subprocess.run(["umount", str(mounted)], check=True)
        assert holders(mounted) == []
