"""Brings a store to this version's tables when it is opened."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Column, Connection, Engine, MetaData, String, Table, inspect, text

from plimsoll import __version__
from plimsoll.errors import NotAStore, StoreError, StoreTooNew
from plimsoll.notices import tell
from plimsoll.store import kept_scores, works
from plimsoll.store.connection import reading, show, writing
from plimsoll.store.glance import some_of
from plimsoll.store.schema import HEAD, VERSION_TABLE, metadata
from plimsoll.units import format_duration

SCRIPTS = Path(__file__).parent / "migrations"

MANY_RUNS = 20_000
"""Fewer are migrated in a second or two."""
_NS_EACH = 100_000
_POSTGRES_LOCK = 0x706C696D
"""Key of the advisory lock that keeps two processes from migrating one database at once."""


def bring_up_to_date(engine: Engine) -> None:
    """Create or migrate the tables. Raises StoreTooNew for a store of a newer version."""
    with reading(engine) as connection:
        if revision_of(connection) == HEAD:
            return
    with writing(engine) as connection:
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _POSTGRES_LOCK})
        revision = revision_of(connection)
        if revision == HEAD:
            return
        if revision is None:
            _refuse_foreign(connection, engine)
            _create(connection)
            return
        _refuse_unknown(revision, engine)
        _announce(connection, engine)
        upgrade(connection)
        if int(revision) < int(works.SINCE):
            works.count_all(connection)
        if int(revision) < int(kept_scores.SINCE):
            kept_scores.keep_all(connection)


def revision_of(connection: Connection) -> str | None:
    """The version of the tables; None where there are none of ours."""
    if not inspect(connection).has_table(VERSION_TABLE):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).scalar()


def _refuse_foreign(connection: Connection, engine: Engine) -> None:
    tables = inspect(connection).get_table_names()
    if tables:
        raise NotAStore(
            f"the database {show(engine.url)} holds tables of another program ({some_of(tables)}); "
            "give Plimsoll a file or database of its own"
        )


def _refuse_unknown(revision: str, engine: Engine) -> None:
    if not revision.isdigit():
        raise StoreError(
            f"the store {show(engine.url)} has the unknown format {revision!r}; set PLIMSOLL_STORE to another store"
        )
    if int(revision) > int(HEAD):
        raise StoreTooNew(
            f"the store {show(engine.url)} has format {revision}; Plimsoll {__version__} knows formats up to {HEAD}. "
            "Install the newest Plimsoll, or set PLIMSOLL_STORE to another store"
        )


def _announce(connection: Connection, engine: Engine) -> None:
    runs = connection.execute(text("SELECT count(*) FROM run")).scalar_one()
    if runs >= MANY_RUNS:
        tell(
            f"the store {show(engine.url)} is being brought to format {HEAD}, once: {runs:,} runs take "
            f"about {format_duration(runs * _NS_EACH)}; older versions cannot open it afterwards"
        )


def _create(connection: Connection) -> None:
    """The tables as they are now, in a database that has none; a test compares them with those of all migrations."""
    metadata.create_all(connection, checkfirst=False)
    version = Table(VERSION_TABLE, MetaData(), Column("version_num", String(32), primary_key=True))
    version.create(connection, checkfirst=False)
    connection.execute(version.insert().values(version_num=HEAD))


def upgrade(connection: Connection) -> None:
    """Carry out the migrations that a store lacks."""
    # Alembic takes half a second to load, and most openings find the tables as they should be.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(SCRIPTS).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
