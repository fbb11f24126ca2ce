"""Time of the server's pages over a store of 100,000 runs. Budget: 300 ms each, first view and again.

python -m benches.web [RUNS] [STORE]        STORE: an SQLAlchemy URL of an empty store; default: an SQLite file
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from sqlalchemy import Table, insert, select
from tests.factories import START_NS, make_id, make_study, many_cases

from plimsoll.store import schema, search
from plimsoll.store.codec import unpack_json
from plimsoll.store.connection import reading, writing
from plimsoll.store.kept_scores import keep_scores
from plimsoll.store.opening import open_store
from plimsoll.store.seal import seal
from plimsoll.store.store import Store
from plimsoll.store.works import count_runs
from plimsoll.units import HOUR
from plimsoll.web.answers import Answers
from plimsoll.web.server import listen, serve
from plimsoll.web.settings import Settings

MILLISECONDS = 300.0
TARGETS = ("nvme", "gp3")
CASES, BLOCKS = 10, 5
LARGE = "a large session"
SLOWER = 0.8
"""How fast the last third of the sessions is, so that histories have a change."""
PARTS = (schema.score, schema.histogram, schema.series, schema.finding)


def fill(store: Store, runs: int) -> None:
    """Sessions of 100 runs each, an hour apart: one is made, the others are copies with other ids, times and speeds."""
    session, made = make_study(TARGETS, many_cases(CASES), BLOCKS, {"gp3": 0.4}, title="nightly")
    store.add_session(session)
    for run in made:
        store.add_run(run)
    with reading(store.engine) as connection:
        of_session = dict(connection.execute(select(schema.session)).one()._mapping)
        of_runs = [dict(row._mapping) for row in connection.execute(select(schema.run))]
        of_parts = {part: [dict(row._mapping) for row in connection.execute(select(part))] for part in PARTS}
    large, of_large = make_study(TARGETS, many_cases(2 * CASES), 2 * BLOCKS, {"gp3": 0.4}, title=LARGE)
    store.add_session(large)
    for run in of_large:
        store.add_run(run)
    rng = random.Random(1)
    copies = [_Copied(row, of_parts) for row in of_runs]
    for number in range(1, runs // len(made)):
        shift = number * HOUR
        host = f"bench-{number % 7}"
        names = {"id": make_id(rng, START_NS + shift), "title": f"nightly {number}", "host_name": host}
        names |= {"host": json.dumps(json.loads(of_session["host"]) | {"name": host})}
        speed = rng.lognormvariate(0, 0.03) * (SLOWER if number > runs // len(made) * 2 // 3 else 1)
        times = {name: of_session[name] + shift for name in ("started_ns", "ended_ns")}
        with writing(store.engine) as connection:
            connection.execute(insert(schema.session), [of_session | names | times])
            rows: dict[Table, list[dict[str, Any]]] = {table: [] for table in (schema.run, *PARTS)}
            for copied in copies:
                identity = make_id(rng, copied.row["started_ns"] + shift)
                copied.add(rows, identity, names["id"], shift, speed)
            for table, these in rows.items():
                connection.execute(insert(table), these)
            keys = count_runs(connection, rows[schema.run])
            keep_scores(connection, rows[schema.run], keys, rows[schema.score])


class _Copied:
    """A run of the session that the others are copies of."""

    def __init__(self, row: dict[str, Any], of_parts: dict[Table, list[dict[str, Any]]]) -> None:
        self.row = row
        self.parts = {
            part: [each for each in of_part if each["run_id"] == row["id"]] for part, of_part in of_parts.items()
        }
        series = self.parts[schema.series]
        self.intervals = unpack_json(series[0]["intervals"]) if series else b""

    def add(
        self, rows: dict[Table, list[dict[str, Any]]], identity: str, session_id: str, shift_ns: int, speed: float
    ) -> None:
        """Put its copy with another id, session, time and speed to `rows`, with checksums of its own."""
        times = {name: self.row[name] + shift_ns for name in ("started_ns", "ended_ns")}
        row = self.row | {"id": identity, "session_id": session_id} | times
        scores = [
            each | {"value": each["value"] * (speed if each["direction"] == "higher" else 1 / speed)}
            for each in self.parts[schema.score]
        ]
        parts = self.parts | {schema.score: scores}
        made = seal(row, parts, self.intervals)
        rows[schema.run].append(row | {"checksum": made.whole})
        for part, of_part in parts.items():
            rows[part] += [each | {"run_id": identity} for each in of_part]
        for score, checksum in zip(rows[schema.score][-len(made.scores) :], made.scores, strict=True):
            score["checksum"] = checksum


def judge(store: Store) -> None:
    """Make what lists say of each session, as a server does when a session arrives."""
    answers, before = Answers(store), None
    while lines := search.find_lines(store, search.Query(), before, 50):
        answers.of(lines)
        before = (lines[-1].started_ns, lines[-1].id)


@contextmanager
def served(store: Store, spool: Path) -> Iterator[str]:
    """The server in a thread."""
    taken = listen("127.0.0.1", 0)
    address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    settings = Settings(spool, address, public_read=True)
    stop = threading.Event()
    thread = threading.Thread(target=serve, args=(store, settings, taken), kwargs={"stop": stop}, daemon=True)
    thread.start()
    try:
        yield address
    finally:
        stop.set()
        thread.join()


def pages(client: httpx.Client) -> list[tuple[str, str]]:
    """What is measured, by name."""
    found = client.get("/api/v1/sessions", params={"limit": 3}).json()["sessions"]
    one, other = found[0]["id"], found[1]["id"]
    run = client.get(f"/api/v1/sessions/{one}/runs", params={"limit": 1}).json()[0]["id"]
    large = client.get("/api/v1/sessions", params={"text": LARGE}).json()["sessions"][0]["id"]
    series = "case=randread&target=gp3"
    return [
        ("list of sessions", "/"),
        ("search, common word", "/?text=gp3+bench-3"),
        ("search, nothing fits", "/?text=nosuchword"),
        ("search, test and kind", "/?test=commit&kind=directory&host=bench-2"),
        ("a far page of the list", f"/?before={START_NS + 20 * HOUR},ffffffff-ffff-ffff-ffff-ffffffffffff"),
        ("session, 100 runs", f"/sessions/{other}"),
        ("session, 400 runs", f"/sessions/{large}"),
        ("its runs", f"/sessions/{one}/runs"),
        ("its latency", f"/sessions/{one}/latency"),
        ("one run", f"/runs/{run}"),
        ("series to choose from", "/history"),
        ("history, 1000 sessions", f"/history?{series}"),
        ("comparison of sessions", f"/compare?t={one}:gp3&t={other}:gp3"),
        ("environments", f"/diff?s={one}&s={other}"),
        ("API: sessions", "/api/v1/sessions?test=randread"),
        ("API: history", f"/api/v1/history?{series}"),
    ]


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as folder:
        place = sys.argv[2] if len(sys.argv) > 2 else str(Path(folder) / "results.db")
        with open_store(place) as store:
            started = time.perf_counter()
            fill(store, runs)
            judge(store)
            print(f"{runs:,} runs in {runs // 100:,} sessions, made in {time.perf_counter() - started:.0f} s")
            with served(store, Path(folder) / "uploads") as address:
                measure(address)


def measure(address: str) -> None:
    """First view and the median of five more of each page; processor time of client and server for the first view.

    On a machine that is doing something else, the processor time is what a quiet one would take.
    """
    with httpx.Client(base_url=address, timeout=60) as client:
        client.get("/login")
        over = []
        print(f"{'page':24} {'first':>8} {'again':>8} {'CPU':>8} {'size':>9}")
        for name, path in pages(client):
            times: list[float] = []
            spent = time.process_time()
            for _ in range(6):
                started = time.perf_counter()
                answer = client.get(path)
                times.append((time.perf_counter() - started) * 1000)
                answer.raise_for_status()
                if len(times) == 1:
                    spent = (time.process_time() - spent) * 1000
            again = sorted(times[1:])[2]
            if max(times[0], again) > MILLISECONDS:
                over.append(name)
            print(f"{name:24} {times[0]:5.0f} ms {again:5.0f} ms {spent:5.0f} ms {len(answer.content) / 1000:6.0f} kB")
        print(f"over {MILLISECONDS:g} ms: {', '.join(over) or 'none'}")


if __name__ == "__main__":
    main()
