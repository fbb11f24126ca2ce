"""Runs the server until it is asked to stop."""

from __future__ import annotations

import gc
import resource
import socket
import threading
from collections.abc import Callable

import uvicorn

from plimsoll.errors import UsageError
from plimsoll.store.store import Store
from plimsoll.units import KIB
from plimsoll.web.app import create_app
from plimsoll.web.door import CONNECTIONS, Door, guests_of
from plimsoll.web.settings import Settings

STOP_S = 30
"""Requests under way get so long to end when the server is asked to stop."""

BACKLOG = 2048
"""Connections that the kernel keeps for us: where it has no place for one, that client asks again only after 1 s."""

TCP_NOTSENT_LOWAT = 25
"""Of Linux; Python 3.11 has no name for it."""

UNSENT_BYTES = 128 * KIB

FILES = 256
"""Open files that are not connections: the store, uploads, downloads."""

GARBAGE_AFTER = 20_000
"""New objects after which garbage is looked for."""

TICKS_PER_LOOK = 10
"""Once in a second."""


def listen(host: str, port: int) -> socket.socket:
    """A socket on which connections wait for the server; port 0 means any free one. Raises UsageError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    found = socket.socket(family, socket.SOCK_STREAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    # Connections inherit it. Else the body of an answer waits 40 ms, until the browser has acknowledged its head.
    found.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    # Inherited, too. Else the system takes megabytes for a client that reads nothing, and ever more answers are made.
    found.setsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT, UNSENT_BYTES)
    try:
        found.bind((host, port))
        found.listen(BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"cannot listen on {host}, port {port}: {reason}; choose another with --port") from None
    return found


def serve(
    store: Store,
    settings: Settings,
    taken: socket.socket,
    ready: Callable[[], None] = lambda: None,
    stop: threading.Event | None = None,
) -> None:
    """Serve until SIGINT or SIGTERM, or until `stop` is set; requests under way are finished.

    `ready` is called when connections are taken.
    """
    door = Door(_connections(), proxies=settings.trusted)
    app = create_app(store, settings)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=True,
        http=guests_of(door),
        # Forwarded addresses are believed only where somebody said that a proxy stands before the server.
        proxy_headers=bool(settings.trusted),
        forwarded_allow_ips=list(settings.trusted),
        backlog=BACKLOG,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=STOP_S,
        ws="none",
    )
    server = _Stoppable(config, door, stop, app.state.live.close)
    # A page makes 100,000 objects that live as long as it does; looking through them every 700 is a sixth of its time.
    gc.set_threshold(GARBAGE_AFTER)
    ready()
    try:
        server.run(sockets=[taken])
    except KeyboardInterrupt:
        # Asked to stop is how a server ends well.
        return
    finally:
        taken.close()


def _connections() -> int:
    """How many there may be at once; as many files as they need may be open, where the system lets us say so."""
    wanted = CONNECTIONS + FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return CONNECTIONS if soft == resource.RLIM_INFINITY else max(FILES, min(CONNECTIONS, soft - FILES))


class _Stoppable(uvicorn.Server):
    """A server that looks to its door, and that an event stops too: signals reach only the main thread."""

    def __init__(
        self, config: uvicorn.Config, door: Door, stop: threading.Event | None, at_end: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._door, self._stop, self._at_end = door, stop, at_end

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End what would never end by itself, then wait for the rest."""
        self._at_end()
        await super().shutdown(sockets)

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second."""
        if counter % TICKS_PER_LOOK == 0:
            self._door.look_round()
        if self._stop is not None and self._stop.is_set():
            self.should_exit = True
        return await super().on_tick(counter)
