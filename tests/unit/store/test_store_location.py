from pathlib import Path

import pytest

from plimsoll.errors import StoreError
from plimsoll.store.connection import connect, parse_location, show
from plimsoll.store.location import store_location
from plimsoll.store.opening import open_store


def test_the_argument_comes_first_then_the_variable_then_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))
    assert store_location() == str(tmp_path / "home" / "results.db")
    monkeypatch.setenv("PLIMSOLL_STORE", "sqlite:///elsewhere.db")
    assert store_location() == "sqlite:///elsewhere.db"
    assert store_location("mine.db") == "mine.db"


def test_a_store_opens_where_the_variable_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for location in (f"sqlite:///{tmp_path}/url.db", f"{tmp_path}/path.db"):
        monkeypatch.setenv("PLIMSOLL_STORE", location)
        with open_store() as store:
            assert store.place == location.removeprefix("sqlite:///")
            assert Path(store.place).is_file()


def test_the_first_store_is_made_in_a_new_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "new" / "home"))
    with open_store() as store:
        assert store.sessions() == []
    assert (tmp_path / "new" / "home" / "results.db").is_file()


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/someone")
    assert parse_location("~/x.db").database == "/home/someone/x.db"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_all_spellings_of_postgresql_use_the_driver_that_is_installed(scheme: str) -> None:
    assert parse_location(f"{scheme}://me:s3cr3t@host/db").drivername == "postgresql+psycopg"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_place_is_shown_as_it_is_typed_without_password_and_options(scheme: str) -> None:
    url = parse_location(f"{scheme}://me:s3cr3t@host:5433/db?sslpassword=s3cr3t")
    assert show(url) == "postgresql://me:***@host:5433/db"


def test_a_store_in_memory_works_for_tests() -> None:
    with open_store("sqlite://") as store:
        assert store.sessions() == []


def test_wrong_options_are_told_without_the_password() -> None:
    url = parse_location("postgresql://me:s3cr3t@host/db?plugin=s3cr3t")
    with pytest.raises(StoreError) as caught:
        connect(url)
    assert "s3cr3t" not in str(caught.value)


def test_sqlite_keeps_what_is_committed(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "results.db")) as store, store.engine.connect() as connection:
        settings = ("journal_mode", "synchronous", "foreign_keys", "busy_timeout")
        found = {name: connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in settings}
    assert found == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1, "busy_timeout": 30_000}
