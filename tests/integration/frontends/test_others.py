"""`plimsoll bonnie`, `zcav` and `writetest`: what they print is what readers of the originals' output take."""

from __future__ import annotations

import re
import signal
import subprocess
from pathlib import Path

from tests.conftest import need_program
from tests.integration.frontends.conftest import Command, Original
from tests.integration.run.conftest import PLIMSOLL

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
    assert "-y p" in plimsoll("bonnie", "-yx", cwd=disk, check=2).err
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


def test_zcav_writes_over_what_it_was_told_to_and_nothing_else(disk: Path, plimsoll: Command) -> None:
    file, other = disk / "file", disk / "other"
    file.write_bytes(b"\7" * 4 * 2**20)
    other.write_bytes(b"\7" * 2**20)
    for words in (("-w", "file"), ("-w", "--destroy", "other", "file"), ("-w", "--destroy=fil", "file")):
        refused = plimsoll("zcav", *words, cwd=disk, check=2).err
        assert "-w writes zeros over file" in refused
        assert "--destroy file" in refused
        assert file.read_bytes() == b"\7" * 4 * 2**20
    out = plimsoll("zcav", "-b", "1", "-r", "1:3", "-w", "--destroy", "file", "file", cwd=disk).out
    assert len(out.splitlines()) == 4
    assert file.read_bytes() == b"\7" * 2**20 + bytes(2**21) + b"\7" * 2**20
    assert other.read_bytes() == b"\7" * 2**20
    # Reading needs no word, and leaves it as it is.
    plimsoll("zcav", "-b", "1", "file", cwd=disk)
    assert file.read_bytes()[:1] == b"\7"


def test_bonnie_without_data_has_the_line_of_the_original(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ("-d", ".", "-s", "0", "-n", "1", "-m", "box", "-z", "5", "-q")
    theirs = original("bonnie++", *words, "-u", "root").splitlines()[-1].split(",")
    ours = plimsoll("bonnie", *words, cwd=disk).out.splitlines()[-1].split(",")
    assert len(ours) == len(theirs)
    assert ours[:25] == theirs[:25]
    assert [bool(field) for field in ours] == [bool(field) for field in theirs]


def test_bonnie_writes_directly(disk: Path, plimsoll: Command) -> None:
    line = plimsoll("bonnie", *SMALL, "-f", "-D", "-q", cwd=disk).out
    assert line.count(",") == 49


def test_processes_of_bonnie_begin_each_test_together(disk: Path, plimsoll: Command) -> None:
    """Ours and the original: the one that comes first waits for the other."""
    program = need_program("bonnie++")
    (disk / "theirs").mkdir()
    assert plimsoll("bonnie", "-p", "2").out == "Creating semaphore for 2 procs.\n"
    words = [program, "-d", "theirs", "-s", "0", "-n", "1", "-m", "box", "-q", "-u", "root", "-ys"]
    theirs = subprocess.Popen(words, cwd=disk, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        ours = plimsoll("bonnie", "-d", ".", "-s", "0", "-n", "1", "-m", "box", "-q", "-y", "s", cwd=disk).out
        assert theirs.communicate(timeout=60)[0].count(",") == ours.count(",") == 49
        # All were there: a third process is one too many.
        again = plimsoll("bonnie", "-d", ".", "-s", "0", "-n", "1", "-y", "s", "-q", cwd=disk, check=None).err
        assert "more processes came than they were made for" in again
    finally:
        theirs.kill()
        assert plimsoll("bonnie", "-p", "-1").out == "Semaphore removed.\n"
    assert "make them with -p" in plimsoll("bonnie", "-s", "0", "-n", "1", "-ys", "-q", cwd=disk, check=None).err


MEETING = ("-s", "2", "-r", "1", "-n", "1", "-f", "-m", "box")
STEP = re.compile(r"^(\d+:|[^\d\n]+?\.\.\.)", re.MULTILINE)
"""A prompt, or what is said of a test as it begins."""


def answered(*words: str | Path, cwd: Path) -> tuple[str, int]:
    """What somebody sees who types a line at each prompt, and how often that was."""
    lines: list[str] = []
    with subprocess.Popen(
        words, cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line)
            if re.fullmatch(r"\d+:\n", line):
                process.stdin.write("go on\n")
                process.stdin.flush()
    assert process.returncode == 0, lines
    return "".join(lines), sum(line.endswith(":\n") for line in lines)


def test_bonnie_asks_before_each_test_where_the_original_does(disk: Path) -> None:
    theirs, asked = answered(need_program("bonnie++"), *MEETING, "-u", "root", "-y", "p", cwd=disk)
    ours, _ = answered(PLIMSOLL, "bonnie", *MEETING, "-y", "p", cwd=disk)
    assert STEP.findall(ours) == STEP.findall(theirs)
    assert asked == 10
    quiet, asked = answered(PLIMSOLL, "bonnie", *MEETING, "-q", "-yp", cwd=disk)
    assert asked == 10
    assert "..." not in quiet


def test_bonnie_asks_nobody_at_the_end_of_input_and_can_be_interrupted(disk: Path) -> None:
    words = [PLIMSOLL, "bonnie", *MEETING, "-q", "-y", "p"]
    done = subprocess.run(words, cwd=disk, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.count(":\n")) == (0, 10), done.stderr
    with subprocess.Popen(
        words, cwd=disk, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() + process.stdout.readline() == "\n1:\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "interrupted" in err
    assert out == "", "it waited for the first line"
    assert not list(disk.iterdir())


def test_bonnie_needs_an_input_to_wait_for(disk: Path) -> None:
    words = ["sh", "-c", 'exec "$@" <&-', "sh", PLIMSOLL, "bonnie", *MEETING, "-y", "p"]
    done = subprocess.run(words, cwd=disk, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "standard input, which is closed" in done.stderr
