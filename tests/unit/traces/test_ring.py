"""Where a recording is written, and what earlier ones have left there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.conftest import need
from tests.unit.traces.test_replay import LINES, OTHER
from typer.testing import CliRunner

from plimsoll.cli.main import app
from plimsoll.errors import TargetError, UsageError
from plimsoll.targets.owner import start_ticks
from plimsoll.traces import core
from plimsoll.traces.observe import Sampling
from plimsoll.traces.places import Place, lies_on, place_of
from plimsoll.traces.ring import END_BYTES, Plain, Ring, halves
from plimsoll.traces.tracefs import sweep


def _own(folder: Path, text: str) -> bytes:
    path = folder / "text"
    path.write_text(text)
    return b"".join(core.converted(path))


def test_parts_of_an_earlier_ring_are_not_mixed_in(tmp_path: Path) -> None:
    path = tmp_path / "load.trace"
    for half in halves(path):
        half.write_bytes(_own(tmp_path, OTHER))
    with path.open("wb") as file:
        ring = Ring(path, file, 1 << 20)
        ring.finish(_own(tmp_path, LINES), {**core.contents(tmp_path / "text").totals, "left_out": []})
    found = core.contents(path)
    assert [each["name"] for each in found.header["devices"]] == ["8,0"]
    assert found.totals["left_out"] == []
    assert not any(half.exists() for half in halves(path))


def test_a_ring_in_which_nothing_is_recorded_leaves_no_file(tmp_path: Path) -> None:
    path = tmp_path / "load.trace"
    with path.open("wb") as file:
        Ring(path, file, 1 << 20)
    assert list(tmp_path.iterdir()) == [path]


def _refusal(*words: str) -> str:
    found = CliRunner().invoke(app, ["observe", *words])
    assert isinstance(found.exception, UsageError)
    return str(found.exception)


def test_what_a_killed_ring_left_is_replaced_only_if_that_is_said(tmp_path: Path) -> None:
    left = tmp_path / "load.trace.1"
    left.write_bytes(b"kept")
    told = _refusal("/", "--ring", "--max-size", "1MiB", "-o", str(tmp_path / "load.trace"))
    assert "load.trace.1 already exists" in told
    assert left.read_bytes() == b"kept"


def test_counters_have_no_ring(tmp_path: Path) -> None:
    told = _refusal("/", "--counters", "--ring", "--max-size", "1MiB", "-o", str(tmp_path / "load.trace"))
    assert "leave --ring out" in told
    assert list(tmp_path.iterdir()) == []


def _place(folder: Path) -> Place:
    try:
        return place_of(str(folder))
    except TargetError:
        need(False, "a block device below the temporary folder")
        raise


def test_counters_end_at_the_size_that_was_asked_for(tmp_path: Path) -> None:
    place = _place(tmp_path)
    path = tmp_path / "c.trace"
    with path.open("wb") as file:
        done = Sampling(place, Plain(file, END_BYTES + 8192)).run(None, lambda _: None, every_s=0.002)
    assert done.ended == "size"
    assert path.stat().st_size <= END_BYTES + 8192
    assert not core.contents(path).totals["cut"]


def test_a_trace_on_the_device_that_is_observed_is_said(tmp_path: Path) -> None:
    place = _place(tmp_path)
    told = lies_on(tmp_path / "new" / "load.trace", place)
    assert told is not None
    assert f"lies on {place.devices[0].name} itself" in told
    assert lies_on(Path("/dev/shm/load.trace"), place) is None


def test_only_what_nobody_can_be_using_is_swept(tmp_path: Path) -> None:
    space = Path("/proc/self/ns/pid").stat().st_ino
    folder = tmp_path / "instances"
    names = {
        "own": f"plimsoll-{os.getpid()}-{start_ticks(os.getpid())}-{space}",
        "dead": f"plimsoll-{os.getpid()}-1-{space}",
        "elsewhere": f"plimsoll-{os.getpid()}-1-{space + 1}",
        "elsewhere, old": f"plimsoll-{os.getpid()}-2-{space + 1}",
        "other": "blktrace",
    }
    for name in names.values():
        (folder / name).mkdir(parents=True)
    os.utime(folder / names["elsewhere, old"], (0, 0))
    sweep(tmp_path)
    assert {each.name for each in folder.iterdir()} == {names["own"], names["elsewhere"], names["other"]}


@pytest.mark.parametrize("many", [1, 3])
def test_halves_that_turned_are_joined(tmp_path: Path, many: int) -> None:
    path = tmp_path / "load.trace"
    whole = _own(tmp_path, LINES)
    with path.open("wb") as file:
        ring = Ring(path, file, 64)
        for _ in range(many - 1):
            ring.write(whole)
            ring.turn(b"")
        totals = ring.finish(whole, {**core.contents(tmp_path / "text").totals, "left_out": []})
    assert [each["what"] for each in totals["left_out"]] == (["ring"] if many > 2 else [])
