"""Connections to a store: SQLite set up so that what is committed stays, faults told in words."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, Table, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from plimsoll.addresses import is_ambiguous
from plimsoll.errors import StoreError
from plimsoll.extras import explained
from plimsoll.store.glance import refuse_foreign_file
from plimsoll.store.location import STORE_VARIABLE
from plimsoll.store.open_file import OPTION, OpenFile

BUSY_TIMEOUT_MS = 30_000
WAIT_OPTION = "plimsoll_wait_ms"
"""Execution option of an engine whose users wait less than BUSY_TIMEOUT_MS for another writer."""
_UNREADABLE = (
    "the store's URL cannot be read; write a file path, or postgresql://USER:PASSWORD@HOST/DATABASE with special "
    "characters of the password as %XX (@ as %40, / as %2F, : as %3A, # as %23, ? as %3F, % as %25)"
)

_ADVICE = (
    (
        r"database or disk is full|No space left on device|could not extend file",
        "nothing of this step was kept, earlier results are intact: free some space and try again",
    ),
    (
        r"malformed|file is not a database|database corruption|invalid page|decode|utf-8|codec|too large to convert",
        "the file is damaged or no store: `plimsoll store check` says what can be read of it, and "
        "`plimsoll store rescue OUT` saves that; else import your exported result files into a new one",
    ),
    (
        r"database is locked|lock timeout",
        "another process is writing and does not end: wait for it, or end it",
    ),
    (r"readonly database|read-only", f"no permission to write: change its rights or set {STORE_VARIABLE} elsewhere"),
    (
        r"unable to open database file",
        f"the folder is missing or not yours: create it or set {STORE_VARIABLE} elsewhere",
    ),
    (r"disk I/O error", "the disk of the store fails or is full: check the kernel's messages and the free space"),
    (r"password authentication failed|no password supplied", "check the user and password of the URL"),
    (r'database "[^"]*" does not exist', "create the database first, or name another"),
    (
        r"connection (failed|refused|timeout)|could not (connect|translate|receive)|server closed|terminating conn",
        "check that the server runs and that this machine may reach it",
    ),
    (r"permission denied", "the database user needs the right to create and change tables"),
)


def parse_location(location: str) -> URL:
    """The URL of a store given as an SQLAlchemy URL or as the path of an SQLite file."""
    if "://" not in location:
        return URL.create("sqlite", database=str(Path(location).expanduser()))
    if is_ambiguous(location) and "@" in location.partition("@")[2]:
        # What stands behind the first @ would be taken for the host, and shown.
        raise StoreError(_UNREADABLE)
    try:
        # Before SQLAlchemy 2.1 the plain name meant psycopg2; the older spelling is what many providers print.
        return make_url(re.sub(r"^(postgres|postgresql)://", "postgresql+psycopg://", location))
    except (ArgumentError, ValueError):
        raise StoreError(_UNREADABLE) from None


def connect(url: URL) -> Engine:
    """An engine for `url`. Raises StoreError if there is no driver for it; connects only when used."""
    file = sqlite_file(url)
    if file:
        check_file(file)
        refuse_foreign_file(file)
    held = OpenFile(Path(file)) if file else None
    options: dict[str, Any] = {"hide_parameters": True, "execution_options": {OPTION: held}}
    if url.get_backend_name() == "postgresql":
        options |= {"pool_pre_ping": True, "connect_args": _TIMEOUTS}
    try:
        engine = create_engine(url, **options)
    except NoSuchModuleError:
        raise StoreError(
            f"no kind of database is named {url.drivername!r}; use a file path or postgresql://…"
        ) from None
    except ModuleNotFoundError as error:
        if url.get_backend_name() == "postgresql":
            raise StoreError(f"the store {show(url)} cannot be used: {explained(error)}") from None
        raise StoreError(f"no store can be at {show(url)}; use a file path or postgresql://…") from None
    except (SQLAlchemyError, TypeError, ValueError) as error:
        raise StoreError(f"the store {show(url)} cannot be used: {_first_line(error, url)}") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", partial(_set_up_sqlite, held))
        event.listen(engine, "begin", begin_sqlite)
    return engine


_TIMEOUTS = {
    "connect_timeout": 10,
    # A server that vanished without a word is given up after ten seconds, not after the kernel's quarter of an hour.
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
}


def show(url: URL) -> str:
    """The place of a store for messages: the path of a file, or the URL without driver, password and options."""
    plain = url.set(drivername=url.get_backend_name(), query={})
    return sqlite_file(url) or plain.render_as_string(hide_password=True)


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the store from beginning to end."""
    with translated(engine.url), engine.connect() as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        with connection.begin():
            yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A connection whose changes are all kept when the block ends, or none."""
    with translated(engine.url), engine.connect() as connection:
        connection.execution_options(plimsoll_writes=True)
        with connection.begin():
            yield connection


@contextmanager
def translated(url: URL) -> Iterator[None]:
    """Turns database errors into StoreError with advice."""
    try:
        yield
    except DBAPIError as error:
        raise _explained(error.orig or error, url) from None
    except (SQLAlchemyError, sqlite3.Error, UnicodeError, OverflowError) as error:
        # The last three come from the driver itself, where bytes in a damaged file are no text or no number.
        raise _explained(error, url) from None


def _explained(error: BaseException, url: URL) -> StoreError:
    text = _first_line(error, url)
    advice = next((advice for pattern, advice in _ADVICE if re.search(pattern, str(error), re.IGNORECASE)), None)
    return StoreError(f"the store {show(url)} cannot be used: {text}; " + (advice or "see `plimsoll doctor`"))


def _first_line(error: BaseException, url: URL) -> str:
    """The first line of a database's message; a password in it is never shown."""
    text = (str(error).strip() or type(error).__name__).splitlines()[0]
    return text.replace(str(url.password), "***") if url.password else text


def sqlite_file(url: URL) -> str | None:
    """The path of an SQLite file; None for another database and for one in memory."""
    named = url.get_backend_name() == "sqlite" and url.database not in (None, "", ":memory:")
    return str(url.database) if named else None


def check_file(file: str) -> None:
    """Raise StoreError where no store can be: a folder, a device, a folder that is missing."""
    path = Path(file)
    if path.is_dir():
        raise StoreError(f"the store {file} is a folder; name a file in it, such as {path / 'results.db'}")
    if path.exists() and not path.is_file():
        raise StoreError(f"the store {file} is a device or a pipe, and nothing was written to it; name a file")
    if not path.parent.is_dir():
        raise StoreError(f"the folder of the store {file} does not exist; create {path.parent} first")


_SQLITE_SETTINGS = (
    f"busy_timeout = {BUSY_TIMEOUT_MS}",
    # A run must be on disk before the next one begins: a power cut loses at most the run in flight.
    "synchronous = FULL",
    "foreign_keys = ON",
    # A store may be a file from a stranger: nothing written in its tables is run as a function.
    "trusted_schema = OFF",
)


def _set_up_sqlite(held: OpenFile | None, connection: Any, _record: Any) -> None:
    # Transactions are begun by `begin_sqlite`; the driver's own way begins them too late.
    connection.isolation_level = None
    try:
        for setting in _SQLITE_SETTINGS:
            connection.execute(f"PRAGMA {setting}").close()
        _use_write_ahead_log(connection)
        if held:
            held.claim()
    except BaseException:
        # The pool does not know the connection yet, so nobody else would close the file.
        connection.close()
        raise


def _use_write_ahead_log(connection: Any) -> None:
    # Two processes that turn a new file at once each hold what the other waits for, so SQLite fails one without
    # a wait; it has to let go and ask again.
    deadline = time.monotonic() + BUSY_TIMEOUT_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL").close()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def upsert(connection: Connection, table: Table) -> Any:
    """An insertion that can say `on_conflict_do_…`, as each kind of database has its own."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import insert

        return insert(table)
    from sqlalchemy.dialects.sqlite import insert as insert_into_sqlite

    return insert_into_sqlite(table)


def begin_sqlite(connection: Connection) -> None:
    """Begins a transaction of SQLite as its options say."""
    options = connection.get_execution_options()
    # Connections are shared by those who wait long and those who do not.
    connection.exec_driver_sql(f"PRAGMA busy_timeout = {options.get(WAIT_OPTION, BUSY_TIMEOUT_MS)}")
    # A writer that starts as a reader cannot wait for another writer; it would fail at once.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("plimsoll_writes", False) else "BEGIN")
