"""A bound on memory holds what files leave in it, ends with the block, and says why where it cannot be."""

from __future__ import annotations

import os
from pathlib import Path

from tests.conftest import need, need_root

from plimsoll.targets.host import cgroup_folders, memory_limit_bytes
from plimsoll.targets.small_memory import LEAST_BYTES, SmallMemory, small_memory

USED = ("memory.current", "memory.usage_in_bytes")


def bound(name: str) -> SmallMemory:
    """What this host gives."""
    with small_memory(name, LEAST_BYTES) as found:
        need(not found.why_not, f"memory cgroups ({found.why_not})")
    return found


def test_files_fill_no_more_than_the_bound(tmp_path: Path) -> None:
    need_root()
    bound("probe")
    before = Path("/proc/self/cgroup").read_text()
    with small_memory("test", LEAST_BYTES) as memory:
        assert memory.folder is not None
        with memory.entered():
            assert memory.folder.name in Path("/proc/self/cgroup").read_text()
            assert memory_limit_bytes() == LEAST_BYTES
            with (tmp_path / "file").open("wb") as file:
                part = os.urandom(1 << 20)
                for _ in range(3 * LEAST_BYTES // len(part)):
                    file.write(part)
                os.fsync(file.fileno())
            used = next(int((memory.folder / each).read_text()) for each in USED if (memory.folder / each).exists())
            assert LEAST_BYTES / 2 < used <= LEAST_BYTES
        assert Path("/proc/self/cgroup").read_text() == before
        folder = memory.folder
    assert not folder.exists()


def test_where_there_is_no_cgroup_it_says_so_and_goes_on(tmp_path: Path) -> None:
    before = Path("/proc/self/cgroup").read_text()
    with small_memory("test", LEAST_BYTES, root=tmp_path) as memory:
        assert (memory.folder, memory.why_not) == (None, "this host has no memory cgroups")
        with memory.entered():
            assert Path("/proc/self/cgroup").read_text() == before


def test_a_folder_without_the_controller_is_no_bound(tmp_path: Path) -> None:
    above = tmp_path / "sys/fs/cgroup/memory"
    above.mkdir(parents=True)
    (above / "cgroup.procs").write_text("")
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text("4:memory:/\n")
    assert cgroup_folders("memory", tmp_path) == [above]
    with small_memory("test", LEAST_BYTES, root=tmp_path) as memory:
        assert memory.why_not == f"{above}: no memory controller in it"
    assert [each.name for each in above.iterdir()] == ["cgroup.procs"]
