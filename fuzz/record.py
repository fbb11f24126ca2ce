"""Records what real servers say, as the first inputs of the corpus: `python fuzz/record.py`.

A proxy stands between `plimsoll run` and a private server of each kind, and keeps what the server sends on each
connection. The first byte of an input chooses the workload (`crates/db/src/hostile.rs`).
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from benches.torture.postgres import Postgres  # noqa: E402

from plimsoll.run.private_server import running  # noqa: E402
from plimsoll.targets.held import held  # noqa: E402

KEPT_BYTES = 4096
SMALL = ("--set", "runtime=1s", "--set", "warmup=0s", "--blocks", "1", "--noisy-host", "--quiet")
SHAPES = {
    "ycsb-a": (0, ("--set", "records=30", "--set", "read=50%", "--set", "scan=30%", "--set", "update=20%")),
    "tpcb": (2, ("--set", "scale=1")),
    "web-static": (0, ()),
}


@contextmanager
def proxy(port: int) -> Iterator[tuple[int, list[bytearray]]]:
    """A port that leads to `port`, and what came back on each connection."""
    heard: list[bytearray] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve() -> None:
            while True:
                try:
                    client, _ = listening.accept()
                except OSError:
                    return
                server = socket.create_connection(("127.0.0.1", port))
                said = bytearray()
                heard.append(said)
                threading.Thread(target=_carry, args=(client, server, lambda _part: None), daemon=True).start()
                threading.Thread(target=_carry, args=(server, client, said.extend), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        yield listening.getsockname()[1], heard
        listening.shutdown(socket.SHUT_RDWR)


def _carry(source: socket.socket, sink: socket.socket, keep: Callable[[bytes], object]) -> None:
    try:
        while part := source.recv(65536):
            keep(part)
            sink.sendall(part)
        sink.shutdown(socket.SHUT_WR)
    except OSError:
        return


def record(driver: str, test: str, url: str, password_env: str | None, folder: Path) -> None:
    """Run a test through a proxy, and keep what is new."""
    parts = urlsplit(url)
    assert parts.port is not None
    choice, shape = SHAPES[test]
    with proxy(parts.port) as (port, heard):
        place = url.replace(f":{parts.port}", f":{port}")
        more = ("--set", f"password_env={password_env}") if password_env else ()
        words = [Path(sys.executable).parent / "plimsoll", "run", test, "--on", f"x={place}", *SMALL, *shape, *more]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        print(f"{driver}, {test}: exit {done.returncode}, {len(heard)} connections")
        assert heard, done.stderr
    kept = sorted({bytes(said[:KEPT_BYTES]) for said in heard}, key=len)
    corpus = ROOT / "fuzz/corpus" / driver
    corpus.mkdir(parents=True, exist_ok=True)
    for number, said in enumerate(kept):
        (corpus / f"seed-{test}-{number}").write_bytes(bytes([choice]) + said)


def main() -> None:
    """All drivers."""
    with tempfile.TemporaryDirectory(prefix="plimsoll-record-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        os.environ |= {"PLIMSOLL_HOME": str(folder / "home"), "PLIMSOLL_STORE": str(folder / "results.db")}
        ends: list[Callable[[], None]] = []
        with Postgres.running(folder / "postgres", ends.append) as server:
            for test in ("ycsb-a", "tpcb"):
                record("postgresql", test, server.new_database(), None, folder)
        ends[0]()
        for kind, driver, tests in (
            ("mariadb", "mysql", ("ycsb-a", "tpcb")),
            ("redis", "redis", ("ycsb-a",)),
            ("nginx", "http", ("web-static",)),
        ):
            with held(folder) as place, running(kind, place, kind, "none", {}) as private:
                for test in tests:
                    record(driver, test, private.url, private.password_env, folder)


if __name__ == "__main__":
    main()
