"""`plimsoll bonnie`, `zcav` and `writetest`: what they print is what readers of the originals' output take."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from tests.conftest import need_program
from tests.integration.frontends.conftest import Command, Original

SMALL = ("-d", ".", "-s", "2", "-r", "1", "-n", "1", "-m", "box")


def test_bonnie_prints_table_and_line(disk: Path, plimsoll: Command, original: Original) -> None:
    theirs = original("bonnie++", *SMALL, "-u", "root").splitlines()
    answer = plimsoll("bonnie++", *SMALL, cwd=disk)
    ours = answer.out.splitlines()
    assert len(ours) == len(theirs)
    headings = [line for line in theirs if "%CP" in line or "Chr" in line or "Version" in line or "Create" in line]
    assert headings == [line for line in ours if line in headings]
    assert ours[-1].count(",") == theirs[-1].count(",") == 49
    assert ours[-1].split(",")[:3] == theirs[-1].split(",")[:3]
    assert "Rewriting...done" in answer.err
    assert not list(disk.iterdir())


def test_its_line_is_read_by_bon_csv2html_and_by_our_importer(disk: Path, plimsoll: Command) -> None:
    answer = plimsoll("bonnie", *SMALL, "-q", "-f", cwd=disk)
    line = answer.out
    # For people it is on standard error then, without the words of its progress.
    assert (line.count("\n"), answer.err.count("Latency"), "done" in answer.err) == (1, 2, False)
    (disk / "bonnie.csv").write_text(line)
    page = subprocess.run(
        [need_program("bon_csv2html")], input=line, capture_output=True, text=True, check=True, timeout=30
    ).stdout
    assert "<td rowspan" in page
    assert "box" in page
    answer = plimsoll("import", disk / "bonnie.csv")
    assert "bonnie: 1 new session, 1 new run" in answer.out + answer.err


def test_bonnie_refuses_what_it_cannot_do(disk: Path, plimsoll: Command) -> None:
    assert "twice" in plimsoll("bonnie", "-s", "8", cwd=disk, check=2).err
    assert "-D" in plimsoll("bonnie", "-D", cwd=disk, check=2).err
    assert "no directory" in plimsoll("bonnie", "-d", "nowhere", "-s", "8", "-r", "4", cwd=disk, check=2).err


def test_writetest(disk: Path, plimsoll: Command) -> None:
    out = plimsoll("writetest", "-b", "256", "-o", "50", "-f", "testfile", cwd=disk).out
    assert re.fullmatch(
        r"Running: 50 ops\nElapsed time: 0:00:\d\d\.\d{6}\n50 operations: +[\d.]+ operations per second\n", out
    )
    assert not list(disk.iterdir())
    (disk / "testfile").write_text("mine")
    assert "exists" in plimsoll("writetest", "-o", "5", cwd=disk, check=2).err
    assert (disk / "testfile").read_text() == "mine"


def test_zcav(disk: Path, plimsoll: Command) -> None:
    (disk / "file").write_bytes(bytes(8 * 2**20))
    out = plimsoll("zcav", "-b", "2", "file", cwd=disk).out.splitlines()
    assert out[0] == "#block offset (GiB), MiB/s, time"
    assert [line.split()[0] for line in out[1:-1]] == ["0.00", "0.00", "0.00", "0.01"]
    assert all(re.fullmatch(r"\d+\.\d\d \d+\.\d\d \d+\.\d{3}", line) for line in out[1:-1])
    assert out[-1].startswith("# Read 8 megs in ")
    assert "-w" in plimsoll("zcav", "-w", "file", cwd=disk, check=2).err
