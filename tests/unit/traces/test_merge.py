"""Several traces as one: in order of time, each with addresses of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.traces.test_replay import LINES, OTHER

from plimsoll.errors import UsageError
from plimsoll.location import trace_place
from plimsoll.traces import core, merge, replay
from plimsoll.units import MIB


def rows(path: Path) -> list[tuple[int, int, int, int]]:
    """When, where, how much, from which trace."""
    reader, found = core.opened(path), []
    for chunk in core.chunks(path):
        reader.feed(chunk)
        found += reader.events()
    reader.finish()
    return [(row[0], row[4], row[5], row[7]) for row in found + reader.events()]


def test_two_traces_begin_together_and_lie_behind_each_other(tmp_path: Path) -> None:
    first, second = tmp_path / "a.txt", tmp_path / "b.txt"
    first.write_text(LINES)
    second.write_text(LINES.replace(" 1.000", " 0.500").replace("8,0 1 1 0.0", "8,0 1 1 0.0"))
    parts = merge.placed([first, second], None)
    assert [part.offset for part in parts] == [0, 2 * MIB]
    load = merge.merged(parts)
    assert load.path == trace_place(load.sha256)
    replay.keep(load)
    assert not load.path.is_symlink()
    found = rows(load.path)
    assert [row[0] for row in found] == sorted(row[0] for row in found)
    assert [row for row in found if row[3] == 1] == [(*row[:3], 1) for row in rows(first)]
    mine = [(at, place + 2 * MIB, size, 2) for at, place, size, _ in rows(second)]
    assert [row for row in found if row[3] == 2] == mine
    assert load.devices[0].extent == 2 * MIB + parts[1].extent
    assert load.devices[0].events == [2, 2, 2, 0]


def test_the_same_trace_twice_is_twice_the_rate(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(LINES)
    parts = merge.placed([path, path], None)
    load, alone = merge.merged(parts), replay.look_through(path)
    assert load.devices[0].last_ns == alone.devices[0].last_ns
    assert load.devices[0].events == [2 * count for count in alone.devices[0].events]
    assert merge.said(parts)[1:] == [f"{path} from 0 B on, 1.47 MiB", f"{path} from 2 MiB on, 1.47 MiB"]


def test_a_device_is_named_for_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(LINES + OTHER)
    with pytest.raises(UsageError, match="say which with --device"):
        merge.placed([path, path], None)
    assert [part.device for part in merge.placed([path, path], "8,16")] == [1, 1]
    with pytest.raises(UsageError, match="the same trace 9 times: at most 8"):
        merge.placed([path] * 9, "8,16")
    with pytest.raises(UsageError, match="at most 64"):
        merge.placed([path] * 65, "8,16")
