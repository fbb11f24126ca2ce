"""Clients that hold what they do not use: nobody else notices. The proof with its figures: benches/web_crowd.py."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest
from tests.factories import make_study
from tests.integration.web.conftest import Filled, Site, Start, add

from plimsoll.store.store import Store
from plimsoll.web import door, security, server

SLOW_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
TIMEOUT_S = 60


@contextmanager
def connected(site: Site, number: int, sent: bytes, source: str = "127.0.0.1") -> Iterator[list[socket.socket]]:
    """Connections that sent something and then say nothing more."""
    with ExitStack() as stack:
        found = []
        for _ in range(number):
            line = socket.create_connection(("127.0.0.1", site.port), TIMEOUT_S, (source, 0))
            found.append(stack.enter_context(line))
            line.sendall(sent)
        yield found


def ended(line: socket.socket) -> bytes:
    """What arrives until the server closes the connection."""
    content = b""
    with suppress(ConnectionError):
        while part := line.recv(65536):
            content += part
    return content


def send_for_ever(line: socket.socket, content: bytes) -> None:
    while True:
        line.sendall(content)


def is_open(line: socket.socket) -> bool:
    """Whether nothing came: neither a word about the end of the connection, nor the end."""
    line.setblocking(False)
    try:
        line.recv(1)
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
    return False


def read(site: Site, source: str = "127.0.0.1") -> int:
    """The status of a page for a reader with another address."""
    transport = httpx.HTTPTransport(local_address=source)
    with httpx.Client(transport=transport, timeout=TIMEOUT_S) as reader:
        return reader.get(f"{site.address}/login").status_code


@pytest.fixture
def small(store: Store, start: Start, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """A server with 40 places, 10 of them for each client, in which nobody is too slow for a busy machine."""
    monkeypatch.setattr(door, "HEAD_S", 600.0)
    monkeypatch.setattr(server, "CONNECTIONS", 40)
    monkeypatch.setattr(server, "FILES", 10)
    with start(store, proxies=("127.0.0.9",)) as site:
        yield site


def test_slow_heads_of_one_client_make_room_for_its_own_readers_and_for_others(small: Site) -> None:
    with connected(small, 15, SLOW_HEAD) as slow:
        # The connection of a client that waited longest goes, and is told so.
        for line in slow[:5]:
            assert ended(line).startswith(b"HTTP/1.1 408 ")
        assert all(is_open(line) for line in slow[5:])
        assert read(small, "127.0.0.2") == 200
        assert all(is_open(line) for line in slow[5:])
        assert read(small) == 200
        assert not is_open(slow[5])


def test_where_all_places_are_taken_who_has_most_gives_one(small: Site) -> None:
    # A proxy stands for many and may have more than its part.
    with connected(small, 3, SLOW_HEAD, "127.0.0.3") as few, connected(small, 37, SLOW_HEAD, "127.0.0.9") as many:
        assert all(is_open(line) for line in (*few, *many))
        assert read(small, "127.0.0.5") == 200
        many[0].setblocking(True)
        assert ended(many[0]).startswith(b"HTTP/1.1 408 ")
        assert all(is_open(line) for line in (*few, *many[1:]))


def test_who_only_keeps_a_connection_goes_after_who_holds_one_up(small: Site) -> None:
    page = f"GET /login HTTP/1.1\r\nHost: 127.0.0.1:{small.port}\r\n\r\n".encode()
    with connected(small, 4, page) as idle:
        for line in idle:
            while not line.recv(65536).endswith(b"</html>"):
                pass
        with connected(small, 12, SLOW_HEAD) as slow:
            for line in slow[:6]:
                assert ended(line).startswith(b"HTTP/1.1 408 ")
            assert all(is_open(line) for line in (*idle, *slow[6:]))


def test_a_head_that_does_not_end_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "HEAD_S", 0.1)
    with connected(site, 1, SLOW_HEAD) as lines, connected(site, 1, b"") as silent:
        assert ended(lines[0]).startswith(b"HTTP/1.1 408 Request Timeout")
        assert ended(silent[0]).startswith(b"HTTP/1.1 408 Request Timeout")


def test_a_second_head_that_does_not_end_is_given_up_too(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "HEAD_S", 0.1)
    whole = f"GET /login HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode()
    with connected(site, 1, whole + SLOW_HEAD) as lines:
        content = ended(lines[0])
        assert content.startswith(b"HTTP/1.1 200 OK")
        assert content.endswith(b"</html>")


def test_a_body_that_does_not_end_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "GRACE_S", 0.1)
    host = f"Host: 127.0.0.1:{site.port}\r\nOrigin: {site.address}\r\nContent-Length: 5000\r\n\r\n"
    with connected(site, 1, f"POST /login HTTP/1.1\r\n{host}token=".encode()) as lines:
        assert b" 408 " in ended(lines[0]).splitlines()[0]


def test_answers_that_nobody_takes_do_not_fill_the_memory(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "UNTAKEN_BYTES", 1)
    page = f"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode()
    with connected(site, 1, b"") as lines, pytest.raises(ConnectionError):
        send_for_ever(lines[0], page * 100)
    assert read(site) == 200


def test_an_answer_that_nobody_takes_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "GRACE_S", 0.1)
    monkeypatch.setattr(door, "LEAST_BYTES_PER_S", 10**9)
    page = f"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n\r\n".encode()
    # The system takes some megabytes for us; the server has to notice that the rest stays with it.
    with connected(site, 1, b"") as lines, pytest.raises(ConnectionError):
        send_for_ever(lines[0], page * 100)
    assert read(site) == 200


def test_a_reader_that_takes_its_time_gets_everything(site: Site) -> None:
    page = f"GET /static/style.css HTTP/1.1\r\nHost: 127.0.0.1:{site.port}\r\n".encode()
    number = 600
    with connected(site, 1, (page + b"\r\n") * (number - 1) + page + b"Connection: close\r\n\r\n") as lines:
        assert ended(lines[0]).count(b"HTTP/1.1 200 OK") == number


def test_slow_senders_take_nobodys_turn(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "GRACE_S", 600.0)
    host = f"Host: 127.0.0.1:{site.port}\r\nOrigin: {site.address}\r\nContent-Length: 5000\r\n\r\n"
    with connected(site, 50, f"POST /login HTTP/1.1\r\n{host}token=".encode()) as slow:
        assert read(site) == 200
        assert all(is_open(line) for line in slow)


def test_clients_behind_a_proxy_are_told_apart(store: Store, start: Start) -> None:
    wrong = {"authorization": "Bearer plim_wrong"}
    with start(store, proxies=("127.0.0.2/32",), log_in_attempts_per_minute=1.0) as site:

        def asked(source: str, forwarded: str) -> int:
            transport = httpx.HTTPTransport(local_address=source)
            with httpx.Client(transport=transport, timeout=TIMEOUT_S) as proxy:
                return proxy.get(f"{site.address}/", headers={**wrong, "x-forwarded-for": forwarded}).status_code

        # The proxy that is believed stands for many.
        assert [asked("127.0.0.2", f"192.0.2.{last}") for last in (1, 2, 1)] == [401, 401, 429]
        assert [asked("127.0.0.2", f"2001:db8::{last}") for last in (1, 2)] == [401, 429]
        # Whoever names itself a proxy is one client.
        assert [asked("127.0.0.3", f"192.0.2.{last}") for last in (3, 4)] == [401, 429]


PAGES = ("/", "/login", "/history", "/compare", "/uploads", "/api", "/docs", "/static/style.css", "/api/openapi.json")


def test_every_page_answers_head_as_get_without_its_content(filled: Filled) -> None:
    session, run = filled.nights[0].id, filled.runs[0].id
    paths = {
        *PAGES,
        *(route for route in _paths(filled.site) if "{" not in route),
        *(
            route.format(
                session_id=session, run_id=run, upload_id="none", what="html", name="none", kind="svg", number=0
            )
            for route in _paths(filled.site)
            if "{" in route
        ),
        f"/sessions/{session}",
        f"/sessions/{session}/runs",
        f"/sessions/{session}/latency",
        f"/sessions/{session}/download/results",
        f"/runs/{run}",
        f"/diff?s={session}&s={filled.study.id}",
        "/history?case=randread&target=gp3",
        "/nothing",
    }
    with filled.site.client() as reader:
        for path in sorted(paths):
            whole, head = reader.get(path), reader.head(path)
            assert head.status_code == whole.status_code, path
            assert head.content == b"", path
            assert head.headers.get("content-type") == whole.headers.get("content-type"), path
            if "download" not in path:
                assert head.headers.get("content-length") == whole.headers.get("content-length"), path
        assert reader.head("/logout").status_code == 405


def _paths(site: Site) -> list[str]:
    with site.client() as reader:
        described = reader.get("/api/openapi.json").json()["paths"]
    return [path for path, methods in described.items() if "get" in methods]


def test_a_client_that_goes_in_the_middle_leaves_no_trace(
    site: Site, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    session, runs = make_study(blocks=1)
    add(site.store, session, runs)
    host = f"Host: 127.0.0.1:{site.port}\r\nOrigin: {site.address}\r\nContent-Length: 5000\r\n\r\n"
    with connected(site, 5, f"POST /login HTTP/1.1\r\n{host}token=".encode()):
        pass
    assert read(site) == 200
    assert "Traceback" not in caplog.text + "".join(capfd.readouterr())
