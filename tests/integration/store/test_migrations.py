"""Tables and migrations agree, and a store that cannot be read is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text
from tests.factories import make_study
from tests.integration.store.conftest import ROOT

import plimsoll
from plimsoll.errors import StoreError, StoreTooNew
from plimsoll.store.connection import connect, parse_location, writing
from plimsoll.store.migrate import SCRIPTS, revision_of, upgrade
from plimsoll.store.opening import open_store
from plimsoll.store.schema import HEAD, VERSION_TABLE, metadata


def tables(connection: Connection) -> dict[str, Any]:
    """All that a database says of its tables; in which order columns lie there is nobody's concern."""
    seen = inspect(connection)

    def told(rows: Any) -> list[str]:
        return sorted(str(sorted(row.items(), key=str)) for row in rows)

    return {
        name: (
            told({**column, "type": str(column["type"])} for column in seen.get_columns(name)),
            seen.get_pk_constraint(name)["constrained_columns"],
            told(seen.get_foreign_keys(name)),
            told(seen.get_indexes(name)),
            told(seen.get_unique_constraints(name)),
        )
        for name in seen.get_table_names()
    }


def test_models_and_migrations_agree(store_url: str) -> None:
    """A new store has what is made by all migrations, one after the other."""
    engine = connect(parse_location(store_url))
    with writing(engine) as connection:
        upgrade(connection)
    with engine.connect() as connection:
        context = MigrationContext.configure(
            connection, opts={"version_table": VERSION_TABLE, "compare_server_default": True}
        )
        assert compare_metadata(context, metadata) == []
        migrated = tables(connection)
    with writing(engine) as connection:
        metadata.drop_all(connection)
        connection.execute(text(f"DROP TABLE {VERSION_TABLE}"))
    engine.dispose()
    with open_store(store_url) as store, store.engine.connect() as connection:
        assert revision_of(connection) == HEAD
        assert tables(connection) == migrated


def test_the_newest_script_is_the_one_the_tables_name() -> None:
    config = Config()
    config.set_main_option("script_location", str(SCRIPTS))
    config.set_main_option("path_separator", "os")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def set_version(url: str, version: str) -> None:
    engine = connect(parse_location(url))
    with writing(engine) as connection:
        connection.execute(text(f"UPDATE {VERSION_TABLE} SET version_num = :version"), {"version": version})
    engine.dispose()


def test_a_store_of_a_newer_version_names_both_versions(store_url: str) -> None:
    session, _ = make_study(blocks=0)
    with open_store(store_url) as store:
        store.add_session(session)
    set_version(store_url, "0999")
    with pytest.raises(StoreTooNew) as caught:
        open_store(store_url)
    message = str(caught.value)
    assert "0999" in message
    assert HEAD in message
    assert plimsoll.__version__ in message
    assert "Install the newest Plimsoll" in message
    assert "s3cr3t" not in message
    set_version(store_url, HEAD)
    with open_store(store_url) as store:
        assert store.sessions() == [session]


def test_an_unknown_format_is_refused(store_url: str) -> None:
    open_store(store_url).close()
    set_version(store_url, "ae1027a6acf")
    with pytest.raises(StoreError, match="unknown format 'ae1027a6acf'"):
        open_store(store_url)


def test_a_database_of_another_program_is_left_alone(store_url: str) -> None:
    engine = connect(parse_location(store_url))
    with writing(engine) as connection:
        connection.execute(text("CREATE TABLE cookies (name TEXT)"))
    with pytest.raises(StoreError, match=r"tables of another program \(cookies"):
        open_store(store_url)
    with writing(engine) as connection:
        connection.execute(text("DROP TABLE cookies"))
    engine.dispose()
    open_store(store_url).close()


def test_two_processes_may_create_one_store(store_url: str, child_environment: dict[str, str]) -> None:
    code = "import sys; from plimsoll.store.opening import open_store; print(open_store(sys.argv[1]).sessions())"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", code, store_url],
            cwd=ROOT,
            env=child_environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    assert [child.communicate() for child in children] == [("[]\n", "")] * 2


def test_the_scripts_are_part_of_the_package() -> None:
    assert {path.name for path in SCRIPTS.iterdir()} >= {"env.py", "script.py.mako", "versions"}
    assert Path(plimsoll.__file__).parent in SCRIPTS.parents
