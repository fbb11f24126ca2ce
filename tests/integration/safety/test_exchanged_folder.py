"""Who owns a directory may rename what root made in it: nothing of root's is overwritten, removed or given away.

The owner is a process of another user. It waits for the work folder, moves it away, and puts a folder of its own in its
place, where every name that a test could use is a link to a file or folder of root's.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root
from tests.integration.run.conftest import SHORT, Command, plimsoll  # noqa: F401 (a fixture)
from tests.integration.run.test_databases import need_server

from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.targets import workdir as workdirs
from plimsoll.targets.workdir import sweep, workdir

NOBODY = 65534
SESSION = "01937000-0000-7000-8000-0123456789ab"
FOLDER = "plimsoll-456789ab"
SIZE = 16 * 2**20
FILES = (f"data-random-{SIZE}", f"data-zero-{SIZE}", "database.db", "database.db-wal", "database.db-journal",
         "ioping.tmp", "log", "redis.conf", "nginx.conf", "password", "start.sql")  # fmt: skip
FOLDERS = ("plimsoll-files", "rocksdb", "data", "pages")

OWNER = """
import os, sys, time
file, folder, files, folders, wait_for = sys.argv[1], sys.argv[2], sys.argv[3].split(), sys.argv[4].split(), sys.argv[5]
os.setgroups([])
os.setgid(65534)
os.setuid(65534)
print("ready", flush=True)
number, end = 0, time.monotonic() + 120
while time.monotonic() < end:
    time.sleep(0.0002)
    if wait_for and not os.path.exists(wait_for):
        continue
    for name in os.listdir("."):
        if not name.startswith("plimsoll-") or os.stat(name, follow_symlinks=False).st_uid == os.geteuid():
            continue
        number += 1
        os.rename(name, f"moved-{number}")
        os.mkdir(name, 0o777)
        try:
            for each in files:
                os.symlink(file, f"{name}/{each}")
            for each in folders:
                os.symlink(folder, f"{name}/{each}")
        except FileNotFoundError:
            pass  # Found out while it was still empty, and then it is removed.
        print("exchanged", flush=True)
"""


@dataclass
class Theirs:
    """A directory of another user, and what of root's they have an eye on."""

    path: Path
    secret: Path
    precious: Path
    before: tuple[bytes, int, int]

    def untouched(self) -> bool:
        inside = sorted(path.name for path in self.precious.iterdir())
        status = self.precious.stat()
        return (
            self._now() == self.before and inside == ["kept"] and (status.st_mode & 0o777, status.st_uid) == (0o700, 0)
        )

    def _now(self) -> tuple[bytes, int, int]:
        status = self.secret.stat()
        return self.secret.read_bytes(), status.st_mode, status.st_uid

    def of_root(self) -> list[Path]:
        """What root made there and left; an empty folder that was moved before anybody had it open is none."""
        found = [path for path in self.path.rglob("*") if path.lstat().st_uid == 0]
        return [path for path in found if not path.is_dir() or any(path.iterdir())]


@pytest.fixture
def theirs(tmp_path: Path) -> Theirs:
    need_root()
    path, roots = tmp_path / "theirs", tmp_path / "roots"
    path.mkdir()
    for each in path.parents:
        # MariaDB's own user goes to some files by name.
        if not each.stat().st_mode & 0o001:
            each.chmod(each.stat().st_mode | 0o011)
    os.chown(path, NOBODY, NOBODY)
    roots.mkdir(mode=0o700)
    secret, precious = roots / "secret", roots / "precious"
    secret.write_bytes(b"of root alone" * 1000)
    secret.chmod(0o600)
    precious.mkdir(mode=0o700)
    (precious / "kept").write_text("kept")
    status = secret.stat()
    return Theirs(path, secret, precious, (secret.read_bytes(), status.st_mode, status.st_uid))


Owner = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture
def owner(theirs: Theirs) -> Iterator[Owner]:
    """Starts the owner; it acts once `wait_for` is there, or at once."""
    started: list[subprocess.Popen[str]] = []

    def start(wait_for: str = "") -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-I", "-c", OWNER, str(theirs.secret), str(theirs.precious), " ".join(FILES),
             " ".join(FOLDERS), wait_for],
            cwd=theirs.path, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


SMALL_YCSB = ("--set", "records=200", "--set", "runtime=1s", "--set", "warmup=0s", "--noisy-host")
RUNS: dict[str, tuple[str, ...]] = {
    "block": ("randwrite", *SHORT, "--set", "direct=no"),
    "files": ("dbench", "--set", "runtime=1s", "--set", "warmup=0s", "--noisy-host"),
    "sqlite of files": ("sqlite-inserts", "--quick-sizes", "--noisy-host"),
    "sqlite": ("ycsb-a", "--server", "sqlite", *SMALL_YCSB),
    "rocksdb": ("ycsb-a", "--server", "rocksdb", *SMALL_YCSB),
    "redis": ("ycsb-a", "--server", "redis", *SMALL_YCSB),
    "nginx": ("web-static", "--server", "nginx", "--set", "runtime=1s", "--set", "warmup=0s", "--noisy-host"),
    "postgresql": ("ycsb-a", "--server", "postgresql", *SMALL_YCSB),
    "mariadb": ("ycsb-a", "--server", "mariadb", *SMALL_YCSB),
    "original": ("randwrite", "--set", "implementation=original", *SHORT, "--set", "direct=no"),
}


@pytest.mark.parametrize("kind", RUNS)
def test_a_run_in_an_exchanged_folder_ends_and_harms_nothing(
    plimsoll: Command,  # noqa: F811
    theirs: Theirs,
    owner: Owner,
    kind: str,
) -> None:
    words = RUNS[kind]
    if "--server" in words and kind not in ("sqlite", "rocksdb"):
        need_server(kind)
    if kind == "original":
        need_program("fio")
    process = owner()
    answer = plimsoll("run", *words, "--blocks", "3", "--on", f"here={theirs.path}", check=None)
    assert process.stdout is not None
    assert process.stdout.readline() == "exchanged\n"
    assert theirs.untouched()
    assert answer.code in (2, 3), answer.out + answer.err
    assert "exchanged" in answer.out + answer.err
    shown = plimsoll("show", "--json", check=None)
    rows = shown.json["scores"]["rows"] if shown.code == 0 else []
    assert [row for row in rows if row["status"] == "ok"] == []
    assert theirs.of_root() == []


APPEARS = {"block": "data-*", "files": "plimsoll-files/clients", "sqlite": "database.db"}


@pytest.mark.parametrize("kind", APPEARS)
def test_a_run_whose_folder_is_exchanged_meanwhile_does_not_count(
    plimsoll: Command,  # noqa: F811
    theirs: Theirs,
    owner: Owner,
    kind: str,
) -> None:
    """The exchange comes once the data lie there: the run goes on in the folder that was made, and fails."""
    process = owner("now")
    words = (*RUNS[kind], "--set", "runtime=4s", "--repeats", "1", "--on", f"here={theirs.path}")
    watcher = subprocess.Popen(
        [sys.executable, "-c",
         "import glob,pathlib,sys,time\nwhile not glob.glob(sys.argv[1]): time.sleep(0.01)\n"
         "time.sleep(1)\npathlib.Path('now').touch()", f"plimsoll-*/{APPEARS[kind]}"],
        cwd=theirs.path,
    )  # fmt: skip
    try:
        answer = plimsoll("run", *words, check=None)
    finally:
        watcher.kill()
        watcher.wait()
    assert process.stdout is not None
    assert process.stdout.readline() == "exchanged\n"
    assert theirs.untouched()
    assert answer.code == 3, answer.out + answer.err
    (reason,) = {row["reason"] for row in plimsoll("show", "--json").json["scores"]["rows"]}
    assert "was moved, removed or exchanged while it was in use" in reason
    assert str(theirs.path) in reason
    assert [path for path in theirs.of_root() if path.name != "now"] == []


OF_FILES = ("unpack", "compilebench", "sqlite-inserts", "gzip", "postmark", "bonnie++", "fs-mark", "iozone", "dbench")


@pytest.mark.parametrize("test", OF_FILES)
def test_a_test_of_files_never_leaves_its_folder(
    plimsoll: Command,  # noqa: F811
    theirs: Theirs,
    owner: Owner,
    test: str,
) -> None:
    """The exchange comes at any moment of runs that make and copy many files, and read them back by their names."""
    process = owner("now")
    watcher = subprocess.Popen(
        [sys.executable, "-c",
         "import glob,pathlib,time\nwhile not glob.glob('plimsoll-*/plimsoll-files/*'): time.sleep(0.001)\n"
         "pathlib.Path('now').touch()"],
        cwd=theirs.path,
    )  # fmt: skip
    words = ("--quick-sizes", "--repeats", "500", "--noisy-host", "--on", f"here={theirs.path}")
    try:
        answer = plimsoll("run", test, *words, check=None)
    finally:
        watcher.kill()
        watcher.wait()
    assert process.stdout is not None
    assert process.stdout.readline() == "exchanged\n"
    assert theirs.untouched()
    assert answer.code in (2, 3), answer.out + answer.err
    assert "exchanged" in answer.out + answer.err
    assert [path for path in theirs.of_root() if path.name != "now"] == []


@pytest.mark.parametrize(
    "words", [("bonnie", "-s", "16m", "-r", "8m", "-n", "1", "-d"), ("ping", "-c", "300", "-i", "0.01")]
)
def test_a_front_end_in_an_exchanged_folder_ends_and_harms_nothing(
    plimsoll: Command,  # noqa: F811
    theirs: Theirs,
    owner: Owner,
    words: tuple[str, ...],
) -> None:
    process = owner()
    answer = plimsoll(*words, theirs.path, check=None)
    assert process.stdout is not None
    assert process.stdout.readline() == "exchanged\n"
    assert theirs.untouched()
    assert answer.code in (2, 3), answer.out + answer.err
    assert "exchanged" in answer.err
    assert theirs.of_root() == []


def exchange(folder: Path, by: Path) -> Path:
    """Another thing in the place of the work folder, as its owner puts it there; where the folder is now."""
    moved = folder.parent / "moved"
    folder.rename(moved)
    by.rename(folder)
    return moved


def test_at_the_end_the_folder_that_was_made_is_removed_wherever_it_is(theirs: Theirs) -> None:
    with workdir(theirs.path, SESSION) as folder:
        (folder / "data").write_bytes(b"x" * 1000)
        moved = folder.path.rename(theirs.path / "moved")
        folder.path.symlink_to(theirs.precious)
        assert folder.moved()
        with pytest.raises(TargetError, match="moved, removed or exchanged"):
            folder.check()
        assert (folder / "data").read_bytes() == (moved / "data").read_bytes()
    assert theirs.untouched()
    assert [path.name for path in theirs.path.iterdir()] == [FOLDER], "the link is theirs"
    assert list((home() / "active").iterdir()) == []


def test_at_the_end_another_folder_of_roots_is_left_alone(theirs: Theirs) -> None:
    other = theirs.path / "other"
    with workdir(theirs.path, SESSION) as folder:
        other.mkdir()
        (other / "file").write_text("of root")
        exchange(folder.path, other)
    assert (theirs.path / FOLDER / "file").read_text() == "of root"
    assert not (theirs.path / "moved").exists()


def test_a_sweep_removes_the_folder_that_it_has_looked_at(theirs: Theirs, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner exchanges it between the look and the removal: the worst moment there is."""
    pid = os.fork()
    if not pid:
        with contextlib.suppress(BaseException), workdir(theirs.path, SESSION) as made:
            (made / "data").write_bytes(b"x")
            os._exit(0)
        os._exit(1)
    assert os.waitpid(pid, 0)[1] == 0
    other = theirs.path / "other"
    other.mkdir()
    (other / "file").write_text("of root")
    looked = workdirs._is_ours

    def then_exchanged(*words: object) -> bool:
        found = looked(*words)
        exchange(theirs.path / FOLDER, other)
        return found

    monkeypatch.setattr(workdirs, "_is_ours", then_exchanged)
    sweep()
    assert (theirs.path / FOLDER / "file").read_text() == "of root"
    assert not (theirs.path / "moved").exists()
    assert theirs.untouched()


def test_a_folder_that_is_exchanged_while_it_is_made_is_not_used(
    theirs: Theirs, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def exchanged(name: str, mode: int, *, dir_fd: int | None = None) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        if dir_fd is not None:
            os.chown(name, NOBODY, NOBODY, dir_fd=dir_fd)

    monkeypatch.setattr("plimsoll.targets.held.os.mkdir", exchanged)
    with pytest.raises(TargetError, match=f"belongs to user {NOBODY}"), workdir(theirs.path, SESSION):
        pass
    monkeypatch.undo()
    assert list(theirs.path.iterdir()) == []


def test_a_folder_is_private_where_the_system_made_it_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir

    def open_to_all(name: str, mode: int, *, dir_fd: int | None = None) -> None:
        mkdir(name, mode, dir_fd=dir_fd)
        if dir_fd is not None:
            os.chmod(name, 0o777, dir_fd=dir_fd)

    monkeypatch.setattr("plimsoll.targets.held.os.mkdir", open_to_all)
    with workdir(tmp_path, SESSION) as folder:
        assert folder.path.stat().st_mode & 0o077 == 0


FIO = ("fio", "--name=j", "--size=64k", "--bs=4k", "--ioengine=psync", "--direct=0")


@pytest.mark.parametrize("rw", ["write", "read"])
def test_fio_makes_no_file_through_a_link(plimsoll: Command, theirs: Theirs, rw: str) -> None:  # noqa: F811
    """Planted before the command: a file of root's that is there, and one that is not there yet."""
    new = theirs.secret.parent / "new"
    for leads_to in (new, theirs.secret):
        link = theirs.path / "j.0.0"
        link.symlink_to(leads_to)
        os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
        answer = plimsoll(*FIO, f"--rw={rw}", f"--directory={theirs.path}", check=2)
        assert "link of user" in answer.err or "was not made by `plimsoll fio`" in answer.err
        assert not new.exists()
        assert theirs.untouched()
        link.unlink()


@pytest.mark.parametrize("way", ["ln -sf {secret} {file}", "ln -f {secret} {file}"])
@pytest.mark.parametrize("more", [(), ("--nrfiles=3",), ("--verify=crc32c",)])
def test_fio_ends_where_its_file_was_exchanged(
    plimsoll: Command,  # noqa: F811
    theirs: Theirs,
    way: str,
    more: tuple[str, ...],
) -> None:
    """Between laying out and measuring, where the job's own command stands for the owner of the folder."""
    last = "j.0.2" if "--nrfiles=3" in more else "j.0.0"
    hook = way.format(secret=theirs.secret, file=theirs.path / last)
    theirs.secret.write_bytes(bytes(2**20))
    status = theirs.secret.stat()
    theirs.before = (theirs.secret.read_bytes(), status.st_mode, status.st_uid)
    words = (*FIO, "--rw=randwrite", *more, f"--directory={theirs.path}", f"--exec_prerun={hook}", "--unlink=1")
    answer = plimsoll(*words, check=None)
    assert answer.code != 0
    assert "is not the file that was there" in answer.err or "a link is in its place" in answer.err
    assert theirs.untouched()
    assert theirs.secret.exists()


def test_ping_writes_to_no_file_that_was_planted(plimsoll: Command, theirs: Theirs) -> None:  # noqa: F811
    theirs.secret.write_bytes(bytes(2**21))
    status = theirs.secret.stat()
    theirs.before = (theirs.secret.read_bytes(), status.st_mode, status.st_uid)
    link = theirs.path / "ioping.tmp"
    link.symlink_to(theirs.secret)
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    answer = plimsoll("ping", "-k", "-WWW", "-c", "5", "-i", "0", theirs.path, check=2)
    assert "link of user" in answer.err
    assert theirs.untouched()


def test_writetest_makes_no_file_through_a_link(plimsoll: Command, theirs: Theirs) -> None:  # noqa: F811
    link = theirs.path / "testfile"
    link.symlink_to(theirs.secret.parent / "new")
    os.chown(link, NOBODY, NOBODY, follow_symlinks=False)
    plimsoll("writetest", "-o", "5", "-f", link, check=2)
    assert not (theirs.secret.parent / "new").exists()
