"""A trace as the load of a test: what is replayed of it, and what is said to be left out."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from plimsoll.errors import UsageError
from plimsoll.location import trace_place
from plimsoll.parameters import read_values
from plimsoll.targets import kept_trace
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
    assert not found.notes


def test_a_plan_has_the_content_and_not_the_place(tmp_path: Path) -> None:
    found = load(tmp_path)
    values = replay.parameters(found, None, replay.How(speed=2.0))
    read = read_values("io", values, "replay")
    assert read["mode"] == "randrw"
    assert read["size"] == 1_540_096
    assert read["block_size"] == [[8192, 1.0]]
    assert read["runtime"] == 2 * 1_750_000_000 + 60_000_000_000
    assert read["recording"] == {
        "sha256": found.sha256,
        "speed": 2.0,
        "closed": False,
        "device": 0,
        "from_ns": 0,
        "until_ns": 2**63,
        "extent": 3008 * 512,
        "align": 512,
        "format": "",
        "lasts_ns": 1_750_000_000,
        "operations": 2,
        "together": 1,
    }
    assert str(tmp_path) not in str(values)


def test_other_tests_have_no_recording() -> None:
    with pytest.raises(UsageError, match="recording"):
        read_values("io", {"recording": "load.trace"}, "--set")


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert replay.said(found, 0, replay.How()) == [
        "trims: 1; they are left out, because later reads would find nothing there",
    ]
    assert replay.said(found, 0, replay.How(reads_only=True))[0] == (
        "writes and flushes: 1; they are left out, because only reads are replayed here"
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
        replay.parameters(only_write, None, replay.How(reads_only=True))
    with pytest.raises(UsageError, match="less than one I/O"):
        replay.parameters(load(tmp_path), None, replay.How(region=4096))
    small = load(tmp_path, OTHER)
    replay.parameters(small, None, replay.How(region=4096))
    with pytest.raises(UsageError, match=r"--space 1 KiB is less than one I/O of the trace, 4 KiB"):
        replay.parameters(small, None, replay.How(region=1024))
    packed = tmp_path / "load.gz"
    packed.write_bytes(gzip.compress(LINES.encode()))
    with pytest.raises(UsageError, match="is packed"):
        replay.look_through(packed)
    with pytest.raises(core.TraceError, match="no trace"):
        load(tmp_path, "hello\nworld\n")


def test_a_closed_replay_needs_to_know_when_each_was_done(tmp_path: Path) -> None:
    closed = replay.How(closed=True)
    replay.parameters(load(tmp_path), None, closed)
    untimed = load(tmp_path, "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n5 /dev/sda read 4096 4096\n")
    replay.parameters(untimed, None, replay.How())
    with pytest.raises(UsageError, match=r"says of no I/O when it was done, so nobody knows what waited for what"):
        replay.parameters(untimed, None, closed)
    without_end = "\n".join(LINES.splitlines()[:3]) + "\n"
    with pytest.raises(UsageError, match="says of 1 of 2 I/Os when it was done"):
        replay.parameters(load(tmp_path, without_end), None, closed)


def test_targets_with_larger_blocks_get_whole_ones(tmp_path: Path) -> None:
    found = load(tmp_path)
    large = replay.How(align=4096)
    values = replay.parameters(found, None, large)
    assert (values["recording"]["align"], values["block_size"]) == (4096, "8192B")
    assert (
        replay.said(found, 0, large)[0] == "trims: 1; they are left out, because later reads would find nothing there"
    )
    odd = load(tmp_path, LINES.replace("1000 + 8", "1001 + 9"))
    assert "I/Os that are not of whole blocks of 4,096 bytes, as the target needs them: 1" in " ".join(
        replay.said(odd, 0, large)
    )
    assert "whole blocks" not in " ".join(replay.said(odd, 0, replay.How()))


def test_more_at_one_moment_than_are_kept_in_flight_is_said_before(tmp_path: Path) -> None:
    text = "fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda open\n"
    text += "".join(f"0 /dev/sda read {4096 * i} 4096\n" for i in range(1500))
    found = load(tmp_path, text)
    told = "up to 1,500 I/Os are due at one moment, and 1,024 are kept in flight: the others are issued late on any"
    assert told in " ".join(replay.said(found, 0, replay.How()))
    assert "at one moment" not in " ".join(replay.said(load(tmp_path), 0, replay.How()))


def test_a_changed_trace_is_no_longer_the_one_of_the_plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    found = load(tmp_path)
    assert "no longer where it was" in (kept_trace.problem(found.sha256) or "")
    replay.keep(found)
    assert kept_trace.problem(found.sha256) is None
    found.path.write_text(LINES.replace("2000", "2008"))
    assert "load.txt is not what it was" in (kept_trace.problem(found.sha256) or "")
    found.path.write_text(LINES)
    assert kept_trace.problem(found.sha256) is None


def test_runs_find_the_file_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    found = load(tmp_path)
    replay.keep(found)
    replay.keep(found)
    assert trace_place(found.sha256).read_text() == LINES
