"""A crowd of slow sockets beside honest readers. Budget: no page of an honest reader over 1 s.

python -m benches.web_crowd [SECONDS] [SLOW] [READERS]

The server runs as `plimsoll serve`. Slow sockets send a head or a body byte by byte, or do not take their answers; one
that is closed comes back within a second. They have one address, that of all readers, or 250 of their own.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import random
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty
from typing import Any

import httpx
from benches.web import fill

from plimsoll.store.opening import open_store

BUDGET_S = 1.0
ANSWER_S = 120
SETTLE_S = 10
RUNS = 2_000
MANY = [f"127.0.2.{last}" for last in range(1, 251)]
CROWDS: dict[str, tuple[list[str], list[str]]] = {
    "nobody": ([], MANY),
    "one address": (["127.0.0.2"], MANY),
    "the readers' address": (["127.0.0.1"], ["127.0.0.1"]),
    "250 addresses": ([f"127.0.1.{last}" for last in range(1, 251)], MANY),
}
"""The addresses of the slow ones, and of the readers."""


@dataclass
class Place:
    """Where the server is, and what is read there."""

    port: int
    paths: list[str]

    def request(self, path: str, more: str = "") -> bytes:
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{more}\r\n".encode()


@contextmanager
def served(folder: Path) -> Iterator[Place]:
    """The server as a process over a filled store."""
    place = str(folder / "results.db")
    with open_store(place) as store:
        fill(store, RUNS)
    command = [sys.executable, "-m", "plimsoll", "serve", "--store", place, "--port", "0", "--public-read"]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert server.stderr is not None
        told = next(line for line in server.stderr if line.startswith("serving"))
        port = int(told.split("http://127.0.0.1:")[1].split(";")[0])
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=ANSWER_S) as client:
            found = client.get("/api/v1/sessions", params={"limit": 3}).json()["sessions"]
        one = found[0]["id"]
        pages = ["/", f"/sessions/{one}", f"/sessions/{one}/runs", "/history?case=randread&target=gp3", "/history"]
        yield Place(port, pages)
    finally:
        server.terminate()
        server.wait(60)
        if server.stderr is not None:
            server.stderr.close()


@dataclass
class Seen:
    """What the readers saw."""

    times: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


async def _page(place: Place, source: str, path: str, seen: Seen) -> None:
    started = time.perf_counter()
    try:
        async with asyncio.timeout(ANSWER_S):
            reader, writer = await asyncio.open_connection("127.0.0.1", place.port, local_addr=(source, 0))
            writer.write(place.request(path, "Connection: close\r\n"))
            content = await reader.read(-1)
            writer.close()
        if b" 200 OK" not in content[:20]:
            seen.faults.append(content[:40].decode("latin1"))
    except (OSError, TimeoutError) as error:
        seen.faults.append(repr(error))
    seen.times.append(time.perf_counter() - started)


async def _reader(place: Place, source: str, until: float, seen: Seen, rng: random.Random) -> None:
    await asyncio.sleep(rng.random() * 3)
    while time.perf_counter() < until:
        await _page(place, source, rng.choice(place.paths), seen)
        await asyncio.sleep(1 + 2 * rng.random())


def readers(place: Place, number: int, sources: list[str], seconds: float, out: Any) -> None:
    """People who read a page and think for 1 to 3 s; each page on a connection of its own."""
    seen = Seen()

    async def run() -> None:
        until = time.perf_counter() + seconds
        people = [(sources[each % len(sources)], random.Random(each)) for each in range(number)]
        await asyncio.gather(*(_reader(place, source, until, seen, rng) for source, rng in people))

    asyncio.run(run())
    out.put(seen)


async def _linger(line: socket.socket, kind: int) -> None:
    """A byte a second, until the server closes the connection."""
    loop = asyncio.get_running_loop()
    while True:
        await asyncio.sleep(1)
        if kind == 2:
            await loop.sock_recv(line, 1)
            continue
        await loop.sock_sendall(line, b"x")
        with contextlib.suppress(BlockingIOError):
            if not line.recv(4096):
                return


async def _slow(place: Place, kind: int, source: str, counts: list[int], rng: random.Random) -> None:
    """One slow socket; for ever."""
    loop = asyncio.get_running_loop()
    head = f"POST /login HTTP/1.1\r\nHost: 127.0.0.1:{place.port}\r\nContent-Length: 60000\r\n"
    origin = f"Origin: http://127.0.0.1:{place.port}\r\n\r\n"
    begun = (b"GET / HTTP/1.1\r\nX-Slow: ", (head + origin).encode(), place.request(place.paths[1]) * 20)[kind]
    while True:
        line = socket.socket()
        line.setblocking(False)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        try:
            line.bind((source, 0))
            await loop.sock_connect(line, ("127.0.0.1", place.port))
            counts[0] += 1
            await loop.sock_sendall(line, begun)
            await _linger(line, kind)
        except OSError:
            pass
        finally:
            line.close()
        await asyncio.sleep(rng.random())


def crowd(place: Place, number: int, sources: list[str], ready: Any, out: Any, stop: Any) -> None:
    """Slow sockets of three kinds in equal parts, until `stop`."""
    counts = [0]

    async def run() -> None:
        rng = random.Random(1)
        jobs = [
            asyncio.create_task(_slow(place, each % 3, sources[each % len(sources)], counts, rng))
            for each in range(number)
        ]
        while counts[0] < number and not stop.is_set():
            await asyncio.sleep(0.05)
        ready.set()
        while not stop.is_set():
            await asyncio.sleep(0.2)
        for job in jobs:
            job.cancel()
        await asyncio.gather(*jobs, return_exceptions=True)

    asyncio.run(run())
    out.put(counts[0])


def measure(place: Place, name: str, seconds: float, slow: int, number: int) -> bool:
    """One crowd, one line; whether every page came in time."""
    context = multiprocessing.get_context("spawn")
    out, counted, ready, stop = context.Queue(), context.Queue(), context.Event(), context.Event()
    sources, own = CROWDS[name]
    slow_ones = context.Process(target=crowd, args=(place, slow, sources, ready, counted, stop))
    honest = context.Process(target=readers, args=(place, number, own, seconds, out))
    if sources:
        slow_ones.start()
        ready.wait(60)
        # What they asked for when they came is a flood of requests; here it is about what they hold.
        time.sleep(SETTLE_S)
    honest.start()
    try:
        seen = out.get(timeout=seconds + 2 * ANSWER_S)
    except Empty:
        seen = Seen(faults=["the readers did not come back"])
    stop.set()
    connections = counted.get(timeout=60) if sources else 0
    for process in (honest, slow_ones) if sources else (honest,):
        process.join(60)
    times = sorted(seen.times)
    late = sum(each > BUDGET_S for each in times)
    p99 = times[int(0.99 * (len(times) - 1))]
    print(
        f"{name:22} {connections:11,} {len(times):6,} {times[len(times) // 2] * 1e3:6.0f} ms {p99 * 1e3:6.0f} ms "
        f"{times[-1] * 1e3:6.0f} ms {late:7} {len(seen.faults):7}  {'; '.join(sorted(set(seen.faults))[:3])}"
    )
    return not late and not seen.faults


def main() -> None:
    seconds, slow, number = (int(typed) for typed in (*sys.argv[1:], *("30", "1000", "50")[len(sys.argv) - 1 :]))
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, max(soft, slow + 500)), hard))
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder, served(Path(folder)) as place:
        print(f"{number} readers for {seconds} s beside {slow:,} slow sockets")
        print(
            f"{'slow sockets of':22} {'connections':>11} {'pages':>6} {'median':>9} {'p99':>9} {'most':>9} "
            f"{'over 1 s':>8} {'faults':>6}"
        )
        kept = [measure(place, name, seconds, slow, number) for name in CROWDS]
    print("every page came in time" if all(kept) else "NOT every page came in time")
    sys.exit(not all(kept))


if __name__ == "__main__":
    main()
