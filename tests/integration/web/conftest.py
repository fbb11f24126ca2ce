"""A real server on loopback over a real store."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from tests.conftest import need
from tests.factories import START_NS, make_study
from tests.integration.store import postgres

from plimsoll.model import Run, Session
from plimsoll.store import tokens
from plimsoll.store.opening import open_store
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.units import DAY
from plimsoll.web.server import STOP_S, listen, serve
from plimsoll.web.settings import Settings


@dataclass(frozen=True)
class Site:
    """A running server."""

    store: Store
    settings: Settings
    port: int

    @property
    def address(self) -> str:
        return self.settings.address

    def client(self, token: str = "", **headers: str) -> httpx.Client:
        given = {"authorization": f"Bearer {token}"} if token else {}
        return httpx.Client(base_url=self.address, headers={**given, **headers}, timeout=60)

    def token(self, scope: Scope = Scope.UPLOAD, name: str = "") -> str:
        return tokens.create(self.store, name or f"{scope.value}-{len(tokens.listed(self.store))}", scope, None)


@contextmanager
def running(store: Store, spool: Path, **changes: object) -> Iterator[Site]:
    """A server in a thread; stopped, and its thread ended, in any case."""
    taken = listen("127.0.0.1", 0)
    taken_port = taken.getsockname()[1]
    own = Settings(spool, f"http://127.0.0.1:{taken_port}")
    settings = dataclasses.replace(own, **changes)
    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(store, settings, taken), kwargs={"stop": stop})
    thread.start()
    try:
        yield Site(store, settings, taken_port)
    finally:
        stop.set()
        thread.join(2 * STOP_S)
        assert not thread.is_alive(), "the server does not end"


def add(store: Store, session: Session, runs: list[Run]) -> None:
    store.add_session(session)
    for run in runs:
        store.add_run(run)


Start = Callable[..., AbstractContextManager[Site]]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Starts a server over a store, with some settings changed."""

    def begin(store: Store, **changes: object) -> AbstractContextManager[Site]:
        return running(store, tmp_path / "uploads", **changes)

    return begin


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty SQLite store."""
    with open_store(str(tmp_path / "server.db")) as opened:
        yield opened


@pytest.fixture
def site(store: Store, start: Start) -> Iterator[Site]:
    """A private server over an empty store."""
    with start(store) as found:
        yield found


@dataclass(frozen=True)
class Filled:
    """A public server over a store with nine nights and one study of other shape."""

    site: Site
    nights: list[Session]
    study: Session
    runs: list[Run]


@pytest.fixture(scope="session", params=["sqlite", "postgresql"])
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filled]:
    folder = tmp_path_factory.mktemp("filled")
    if request.param == "sqlite":
        place = str(folder / "results.db")
    else:
        server = request.getfixturevalue("postgres_for_web")
        place = server.new_database()
    with open_store(place) as store:
        nights = []
        for night in range(9):
            ratios = {"gp3": 0.5 if night < 5 else 0.3}
            about = {"title": f"nightly {night}", "started_ns": START_NS + night * DAY, "seed": night}
            session, runs = make_study(("nvme", "gp3"), ("randread",), 3, ratios, intervals=3, **about)
            add(store, session, runs)
            nights.append(session)
        study, runs = make_study(
            ("disk", "share"),
            ("ping", "commit"),
            4,
            {"share": 0.1},
            title="offices & <homes>",
            started_ns=START_NS - DAY,
            host={"hostname": "other-host", "kernel": "6.1.0"},
            failed=1,
            artefacts=True,
        )
        add(store, study, runs)
        with running(store, folder / "uploads", public_read=True) as site:
            yield Filled(site, nights, study, runs)


@pytest.fixture(scope="session")
def postgres_for_web() -> Iterator[postgres.PostgresServer]:
    programs = postgres.find_programs()
    need(programs is not None, "PostgreSQL (Debian: postgresql)")
    assert programs is not None
    with postgres.running(programs) as server:
        yield server
