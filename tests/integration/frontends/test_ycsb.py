"""`plimsoll ycsb`: what it prints is what readers of YCSB's output take, and what the store holds."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.integration.frontends.conftest import Command
from tests.integration.run.conftest import PLIMSOLL
from tests.integration.run.test_databases import need_server
from tests.integration.run.test_databases import place as place  # the fixture
from tests.unit.importers.importing import read

from plimsoll.errors import NothingMeasured, PlimsollError
from plimsoll.frontends.ycsb.app import run
from plimsoll.importers.source import Source
from plimsoll.model import Run
from plimsoll.run.private_server import running
from plimsoll.store.opening import open_store
from plimsoll.targets.held import held

# As wrappers of YCSB read its summary and its status lines.
SUMMARY = re.compile(r"^\[([^\]]+)\], ([^,]+), (-?[\d.]+)$")
STATUS = re.compile(r" (\d+) sec: (\d+) operations; (?:(\d+(?:\.\d+)?) current ops/sec; )?.*?((?:\[.+?: .+?\] ?)*)$")


def summary(text: str) -> dict[str, dict[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for line in text.splitlines():
        match = SUMMARY.match(line)
        assert match, line
        found.setdefault(match[1], {})[match[2]] = float(match[3])
    return found


def stored() -> list[Run]:
    """Runs of all sessions, the newest first."""
    with open_store() as store:
        return [run for session in store.sessions() for run in store.runs([session.id])]


def import_format(name: str, path: Path) -> Sequence[Run]:
    return read(name, Source(path.name, path.read_bytes())).runs


def scores(run: Run) -> dict[str, float]:
    return {score.metric: score.value for score in run.scores}


@dataclass(frozen=True)
class Told:
    out: str
    err: str


Ycsb = Callable[..., Told]


@pytest.fixture
def ycsb(capsys: pytest.CaptureFixture[str]) -> Ycsb:
    """`ycsb("run", …)` in this process, which starts no interpreter: what it prints and says."""

    def run_here(*words: str) -> Told:
        said: list[str] = []
        assert run(words, open_store, said.append) == 0
        printed = capsys.readouterr()
        return Told(printed.out, "".join(f"{each}\n" for each in said) + printed.err)

    return run_here


@pytest.mark.parametrize("letter", "abcdef")
def test_published_workloads_on_sqlite(ycsb: Ycsb, tmp_path: Path, letter: str) -> None:
    where = ("-P", f"workloads/workload{letter}", "-p", f"db.url=jdbc:sqlite:{tmp_path / 'y.db'}")
    fast = ("-p", "plimsoll.session_settings=synchronous=OFF")
    loaded = summary(ycsb("load", "jdbc", *where, *fast).out)
    assert loaded["INSERT"]["Operations"] == loaded["INSERT"]["Return=OK"] == 1000
    ran = ycsb("run", "jdbc", *where, *fast, "-threads", "2", "-s", "-p", "status.interval=1")
    found = summary(ran.out)
    whole = found["READ-MODIFY-WRITE"]["Operations"] if letter == "f" else 0
    done = sum(found[name]["Operations"] for name in ("READ", "UPDATE", "INSERT", "SCAN") if name in found)
    assert done - whole == 1000
    assert all(values["Operations"] == values["Return=OK"] for values in found.values() if "Return=OK" in values)
    lines = [line for line in ran.err.splitlines() if " sec: " in line]
    assert all(STATUS.search(line) for line in lines)
    assert f" sec: {1000} operations; " in lines[-1]
    counts = re.findall(r"\[(?:READ|UPDATE|INSERT|SCAN): Count=(\d+)", ran.err)
    assert sum(map(int, counts)) - whole == 1000
    run = stored()[0]
    assert run.plan.case == f"ycsb run workload{letter}"
    assert run.facts["completed"] == 1000


def test_what_it_prints_comes_back_through_the_importer(ycsb: Ycsb, tmp_path: Path) -> None:
    where = (f"db.url=jdbc:sqlite:{tmp_path / 'y.db'}", "-p", "plimsoll.session_settings=synchronous=OFF", "--reuse")
    words = ("run", "jdbc", "-P", "workloadf", "-threads", "2", "-s", "-p", *where)
    answer = ycsb(*words, "-p", "hdrhistogram.percentiles=50,99,99.9")
    (tmp_path / "ycsb.txt").write_text(answer.err + answer.out)
    measured = stored()[0]
    (imported,) = import_format("ycsb", tmp_path / "ycsb.txt")
    found, printed = scores(imported), summary(answer.out)
    assert not [finding for finding in imported.findings if finding.level.value != "ok"]
    assert imported.plan.case == measured.plan.case == "ycsb run workloadf"
    assert found["operation_rate"] == printed["OVERALL"]["Throughput(ops/sec)"]
    for name in ("READ", "UPDATE", "READ-MODIFY-WRITE"):
        kind = name.lower().replace("-", "_")
        assert imported.facts["operations"][kind] == printed[name]["Operations"]
        assert found[f"{kind}_p99"] == printed[name]["99thPercentileLatency(us)"] * 1000
    whole = scores(measured)["read_modify_write_p99"]
    assert found["read_modify_write_p99"] == pytest.approx(whole, rel=0.01, abs=1000)


@pytest.mark.parametrize("server", ["postgresql", "mariadb", "redis"])
def test_servers_of_the_bindings(ycsb: Ycsb, place: Path, server: str) -> None:
    need_server(server)
    with held(place) as folder, running(server, folder, "server", "none", {}) as private:
        scheme, _, rest = private.url.partition("://")
        secret = os.environ[private.password_env or ""]
        host, _, port = rest.rpartition("@")[2].partition("/")[0].partition(":")
        if server == "redis":
            where = ("redis", "-p", f"redis.host={host}", "-p", f"redis.port={port}", "-p", f"redis.password={secret}")
        else:
            user, _, name = rest.partition("@")[0], "", rest.rpartition("/")[2]
            url = f"jdbc:{scheme}://{host}:{port}/{name}"
            where = ("jdbc", "-p", f"db.url={url}", "-p", f"db.user={user}", "-p", f"db.passwd={secret}")
        sizes = ("-P", "workloada", "-p", "recordcount=200", "-p", "operationcount=400", "-threads", "4")
        half = ("-p", "insertcount=100")
        ycsb("load", *where, *sizes, *half)
        rest = summary(ycsb("load", *where, *sizes, *half, "-p", "insertstart=100", "-target", "2000").out)
        assert rest["INSERT"]["Return=OK"] == rest["Intended-INSERT"]["Operations"] == 100
        answer = ycsb("run", *where, *sizes, "-target", "4000")
        found = summary(answer.out)
        assert found["READ"]["Return=OK"] + found["UPDATE"]["Return=OK"] == 400
        assert found["Intended-READ"]["Operations"] == found["READ"]["Operations"]
        with pytest.raises(NothingMeasured, match="--recreate") as refused:
            ycsb("load", *where, *sizes)
        ycsb("load", *where, *sizes, "--recreate")
        with open_store() as store:
            kept = [(session.title, session.study) for session in store.sessions()]
        assert secret not in answer.out + answer.err + str(refused.value) + str(kept)
    shutil.rmtree(place / "server")


def test_bad_words_are_told(ycsb: Ycsb, plimsoll: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = ("-P", "workloada")
    empty = f"db.url=jdbc:sqlite:{tmp_path / 'none.db'}"
    for says, words in {
        "no driver for YCSB's binding mongodb": ("run", "mongodb", *small),
        "did you mean recordcount?": ("run", "basic", "-p", "recordcont=5", *small),
        "db.url=jdbc:postgresql": ("run", "jdbc", *small),
        "there is no such file": ("run", "basic", "-P", "workloads/mine"),
        "load it first": ("run", "jdbc", *small, "-p", empty),
    }.items():
        with pytest.raises(PlimsollError, match=re.escape(says)):
            ycsb(*words)
    monkeypatch.setenv("PLIMSOLL_VERBOSE", "1")
    noted = ycsb("run", "basic", *small, "-p", "measurementtype=histogram", "-jvm-args", "-Xmx1g").err
    assert "measurementtype=histogram is printed as hdrhistogram" in noted
    assert "-jvm-args has no effect" in noted
    assert "did you mean 'run'" in plimsoll("ycsb", "rum", "basic", *small, check=2).err


def test_results_go_to_a_file_as_json(ycsb: Ycsb, tmp_path: Path) -> None:
    exporter = "exporter=site.ycsb.measurements.exporter.JSONArrayMeasurementsExporter"
    file = tmp_path / "out.json"
    assert ycsb("run", "basic", "-P", "workloadc", "-p", exporter, "-p", f"exportfile={file}").out == ""
    (imported,) = import_format("ycsb", file)
    assert scores(imported)["operation_rate"] > 0
    assert imported.facts["operations"] == {"read": 1000}


def test_an_interrupted_run_prints_what_it_measured(tmp_path: Path) -> None:
    words = ("ycsb", "run", "memory", "-P", "workloada", "-p", "operationcount=0", "-p", "maxexecutiontime=600", "-s")
    with subprocess.Popen(
        [PLIMSOLL, *words, "-p", "status.interval=1"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        text=True, env={**os.environ},
    ) as process:  # fmt: skip
        assert process.stderr is not None
        deadline = time.monotonic() + 60
        while " current ops/sec" not in process.stderr.readline() and time.monotonic() < deadline:
            pass
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    found = summary(out)
    assert found["OVERALL"]["Throughput(ops/sec)"] > 0
    (run,) = stored()
    assert run.status.value == "partial"
    assert run.facts["completed"] == found["READ"]["Operations"] + found["UPDATE"]["Operations"]
