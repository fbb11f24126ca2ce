"""A published result is checked by a stranger with one command."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.integration.run.conftest import PLIMSOLL, SHORT, Command


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One short session in a state folder of its own, and its published folder."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "disk").mkdir()
    environment = {**os.environ, "PLIMSOLL_HOME": str(folder / "home")}
    where = ("--on", f"deep={folder / 'disk'}", "--on", f"alone={folder / 'disk'},depth=1")
    short = (*SHORT, "--blocks", "3", "--noisy-host", "--quiet")
    for words in (("run", "randread", "randwrite", *where, *short), ("report", "--publish", folder / "published")):
        subprocess.run([PLIMSOLL, *words], env=environment, cwd=folder, check=True, capture_output=True)
    return folder


@pytest.fixture
def published(measured: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the published folder; commands use the store it came from."""
    monkeypatch.setenv("PLIMSOLL_HOME", str(measured / "home"))
    return Path(shutil.copytree(measured / "published", tmp_path / "published"))


def rewritten(path: Path, old: str, new: str) -> None:
    """Change a result file as a forger would: with a checksum that fits again."""
    lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)
    changed = [re.sub(old.encode(), new.encode(), line, count=1) for line in lines[:-1]]
    assert changed != lines[:-1]
    end = json.loads(lines[-1])
    end["end"]["sha256"] = hashlib.sha256(b"".join(changed)).hexdigest()
    path.write_bytes(gzip.compress(b"".join(changed) + json.dumps(end).encode() + b"\n", mtime=0))


def test_a_stranger_gets_the_same(plimsoll: Command, published: Path, tmp_path: Path) -> None:
    other = {"PLIMSOLL_HOME": str(tmp_path / "stranger")}
    found = plimsoll("recompute", "results.plimsoll.gz", cwd=published, **other)
    assert "index.html: regenerated, equal byte for byte" in found.err
    assert re.search(r"4 verdicts and \d+ scores of targets, policy version \d+: regenerated, equal", found.err)
    assert re.search(r"[1-9]\d* scores of runs: regenerated from raw material, equal to the last bit", found.err)
    assert "raw material gives" not in found.err
    assert "do not hold" not in found.err
    assert "randread, IOPS: " in found.out
    answers = json.loads((published / "answers.json").read_text())
    again = plimsoll("recompute", published, "--json", **other).json
    assert again["verdicts"] == answers["verdicts"]
    assert again["differs"] == []
    assert "1 new session" in plimsoll("import", published / "results.plimsoll.gz", **other).err


def test_the_readme_names_the_command_that_works(plimsoll: Command, published: Path) -> None:
    command = re.search(r"```sh\nplimsoll (recompute .+)\n```", (published / "README.md").read_text())
    assert command is not None
    plimsoll(*command[1].split(), cwd=published)
    for name, digest in re.findall(r"\| `(\S+)` \| `(\w{64})` \|", (published / "README.md").read_text()):
        assert hashlib.sha256((published / name).read_bytes()).hexdigest() == digest
    assert list((published / "pictures").glob("*.svg"))


def test_a_changed_score_is_found_out(plimsoll: Command, published: Path) -> None:
    rewritten(published / "results.plimsoll.gz", r'("metric":"iops","unit":"1/s","value":)', r"\g<1>9")
    found = plimsoll("recompute", published, check=1)
    assert re.search(r"differs: run \S+, iops was 9\d+\.?\d*, its raw material gives", found.err)
    assert "differs: verdict of" in found.err or "differs: score of" in found.err


def test_a_changed_page_or_verdict_is_found_out(plimsoll: Command, published: Path) -> None:
    page = published / "index.html"
    whole = page.read_text()
    page.write_text(whole.replace("blocks", "bricks"))
    assert "differs: index.html" in plimsoll("recompute", published, check=1).err
    page.write_text(whole)
    answers = published / "answers.json"
    answers.write_text(answers.read_text().replace('"answer": "', '"answer": "not ', 1))
    assert re.search(r"differs: verdict of .*: answer was 'not", plimsoll("recompute", published, check=1).err)


def test_newer_rules_are_not_guessed(plimsoll: Command, published: Path) -> None:
    answers = published / "answers.json"
    answers.write_text(re.sub(r'"policy_version": \d+', '"policy_version": 99', answers.read_text()))
    assert "install a newer one" in plimsoll("recompute", published, check=2).err


@pytest.mark.usefixtures("published")
def test_a_plain_export_is_recomputed_too(plimsoll: Command, tmp_path: Path) -> None:
    plimsoll("export", "--output", "run.plimsoll.gz")
    found = plimsoll("recompute", "run.plimsoll.gz", "--output", "again.html")
    assert "no answers.json lies beside the file" in found.err
    plimsoll("report", "--output", "report.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "report.html").read_bytes()
    assert "already exists" in plimsoll("report", "--output", "report.html", check=2).err
    plimsoll("report", "--output", "report.html", "--force")


def test_imported_results_are_read_again(plimsoll: Command, tmp_path: Path) -> None:
    table = "test,target,metric,unit,better,value,run\n"
    for target, values in (("gp2", (1000, 1010, 990)), ("gp3", (1400, 1410, 1390))):
        rows = "".join(f"db,{target},rate,1/s,higher,{value},{run}\n" for run, value in enumerate(values))
        (tmp_path / f"{target}.csv").write_text(table + rows)
    plimsoll("import", "gp2.csv")
    plimsoll("import", "gp3.csv", "--as", "new")
    ids = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    plimsoll("report", *ids, "--baseline", "gp2", "--publish", "page")
    found = plimsoll("recompute", "page")
    assert re.search(r"new is \S+× faster than gp2", found.out)
    assert "6 scores of runs: regenerated" in found.err
    assert "index.html: regenerated, equal byte for byte" in found.err


def test_databases_and_load_lines_are_recomputed_beside_imported_runs(plimsoll: Command, tmp_path: Path) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "old.csv").write_text("test,target,metric,unit,better,value\ndb,gp2,rate,1/s,higher,1000\n")
    moment = ("--set", "runtime=100ms", "--set", "warmup=0s", "--noisy-host", "--quiet")
    for server in ("memory", "sqlite"):
        plimsoll("run", "ycsb-a", "--server", server, "--on", "a=disk", "--set", "records=100", "--repeats", 1, *moment)
    small = ("--on", "a=disk,engine=null", "--set", "size=4MiB")
    plimsoll("knee", "randread", *small, "--depth", "1..2", "--mode", "quick", *moment)
    plimsoll("import", "old.csv")
    plimsoll("export", "--all", "--output", "all.plimsoll.gz")
    found = plimsoll("recompute", "all.plimsoll.gz")
    assert re.search(r"[1-9]\d* scores of runs: regenerated from raw material, equal to the last bit", found.err)
    assert "do not hold" not in found.err
    ids = [row["session"] for row in plimsoll("list", "sessions", "--json").json]
    plimsoll("report", *ids, "--publish", "page")
    assert "index.html: regenerated, equal byte for byte" in plimsoll("recompute", "page").err
