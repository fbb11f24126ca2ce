"""`plimsoll serve`, `token` and `push` as people type them."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from tests.factories import make_study
from tests.integration.run import starter
from tests.integration.web.conftest import add

from plimsoll.store.opening import open_store

PLIMSOLL = str(Path(sys.executable).with_name("plimsoll"))


def plimsoll(*words: str, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return starter.run([*words], Path.cwd(), os.environ | {"PLIMSOLL_HOME": str(home)} | environment)


@contextmanager
def serving(home: Path, *words: str) -> Iterator[tuple[subprocess.Popen[str], str, str]]:
    """The process, its address and the link that it printed; killed at the end if it still runs."""
    with subprocess.Popen(
        [PLIMSOLL, "serve", "--port", "0", *words],
        env=os.environ | {"PLIMSOLL_HOME": str(home)},
        stderr=subprocess.PIPE,
        text=True,
    ) as server:
        try:
            assert server.stderr is not None
            told = server.stderr.readline() + server.stderr.readline()
            match = re.search(r"(http://127\.0\.0\.1:\d+)/login\?key=\S+", told)
            assert match is not None, told
            yield server, match[1], match[0]
        finally:
            if server.poll() is None:
                server.kill()


def test_from_a_token_to_a_session_on_the_server(tmp_path: Path) -> None:
    server_home, laptop = tmp_path / "server", tmp_path / "laptop"
    laptop.mkdir()
    session, runs = make_study(blocks=1, title="from the laptop")
    with open_store(str(laptop / "results.db")) as store:
        add(store, session, runs)
    made = plimsoll("token", "create", "ci", home=server_home)
    token = made.stdout.strip()
    assert token.startswith("plim_")
    with serving(server_home) as (server, address, link):
        sent = plimsoll("push", address, home=laptop, PLIMSOLL_TOKEN=token)
        assert sent.returncode == 0, sent.stderr
        assert f"{address}/sessions/{session.id}" in sent.stderr
        again = plimsoll("push", address, "from the laptop", "--json", home=laptop, PLIMSOLL_TOKEN=token)
        (row,) = json.loads(again.stdout)
        assert (row["failed"], row["new_runs"]) == (False, 0)
        with httpx.Client(follow_redirects=True) as browser:
            assert "from the laptop" in browser.get(link).text
        assert plimsoll("token", "revoke", "ci", home=server_home).returncode == 0
        late = plimsoll("push", address, home=laptop, PLIMSOLL_TOKEN=token)
        assert late.returncode == 2
        assert "refuses the token" in late.stderr
        server.send_signal(signal.SIGTERM)
        assert server.wait(timeout=120) == 0
        assert server.stderr is not None
        assert server.stderr.read() == "stopped\n"
    with open_store(str(server_home / "results.db")) as store:
        assert store.runs([session.id]) == runs


def test_what_cannot_work_is_said(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        found = plimsoll("serve", "--port", port, home=tmp_path)
    assert found.returncode == 2
    assert f"cannot listen on 127.0.0.1, port {port}" in found.stderr
    for words, message in (
        (("serve", "--url", "bench.example.org"), "write it like https://"),
        (("push", "http://127.0.0.1:1", "nothing"), "set PLIMSOLL_TOKEN"),
        (("push", "http://bench.example.org"), "no encryption"),
        (("token", "create"), "name the token"),
        (("token", "revoke", "nobody"), "no valid token named 'nobody'"),
    ):
        found = plimsoll(*words, home=tmp_path, PLIMSOLL_TOKEN="")
        assert found.returncode == 2, words
        assert message in found.stderr, words
        assert "Traceback" not in found.stderr


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_is_a_good_end(tmp_path: Path, stop: signal.Signals) -> None:
    with serving(tmp_path, "--public-read") as (server, address, _):
        assert httpx.get(address).status_code == 200
        server.send_signal(stop)
        assert server.wait(timeout=120) == 0
