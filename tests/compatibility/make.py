"""Makes a store and result files with the Plimsoll of this tree, for later versions to open, recompute and merge.

    python -m tests.compatibility.make NAME

measures a little of everything with the installed command and writes the folder `NAME` beside this file; README.md says
what is in it. It takes some minutes, needs root, FUSE and loop devices, and every server of `tools/test-packages.sh`;
with --without-servers those that are not installed are left out.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from tests.compatibility.plan_hashes import plan_hashes
from tests.compatibility.told import AGAIN, told

from plimsoll.errors import TargetError
from plimsoll.parameters import kind_of
from plimsoll.profile import profiles
from plimsoll.run.private_server import find_program
from plimsoll.store.opening import open_store

HERE = Path(__file__).parent
PLIMSOLL = Path(sys.executable).parent / "plimsoll"
DASK = (sys.executable, "-W", "ignore", "-m")
LIMIT_S = 600.0

SHORT = ("--set", "size=8MiB", "--set", "runtime=200ms", "--set", "warmup=50ms", "--noisy-host", "-q")
TINY = (
    "--quick-sizes", "--set", "timeout=60s", "--set", "scale=0.3%", "--set", "transactions=100", "--set", "inserts=4",
    "--set", "runtime=200ms", "--set", "warmup=50ms", "--repeats", "1", "--noisy-host", "-q",
)  # fmt: skip
FEW = ("--set", "max_operations=60", "--set", "warmup=0s", "--noisy-host", "-q", "--repeats", "1")
RECORDS = ("--set", "records=100")
IMPORTED = (
    "bonnie/fixtures/new_2.00.csv", "dbench/fixtures/two_clients_4.00.txt", "diskspd/fixtures/read_2.0.15.txt",
    "fio_json/fixtures/fio3.json", "fio_logs/fixtures/each_*.1.log", "fio_terse/fixtures/version_5.txt",
    "go_ycsb/fixtures/run.txt", "hammerdb/fixtures/tproc_c.log", "hdr_log/fixtures/run1-*.hdr",
    "ioping/fixtures/text_1.3.txt", "pgbench/fixtures/v15_statements.txt", "pgbench_logs/fixtures/pertx.22248*",
    "phoronix/fixtures/composite.xml", "postmark/fixtures/verbose_1.51.txt", "sysbench/fixtures/fileio_1.0.txt",
    "table/fixtures/runs.csv", "ycsb/fixtures/status_and_summary.txt",
)  # fmt: skip
"""One measurement of each import format."""

Command = Callable[..., str]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", help="of the new folder, such as the commit that writes it")
    parser.add_argument("--without-servers", action="store_true")
    words = parser.parse_args()
    folder = HERE / words.name
    # The user of a database server has to be able to enter it.
    with tempfile.TemporaryDirectory(prefix="plimsoll-fixture-") as scratch:
        Path(scratch).chmod(0o755)
        make(folder, Path(scratch), all_servers=not words.without_servers)


def make(folder: Path, scratch: Path, *, all_servers: bool) -> None:
    """Measure in `scratch`, and write what is kept to the new `folder`."""
    os.environ["PLIMSOLL_HOME"] = str(scratch / "home")
    os.environ["PLIMSOLL_STORE"] = str(scratch / "store.db")
    disk = scratch / "disk"
    disk.mkdir()

    def plimsoll(*words: str, cwd: Path = disk) -> str:
        print("plimsoll", *words, file=sys.stderr)
        done = subprocess.run([PLIMSOLL, *words], cwd=cwd, capture_output=True, text=True, timeout=LIMIT_S)
        # 3: nothing valid was measured, which is a result as well.
        if done.returncode not in (0, 3):
            raise SystemExit(f"plimsoll {' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    folder.mkdir()
    disks(plimsoll, disk)
    forget_machine(scratch / "store.db")
    plimsoll("export", "extended", "-o", str(folder / "earlier.plimsoll.gz"))
    plimsoll("extend", "extended", "--blocks", "2", "-q")
    databases(plimsoll, disk, all_servers=all_servers)
    volumes(plimsoll)
    load_lines(plimsoll, disk)
    cluster(plimsoll, scratch)
    front_ends(plimsoll, disk)
    interrupted(disk)
    plimsoll("import", *(str(HERE.parent / "unit/importers" / each) for each in IMPORTED))
    notes(plimsoll)
    forget_machine(scratch / "store.db")
    plimsoll("export", "--all", "-o", str(folder / "results.plimsoll.gz"))
    change(scratch / "store.db")
    with open_store() as store:
        wanted = told(store)
    write(folder / "store.db.gz", (scratch / "store.db").read_bytes())
    write(folder / "told.json.gz", json.dumps(wanted, sort_keys=True, allow_nan=False).encode())
    hashes = json.dumps(plan_hashes(), indent=1, sort_keys=True, ensure_ascii=False)
    (folder / "plan-hashes.json").write_text(f"{hashes}\n")


def write(path: Path, content: bytes) -> None:
    path.write_bytes(gzip.compress(content, mtime=0))


def forget_machine(store: Path) -> None:
    """How the machine was started is nobody's business."""
    with sqlite3.connect(store) as connection:
        for place in ("$.command_line", "$.workers.w1.command_line"):
            connection.execute("UPDATE session SET host = json_remove(host, ?)", [place])
    connection.close()


def disks(plimsoll: Command, disk: Path) -> None:
    """Verdicts of two targets, twice; a session to be extended; invalid runs; and every test of disks and files."""
    both = ("--on", f"four={disk},threads=4", "--on", f"single={disk}", *SHORT)
    for title in AGAIN:
        plimsoll("run", "randread", "seqwrite", "wal-fdatasync", *both, "--repeats", "4", "--title", title)
    plimsoll("run", "randrw", *both, "--repeats", "3", "--title", "extended")
    plimsoll("run", "randread", "--on", f"cached={disk},direct=no,drop_cache=no", *SHORT, "--repeats", "2")
    every = [name for name, each in profiles().items() if kind_of(each.workload) != "db"]
    plimsoll("run", *every, "--on", f"here={disk}", *TINY, "--title", "every test of disks and files")


def databases(plimsoll: Command, disk: Path, *, all_servers: bool) -> None:
    """Every test of databases, and every server."""
    tests = {name: each.workload for name, each in profiles().items() if kind_of(each.workload) == "db"}
    here = ("--on", f"here={disk}", *FEW)
    sql = [name for name, workload in tests.items() if workload in ("ycsb", "tpcb")]
    plimsoll("run", *sql, "--server", "sqlite", *here, *RECORDS, "--title", "every test of databases")
    for server in ("postgresql", "mariadb", "redis", "rocksdb", "nginx", "memory", "null"):
        if server not in ("rocksdb", "memory", "null"):
            try:
                find_program(server)
            except TargetError:
                if all_servers:
                    raise
                print(f"left out: {server}", file=sys.stderr)
                continue
        test, records = ("web-static", ()) if server == "nginx" else ("ycsb-a", RECORDS)
        plimsoll("run", test, "--server", server, *here, *records, "--title", f"{test} on {server}")


def volumes(plimsoll: Command) -> None:
    """Served volumes of two types."""
    where = ("--on", "gp2=vol:type=gp2,size=100GiB,instance=m5.large", "--on",
             "gp3=vol:type=gp3,size=100GiB,instance=m5.large")  # fmt: skip
    plimsoll("run", "randread", *where, *SHORT, "--repeats", "3", "--title", "two volumes")


def load_lines(plimsoll: Command, disk: Path) -> None:
    """Searches by depth and by clients."""
    words = ("--set", "runtime=150ms", "--set", "warmup=20ms", "--stored", "0s", "--time", "60s", "--noisy-host", "-q")
    here = ("--on", f"here={disk}")
    plimsoll(
        "knee", "randread", *here, "--depth", "1..4", "--set", "size=8MiB", *words, "--title", "load line of depth"
    )
    plimsoll("knee", "ycsb-c", *here, "--server", "memory", "--clients", "1..4", "--set", "records=100",
             "--slo", "p99<10ms", *words, "--title", "load line of clients")  # fmt: skip


def cluster(plimsoll: Command, scratch: Path) -> None:
    """Runs on a worker of a Dask cluster."""
    file, place = scratch / "scheduler.json", scratch / "w1"
    place.mkdir()
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    on_loopback = ("--host", "127.0.0.1", "--no-dashboard")
    scheduler = [*DASK, "distributed.cli.dask_scheduler", *on_loopback, "--port", "0", "--scheduler-file", str(file)]
    worker = [*DASK, "distributed.cli.dask_worker", "--scheduler-file", str(file), *on_loopback, "--name", "w1",
              "--nthreads", "2", "--no-nanny", "--local-directory", str(scratch / "dask")]  # fmt: skip
    environment = {**os.environ, "PLIMSOLL_HOME": str(scratch / "home-of-w1")}
    started: list[subprocess.Popen[bytes]] = []
    try:
        started.append(subprocess.Popen(scheduler, **quiet))
        wait(lambda: file.exists() and bool(file.read_text()))
        started.append(subprocess.Popen(worker, env=environment, **quiet))
        address = json.loads(file.read_text())["address"]
        program = (
            "import sys, distributed\n"
            "with distributed.Client(sys.argv[1], set_as_default=False) as client:\n"
            "    client.wait_for_workers(1, timeout=120)\n"
        )
        subprocess.run([sys.executable, "-W", "ignore", "-c", program, address], check=True)
        plimsoll("run", "randread", "--cluster", address, "--on", f"there=@w1:{place}", *SHORT, "--repeats", "2",
                 "--title", "on a worker")  # fmt: skip
    finally:
        for process in started:
            process.kill()
            process.wait()


def front_ends(plimsoll: Command, disk: Path) -> None:
    """Each original's own words."""
    plimsoll("fio", "--name=one", "--filename=fio", "--size=1m", "--rw=randrw", "--bs=4k", "--iodepth=4", "--loops=2",
             "--ioengine=libaio", "--numjobs=2")  # fmt: skip
    plimsoll("ping", "-c", "4", "-i", "5ms", ".")
    plimsoll("bonnie", "-d", ".", "-s", "2", "-r", "1", "-n", "1", "-m", "box", "-q")
    plimsoll("writetest", "-b", "256", "-o", "50", "-f", "written")
    (disk / "zones").write_bytes(bytes(8 * 2**20))
    plimsoll("zcav", "-b", "2", "zones")
    plimsoll("ycsb", "load", "memory", "-P", "workloada", "-p", "recordcount=100")
    plimsoll("ycsb", "run", "memory", "-P", "workloada", "-p", "recordcount=100", "-p", "operationcount=500")


def interrupted(disk: Path) -> None:
    """A session that a person ended."""
    words = ("run", "randread", "--on", f"here={disk}", *SHORT, "--repeats", "500", "--title", "interrupted")
    print("plimsoll", *words, file=sys.stderr)
    quiet: Any = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([PLIMSOLL, *words], **quiet)

    def has_runs() -> bool:
        with open_store() as store:
            last = store.sessions(1)[0]
            return last.title == "interrupted" and len(store.runs([last.id])) > 1

    wait(has_runs)
    process.send_signal(signal.SIGINT)
    process.wait(LIMIT_S)


def notes(plimsoll: Command) -> None:
    """What people say of sessions."""
    plimsoll("session", "tag", AGAIN[0], "baseline", "kept")
    plimsoll("session", "tag", AGAIN[0], "--remove", "kept")
    plimsoll("session", "note", AGAIN[0], "Disk of a virtual machine; both targets are one place.")
    plimsoll("session", "rename", "two volumes", "gp2 against gp3")


def change(store: Path) -> None:
    """A score of one run becomes another one, without the store's knowledge."""
    run = "SELECT run.id FROM run JOIN session ON session.id = session_id WHERE title = ? ORDER BY run.id LIMIT 1"
    with sqlite3.connect(store) as connection:
        connection.execute(f"UPDATE score SET value = value * 2 WHERE position = 0 AND run_id = ({run})", [AGAIN[1]])
    connection.close()


def wait(condition: Callable[[], bool]) -> None:
    """Until something is so."""
    deadline = time.monotonic() + LIMIT_S
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit("waited in vain")
        time.sleep(0.05)


def folders() -> Sequence[Path]:
    """What was made so far."""
    return sorted(path.parent for path in HERE.glob("*/told.json.gz"))


if __name__ == "__main__":
    main()
