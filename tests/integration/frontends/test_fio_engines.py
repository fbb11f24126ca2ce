"""Engines that move no data: names of files, and time on a processor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.integration.frontends.conftest import Command, Original

FILES = ("--name=t", "--nrfiles=5", "--filesize=4k")
CREATE = (*FILES, "--ioengine=filecreate", "--create_on_open=1", "--openfiles=1", "--fallocate=none")
FORM = ("--output-format=json", "--output=result")


def counts(disk: Path) -> dict[str, float]:
    text = (disk / "result").read_text()
    (disk / "result").unlink()
    job = json.loads(text[text.index("{") :])["jobs"][0]
    found = {name: job["read"][name] for name in ("total_ios", "io_bytes", "bw_samples")}
    found |= {name: job["read"][name]["N"] for name in ("slat_ns", "clat_ns", "lat_ns")}
    tables = ("latency_ns", "latency_us", "latency_ms")
    return {**found, "error": job["error"], "shares": round(sum(sum(job[name].values()) for name in tables))}


@pytest.mark.parametrize("words", [CREATE, (*FILES, "--ioengine=filestat"), (*FILES, "--ioengine=filedelete")])
def test_counts_and_files_are_those_of_fio(
    disk: Path, original: Original, plimsoll: Command, words: tuple[str, ...]
) -> None:
    original("fio", *words, *FORM)
    theirs = counts(disk), {path.name: path.stat().st_size for path in disk.glob("t.*")}
    for data in disk.glob("t.*"):
        data.unlink()
    plimsoll("fio", *words, *FORM, cwd=disk)
    assert (counts(disk), {path.name: path.stat().st_size for path in disk.glob("t.*")}) == theirs
    assert theirs[0]["clat_ns"] == 5


def test_files_that_somebody_else_made_are_not_removed(disk: Path, plimsoll: Command) -> None:
    (disk / "t.0.3").write_bytes(b"x" * 4096)
    done = plimsoll("fio", *FILES, "--ioengine=filedelete", check=None, cwd=disk)
    assert "only files that `plimsoll fio` made are unlinked" in done.err
    assert (disk / "t.0.3").read_bytes() == b"x" * 4096
    # What it opens stays as it is.
    plimsoll("fio", *CREATE, cwd=disk)
    assert (disk / "t.0.3").read_bytes() == b"x" * 4096


def test_files_that_the_command_made_may_be_removed_by_another(disk: Path, plimsoll: Command) -> None:
    plimsoll("fio", *CREATE, cwd=disk)
    assert len(list(disk.glob("t.*"))) == 5
    plimsoll("fio", *FILES, "--ioengine=filedelete", cwd=disk)
    assert not list(disk.glob("t.*"))


@pytest.mark.parametrize("mode", ["noop", "qsort"])
def test_a_burning_processor_is_told_as_by_fio(disk: Path, plimsoll: Command, mode: str) -> None:
    words = ("--ioengine=cpuio", "--cpuload=50", "--cpuchunks=20000", f"--cpumode={mode}")
    plimsoll("fio", "--name=t", *words, "--time_based", "--runtime=1", *FORM, cwd=disk)
    found = counts(disk)
    assert found["io_bytes"] == 0
    assert found["total_ios"] == found["clat_ns"] == found["lat_ns"] > 0
    assert found["shares"] == 100
