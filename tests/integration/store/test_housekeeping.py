"""Titles, tags and notes of stored sessions, in both databases and in files; and what a removal takes along."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from sqlalchemy import func, insert, select
from tests.factories import make_study
from tests.integration.store.conftest import NewStore

from plimsoll.errors import ResultFileError, UnknownName, UsageError
from plimsoll.model import Session
from plimsoll.store import search
from plimsoll.store.connection import reading, writing
from plimsoll.store.exchange import export, import_results
from plimsoll.store.housekeeping import change_tags, delete_sessions, set_note, set_title
from plimsoll.store.opening import open_store
from plimsoll.store.result_file import write_results
from plimsoll.store.schema import metadata, upload, upload_session
from plimsoll.store.store import Store


@pytest.fixture
def two(store: Store) -> tuple[Session, Session]:
    """Two sessions with everything that a session can have."""
    made = [make_study(blocks=1, seed=seed, title=f"study {seed}", artefacts=True, intervals=2) for seed in (1, 2)]
    for session, runs in made:
        store.add_session(session)
        for run in runs:
            store.add_run(run)
    return made[0][0], made[1][0]


def rows_of(store: Store) -> dict[str, int]:
    with reading(store.engine) as connection:
        return {
            table.name: connection.execute(select(func.count()).select_from(table)).scalar_one()
            for table in metadata.sorted_tables
        }


def test_title_tags_and_note_stay(store: Store, store_url: str, two: tuple[Session, Session]) -> None:
    one, other = two
    set_title(store, one.id, " gp3 before the move ")
    set_note(store, one.id, "firmware 2.1\nbefore the move\n")
    change_tags(store, one.id, ["NVMe", "baseline", "50%"])
    changed = change_tags(store, one.id, remove=["50%", "never there"])
    assert (changed.title, changed.tags) == ("gp3 before the move", ("baseline", "nvme"))
    assert changed.note == "firmware 2.1\nbefore the move"
    assert set(changed.edited) == {"title", "note", "tag nvme", "tag baseline", "tag 50%"}
    with open_store(store_url) as again:
        assert again.find_session("gp3 before the move") == changed
        assert again.find_session(other.id) == other


def test_what_is_said_again_keeps_its_time(store: Store, two: tuple[Session, Session]) -> None:
    first = change_tags(store, two[0].id, ["a"])
    assert change_tags(store, two[0].id, ["a"]) == first
    assert set_title(store, two[0].id, two[0].title) == first
    later = change_tags(store, two[0].id, remove=["a"])
    assert later.edited["tag a"] > first.edited["tag a"]


def test_sessions_are_found_by_what_was_said(store: Store, two: tuple[Session, Session]) -> None:
    one, other = two
    change_tags(store, one.id, ["base", "50%"])
    change_tags(store, other.id, ["baseline"])
    set_note(store, other.id, "Before the Move")

    def found(text: str = "", **asked: str) -> set[str]:
        query = search.Query(text=text, **asked)
        ids = search.matching(store, query)
        assert ids == {line.id for line in search.find_lines(store, query)}
        return ids

    assert found("base") == {one.id, other.id}
    assert found("tag:base") == found(tag="base") == found("tag:50%") == {one.id}
    assert found("tag:5") == found("tag:50_") == set()
    assert found("move") == found("MOVE base") == {other.id}
    (line,) = search.find_lines(store, search.Query(tag="baseline"))
    assert (line.tags, line.note) == (("baseline",), "Before the Move")


@pytest.mark.parametrize("tag", ["two words", "", "a,b", "x" * 65, "\x1b[31m", 'quo"te'])
def test_what_is_no_tag_is_refused(store: Store, two: tuple[Session, Session], tag: str) -> None:
    with pytest.raises(UsageError, match="not a tag"):
        change_tags(store, two[0].id, ["fine", tag])
    assert store.find_session(two[0].id) == two[0]


def test_what_cannot_be_said_is_refused(store: Store, two: tuple[Session, Session]) -> None:
    for title in ("", " ", "x" * 201, "two\nlines", "\x1b]0;x\x07"):
        with pytest.raises(UsageError, match="title"):
            set_title(store, two[0].id, title)
    for note in ("x" * 10_001, "\x1b[2J"):
        with pytest.raises(UsageError, match="note"):
            set_note(store, two[0].id, note)
    with pytest.raises(UsageError, match="added and removed"):
        change_tags(store, two[0].id, ["a"], ["A"])
    with pytest.raises(UsageError, match="more than 64"):
        change_tags(store, two[0].id, map(str, range(65)))
    for gone in (
        lambda: set_title(store, "gone", "x"),
        lambda: change_tags(store, "gone"),
        lambda: set_note(store, "gone", ""),
    ):
        with pytest.raises(UnknownName, match="gone"):
            gone()
    assert store.find_session(two[0].id) == two[0]


def test_a_removal_takes_all_that_belongs_and_nothing_else(store: Store, two: tuple[Session, Session]) -> None:
    one, other = two
    before = rows_of(store)
    noted = {
        "id": "u", "received_ns": 1, "token_id": "t", "token_name": "ci", "client": "c", "file_name": "f",
        "size_bytes": 1, "sha256": "0" * 64, "accepted": True, "message": "", "new_sessions": 2, "new_runs": 1,
        "already_there": 0,
    }  # fmt: skip
    with writing(store.engine) as connection:
        connection.execute(insert(upload).values(noted))
        connection.execute(insert(upload_session), [{"session_id": each.id, "upload_id": "u"} for each in two])
    runs = store.runs([one.id])
    with pytest.raises(UnknownName):
        delete_sessions(store, [one.id, "gone"])
    assert len(store.sessions()) == 2, "all of them, or nothing"
    removed = delete_sessions(store, [one.id, one.id])
    assert (removed.sessions, removed.runs) == (1, len(runs))
    # Both sessions ran the same works at one place, which stay as long as one of the two does.
    halved = {name: count // 2 for name, count in before.items()} | {name: before[name] for name in ("work", "place")}
    # What somebody sent stays known, and that the other session came with it.
    assert rows_of(store) == halved | {"upload": 1, "upload_session": 1}
    assert store.sessions() == [other]
    delete_sessions(store, [other.id])
    assert rows_of(store) == dict.fromkeys(before, 0) | {"upload": 1}


def header(path: Path) -> dict[str, object]:
    with gzip.open(path, "rt") as file:
        return dict(json.loads(file.readline()))


def test_files_carry_what_was_said(
    store: Store, new_store: NewStore, two: tuple[Session, Session], tmp_path: Path
) -> None:
    one, other = two
    plain, full = tmp_path / "plain.plimsoll.gz", tmp_path / "full.plimsoll.gz"
    export(store, [one.id, other.id], plain)
    set_title(store, one.id, "renamed")
    change_tags(store, one.id, ["base"])
    note = set_note(store, one.id, "a note")
    export(store, [one.id, other.id], full)
    assert header(plain)["version"] == 1, "what an older reader can read is written for it"
    assert b'"edited"' not in gzip.decompress(plain.read_bytes())
    assert header(full)["version"] == 2
    for order in ((plain, full), (full, plain), (full, full)):
        there = new_store()
        for path in order:
            import_results(there, path)
        assert there.find_session(one.id) == note
        assert there.find_session(other.id) == other


@pytest.mark.parametrize(
    "said",
    [
        {"tags": ("two words",)},
        {"tags": ("UPPER",)},
        {"tags": ("b", "a")},
        {"tags": tuple(f"{n:03}" for n in range(65))},
        {"note": "x" * 10_001},
        {"edited": {"title": -1}},
    ],
)
def test_what_a_stranger_says_is_checked(store: Store, tmp_path: Path, said: dict[str, object]) -> None:
    session, _ = make_study(blocks=0)
    path = tmp_path / "forged.plimsoll.gz"
    write_results(path, [session.model_copy(update=said)])
    with pytest.raises(ResultFileError, match="cannot be kept"):
        import_results(store, path)
    assert store.sessions() == []
