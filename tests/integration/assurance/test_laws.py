"""Each law is broken by what it is against, and by nothing else."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable

import pytest
from benches.torture.laws import broken
from benches.torture.sandbox import MARK, Answer, Sandbox
from benches.torture.scenarios import SCENARIOS
from benches.torture.stored import Stored, stored
from benches.torture.template import Template

SESSION = SCENARIOS["session"]
WELL = Answer(2, "", "plimsoll: something is missing; bring it")


@pytest.fixture
def before(sandbox: Sandbox, template: Template) -> Stored:
    return stored(template.copied(sandbox))


def change(sandbox: Sandbox, *statements: str) -> None:
    connection = sqlite3.connect(sandbox.results)
    with connection:
        for statement in statements:
            connection.execute(statement)
    connection.close()


def test_a_command_that_refuses_breaks_no_law(sandbox: Sandbox, before: Stored) -> None:
    assert broken(sandbox, SESSION, WELL, before, set()) == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Answer(None, "", ""), "did not end"),
        (Answer(70, "", "plimsoll: internal error: KeyError"), "internal error"),
        (Answer(2, "", "Traceback (most recent call last):"), "Traceback"),
        (Answer(0, "", "Exception ignored in: <function f>"), "Exception ignored"),
        (Answer(-9, "", ""), "ended with -9"),
        (Answer(3, "words", ""), "without a word"),
        (Answer(0, "", ""), "exit 0, and the new sessions that are done have [] runs, not 4"),
        (Answer(0, "", ""), "exit 0, and there is no s.html"),
        (Answer(2, "", "x: 5/s; about 3 s left\ny: 5/s; about 2 s left"), "2 runs were told to be finished, and 0"),
    ],
)
def test_what_it_says_and_how_it_ends(sandbox: Sandbox, before: Stored, answer: Answer, said: str) -> None:
    assert any(said in law for law in broken(sandbox, SESSION, answer, before, set()))


def test_a_command_that_was_killed_may_end_so(sandbox: Sandbox, before: Stored) -> None:
    assert broken(sandbox, SESSION, Answer(-9, "", ""), before, {-9}) == []


@pytest.mark.usefixtures("before")
def test_a_store_deleted_after_the_session_was_done_is_nobody_s_loss(sandbox: Sandbox) -> None:
    answer = Answer(0, "", "x: 5/s; about 3 s left")
    assert broken(sandbox, SESSION, answer, None, set())
    assert broken(sandbox, SESSION, answer, None, set(), was_done=True) == []


CHANGES: dict[str, tuple[tuple[str, ...], str]] = {
    "a run is gone": (("DELETE FROM run WHERE id = (SELECT min(id) FROM run)",), "gone or changed"),
    "a score is changed": (("UPDATE score SET value = value * 10",), "gone or changed"),
    "a run has no session": (("PRAGMA foreign_keys = OFF", "DELETE FROM session"), "foreign_key_check"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_in_the_store(sandbox: Sandbox, before: Stored, name: str) -> None:
    statements, said = CHANGES[name]
    change(sandbox, *statements)
    assert any(said in law for law in broken(sandbox, SESSION, WELL, before, set()))


def test_a_store_that_is_no_store(sandbox: Sandbox, before: Stored) -> None:
    content = bytearray(sandbox.results.read_bytes())
    content[4096:] = b"x" * (len(content) - 4096)
    sandbox.results.write_bytes(content)
    assert any("store" in law for law in broken(sandbox, SESSION, WELL, before, set()))


def _half_a_page(sandbox: Sandbox) -> None:
    (sandbox.out / "s.html").write_text("<html><body>half")


def _strange_file(sandbox: Sandbox) -> None:
    (sandbox.out / ".s.html.part").write_text("")


def _work_folder(sandbox: Sandbox) -> None:
    (sandbox.disk / "a/plimsoll-12345678").mkdir(parents=True)


def _temporary(sandbox: Sandbox) -> None:
    (sandbox.tmp / "plimsoll-fetched-x").mkdir()


@pytest.mark.parametrize(
    ("leave", "said"),
    [
        (_half_a_page, "s.html is neither whole nor absent"),
        (_strange_file, "a strange file"),
        (_work_folder, "left behind: disk/a/plimsoll-12345678"),
        (_temporary, "left behind: tmp/plimsoll-fetched-x"),
    ],
)
def test_what_is_left(sandbox: Sandbox, before: Stored, leave: Callable[[Sandbox], None], said: str) -> None:
    leave(sandbox)
    assert any(said in law for law in broken(sandbox, SESSION, WELL, before, set()))


def test_processes_and_mounts_that_are_left(sandbox: Sandbox, before: Stored) -> None:
    point = sandbox.tmp / "point"
    point.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "plimsoll-test", str(point)], check=True)
    with subprocess.Popen(["sleep", "600"], env={MARK: sandbox.mark}) as process:
        try:
            laws = broken(sandbox, SESSION, WELL, before, set())
        finally:
            process.kill()
    subprocess.run(["umount", str(point)], check=True)
    assert any(f"process {process.pid}: sleep 600" in law for law in laws)
    assert any(f"mount {point}" in law for law in laws)
