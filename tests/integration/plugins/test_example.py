"""The package of examples/plugin, installed into an environment of its own without a network, and used."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.conftest import need_module

EXAMPLE = Path(__file__).parents[3] / "examples" / "plugin"
LIMIT_S = 300
Done = subprocess.CompletedProcess[str]
Command = Callable[..., Done]


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that has what this one has, and the example."""
    need_module("setuptools")
    folder = tmp_path_factory.mktemp("environment")
    # What builds it leaves files beside it.
    source = shutil.copytree(EXAMPLE, folder / "source")
    environment = folder / "env"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    interpreter = environment / "bin/python"
    find = "import sysconfig; print(sysconfig.get_path('purelib'))"
    outer, inner = (
        subprocess.run([each, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
        for each in (sys.executable, interpreter)
    )
    (Path(inner) / "outer.pth").write_text(f"import site; site.addsitedir({outer!r})\n")
    subprocess.run(
        [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", interpreter, "install",
         "--no-index", "--no-build-isolation", "--no-deps", source],
        check=True,
    )  # fmt: skip
    return interpreter


@pytest.fixture
def plimsoll(python: Path, tmp_path: Path) -> Command:
    def run(*words: str, check: int = 0) -> Done:
        command = [python, "-m", "plimsoll", *words]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S, env={**os.environ}
        )
        assert done.returncode == check, done.stdout + done.stderr
        return done

    return run


def test_all_five_are_listed_with_where_they_come_from(plimsoll: Command) -> None:
    rows = json.loads(plimsoll("list", "plugins", "--json").stdout)
    theirs = {(row["kind"], row["plug-in"]): row for row in rows if not row["from"].startswith("plimsoll 0")}
    assert set(theirs) == {
        ("importers", "dd"),
        ("frontends", "dd"),
        ("guards", "dd_cached"),
        ("sections", "dd_commands"),
        ("workloads", "dd"),
    }
    assert {row["from"] for row in theirs.values()} == {"plimsoll-dd 1.0"}
    assert {row["state"] for row in rows} == {"in use"}
    assert {"fio", "steal", "verdicts"} <= {row["plug-in"] for row in rows}


def test_its_test_is_run_judged_and_reported(plimsoll: Command, tmp_path: Path) -> None:
    for name in ("here", "there"):
        (tmp_path / name).mkdir()
    done = plimsoll(
        "run", "dd-write", "dd-write:cached", "--on", "here=here,count=8", "--on", "there=there,count=4", "--repeats",
        "3", "--noisy-host", "-q", "--json",
    )  # fmt: skip
    report = json.loads(done.stdout)
    rows = report["scores"]["rows"]
    assert {(row["case"], row["status"]) for row in rows} == {("dd-write", "ok"), ("dd-write:cached", "ok")}
    assert {row["metric"] for row in rows} == {"throughput"}
    assert all(row["value"]["value"] > 0 for row in rows)
    assert len(rows) == 12
    plimsoll("report", "-o", "report.html")
    text = (tmp_path / "report.html").read_text()
    assert "Command lines of dd" in text
    assert "dd if=/dev/zero of=zeros bs=1048576 count=8 conv=fdatasync" in text
    assert "dd ended before its data were on the disk" in text
    assert list((tmp_path / "here").iterdir()) == []
    plimsoll("export", "-o", "results.plimsoll.gz")
    assert "12 scores of runs: regenerated" in plimsoll("recompute", "results.plimsoll.gz").stderr


def test_a_bad_parameter_is_refused_as_any_other(plimsoll: Command) -> None:
    assert "did you mean 'count'?" in plimsoll("run", "dd-write", "--set", "cuont=3", check=2).stderr


def test_its_importer_says_where_each_number_stands(plimsoll: Command, tmp_path: Path) -> None:
    line = "67108864 bytes (67 MB, 64 MiB) copied, 0.0421 s, 1.6 GB/s"
    (tmp_path / "dd.txt").write_text(f"1+0 records in\n1+0 records out\n{line}\n")
    said = plimsoll("import", "dd.txt", "--explain").stdout
    assert "dd (what GNU dd prints), by its content" in said
    assert "computed from 67108864, 0.0421" in said
    assert "line 1: 1+0 records in" in said
    (tmp_path / "dd.txt").write_text(line.replace("0.0421", "0,042"))
    assert "dd.txt: line 1: '0,042' can be read in two ways" in plimsoll("import", "dd.txt", check=2).stderr


def test_its_command_and_its_importer_read_the_same(plimsoll: Command, tmp_path: Path) -> None:
    words = ("if=/dev/zero", "of=file", "bs=64k", "count=16", "conv=fdatasync")
    printed = plimsoll("dd", *words).stderr
    assert "1048576 bytes" in printed
    assert (tmp_path / "file").stat().st_size == 2**20
    (tmp_path / "dd.txt").write_text(printed.partition("kept in the store")[0])
    # The same bytes make the same records.
    assert "1 run already there" in plimsoll("import", "dd.txt").stderr
    assert "dd's own words" not in plimsoll("dd", "--help").stdout
    assert "Run dd with its own words" in plimsoll("dd", "--help").stdout
    assert "dd " in plimsoll("--help").stdout


def test_a_store_with_its_runs_is_read_without_it(plimsoll: Command, tmp_path: Path) -> None:
    plimsoll("run", "dd-write", "--on", "here=.,count=2", "--repeats", "2", "--noisy-host", "-q")
    plimsoll("export", "-o", "results.plimsoll.gz")
    alone = [sys.executable, "-m", "plimsoll"]
    for words in (("show",), ("recompute", "results.plimsoll.gz"), ("report", "-o", "r.html")):
        done = subprocess.run([*alone, *words], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S)
        assert done.returncode == 0, done.stderr
    done = subprocess.run([*alone, "run", "dd-write"], cwd=tmp_path, capture_output=True, text=True, timeout=LIMIT_S)
    assert done.returncode == 2
    assert "no test or suite named 'dd-write'" in done.stderr


def test_one_broken_beside_it_stops_nothing(python: Path, tmp_path: Path) -> None:
    place = tmp_path / "broken"
    info = place / "broken-0.1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: broken\nVersion: 0.1\n")
    groups = ("importers", "frontends", "guards", "sections", "workloads")
    (info / "entry_points.txt").write_text("".join(f"[plimsoll.{each}]\nbroken = broken_module\n" for each in groups))
    (place / "broken_module.py").write_text("raise RuntimeError('broken on purpose')\n")
    command = [python, "-m", "plimsoll"]
    environment = {**os.environ, "PYTHONPATH": str(place)}

    def run(*words: str) -> Done:
        done = subprocess.run([*command, *words], cwd=tmp_path, capture_output=True, text=True, env=environment,
                              timeout=LIMIT_S)  # fmt: skip
        assert done.returncode == 0, done.stderr
        return done

    told = run("run", "dd-write", "--on", "here=.,count=2", "--repeats", "2", "--noisy-host", "-q").stderr
    for group in ("guards", "sections", "workloads"):
        assert told.count(f"plug-in broken ({group}, from broken 0.1) is left out") == 1, told
    assert "broken on purpose" in told
    rows = json.loads(run("list", "plugins", "--json").stdout)
    assert sum(row["state"].startswith("left out: broken_module cannot be loaded") for row in rows) == len(groups)
    run("list", "tests")
    run("doctor", "--help")
