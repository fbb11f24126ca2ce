"""`plimsoll session …` as typed: rename, tag, note, delete."""

from __future__ import annotations

import os
import pty
import subprocess
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.run.conftest import PLIMSOLL, Command

from plimsoll.model import Session, SessionState
from plimsoll.store.names import short_id
from plimsoll.store.opening import open_store


@pytest.fixture
def sessions() -> list[Session]:
    """Two sessions in the store of the test, the newer one last."""
    made = [make_study(blocks=1, seed=seed, title=f"study {seed}", started_ns=10**18 + seed) for seed in (1, 2)]
    with open_store() as store:
        for session, runs in made:
            store.add_session(session)
            for run in runs:
                store.add_run(run)
    return [session for session, _ in made]


def listed(plimsoll: Command, *words: str) -> list[str]:
    return [row["title"] for row in plimsoll("list", "sessions", *words, "--json").json]


def test_a_session_is_renamed_tagged_noted_found_and_shown(plimsoll: Command, sessions: list[Session]) -> None:
    one = short_id(sessions[0].id)
    assert "is now 'before the move'" in plimsoll("session", "rename", one, "before the move").err
    assert "has the tags baseline, nvme, x" in plimsoll("session", "tag", one, "NVMe", "baseline", "x").err
    assert plimsoll("session", "tag", one, "--remove", "x", "--json").json["tags"] == ["baseline", "nvme"]
    plimsoll("session", "note", one, "firmware 2.1")
    assert plimsoll("session", "note", one).out == "firmware 2.1\n"
    for words in (["tag:baseline"], ["firmware"], ["before", "move"]):
        assert listed(plimsoll, *words) == ["before the move"]
    assert listed(plimsoll) == ["study 2", "before the move"]
    assert "no sessions with 'tag:base'" in plimsoll("list", "sessions", "tag:base").err
    shown = plimsoll("show", one).out
    assert "before the move: baseline, nvme" in shown
    assert "firmware 2.1" in shown
    assert "Notes" not in plimsoll("show", short_id(sessions[1].id)).out
    assert "no note any more" in plimsoll("session", "note", one, "").err


def test_bad_words_change_nothing(plimsoll: Command, sessions: list[Session]) -> None:
    one = short_id(sessions[0].id)
    assert "not a tag" in plimsoll("session", "tag", one, "two words", check=2).err
    assert "no session named" in plimsoll("session", "rename", "zzzz", "x", check=2).err
    assert "title" in plimsoll("session", "rename", one, " ", check=2).err
    assert listed(plimsoll) == ["study 2", "study 1"]


def test_a_deletion_is_asked_for(plimsoll: Command, sessions: list[Session]) -> None:
    one, other = (short_id(each.id) for each in sessions)
    refused = plimsoll("session", "delete", one, check=2)
    assert "give --yes" in refused.err
    assert listed(plimsoll) == ["study 2", "study 1"]
    assert plimsoll("session", "delete", one, "study 1", "--yes", "--json").json == {"sessions": 1, "runs": 2}
    assert listed(plimsoll) == ["study 2"]
    assert "no session named" in plimsoll("session", "delete", other, one, "--yes", check=2).err
    assert listed(plimsoll) == ["study 2"], "all of them, or nothing"


@pytest.mark.parametrize(("answer", "code", "left"), [("n", 130, 2), ("", 130, 2), ("y", 0, 1)])
def test_a_terminal_is_asked(sessions: list[Session], answer: str, code: int, left: int, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    words = [str(PLIMSOLL), "session", "delete", short_id(sessions[0].id)]
    child = subprocess.Popen(words, stdin=theirs, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    os.close(theirs)
    os.write(ours, f"{answer}\n".encode())
    _, said = child.communicate()
    os.close(ours)
    assert child.returncode == code, said
    assert "study 1, 2 runs" in said
    with open_store() as store:
        assert len(store.sessions()) == left


def test_a_running_session_is_left_alone(plimsoll: Command) -> None:
    elsewhere = {"owner": {"pid": 1, "start_ticks": 1, "boot_id": "x", "pid_namespace": "x", "host": "elsewhere"}}
    session, _ = make_study(blocks=0, state=SessionState.RUNNING, ended_ns=None, host=elsewhere)
    with open_store() as store:
        store.add_session(session)
    assert "is running" in plimsoll("session", "delete", session.id, "--yes", check=2).err
    assert "deleted 1 session with 0 runs" in plimsoll("session", "delete", session.id, "--yes", "--force").err


def test_the_shell_completes_sessions(plimsoll: Command, sessions: list[Session]) -> None:
    one = short_id(sessions[0].id)
    words = {"_PLIMSOLL_COMPLETE": "complete_bash", "COMP_CWORD": "3"}
    for line in (f"plimsoll session delete {one[:3]}", f"plimsoll session rename {one[:3]}"):
        assert one in plimsoll(COMP_WORDS=line, **words).out.split()
    shown = {"_PLIMSOLL_COMPLETE": "complete_bash", "COMP_CWORD": "2", "COMP_WORDS": f"plimsoll show {one[:3]}"}
    assert one in plimsoll(**shown).out.split()
