"""Database tests on private servers whose data lie on the target: settings, faults, and nothing left behind."""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from ctypes.util import find_library
from pathlib import Path

import psutil
import pytest
from tests.conftest import need, need_root
from tests.integration.run.conftest import PLIMSOLL, Command, leftovers

from plimsoll.errors import TargetError
from plimsoll.model import Level, Run, RunStatus
from plimsoll.run.private_server import find_program, running
from plimsoll.store.opening import open_store
from plimsoll.targets.held import held

SERVERS = {
    "ycsb-a": ("postgresql", "mariadb", "redis", "sqlite", "rocksdb", "memory"),
    "tpcb": ("postgresql", "mariadb", "sqlite"),
}
ONCE = ("--set", "warmup=0s", "--blocks", "1", "--noisy-host")
QUICK = ("--set", "max_operations=60", "--set", "runtime=1m", *ONCE)
"""One run that is over when enough is done, however long that takes."""
ENOUGH_WAITS = 200
"""Of the threads that do the operations; records are loaded by another."""
SMALL = {"ycsb-a": ("--set", "records=300"), "tpcb": ("--set", "scale=1"), "web-static": ("--set", "clients=4")}


def need_server(name: str) -> None:
    if name in ("sqlite", "memory"):
        return
    if name == "rocksdb":
        need(find_library("rocksdb") is not None, "librocksdb.so")
        return
    try:
        find_program(name)
    except TargetError as error:
        need(False, str(error))


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A target that a server's own user may enter."""
    folder = tmp_path / "place"
    folder.mkdir()
    changed = [each for each in folder.parents if not each.stat().st_mode & 0o001]
    for each in changed:
        each.chmod(each.stat().st_mode | 0o011)
    yield folder
    assert leftovers(folder) == []


def servers_below(folder: Path) -> list[int]:
    """Processes that work in a folder below."""
    every = psutil.process_iter(["cwd"])
    return [process.pid for process in every if str(process.info["cwd"] or "").startswith(str(folder))]


def named_below(folder: Path, program: str) -> list[psutil.Process]:
    """The same, of one program alone: those that prepare a server come and go meanwhile."""
    every = psutil.process_iter(["cwd", "name"])
    return [
        each for each in every if each.info["name"] == program and str(each.info["cwd"] or "").startswith(str(folder))
    ]


def connections(process: psutil.Process) -> int:
    """How many it has; none if it ends meanwhile."""
    with suppress(psutil.Error):
        return len(process.net_connections())
    return 0


@pytest.mark.parametrize(("test", "server"), [(test, server) for test, each in SERVERS.items() for server in each])
def test_every_test_runs_on_every_server(plimsoll: Command, place: Path, test: str, server: str) -> None:
    need_server(server)
    plimsoll("run", test, "--server", server, "--on", f"here={place}", *QUICK, *SMALL[test])
    assert "operation_rate" in plimsoll("show", "--csv").out
    assert servers_below(place) == []


def test_a_temporary_folder_that_is_closed_to_the_servers_user(plimsoll: Command, place: Path, tmp_path: Path) -> None:
    need_server("mariadb")
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    words = ("--server", "mariadb", "--on", f"here={place}", *QUICK, *SMALL["ycsb-a"])
    plimsoll("run", "ycsb-a", *words, TMPDIR=str(closed))
    assert leftovers(closed) == []


@pytest.mark.parametrize("keep_alive", ["yes", "no"])
def test_pages_are_fetched_from_a_private_nginx(plimsoll: Command, place: Path, keep_alive: str) -> None:
    need_server("nginx")
    words = ("--set", f"keep_alive={keep_alive}", *QUICK, *SMALL["web-static"])
    plimsoll("run", "web-static", "--on", f"here={place}", *words)
    assert servers_below(place) == []


def test_settings_of_the_servers_are_in_the_report(plimsoll: Command, place: Path, tmp_path: Path) -> None:
    need_server("redis")
    words = ("--server", "redis", "--on", f"full={place}", "--on", f"none={place},durability=none", *QUICK)
    plimsoll("run", "ycsb-a", *words, *SMALL["ycsb-a"])
    for name in ("report.html", "report.md"):
        plimsoll("report", "-o", tmp_path / name)
        text = (tmp_path / name).read_text()
        assert "appendfsync" in text
        assert "always" in text
    shown = plimsoll("show").out
    assert re.search(r"appendfsync +always", shown)


@pytest.mark.parametrize(("name", "setting"), [("postgresql", "fsync=off"), ("mariadb", "innodb_doublewrite=0")])
def test_a_server_that_promises_little_is_said_to(plimsoll: Command, place: Path, name: str, setting: str) -> None:
    need_server(name)
    with held(place) as folder, running(name, folder, "server", "full", dict([setting.split("=")])) as server:
        words = ("run", "ycsb-a", "--on", f"x={server.url}", "--set", f"password_env={server.password_env}")
        plimsoll(*words, *QUICK, *SMALL["ycsb-a"])
        findings = {each.guard: each for each in only_sessions_first_run().findings}
        assert findings["db_promises"].level is Level.WARN
        assert setting.split("=")[0] in findings["db_promises"].message
        # 300 records are less than any cache.
        assert "fit into the server's cache" in findings["db_cache"].message
        read_only = plimsoll(*words, *QUICK, *SMALL["ycsb-a"], "--set", "read=100%", "--set", "update=0%")
        assert "does not keep what it acknowledges" not in read_only.out
    shutil.rmtree(place / "server")


def test_durability_is_that_of_the_library_and_settings_win(plimsoll: Command, place: Path, tmp_path: Path) -> None:
    need_server("rocksdb")
    sizes = "session_settings=write_buffer_size=1234567"
    targets = ("--on", f"full={place}", "--on", f"none={place},durability=none,{sizes}")
    plimsoll("run", "ycsb-a", "--server", "rocksdb", *targets, *QUICK, *SMALL["ycsb-a"])
    plimsoll("report", "-o", tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text()
    row = r'<th scope="row">(\w+)</th><td[^>]*>([^<]*)<td[^>]*>([^<]*)'
    settings = {name: [each.strip() for each in values] for name, *values in re.findall(row, text)}
    assert settings["sync"] == ["true", "false"]
    assert settings["wal"] == ["on", "off"]
    assert settings["server"] == ["RocksDB", "RocksDB"]
    assert settings["write_buffer_size"][1] == "1234567"


def test_a_password_comes_from_the_environment_and_is_never_shown(plimsoll: Command, place: Path) -> None:
    need_server("redis")
    with held(place) as folder, running("redis", folder, "server", "none", {}) as server:
        words = ("run", "ycsb-a", "--on", f"here={server.url}", *QUICK, *SMALL["ycsb-a"])
        secret = os.environ[server.password_env or ""]
        plimsoll(*words, "--set", f"password_env={server.password_env}")
        wrong = plimsoll(*words, "--set", "password_env=WRONG", check=3, WRONG="s3cr3t-but-wrong")
        assert "s3cr3t" not in wrong.out + wrong.err
        address = server.url.replace("//", f"//u:{secret}@")
        inside = plimsoll("run", "ycsb-a", "--on", f"x={address}", *QUICK, check=2)
        assert "environment variable" in inside.err
        assert secret not in inside.out + inside.err
    shutil.rmtree(place / "server")


def test_a_server_that_is_not_there_is_named(plimsoll: Command) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"redis://127.0.0.1:{port}/0"
    answer = plimsoll("run", "ycsb-a", "--on", f"x={address}", "--set", "give_up=300ms", *QUICK, check=3)
    assert str(port) in answer.err


def test_a_directory_needs_a_server(plimsoll: Command, place: Path) -> None:
    answer = plimsoll("run", "ycsb-a", "--on", f"here={place}", check=2)
    assert "--server" in answer.err
    unknown = plimsoll("run", "ycsb-a", "--server", "oracle", "--on", f"here={place}", check=2)
    assert "postgresql" in unknown.err
    unable = plimsoll("run", "tpcb", "--server", "redis", "--on", f"here={place}", check=2)
    assert "postgresql" in unable.err
    disk = plimsoll("run", "ping", "--on", "pg=postgresql://user@127.0.0.1/x", check=2)
    assert "database test" in disk.err


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_no_server_outlives_a_session(plimsoll: Command, place: Path, ending: signal.Signals) -> None:
    need_server("postgresql")
    target = ("--server", "postgresql", "--on", f"here={place}")
    words = ("run", "ycsb-a", *target, "--set", "runtime=10m", *SMALL["ycsb-a"])
    with subprocess.Popen([PLIMSOLL, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + 60
        while len(servers_below(place)) < 8 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.send_signal(ending)
    deadline = time.monotonic() + 60
    while servers_below(place) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert servers_below(place) == []
    # The next command removes what a killed session could not.
    plimsoll("list", "tests")


def test_a_private_server_that_ends_by_itself_is_quoted(place: Path) -> None:
    need_server("redis")
    with held(place) as folder, running("redis", folder, "server", "none", {}) as server:
        assert server.ended() is None
        found = [psutil.Process(pid) for pid in servers_below(place)]
        assert len(found) == 1
        found[0].terminate()
        psutil.wait_procs(found, timeout=60)
        assert server.ended() == "ended by itself with status 0"
        # Redis says in its log why it ended, and then goodbye.
        assert "SIGTERM" in server.said(0)
        assert server.said(server.log_bytes()) == ""
    shutil.rmtree(place / "server")


def wait_until_measured(pid: int, *, deadline_s: float = 60) -> None:
    """Until the clients are at work on the run itself; the threads that load the data have another name."""
    end = time.monotonic() + deadline_s
    while time.monotonic() < end:
        waits = 0
        for thread in Path(f"/proc/{pid}/task").iterdir():
            with suppress(OSError):
                if (thread / "comm").read_text().startswith("plimsoll-db-"):
                    found = re.search(
                        r"^voluntary_ctxt_switches:\s(\d+)", (thread / "status").read_text(), re.MULTILINE
                    )
                    waits += int(found[1]) if found else 0
        if waits > ENOUGH_WAITS:
            return
        time.sleep(0.05)
    raise AssertionError("nothing was measured")


def started_redis(folder: Path, port: int) -> subprocess.Popen[bytes]:
    """A server of somebody else, which stores nothing."""
    words = ["--bind", "127.0.0.1", "--port", str(port), "--dir", str(folder), "--save", "", "--appendonly", "no"]
    process = subprocess.Popen([find_program("redis"), *words], stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return process
        time.sleep(0.05)
    raise AssertionError("no server")


def records(port: int) -> int:
    """How many keys a server has that asks for no password."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as line:
        line.sendall(b"DBSIZE\r\n")
        return int(line.recv(64)[1:])


def only_sessions_first_run() -> Run:
    with open_store() as store:
        return store.runs([store.sessions()[0].id])[0]


@pytest.mark.parametrize("name", ["redis", "mariadb"])
def test_a_server_that_is_killed_within_a_run_makes_it_invalid(place: Path, name: str) -> None:
    need_server(name)
    words = ("run", "ycsb-a", "--server", name, "--on", f"here={place}", "--set", "runtime=8s", *ONCE, *SMALL["ycsb-a"])
    with subprocess.Popen([PLIMSOLL, *words, "--set", "clients=4"], stdout=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 60
        program = Path(find_program(name)).name
        found: list[psutil.Process] = []
        while not found and time.monotonic() < deadline:
            time.sleep(0.05)
            # Clients have connected: the data are being loaded, or the run has begun.
            found = [each for each in named_below(place, program) if connections(each) > 4]
        wait_until_measured(process.pid)
        found[0].kill()
        said = process.communicate(timeout=120)[0]
    assert process.returncode == 3
    run = only_sessions_first_run()
    assert run.status is RunStatus.INVALID
    assert run.reason.startswith("the server was away for ")
    assert f"and did not come back; the private {name} was ended by SIGKILL" in run.reason
    assert "No guard found anything" not in said
    (outage,) = run.facts["outages"]
    assert 0 < outage["start_ns"] < run.facts["elapsed_ns"]


@pytest.mark.parametrize("fault", ["none", "expected"])
def test_a_crash_and_recovery_is_invalid_or_what_is_measured(tmp_path: Path, fault: str) -> None:
    need_server("redis")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = started_redis(tmp_path, port)
    try:
        # Inserts only: what a server that stores nothing has lost can be counted.
        mix = ("--set", "read=0%", "--set", "insert=100%", "--set", "clients=4", "--set", "interval=200ms")
        words = ("run", "ycsb-d", "--on", f"x=redis://127.0.0.1:{port}/0", "--set", "runtime=8s", *mix, *ONCE)
        full = [PLIMSOLL, *words, *SMALL["ycsb-a"], "--set", f"fault={fault}"]
        with subprocess.Popen(full, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            deadline = time.monotonic() + 60
            # As many inserts of the run as must be lost, beside the records that were loaded.
            while records(port) < 300 + 1000 and time.monotonic() < deadline:
                time.sleep(0.05)
            server.kill()
            server.wait()
            server = started_redis(tmp_path, port)
            process.communicate(timeout=120)
        run = only_sessions_first_run()
        (outage,) = run.facts["outages"]
        assert outage["back"]
        values = {score.metric: score.value for score in run.scores}
        if fault == "none":
            assert run.status is RunStatus.INVALID
            assert "the server was away for " in run.reason
            assert "outage" not in values
            return
        assert run.status is RunStatus.OK, run.reason
        assert values["outage"] == outage["duration_ns"]
        assert values["writes_lost"] > 300
        assert values.get("recovery", outage["duration_ns"]) >= outage["duration_ns"]
    finally:
        server.kill()
        server.wait()


def test_a_disk_that_fills_up_under_its_server_is_counted_and_kept(plimsoll: Command, place: Path) -> None:
    need_root()
    need_server("redis")
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m,mode=755", "tmpfs", place], check=True)
    try:
        # Twice what fits, however slow the machine is.
        inserts = ("--set", "read=0%", "--set", "insert=100%", "--set", "count_errors=yes")
        inserts += ("--set", "max_operations=60000", "--set", "runtime=1m")
        target = ("--server", "redis", "--on", f"here={place},durability=relaxed")
        answer = plimsoll("run", "ycsb-d", *target, *inserts, "--set", "records=300", *ONCE, check=3)
        assert "No space left on device" in answer.err
        assert servers_below(place) == []
        assert leftovers(place) == []
    finally:
        subprocess.run(["umount", place], check=True)
    with open_store() as store:
        first = store.runs([store.sessions()[0].id])[0]
    assert first.status is RunStatus.INVALID
    assert first.facts["completed"] > 0
    assert sum(first.facts["errors"]["insert"].values()) > 0
    assert first.histograms["insert"]
    assert first.intervals


@pytest.mark.parametrize(("test", "server"), [("web-static", "nginx"), ("ycsb-c", "redis")])
def test_ten_thousand_connections_need_no_thread_each(plimsoll: Command, place: Path, test: str, server: str) -> None:
    need_server(server)
    need(resource.getrlimit(resource.RLIMIT_NOFILE)[1] >= 10_500, "10,500 open files (ulimit -n)")
    own = {"web-static": "keep_alive=yes", "ycsb-c": "records=500"}[test]
    settings = [
        word
        for each in (own, "clients=10000", "max_operations=20000", "runtime=1m", "warmup=0s")
        for word in ("--set", each)
    ]
    target = f"here={place},durability=none"
    plimsoll("run", test, "--server", server, "--on", target, *settings, "--blocks", "1", "--noisy-host")
    with open_store() as store:
        (run,) = store.runs([store.sessions()[0].id])
    assert run.facts["clients"] == 10_000
    assert run.facts["threads"] <= (os.cpu_count() or 1)
    assert run.facts["completed"] > 0
    assert run.facts["errors"] == {}


def test_a_study_that_searches_a_load_line_runs_by_name(plimsoll: Command, place: Path) -> None:
    need_server("mariadb")
    own = (
        "--on",
        f"db={place}",
        "--stored",
        "0s",
        "--clients",
        "1..2",
        "--set",
        "runtime=200ms",
        "--seed",
        "1",
        "--json",
    )
    answer = plimsoll("knee", "rds-piops-2013", "--quick-sizes", *own).json
    told = [each["text"] for each in answer["sections"][0]["blocks"][0]["sentences"]]
    assert any("up to 2 clients, the largest load of the range" in sentence for sentence in told)
    with open_store() as store:
        runs = store.runs([store.sessions()[0].id])
    assert {(run.plan.parameters["clients"], run.plan.parameters["records"]) for run in runs} == {(1, 2000), (2, 2000)}
