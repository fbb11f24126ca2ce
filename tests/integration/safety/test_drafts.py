"""Outputs are whole or absent, and a killed process leaves nothing that the next command does not take away."""

from __future__ import annotations

import errno
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from benches.torture.supervisor import Call, Supervisor
from tests.conftest import need

from plimsoll import drafts
from plimsoll.targets import workdir

SEED = int(os.environ.get("PLIMSOLL_TORTURE_SEED", "1"))
KILLS = 25
OLD, NEW = b"old", b"new" * 100_000
FILE = """
import sys
from plimsoll.drafts import whole_file
with whole_file(sys.argv[1]) as file:
    file.write(b"new" * 100_000)
"""
FOLDER = """
from plimsoll.drafts import scratch_folder
with scratch_folder() as folder:
    (folder / "in it").write_bytes(b"new")
"""
WORK = """
import sys
from pathlib import Path
from plimsoll.targets.workdir import workdir
with workdir(Path(sys.argv[1]).parent, "session") as folder:
    (folder.path / "in it").write_bytes(b"new")
"""
FOR_EVER = """
import sys
from plimsoll.drafts import scratch_folder, whole_file
print("begun", flush=True)
while True:
    for number in range(4):
        with whole_file(f"{sys.argv[1]}-{number}") as file, scratch_folder() as folder:
            file.write(b"new" * 100_000)
            (folder / "in it").write_bytes(b"new")
"""


@dataclass(frozen=True)
class Places:
    """Where a process writes: its state, an output, its temporary files; all with something of somebody else."""

    root: Path

    @property
    def out(self) -> Path:
        return self.root / "out"

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def environment(self) -> dict[str, str]:
        return os.environ | {"PLIMSOLL_HOME": str(self.home), "TMPDIR": str(self.root / "tmp")}

    def make(self) -> Places:
        for name in ("out", "tmp", "home/active"):
            (self.root / name).mkdir(parents=True)
        for name in ("out/.plimsoll-theirs.part", "out/theirs", "tmp/plimsoll-theirs/file"):
            (self.root / name).parent.mkdir(exist_ok=True)
            (self.root / name).write_text("theirs")
        return self

    def files(self) -> set[str]:
        return {str(each.relative_to(self.root)) for each in self.root.rglob("*") if not each.is_dir()}

    def command(self, script: str) -> list[str]:
        return [sys.executable, "-c", script, str(self.out / "o")]


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    found = Places(tmp_path / "here").make()
    monkeypatch.setenv("PLIMSOLL_HOME", str(found.home))
    monkeypatch.setenv("TMPDIR", str(found.root / "tmp"))
    return found


THEIRS = {"out/.plimsoll-theirs.part", "out/theirs", "tmp/plimsoll-theirs/file"}


def test_a_file_appears_when_it_is_complete(places: Places) -> None:
    umask = os.umask(0o027)
    try:
        for before in (None, b"new"):
            with drafts.whole_file(places.out / "o") as file:
                file.write(b"new")
                file.flush()
                there = (places.out / "o").read_bytes() if before else None
                assert there == before
                assert places.files() == THEIRS | ({"out/o"} if before else set())
            assert (places.out / "o").read_bytes() == b"new"
            assert (places.out / "o").stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(umask)
    assert places.files() == THEIRS | {"out/o"}


@pytest.mark.parametrize("before", [None, OLD])
def test_what_fails_changes_nothing(places: Places, before: bytes | None) -> None:
    if before:
        (places.out / "o").write_bytes(before)

    def fail() -> None:
        with drafts.whole_file(places.out / "o") as file, drafts.scratch_folder() as folder:
            file.write(NEW)
            (folder / "x").write_bytes(NEW)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert places.files() == THEIRS | ({"out/o"} if before else set())
    assert before is None or (places.out / "o").read_bytes() == before


def supervised(places: Places, script: str, supervisor: Supervisor) -> int:
    try:
        process = supervisor.start(places.command(script), env=places.environment)
    except OSError as error:
        need(False, f"seccomp with notifications ({error})")
        raise
    return process.wait(60)


# A file system without files that have no name, and one that does not name them afterwards.
NO_NAMELESS = (Call("open", "out", 2), errno.EOPNOTSUPP)
NO_NAMING = (Call("link", "out/o", 1), errno.EPERM)


@pytest.mark.parametrize("lacks", [None, NO_NAMELESS, NO_NAMING], ids=["all", "no-nameless", "no-naming"])
@pytest.mark.parametrize("before", [None, OLD], ids=["new", "again"])
def test_killed_at_each_of_its_calls(tmp_path: Path, before: bytes | None, lacks: tuple[Call, int] | None) -> None:
    """Deterministic, and with the moments that chance would need thousands of kills for."""

    def one(name: str, kills: Call | None) -> tuple[Places, Supervisor]:
        places = Places(tmp_path / name).make()
        if before:
            (places.out / "o").write_bytes(before)
        fails, number = lacks or (None, 0)
        supervisor = Supervisor(places.root, fails=fails, error=number, kills=kills)
        code = supervised(places, FILE, supervisor)
        assert code == (0 if kills is None else -signal.SIGKILL), kills
        return places, supervisor

    places, supervisor = one("undisturbed", None)
    assert (places.out / "o").read_bytes() == NEW
    assert places.files() == THEIRS | {"out/o"}
    calls = [call for call in supervisor.calls(8) if call.place.startswith(("out", "home/active"))]
    assert len(calls) >= 2
    for number, call in enumerate(calls):
        places, _ = one(str(number), call)
        swept(places, before, str(call))


def swept(places: Places, before: bytes | None, told: str) -> None:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("PLIMSOLL_HOME", str(places.home))
        drafts.sweep()
    output = places.out / "o"
    found = output.read_bytes() if output.exists() else None
    assert found in (before, NEW), told
    assert places.files() == THEIRS | ({"out/o"} if found else set()), told


def killed_at_each_call(folder: Path, script: str, *where: str) -> Iterator[tuple[Places, Call]]:
    """What was left each time; of the calls below these places of it."""
    undisturbed = Places(folder / "undisturbed").make()
    supervisor = Supervisor(undisturbed.root)
    assert supervised(undisturbed, script, supervisor) == 0
    calls = [call for call in supervisor.calls() if call.place.startswith(where)]
    assert {call.name for call in calls} >= {"open", "write", "mkdir", "unlink"}
    for number, call in enumerate(calls):
        places = Places(folder / str(number)).make()
        assert supervised(places, script, Supervisor(places.root, kills=call)) == -signal.SIGKILL, call
        yield places, call


def test_a_folder_killed_at_each_of_its_calls(tmp_path: Path) -> None:
    for places, call in killed_at_each_call(tmp_path, FOLDER, "tmp", "home/active"):
        swept(places, None, str(call))


def test_a_work_folder_killed_at_each_of_its_calls(tmp_path: Path) -> None:
    for places, call in killed_at_each_call(tmp_path, WORK, "out", "home/active"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("PLIMSOLL_HOME", str(places.home))
            workdir.sweep()
        swept(places, None, str(call))
        assert sorted(os.listdir(places.root / "out")) == [".plimsoll-theirs.part", "theirs"], call


def test_killed_at_any_moment_by_the_next_command(places: Places) -> None:
    """And what a process that lives is writing stays."""
    rng = random.Random(SEED)
    with subprocess.Popen(
        places.command(FOR_EVER.replace("}-", "}-living-")), env=places.environment, stdout=subprocess.PIPE
    ) as living:
        assert living.stdout is not None
        assert living.stdout.readline()
        for _ in range(KILLS):
            with subprocess.Popen(places.command(FOR_EVER), env=places.environment, stdout=subprocess.PIPE) as process:
                assert process.stdout is not None
                assert process.stdout.readline()
                time.sleep(rng.random() / 10)
                process.kill()
            drafts.sweep()
        # It was never disturbed.
        assert living.poll() is None
        living.kill()
        living.wait()
    plimsoll = Path(sys.executable).parent / "plimsoll"
    done = subprocess.run([plimsoll, "list", "tests"], env=places.environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    outputs = {f"out/o-{name}{number}" for name in ("", "living-") for number in range(4)}
    assert {each for each in places.files() if not each.startswith("home/results")} <= THEIRS | outputs
    assert places.files() >= THEIRS
    assert all((places.root / each).read_bytes() == NEW for each in outputs & places.files())
    assert os.listdir(places.root / "tmp") == ["plimsoll-theirs"]


def test_only_what_carries_the_token_and_is_of_its_kind_is_removed(places: Places) -> None:
    """Entries that somebody forged, or a name that leads elsewhere, take nothing away."""
    active = places.home / "active"
    (active / "aaaa.draft").write_text(str(places.out / "theirs"))
    (active / "bbbb.draft").write_text("")
    (active / "cccc.draft").write_text(f"{places.out}/.plimsoll-cccc.part")
    (places.out / ".plimsoll-cccc.part").symlink_to("theirs")
    (active / "dddd.draft").write_text(f"{places.root}/nowhere/plimsoll-dddd")
    assert drafts.sweep() == []
    assert places.files() == THEIRS | {"out/.plimsoll-cccc.part"}
