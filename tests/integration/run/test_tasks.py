"""Every row of docs/tasks.md is typed, in its order, at sizes that fit here: a new row needs a line here."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from tests.conftest import need_root
from tests.integration.run.conftest import SHORT, Command

ROOT = Path(__file__).parents[3]
TABLE = re.compile(r"\| you want to \| type \|\n\|---\|---\|\n((?:\|.*\n)+)")
ROW = re.compile(r"^\| ([^|]+) \| (.+) \|$", re.MULTILINE)


def rows(document: str) -> list[tuple[str, str]]:
    """What one wants to do and the commands for it, from all tables of a document."""
    return [row for table in TABLE.findall((ROOT / document).read_text()) for row in ROW.findall(table)]


ROWS = rows("docs/tasks.md")

ONE = (*SHORT, "--blocks", "1")
SMALL = ("--set", "records=500", "--set", "runtime=500ms", "--noisy-host", "--blocks", "1")
VOLUMES = ("--noisy-host", "--blocks", "1", "--set", "size=64MiB", "--set", "runtime=1s")
QUICK = ("--quick-sizes", "--noisy-host", "--blocks", "1")

EXTRA: dict[str, tuple[str, ...] | str] = {
    "know whether this machine is fit for measuring": (),
    "know the disk you are on": ONE,
    "compare two places in depth": (*QUICK, "--time", "12s"),
    "compare two settings": ONE,
    "see what would happen first": (),
    "keep a whole session as a file": (),
    "stop after half an hour, whatever happens": (*QUICK, "--time", "12s"),
    "watch a running session from another terminal": "tests/integration/run/test_top.py",
    "go on after Ctrl-C or a crash": "tests/integration/run/test_interruptions.py",
    "measure on other machines": "tests/integration/cluster",
    "fail a pipeline when it got slower": "tests/integration/run/test_gate.py",
    "see whether it is still as fast as before": (),
    "show the result in a build server or a pull request": (),
    "run the classic disk tests, first as a trial": "a minute: tests/integration/run/test_file_tests.py",
    "make a test wait for the disk, or bypass the page cache": QUICK,
    "compare a native test with its original": "tests/integration/run/test_originals.py",
    "run the fio, ioping, Bonnie++ or YCSB command line you have": "tests/integration/frontends",
    "choose storage for a database": SMALL,
    "compare two settings of a database": SMALL,
    "find how much load it carries": (*SHORT[:-1], "--stored", "0s", "--noisy-host", "--time", "6s"),
    "have a cloud volume here, for any program": (),
    "compare two rented volumes, and the products": "tests/integration/clouds/session",
    "compare two cloud volumes": VOLUMES,
    "know what a cloud volume would deliver": (),
    "record what a running system asks of its disk": "tests/integration/traces",
    "see what that load is like": "tests/unit/traces/test_profile.py",
    "make a test of that load": "tests/integration/traces/test_made_test.py",
    "ask the same of another disk": "tests/integration/run/test_replay.py",
    "know what to buy for a running system": "tests/unit/traces/test_advise_command.py",
    "go from a running PostgreSQL to the bill": "tests/integration/guides",
    "see the advice proved here": "tests/integration/traces/test_proof.py",
    "find the cheapest volume that is enough": (),
    "check that you get what you pay for": ("--size", "64MiB", "--runtime", "1s"),
    "repeat a published experiment": "3 minutes: tests/integration/simulation, tests/unit/run",
    "write a report": (),
    "publish it so that anyone can check it": (),
    "use what other tools measured": "tests/integration/guides",
    "join the results of many machines": "tests/integration/cloud",
    "keep a team's results in one place": "tests/integration/web",
    "analyse them with DuckDB or pandas": (),
    "do all this from Python or a notebook": "tests/unit/api, tests/web/test_site.py",
    "add an importer, a guard, a report section, a front end or a test of your own": "tests/integration/plugins",
}
"""What is added so that it fits, or where the row is carried out otherwise."""


MEASURE = ("run", "knee", "verify")


def commands(cell: str) -> list[list[str]]:
    """The command lines of a row, without what stands behind "or"."""
    return [shlex.split(each)[1:] for each in re.findall(r"`(plimsoll [^`]+)`", cell)]


def fitted(words: list[str], here: Path) -> list[str]:
    """The same with folders of this test in place of /mnt."""
    return [word.replace("/mnt/", f"{here}/") for word in words]


def test_each_row_has_its_line() -> None:
    assert len(ROWS) > 20
    assert [what for what, _ in ROWS] == list(EXTRA)
    for where in EXTRA.values():
        if isinstance(where, str):
            for place in re.findall(r"tests/[\w/.]+", where):
                assert (ROOT / place).exists()


def test_the_tasks_of_the_readme_are_among_them() -> None:
    chosen = rows("README.md")
    assert len(chosen) == 5
    every = {what: commands(cell) for what, cell in ROWS}
    assert [every[what] for what, _ in chosen] == [commands(cell) for _, cell in chosen]


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


def test_rows_work_one_after_the_other(plimsoll: Command, stack: ExitStack) -> None:
    need_root()
    # A private server runs as a user of its own, who must be able to come in.
    places = Path(stack.enter_context(TemporaryDirectory(prefix="plimsoll-readme-")))
    places.chmod(0o755)
    for name in ("a", "b"):
        (places / name).mkdir()
    stack.callback(plimsoll, "volume", "delete", "--all", check=None)
    two = fitted(["--on", "uring=/mnt/a", "--on", "sync=/mnt/b,engine=psync,depth=1"], places)
    failed = {}
    for what, cell in ROWS:
        extra = EXTRA[what]
        if isinstance(extra, str):
            continue
        for words in commands(cell):
            typed = fitted([*words, *(extra if words[0] in MEASURE else ())], places)
            if words[0] == "compare":
                plimsoll("run", "randread", *two, *ONE)
            answer = plimsoll(*typed, check=None)
            # 1 is an answer of verify and of a gate, 3 that a place was not measured long enough.
            expected = (0, 1, 3) if words[0] in ("verify", "compare") else (0,)
            if answer.code not in expected or "internal error" in answer.err:
                failed[what] = f"{shlex.join(typed)}\nexit {answer.code}\n{answer.err[-1500:]}"
    assert not failed, "\n\n".join(f"{what}: {why}" for what, why in failed.items())
