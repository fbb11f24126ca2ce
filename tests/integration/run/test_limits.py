"""Machines that give no more memory, or no more threads: a sentence and an exit code, never a traceback or a wait."""

from __future__ import annotations

import os
import re
import resource
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import need_program, need_root
from tests.integration.run.conftest import PLIMSOLL, leftovers
from tests.integration.run.test_databases import need_server

USER = 47_114
"""A user without other processes: the limit counts all of a user's."""


@pytest.mark.parametrize("mebibytes", [60, 80, 110])
def test_no_more_memory(mebibytes: int, tmp_path: Path) -> None:
    limit = mebibytes * 2**20
    done = subprocess.run(
        [PLIMSOLL, "list", "tests", "--json"] if mebibytes > 100 else [PLIMSOLL, "show"],
        capture_output=True, text=True, cwd=tmp_path,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (limit, limit)),
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    if mebibytes < 100:
        assert done.returncode == 2
        assert "out of memory; finished runs are safe" in done.stderr


@pytest.fixture
def folder() -> Iterator[Path]:
    """One that another user can reach."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-limits-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


def run_with(threads: int, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """As another user, who may have so many threads; with the right to read, as the interpreter may lie anywhere."""
    need_root()
    setpriv, disk = need_program("setpriv"), folder / "disk"
    for each in (disk, folder / "home"):
        each.mkdir()
        os.chown(each, USER, USER)
    rights = "+dac_override,+dac_read_search"
    become = [setpriv, f"--reuid={USER}", f"--regid={USER}", "--clear-groups", f"--inh-caps={rights}",
              f"--ambient-caps={rights}", need_program("prlimit"), f"--nproc={threads}"]  # fmt: skip
    done = subprocess.run(
        [*become, PLIMSOLL, "run", *words, "--on", f"here={disk}", "--noisy-host", "--repeats", "1"],
        capture_output=True, text=True, timeout=120, cwd=folder,
        env={**os.environ, "PLIMSOLL_HOME": str(folder / "home")},
    )  # fmt: skip
    assert leftovers(disk) == []
    assert "internal error" not in done.stderr
    assert "panicked" not in done.stderr
    return done


SMALL = {
    "ping": ("--set", "size=4MiB", "--set", "runtime=100ms"),
    "tiotest": ("--set", "file_size=4MiB"),
    "ycsb-c": ("--set", "records=100", "--set", "runtime=100ms"),
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(
    "words", [("ping",), ("tiotest",), ("ycsb-c", "--server", "sqlite")], ids=lambda words: words[0]
)
def test_too_few_threads(threads: int, words: tuple[str, ...], folder: Path) -> None:
    done = run_with(threads, folder, *words, *SMALL[words[0]])
    assert done.returncode == 3, done.stderr
    assert "raise the limit (" in done.stderr
    assert "ulimit -u" in done.stderr


@pytest.mark.parametrize("threads", [2, 4, 6, 12])
def test_a_library_that_cannot_have_its_threads(threads: int, folder: Path) -> None:
    """It would end the process: what it throws passes through its C interface."""
    need_server("rocksdb")
    done = run_with(threads, folder, "ycsb-c", "--server", "rocksdb", *SMALL["ycsb-c"])
    assert done.returncode == 3, done.stderr
    assert re.search(r"cannot start its \d+ threads; raise the limit", done.stderr)


@pytest.mark.parametrize("threads", [2, 3, 4])
def test_a_server_that_cannot_be_started(threads: int, folder: Path) -> None:
    need_server("redis")
    done = run_with(threads, folder, "ycsb-c", "--server", "redis", *SMALL["ycsb-c"])
    assert done.returncode == 3, done.stderr
    assert re.search("redis ended while starting|no further thread or process can be started", done.stderr)


def test_what_lays_a_file_out_is_not_left_out_in_silence(folder: Path) -> None:
    done = run_with(2, folder, "ping", *SMALL["ping"])
    assert "cannot start the thread that lays the file out" in done.stderr
