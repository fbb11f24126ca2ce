"""A place of its own for one round: state folder, store, directories to measure, outputs, and all processes of it.

Every process that a command starts inherits a word in its environment, so that what outlives the round is found,
whoever became its parent.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from benches.torture.supervisor import Supervisor

PLIMSOLL = str(Path(sys.executable).parent / "plimsoll")
FIXTURES = Path(__file__).resolve().parents[2] / "tests/unit/importers"
MARK = "PLIMSOLL_TORTURE"
LONGEST_S = 300.0
"""A command that takes longer hangs: the longest wait of any is for a locked store, and that is half a minute."""

SHORT = ("--set", "size=1MiB", "--set", "warmup=0s", "--noisy-host")


@dataclass(frozen=True)
class Answer:
    """What a command left behind."""

    code: int | None
    """None for one that hung and was ended."""
    out: str
    err: str

    @property
    def said(self) -> str:
        return f"{self.out}\n{self.err}"


@dataclass
class Sandbox:
    """Everything of one round is below `folder`, or carries its mark."""

    folder: Path
    store: str | None = None
    """Address of the store, where it is not the file in `home`."""
    mark: str = field(default_factory=lambda: secrets.token_hex(8))
    _later: list[Callable[[], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for each in self.places:
            each.mkdir(parents=True, exist_ok=True)
        # Private servers run as users of their own, below these folders.
        for each in (self.folder, self.disk):
            each.chmod(0o755)
        self.tmp.chmod(0o1777)

    @property
    def places(self) -> tuple[Path, ...]:
        """Its folders; faults may mount a disk of their own at each."""
        return self.home, self.disk, self.out, self.tmp

    @property
    def home(self) -> Path:
        """`$PLIMSOLL_HOME`."""
        return self.folder / "home"

    @property
    def disk(self) -> Path:
        """What is measured."""
        return self.folder / "disk"

    @property
    def out(self) -> Path:
        """Where the outputs go, and where commands run."""
        return self.folder / "out"

    @property
    def tmp(self) -> Path:
        """`$TMPDIR`."""
        return self.folder / "tmp"

    @property
    def results(self) -> Path:
        """The store, where it is a file."""
        return self.home / "results.db"

    @property
    def environment(self) -> dict[str, str]:
        """Of every command here."""
        found = {name: value for name, value in os.environ.items() if not name.startswith("PLIMSOLL_")}
        found |= {"PLIMSOLL_HOME": str(self.home), "TMPDIR": str(self.tmp), MARK: self.mark, "COLUMNS": "200"}
        return found | ({"PLIMSOLL_STORE": self.store} if self.store else {})

    def start(self, words: Sequence[str], supervisor: Supervisor | None = None) -> subprocess.Popen[str]:
        """`plimsoll WORDS`, running."""
        options = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "cwd": self.out, "env": self.environment}
        if supervisor is not None:
            return supervisor.start([PLIMSOLL, *words], **options)
        return subprocess.Popen([PLIMSOLL, *words], text=True, **options)  # type: ignore[call-overload, no-any-return]

    def run(self, *words: str, supervisor: Supervisor | None = None) -> Answer:
        """`plimsoll WORDS` to its end."""
        return ended(self.start(words, supervisor))

    def processes(self) -> list[tuple[int, str]]:
        """Number and command of everything that carries the mark."""
        mark = f"{MARK}={self.mark}".encode()
        found = []
        for each in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                # A process that has ended and waits for its parent has no environment any more.
                if mark in (each / "environ").read_bytes().split(b"\0"):
                    words = (each / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ").strip()
                    found.append((int(each.name), words))
        return found

    def mounts(self) -> list[str]:
        """Mount points below that commands made, the last first."""
        lines = Path("/proc/self/mounts").read_text().splitlines()
        points = [line.split()[1].encode().decode("unicode_escape") for line in lines]
        own = {str(each) for each in self.places}
        return [point for point in reversed(points) if point.startswith(f"{self.folder}/") and point not in own]

    def loops(self) -> list[str]:
        """Loop devices on files below."""
        backings = Path("/sys/block").glob("loop*/loop/backing_file")
        return [f"/dev/{each.parts[3]}" for each in backings if _text(each).startswith(f"{self.folder}/home/")]

    def left(self) -> list[str]:
        """What of commands that have ended is still there; what the kernel takes away by itself gets a moment."""
        deadline = time.monotonic() + 5
        while (found := self._left()) and time.monotonic() < deadline:
            time.sleep(0.05)
        return found

    def _left(self) -> list[str]:
        found = [f"process {number}: {words}" for number, words in self.processes()]
        found += [f"mount {point}" for point in self.mounts()] + [f"loop device {each}" for each in self.loops()]
        volumes, active = self.home / "volumes", self.home / "active"
        for folder in (self.tmp, active, volumes, *(path for path in self.disk.iterdir() if path.is_dir())):
            if folder.is_dir():
                found += [
                    str(path.relative_to(self.folder))
                    for path in folder.iterdir()
                    if not path.name.startswith(".") and path.name != "lost+found"
                ]
        return found

    def later(self, action: Callable[[], None]) -> None:
        """What is done at the end, the last first: the sandbox stands on it until then."""
        self._later.append(action)

    def end(self) -> None:
        """Take everything away, however it was left."""
        for number, _ in self.processes():
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
        for point in self.mounts():
            subprocess.run(["umount", "--lazy", point], check=False, capture_output=True)
        for device in self.loops():
            subprocess.run(["losetup", "--detach", device], check=False, capture_output=True)
        for each in self.places:
            if os.path.ismount(each):
                subprocess.run(["umount", "--lazy", str(each)], check=False, capture_output=True)
        while self._later:
            self._later.pop()()
        shutil.rmtree(self.folder, ignore_errors=True)


def ended(process: subprocess.Popen[str], limit_s: float = LONGEST_S) -> Answer:
    """Wait for a command; one that hangs is ended."""
    try:
        out, err = process.communicate(timeout=limit_s)
        return Answer(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        process.kill()
        try:
            out, err = process.communicate(timeout=10)
        except subprocess.TimeoutExpired:
            out = err = ""
        return Answer(None, out, err)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""
