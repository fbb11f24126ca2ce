"""The server's socket."""

from __future__ import annotations

import socket

from plimsoll.web.server import listen


def test_answers_do_not_wait_for_an_acknowledgement() -> None:
    with listen("127.0.0.1", 0) as server, socket.create_connection(server.getsockname()):
        connection, _ = server.accept()
        with connection:
            assert connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
