"""Stores in both databases."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.store import postgres

from plimsoll.store.opening import open_store
from plimsoll.store.store import Store

NewStore = Callable[[], Store]

ROOT = Path(__file__).parents[3]


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.PostgresServer]:
    programs = postgres.find_programs()
    need(programs is not None, "PostgreSQL (Debian: postgresql)")
    assert programs is not None
    with postgres.running(programs) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def store_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where a new store can be, once in each database."""
    if request.param == "sqlite":
        return str(tmp_path / "results.db")
    server: postgres.PostgresServer = request.getfixturevalue("postgres_server")
    return server.new_database()


@pytest.fixture
def store(store_url: str) -> Iterator[Store]:
    """An empty store, once in each database."""
    with open_store(store_url) as opened:
        yield opened


@pytest.fixture(scope="session")
def empty_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty SQLite store to copy: faster than migrating each time."""
    path = tmp_path_factory.mktemp("empty") / "results.db"
    open_store(str(path)).close()
    return path


@pytest.fixture
def new_store(empty_file: Path, tmp_path: Path) -> Iterator[NewStore]:
    """Makes any number of empty SQLite stores."""
    with ExitStack() as stack:
        made = 0

        def make() -> Store:
            nonlocal made
            made += 1
            path = tmp_path / f"store-{made}.db"
            shutil.copy(empty_file, path)
            return stack.enter_context(open_store(str(path)))

        yield make


@pytest.fixture
def child_environment() -> dict[str, str]:
    """Environment for `python -m tests.…` that finds the same modules as this process."""
    return os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])}
