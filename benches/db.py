"""Plimsoll's database client side by side with redis-benchmark, pgbench, sysbench and wrk, in interleaved short runs.

    python benches/db.py [--rounds N] [--seconds S] [--clients N] [--rows memory,redis,...] [--json]

Private servers on loopback share the CPUs with the clients. Each round runs both tools once, in an order that
alternates; the table gives the ratio plimsoll / other: the median over the rounds with its lowest and highest value.
CPU time is that of the client process. `sysbench` reads rows of 120 bytes where workload C reads 1000, so that its
ratio is a bound and no goal. Settings as in Plimsoll's durability `relaxed`: commits are written, not flushed.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from plimsoll import _core
from plimsoll.parameters import parameters_of
from plimsoll.run.private_server import PrivateServer, running
from plimsoll.run.servers._config import password
from plimsoll.run.workloads.db import COMMON

SECOND_NS = 1_000_000_000
RECORDS = 20_000
PAGE_BYTES = 3064
WEB_CLIENTS = 100


@dataclass(frozen=True)
class Sample:
    """One run of one client."""

    per_second: float
    cpu_ns: float
    """Per operation."""


@dataclass(frozen=True)
class Row:
    """One comparison; goals are bounds of the ratios: throughput at least, CPU time at most."""

    name: str
    server: str
    tool: str
    workload: dict[str, object]
    clients: int | None
    throughput: float | None
    cpu: float | None


def ycsb(read: float) -> dict[str, object]:
    """Workload A (0.5) or C (1)."""
    return {
        "kind": "ycsb", **defaults("ycsb", own=True), "read": read, "update": 1 - read, "records": RECORDS,
        "request": {"kind": "zipfian", "theta": 0.99}, "scan_length_max": 100,
    }  # fmt: skip


def web(keep_alive: bool) -> dict[str, object]:
    """A page, over one connection of each client or over a new one each."""
    return {"kind": "web", **defaults("web", own=True), "keep_alive": keep_alive}


def defaults(workload: str, *, own: bool) -> dict[str, object]:
    """Defaults of a workload's own parameters, or of those that every database test has."""
    return {each.name: each.default for each in parameters_of(workload) if (each.name not in COMMON) == own}


def script(name: str) -> dict[str, object]:
    """One of pgbench's."""
    return {"kind": "tpcb", "script": name, "scale": 2}


ROWS = (
    Row("redis-c", "redis", "redis-benchmark", ycsb(1.0), None, 1.0, 1.0),
    Row("tpcb", "postgresql", "pgbench", script("tpcb"), None, 0.97, 1.0),
    Row("select-only", "postgresql", "pgbench", script("select_only"), None, 0.97, 1.0),
    Row("mariadb-c", "mariadb", "sysbench", ycsb(1.0), None, None, None),
    Row("web", "nginx", "wrk", web(True), WEB_CLIENTS, 0.97, None),
    Row(
        "web-close",
        "nginx",
        "wrk",
        web(False),
        WEB_CLIENTS,
        0.97,
        None,
    ),
)


def request_for(
    server: PrivateServer | None,
    workload: dict[str, object],
    clients: int,
    seconds: float,
    data: str,
    operations: int | None = None,
) -> dict[str, object]:
    """What the core is told to do; without a server the driver that answers at once."""
    return {
        **defaults(str(workload["kind"]), own=False),
        "driver": server.driver if server else "null", "url": server.url if server else "",
        "password_env": server.password_env if server else None, "clients": clients, "data": data,
        "workload": workload, "runtime": int(seconds * SECOND_NS), "max_operations": operations,
        "warmup": SECOND_NS // 4, "give_up": 10 * SECOND_NS, "interval": SECOND_NS,
    }  # fmt: skip


def run_core(request: dict[str, object]) -> Sample:
    """Our own client, for so long or until it did so many operations."""
    outcome = json.loads(_core.db_start(json.dumps(request)).result(None) or "{}")
    if outcome["status"] != "ok" or outcome["errors"]:
        raise SystemExit(f"plimsoll: {outcome['error'] or outcome['messages']}")
    cpu_ns = outcome["cpu"]["user_ns"] + outcome["cpu"]["system_ns"]
    return Sample(outcome["completed"] * SECOND_NS / outcome["elapsed_ns"], cpu_ns / outcome["completed"])


def run_tool(command: list[str], number: str, environment: dict[str, str] | None = None) -> tuple[float, float, str]:
    """Runs another client: what `number` finds in its output, its CPU seconds, and the output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | (environment or {}))
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    output = done.stdout.replace("\r", "\n")
    found = re.findall(number, output)
    if done.returncode != 0 or not found:
        raise SystemExit(f"{command[0]}: {done.stderr.strip() or output.strip()}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return float(found[-1]), cpu_s, output


def peer(row: Row, server: PrivateServer, clients: int, seconds: float) -> Sample:
    """The other client."""
    address = urlsplit(server.url)
    host, port, user = str(address.hostname), str(address.port), address.username or ""
    length = str(max(1, round(seconds)))
    if row.tool == "redis-benchmark":
        secret = {"REDISCLI_AUTH": password()}
        command = ["redis-cli", "-h", host, "-p", port, "zrange", "_indices", "0", "0"]
        key = subprocess.run(
            command, capture_output=True, text=True, check=True, env=os.environ | secret
        ).stdout.strip()
        count = 100_000
        command = ["redis-benchmark", "-h", host, "-p", port, "-c", str(clients), "-n", str(count), "-q"]
        rate, cpu_s, _ = run_tool([*command, "-a", password(), "HGETALL", key], r"([\d.]+) requests per second")
        return Sample(rate, cpu_s / count * SECOND_NS)
    if row.tool == "pgbench":
        programs = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
        kind = [] if row.name == "tpcb" else ["-S"]
        command = [str(programs[-1]), "-h", host, "-p", port, "-U", user, "-n", "-M", "prepared", "-c", str(clients)]
        command += ["-j", "1", "-T", length, *kind, address.path.lstrip("/")]
        rate, cpu_s, output = run_tool(command, r"tps = ([\d.]+)", {"PGPASSWORD": password()})
        count = int(re.findall(r"transactions actually processed: (\d+)", output)[-1])
        return Sample(rate, cpu_s / count * SECOND_NS)
    if row.tool == "sysbench":
        rate, cpu_s, output = run_tool([*sysbench(address, clients), f"--time={length}", "run"], r"\(([\d.]+) per sec")
        count = int(re.findall(r"transactions:\s+(\d+)", output)[-1])
        return Sample(count / float(re.findall(r"total time:\s+([\d.]+)s", output)[-1]), cpu_s / count * SECOND_NS)
    close = ["-H", "Connection: close"] if row.name == "web-close" else []
    command = ["wrk", "-c", str(clients), "-t", "1", "-d", f"{length}s", *close, server.url]
    rate, cpu_s, output = run_tool(command, r"Requests/sec:\s+([\d.]+)")
    return Sample(rate, cpu_s / int(re.findall(r"(\d+) requests in", output)[-1]) * SECOND_NS)


def sysbench(address: object, clients: int) -> list[str]:
    """Its command, without the last word."""
    url = urlsplit(address.geturl())  # type: ignore[attr-defined]
    where = [f"--mysql-host={url.hostname}", f"--mysql-port={url.port}", f"--mysql-user={url.username}"]
    own = [f"--mysql-password={password()}", f"--mysql-db={url.path.lstrip('/')}", f"--threads={clients}"]
    return ["sysbench", "oltp_point_select", *where, *own, f"--table-size={RECORDS}", "--tables=1"]


@contextmanager
def prepared(row: Row, folder: Path, clients: int) -> Iterator[PrivateServer]:
    """A private server with everybody's data in it."""
    with running(row.server, folder / row.name, "relaxed", {}, PAGE_BYTES) as server:
        run_core(request_for(server, row.workload, min(clients, 8), 0.1, "recreate"))
        if row.tool == "sysbench":
            run_tool([*sysbench(urlsplit(server.url), 1), "prepare"], r"(\d+)")
        yield server


def compare(row: Row, folder: Path, options: argparse.Namespace) -> list[tuple[Sample, Sample]]:
    """Pairs (plimsoll, other), one per round."""
    clients = row.clients or options.clients
    pairs = []
    with prepared(row, folder, clients) as server:
        for turn in range(options.rounds):
            tools: list[Callable[[], Sample]] = [
                lambda: run_core(request_for(server, row.workload, clients, options.seconds, "keep")),
                lambda: peer(row, server, clients, options.seconds),
            ]
            first = turn % 2
            samples = {first: tools[first](), 1 - first: tools[1 - first]()}
            pairs.append((samples[0], samples[1]))
    return pairs


def summary(pairs: list[tuple[Sample, Sample]]) -> dict[str, dict[str, float]]:
    """Ratios and medians."""

    def spread(values: list[float]) -> dict[str, float]:
        return {"median": statistics.median(values), "low": min(values), "high": max(values)}

    return {
        "throughput": spread([ours.per_second / theirs.per_second for ours, theirs in pairs]),
        "cpu": spread([ours.cpu_ns / theirs.cpu_ns for ours, theirs in pairs]),
        "per_second": spread([ours.per_second for ours, _ in pairs]),
        "cpu_ns": spread([ours.cpu_ns for ours, _ in pairs]),
    }


def describe(row: Row, found: dict[str, dict[str, float]]) -> Iterator[str]:
    for metric, goal in (("throughput", row.throughput), ("cpu", row.cpu)):
        ratio = found[metric]
        met = "" if goal is None else ("ok" if (ratio["median"] >= goal) == (metric == "throughput") else "MISSED")
        bound = "" if goal is None else f"{'≥' if metric == 'throughput' else '≤'} {goal:.2f}"
        own = found["per_second" if metric == "throughput" else "cpu_ns"]["median"]
        shown = f"{own:,.0f}/s" if metric == "throughput" else f"{own / 1000:.1f} µs"
        spread = f"{ratio['low']:.2f}…{ratio['high']:.2f}"
        text = f"{row.name:<12}{row.tool:<16}{metric:<11}{ratio['median']:5.2f}  {spread:<11} {bound:<7}{met:<7}{shown}"
        yield text.rstrip()


def alone(seconds: float, rounds: int) -> float:
    """Operations per second of one client alone: workload A, answered at once."""
    return max(run_core(request_for(None, ycsb(0.5), 1, seconds, "keep")).per_second for _ in range(rounds))


def main() -> None:
    parser = argparse.ArgumentParser(description="plimsoll's database client and others side by side")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=2.0, help="length of each run; the others know whole seconds")
    parser.add_argument("--clients", type=int, default=8)
    parser.add_argument("--rows", default=",".join(["null", *(row.name for row in ROWS)]))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    wanted = options.rows.split(",")
    results: dict[str, object] = {}
    if "null" in wanted:
        results["null"] = alone(options.seconds, options.rounds)
        if not options.json:
            print(f"{'null-a':<12}{'(alone)':<16}{results['null']:,.0f}/s, one thread; goal 6,000,000/s", flush=True)
    with tempfile.TemporaryDirectory(prefix="plimsoll-bench-") as name:
        Path(name).chmod(0o755)
        for row in (row for row in ROWS if row.name in wanted):
            found = summary(compare(row, Path(name), options))
            results[row.name] = found
            if not options.json:
                print(*describe(row, found), sep="\n", flush=True)
    if options.json:
        print(json.dumps(results, indent=1))


if __name__ == "__main__":
    main()
