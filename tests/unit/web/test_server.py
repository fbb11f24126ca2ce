"""The server's socket."""

from __future__ import annotations

import socket

from plimsoll.web.server import TCP_NOTSENT_LOWAT, UNSENT_BYTES, listen


def test_connections_inherit_what_the_socket_is_told() -> None:
    with listen("127.0.0.1", 0) as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            assert connection.getsockopt(socket.IPPROTO_TCP, TCP_NOTSENT_LOWAT) == UNSENT_BYTES
