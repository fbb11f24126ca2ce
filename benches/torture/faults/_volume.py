"""A served volume of the campaign's own below one folder of the sandbox: a disk that can fail, and lose its power."""

import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from benches.torture.sandbox import Sandbox
from benches.torture.turn import Turn

SIZE_BYTES = 1 << 30
RELEASED_S = 120.0
"""So long a disk that went away may be held by those who had it open; longer is a process that was left behind."""


@dataclass(frozen=True)
class Disk:
    """A volume that is mounted at `place`; the commands that are disturbed know nothing of it."""

    sandbox: Sandbox
    device: str
    place: Path

    def fault(self, *words: str) -> None:
        """`plimsoll volume fault disk WORDS`."""
        answer = self.sandbox.run("volume", "fault", "disk", *words)
        assert answer.code == 0, answer.said

    def restart(self) -> None:
        """As a machine does that lost its disk or its power: unmounted, repaired where that is needed, mounted."""
        self.fault("clear")
        subprocess.run(["umount", str(self.place)], check=False, capture_output=True)
        subprocess.run(["umount", "--lazy", str(self.place)], check=False, capture_output=True)
        checked = self._repair()
        until = time.monotonic() + RELEASED_S
        # Who had it open when it went away may still be on the way out, as the last of a lazy unmount is.
        while "is in use" in checked.stdout + checked.stderr and time.monotonic() < until:
            time.sleep(0.5)
            checked = self._repair()
        assert checked.returncode <= 1, checked.stdout + checked.stderr
        subprocess.run(["mount", "-t", "ext4", self.device, str(self.place)], check=True)

    def _repair(self) -> subprocess.CompletedProcess[str]:
        found = subprocess.run(["e2fsck", "-p", self.device], check=False, capture_output=True, text=True)
        if found.returncode <= 1:
            return found
        return subprocess.run(["e2fsck", "-fy", self.device], check=False, capture_output=True, text=True)


@contextmanager
def disk_below(turn: Turn, name: str) -> Iterator[Disk]:
    """A disk below `home`, `disk` or `out` of the sandbox, with a cache that a power loss drops."""
    place = turn.sandbox.folder / name
    outer = Sandbox(turn.sandbox.folder.parent / f"{turn.sandbox.folder.name}-disk")
    try:
        shape = ("--type", "gp3", "--size", f"{SIZE_BYTES}", "--fs", "ext4", "--backing", "memory")
        words = ("volume", "create", "disk", *shape, "--write-cache", "64MiB", "--mount", str(place), "--json")
        answer = outer.run(*words)
        assert answer.code == 0, answer.said
        place.chmod(0o755)
        yield Disk(outer, json.loads(answer.out)["device"], place)
    finally:
        # The last laws have been looked at when the round ends, and they look below this mount.
        turn.sandbox.later(lambda: _away(outer))


def _away(outer: Sandbox) -> None:
    outer.run("volume", "delete", "--all", "--force")
    outer.end()
    shutil.rmtree(outer.folder, ignore_errors=True)
