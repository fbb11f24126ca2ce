"""Stores that cannot be used: what happened, where, and what to do; never a password."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.factories import make_study
from tests.integration.store.postgres import PostgresServer

from plimsoll.errors import StoreError
from plimsoll.store.connection import writing
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store


def error_of(action: Callable[[], object]) -> str:
    """The message of the StoreError that `action` must raise; nothing else may hang on it for a traceback to show."""
    with pytest.raises(StoreError) as caught:
        action()
    assert caught.value.__suppress_context__ or caught.value.__context__ is None
    return str(caught.value)


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    path.write_bytes(b"these are not results" * 100)
    message = error_of(lambda: open_store(str(path)))
    assert str(path) in message
    assert "damaged or no store" in message
    assert path.read_bytes() == b"these are not results" * 100


def test_a_damaged_store(tmp_path: Path) -> None:
    path = tmp_path / "results.db"
    session, runs = make_study(("a", "b"), ("randrw",), 30)
    with open_store(str(path)) as store:
        store.add_session(session)
        for run in runs:
            store.add_run(run)
    content = bytearray(path.read_bytes())
    # Everything but the first pages, which hold the list of tables.
    page = 4096
    content[20 * page :] = os.urandom(len(content) - 20 * page)
    path.write_bytes(content)

    def use() -> None:
        with open_store(str(path)) as store:
            store.runs([session.id])

    message = error_of(use)
    assert str(path) in message
    assert "damaged" in message
    assert "import your exported result files" in message


DAMAGES = [
    ("UPDATE series SET intervals = x'00'", "run {run.id} of session {session.id}", Store.runs),
    ("UPDATE run SET facts = '{{'", "run {run.id} of session {session.id}", Store.runs),
    ("UPDATE run SET plan = '[]'", "a plan", Store.plans),
    ("UPDATE session SET host = '1'", "session {session.id}", lambda store, _: store.sessions()),
]


@pytest.mark.parametrize(("damage", "named", "use"), DAMAGES, ids=[damage for damage, *_ in DAMAGES])
def test_a_damaged_record_is_named(
    tmp_path: Path, damage: str, named: str, use: Callable[[Store, list[str]], object]
) -> None:
    session, (run, *_) = make_study(blocks=1)
    with open_store(str(tmp_path / "results.db")) as store:
        store.add_session(session)
        store.add_run(run)
        with writing(store.engine) as connection:
            connection.exec_driver_sql(damage)
        message = error_of(lambda: use(store, [session.id]))
    assert f"{named.format(run=run, session=session)} in the store is damaged" in message
    assert "plimsoll store check" in message


def test_a_folder_is_no_store(tmp_path: Path) -> None:
    assert f"{tmp_path} is a folder; name a file in it" in error_of(lambda: open_store(str(tmp_path)))


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"create {tmp_path / 'gone'} first" in error_of(lambda: open_store(str(tmp_path / "gone" / "results.db")))


def test_an_unknown_kind_of_database() -> None:
    message = error_of(lambda: open_store("dbase://me:s3cr3t@host/x"))
    assert "dbase" in message
    assert "s3cr3t" not in message


def test_a_url_that_cannot_be_read() -> None:
    message = error_of(lambda: open_store("postgresql://me:s3cr3t@host:port/x"))
    assert "cannot be read" in message
    assert "s3cr3t" not in message


def test_a_missing_driver_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    message = error_of(lambda: open_store("postgresql://me:s3cr3t@127.0.0.1/x"))
    assert "pip install 'plimsoll[postgres]'" in message
    assert "me:***@127.0.0.1/x" in message
    assert "s3cr3t" not in message


def test_a_server_that_does_not_answer() -> None:
    message = error_of(lambda: open_store("postgresql://me:s3cr3t@127.0.0.1:1/x?application_name=s3cr3t"))
    assert "127.0.0.1" in message
    assert "check that the server runs" in message
    assert "s3cr3t" not in message


def test_a_wrong_password_is_not_repeated(postgres_server: PostgresServer) -> None:
    message = error_of(lambda: open_store(postgres_server.url("postgres", password="wr0ng")))
    assert "check the user and password" in message
    assert "wr0ng" not in message


def test_a_missing_database_is_named(postgres_server: PostgresServer) -> None:
    message = error_of(lambda: open_store(postgres_server.url("nowhere")))
    assert 'database "nowhere" does not exist' in message
    assert "s3cr3t" not in message


def test_a_server_that_goes_away(postgres_server: PostgresServer) -> None:
    """The connection that was open is lost, which is told; the next one works."""
    session, _ = make_study(blocks=0)
    with open_store(postgres_server.new_database()) as store:
        store.add_session(session)
        with postgres_server.connect() as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'store_%'")
        assert store.sessions() == [session]
