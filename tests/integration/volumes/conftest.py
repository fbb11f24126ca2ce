"""Real volumes in a state folder of their own; nothing of them may be left when a test ends."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import need, need_program, need_root
from tests.integration.run import starter

from plimsoll.volumes import lifecycle, registry
from plimsoll.volumes.registry import Volume
from plimsoll.volumes.removal import remove


@dataclass(frozen=True)
class Machine:
    """This machine, as far as volumes are concerned."""

    home: Path

    def plimsoll(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        """The command line, as a user types it."""
        done = starter.run([*words], Path.cwd(), {**os.environ})
        assert not check or done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def create(self, name: str, **options: Any) -> Volume:
        """A small volume without limits worth mentioning, in memory unless `backing` says otherwise."""
        more = {
            field: options.pop(field)
            for field in ("file_system", "mount", "backing", "write_cache_bytes", "instance_name", "keeper")
            if field in options
        }
        shape = {"type": "gp3", "size": "1GiB", **{key: str(value) for key, value in options.items()}}
        return lifecycle.create(lifecycle.VolumeRequest(name=name, options=shape, **{"backing": "memory", **more}))

    def left(self) -> list[str]:
        """Everything that is there of any volume of this test."""
        here = str(self.home)
        loops = [
            f"loop device {entry.parent.parent.name}"
            for entry in Path("/sys/block").glob("loop*/loop/backing_file")
            if entry.read_text().startswith(here)
        ]
        mounts = [line for line in Path("/proc/self/mounts").read_text().splitlines() if here in line]
        folders = [str(path) for path in registry.root().iterdir() if not path.name.startswith(".")]
        return loops + mounts + folders + [f"server {pid}" for pid in self.servers()]

    def servers(self) -> list[int]:
        """Processes that serve volumes of this test."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_bytes().decode(errors="replace")
            except OSError:
                continue
            if "plimsoll.volumes.server" in words and str(self.home) in words:
                found.append(int(process.name))
        return found


@pytest.fixture
def machine() -> Iterator[Machine]:
    need_root()
    for program in ("losetup", "mount", "umount", "mkfs.ext4", "fio"):
        need_program(program)
    need(Path("/dev/fuse").exists(), "/dev/fuse")
    need(Path("/dev/loop-control").exists(), "loop devices")
    found = Machine(Path(os.environ["PLIMSOLL_HOME"]))
    try:
        yield found
    finally:
        with registry.changes():
            for volume in registry.volumes():
                if volume.folder.exists():
                    remove(volume.folder, force=True)
    assert found.left() == []


def fio(place: str | Path, *job: str) -> dict[str, Any]:
    """Result of one fio job with direct I/O on a device or file."""
    fixed = ["--name=job", f"--filename={place}", "--ioengine=libaio", "--direct=1", "--output-format=json"]
    done = subprocess.run(
        ["fio", "--verify_state_save=0", *fixed, *job], capture_output=True, text=True, cwd="/tmp", timeout=120
    )
    result: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    return result
