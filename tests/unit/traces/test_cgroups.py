"""How much of what a device counts is one cgroup's: recorded trees of both versions."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.traces.cgroups import Group, group_of, of_others, read_bytes

V2 = "8:0 rbytes=4096 wbytes=8192 rios=1 wios=2 dbytes=512 dios=1\n8:16 rbytes=7 wbytes=0 rios=1 wios=0 dbytes=0\n"
V1 = "8:0 Read 4096\n8:0 Write 8192\n8:0 Sync 1\n8:0 Async 2\n8:0 Discard 512\n8:0 Total 12800\nTotal 12800\n"


def tree(root: Path, cgroup: str, **files: str) -> Path:
    """A machine with process 77 in these cgroups; `files` by their place below `sys/fs/cgroup`, `__` for `/`."""
    (root / "proc/77").mkdir(parents=True)
    (root / "proc/77/cgroup").write_text(cgroup)
    for name, text in files.items():
        file = root / "sys/fs/cgroup" / name.replace("__", "/").replace("io_stat", "io.stat")
        file = file.with_name(file.name.replace("throttled", "blkio.throttle.io_service_bytes_recursive"))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return root


@pytest.mark.parametrize(
    ("cgroup", "place", "text"),
    [
        ("0::/system.slice/pg\n", "system.slice__pg__io_stat", V2),
        ("7:blkio:/docker/1\n0::/\n", "blkio__docker__1__throttled", V1),
        ("7:blkio:/\n0::/user/me\n", "unified__user__me__io_stat", V2),
    ],
)
def test_both_versions_are_read(tmp_path: Path, cgroup: str, place: str, text: str) -> None:
    group = group_of(77, tree(tmp_path, cgroup, **{place: text}))
    assert group is not None
    assert read_bytes(group, "8:0") == (4096, 8192, 512)
    assert group.path in ("/system.slice/pg", "/docker/1", "/user/me")
    assert group.misses_writeback is (text is V1)


@pytest.mark.parametrize("cgroup", ["0::/\n", "7:blkio:/\n0::/\n", "0::/gone\n", ""])
def test_what_is_counted_of_the_whole_system_is_no_ones_own(tmp_path: Path, cgroup: str) -> None:
    assert group_of(77, tree(tmp_path, cgroup, io_stat=V2, blkio__throttled=V1)) is None


def test_where_nobody_counts_nothing_is_known(tmp_path: Path) -> None:
    """Version 2 leaves out what is 0; version 1 counts devices with a limit, and a group that went away is none."""
    second = group_of(77, tree(tmp_path / "2", "0::/pg\n", pg__io_stat=V2))
    first = group_of(77, tree(tmp_path / "1", "7:blkio:/pg\n", blkio__pg__throttled=V1))
    assert second is not None
    assert first is not None
    assert read_bytes(second, "8:32") == (0, 0, 0)
    assert read_bytes(first, "8:32") is None
    second.file.unlink()
    assert read_bytes(second, "8:0") is None


def test_what_is_said_of_others(tmp_path: Path) -> None:
    second, first = Group(77, tmp_path / "io.stat", "/pg"), Group(77, tmp_path / "blkio.throttle", "/pg")
    assert of_others(second, "sda", (1000, 0, 0), (1000, 5, 0, 0)) == []
    (said,) = of_others(second, "sda", (250, 1000, 0), (1000, 1000, 0, 0))
    assert said["count"] == 750
    assert said["why"] == (
        "I/Os of sda that are not of process 77 or of others in its cgroup /pg: 75 % of the bytes read; "
        "they count like its own"
    )
    # What was under way at the edges.
    assert of_others(first, "sda", (1010, 0, 0), (1000, 0, 0, 0)) == []
