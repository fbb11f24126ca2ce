"""A trace as the load of a test: what is replayed of it, and what is said to be left out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.location import trace_place
from plimsoll.parameters import read_values
from plimsoll.traces import core, replay

LINES = """\
8,0 1 1 0.000000000 7 Q W 1000 + 8 [a]
8,0 1 2 0.000100000 7 C W 1000 + 8 [0]
8,0 1 3 1.000000000 7 Q R 2000 + 16 [a]
8,0 1 4 1.000100000 7 C R 2000 + 16 [0]
8,0 1 5 1.500000000 7 Q D 3000 + 8 [a]
8,0 1 6 1.500100000 7 C D 3000 + 8 [0]
"""
OTHER = "8,16 1 7 2.000000000 7 Q R 8 + 8 [a]\n8,16 1 8 2.000100000 7 C R 8 + 8 [0]\n"


def load(folder: Path, text: str = LINES) -> replay.Load:
    path = folder / "load.txt"
    path.write_text(text)
    return replay.look_through(path)


def test_one_look_says_what_each_device_was_asked_for(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert [(each.name, each.events, each.extent, each.longest, each.last_ns) for each in found.devices] == [
        ("8,0", [1, 1, 1, 0], 3008 * 512, 8192, 1_500_000_000)
    ]
    assert len(found.sha256) == 64
    assert not found.cut


def test_a_plan_has_the_content_and_not_the_place(tmp_path: Path) -> None:
    found = load(tmp_path)
    values = replay.parameters(found, None, speed=2.0, closed=False, reads_only=False, region=None)
    read = read_values("io", values, "replay")
    assert read["mode"] == "randrw"
    assert read["size"] == 1_540_096
    assert read["block_size"] == [[8192, 1.0]]
    assert read["runtime"] == 1_750_000_000
    assert read["recording"] == {
        "sha256": found.sha256,
        "speed": 2.0,
        "closed": False,
        "device": 0,
        "from_ns": 0,
        "until_ns": 2**63,
        "extent": 3008 * 512,
        "align": 512,
    }
    assert str(tmp_path) not in str(values)


def test_other_tests_have_no_recording() -> None:
    with pytest.raises(UsageError, match="recording"):
        read_values("io", {"recording": "load.trace"}, "--set")


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert replay.said(found, 0, reads_only=False) == [
        "1 trims are left out: later reads would find nothing there",
    ]
    assert replay.said(found, 0, reads_only=True)[0] == (
        "1 writes and flushes are left out: only reads are replayed here"
    )


def test_of_several_devices_one_is_named(tmp_path: Path) -> None:
    found = load(tmp_path, LINES + OTHER)
    with pytest.raises(UsageError, match=r"is of 2 devices: say which with --device \(8,0, 8,16\)"):
        found.device(None)
    assert found.device("8,16") == 1
    with pytest.raises(UsageError, match="has no I/O of a device 'sda'"):
        found.device("sda")


def test_what_cannot_be_replayed_is_refused(tmp_path: Path) -> None:
    only_write = load(tmp_path, "\n".join(LINES.splitlines()[:2]) + "\n")
    with pytest.raises(UsageError, match="holds no reads"):
        replay.parameters(only_write, None, speed=1.0, closed=False, reads_only=True, region=None)
    with pytest.raises(UsageError, match="less than one I/O"):
        replay.parameters(load(tmp_path), None, speed=1.0, closed=False, reads_only=False, region=4096)
    packed = tmp_path / "load.gz"
    packed.write_bytes(gzip.compress(LINES.encode()))
    with pytest.raises(UsageError, match="is packed"):
        replay.look_through(packed)
    with pytest.raises(core.TraceError, match="no trace"):
        load(tmp_path, "hello\nworld\n")


def test_runs_find_the_file_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    found = load(tmp_path)
    replay.keep(found)
    replay.keep(found)
    assert trace_place(found.sha256).read_text() == LINES
