"""A real S3 protocol server on loopback, and a line to it that can be cut.

The server is versitygw where it is installed (it checks signatures), else moto's.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

KEY, SECRET, BUCKET = "plimsoll-test", "not-a-secret", "results"


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """The end point of a server with one empty bucket."""
    port = _free_port()
    gateway = shutil.which("versitygw")
    if gateway:
        (folder / "objects").mkdir()
        command = [gateway, "--quiet", "--access", KEY, "--secret", SECRET, "--port", f"127.0.0.1:{port}", "posix"]
        command += ["--nometa", str(folder / "objects")] if not _has_attributes(folder) else [str(folder / "objects")]
    else:
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, "PYTHONWARNINGS": "ignore"})
        try:
            _wait(port, process, folder / "server.log")
            _make_bucket(f"http://127.0.0.1:{port}")
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


def _has_attributes(folder: Path) -> bool:
    try:
        os.setxattr(folder / "objects", "user.plimsoll", b"1")
    except OSError:
        return False
    return True


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(300):
        assert process.poll() is None, log.read_text(errors="replace")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.1)
    raise AssertionError(log.read_text(errors="replace"))


def _make_bucket(endpoint: str) -> None:
    import boto3

    session = boto3.Session(KEY, SECRET, region_name="us-east-1")
    session.client("s3", endpoint_url=endpoint).create_bucket(Bucket=BUCKET)


@dataclass
class Line:
    """A TCP line to a server that breaks off answers after `allowed` bytes, so many times."""

    server: tuple[str, int]
    allowed: int
    cuts: int
    answers: int = 0
    listener: socket.socket = field(default_factory=lambda: socket.create_server(("127.0.0.1", 0)))
    open: set[socket.socket] = field(default_factory=set)

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def run(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self.listener.accept()
                server = socket.create_connection(self.server)
                self.open |= {client, server}
                threading.Thread(target=self._pass, args=(client, server, False), daemon=True).start()
                threading.Thread(target=self._pass, args=(server, client, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, answer: bool) -> None:
        passed = 0
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                over = answer and self.cuts > 0 and passed + len(data) > self.allowed
                sink.sendall(data[: self.allowed - passed] if over else data)
                passed += len(data)
                if over:
                    self.cuts -= 1
                    self.answers += 1
                    break
        for end in (source, sink):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()


@contextmanager
def breaking(endpoint: str, *, allowed: int, cuts: int) -> Iterator[Line]:
    """A line to the server of `endpoint` that is cut so many times."""
    host, _, port = endpoint.removeprefix("http://").partition(":")
    line = Line((host, int(port)), allowed, cuts)
    thread = threading.Thread(target=line.run, daemon=True)
    thread.start()
    try:
        yield line
    finally:
        line.listener.close()
        for each in list(line.open):
            each.close()
