"""What `plimsoll fio` issues and writes beside fio: checks during the run, syncs, trims, places, patterns."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.conftest import need, need_program, need_root
from tests.integration.frontends.conftest import Command, Original
from tests.integration.run.conftest import PLIMSOLL

BLOCK = 4096
CALL = re.compile(
    r"(pwrite64|pread64|fsync|fdatasync|ioctl)\(\d+<([^>]*)>(?:, BLKDISCARD, \[(\d+), |.*, 4096, (\d+)\)|\))"
)
LETTERS = {"pwrite64": "w", "pread64": "r", "fsync": "F", "fdatasync": "D", "ioctl": "t"}


def calls(disk: Path, name: str, *command: str | Path) -> list[str]:
    """What the busiest thread of a command does to one file: `w3` writes block 3, `D` is an fdatasync."""
    with tempfile.TemporaryDirectory() as traces:
        strace = [need_program("strace"), "-ff", "-y", "-e", f"trace={','.join(LETTERS)}", "-o", f"{traces}/of"]
        subprocess.run([*strace, *map(str, command)], cwd=disk, check=True, capture_output=True)
        threads = [_calls(trace.read_text(), name) for trace in Path(traces).iterdir()]
    return max(threads, key=len)


def _calls(trace: str, name: str) -> list[str]:
    found = []
    for match in map(CALL.search, trace.splitlines()):
        if match and Path(match[2]).name == name:
            offset = match[3] or match[4]
            found.append(LETTERS[match[1]] + (str(int(offset) // BLOCK) if offset else ""))
    return found


def both(disk: Path, name: str, words: Sequence[str], ours: Sequence[str] = ()) -> tuple[list[str], list[str]]:
    """fio's calls and ours."""
    theirs = calls(disk, name, need_program("fio"), "--thread", *words)
    (disk / name).unlink(missing_ok=True)
    return theirs, calls(disk, name, PLIMSOLL, "fio", *words, *ours)


@pytest.mark.parametrize(
    ("words", "begin"),
    [
        (["--verify=crc32c", "--verify_backlog=4", "--verify_backlog_batch=2"], "w0 w1 w2 w3 r0 r1 w4 w5 r2 r3 w6"),
        (["--fsync=6", "--fdatasync=4"], "w0 w1 w2 w3 D w4 w5 F w6 w7 D w8 w9 w10 w11 F"),
    ],
)
def test_calls_are_those_of_fio(disk: Path, words: list[str], begin: str) -> None:
    job = ["--name=t", "--filename=f", "--size=64k", "--bs=4k", "--rw=write", "--ioengine=psync", *words]
    theirs, ours = (found[found.index("w0") : found.index("w15") + 1] for found in both(disk, "f", job))
    assert " ".join(ours).startswith(begin)
    assert ours == theirs


@pytest.fixture
def device(disk: Path) -> Iterator[Path]:
    """A loop device of 1 MiB; its file is `image` in the directory."""
    need_root()
    need(Path("/dev/loop-control").exists(), "loop devices")
    (disk / "image").touch()
    os.truncate(disk / "image", 2**20)
    losetup = need_program("losetup")
    words = [losetup, "--find", "--show", str(disk / "image")]
    path = subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()
    yield Path(path)
    subprocess.run([losetup, "--detach", path], check=True)


def test_blocks_are_trimmed_and_written_as_by_fio(disk: Path, device: Path) -> None:
    job = ["--name=t", f"--filename={device}", "--size=32k", "--bs=4k", "--rw=trimwrite", "--direct=1"]
    theirs = calls(disk, device.name, need_program("fio"), "--thread", *job)
    ours = calls(disk, device.name, PLIMSOLL, "fio", f"--destroy={disk / 'image'}", *job)
    wanted = [f"{letter}{block}" for block in range(8) for letter in "tw"]
    for found in (theirs, ours):
        assert [call for call in found if call[0] in "tw"] == wanted


@pytest.mark.parametrize(("distribution", "share"), [("normal:10", 0.4), ("zoned:60/3:30/20:10/77", 0.55)])
def test_the_blocks_that_are_hot_with_fio_are_hot(disk: Path, distribution: str, share: float) -> None:
    (disk / "f").touch()
    os.truncate(disk / "f", 1000 * BLOCK)
    words = ["--name=t", "--filename=f", f"--size={1000 * BLOCK}", "--bs=4k", "--rw=randread", "--ioengine=psync"]
    words += [f"--random_distribution={distribution}", "--io_size=8000k"]
    subprocess.run([need_program("fio"), *words, "--write_iolog=log"], cwd=disk, check=True, capture_output=True)
    theirs = [int(match[1]) // BLOCK for match in re.finditer(r" read (\d+) \d+$", (disk / "log").read_text(), re.M)]
    hot = {block for block, _ in Counter(theirs).most_common(30)}
    ours = [int(call[1:]) for call in calls(disk, "f", PLIMSOLL, "fio", *words) if call[0] == "r"]
    assert len(theirs) == len(ours) == 2000
    assert sum(block in hot for block in theirs) / 2000 > share
    assert sum(block in hot for block in ours) / 2000 > 0.85 * share


PATTERNS = ["0xdeadbeef", "0xabc", "65537", "-12", '0xff%o"ab"-12', "%o"]


def test_patterns_are_written_as_by_fio(disk: Path, plimsoll: Command, original: Original) -> None:
    sections = [f"[p{at}]\nfilename=p{at}\nverify_pattern={text}\n" for at, text in enumerate(PATTERNS)]
    (disk / "jobs").write_text("[global]\nsize=16k\nbs=4k\nrw=write\nverify=pattern\n" + "".join(sections))
    written = []
    for run in (lambda: original("fio", "jobs"), lambda: plimsoll("fio", "jobs", cwd=disk)):
        run()
        written.append([(disk / f"p{at}").read_bytes() for at in range(len(PATTERNS))])
        for at in range(len(PATTERNS)):
            (disk / f"p{at}").unlink()
    assert written[0] == written[1]


def test_blocks_repeat_and_compress_as_asked_for(disk: Path, plimsoll: Command) -> None:
    words = ["--size=4m", "--bs=8k,4k", "--rw=write", "--buffer_compress_percentage=50"]
    plimsoll(
        "fio",
        *(each for share in (0, 60, 100) for each in (f"--name=d{share}", f"--dedupe_percentage={share}", *words)),
        cwd=disk,
    )
    for share, low, high in ((0, 1024, 1024), (60, 370, 450), (100, 1, 1)):
        content = (disk / f"d{share}.0.0").read_bytes()
        blocks = {content[at : at + BLOCK] for at in range(0, len(content), BLOCK)}
        assert low <= len(blocks) <= high, (share, len(blocks))
        assert all(block[256:512] == bytes(256) for block in blocks)


def test_a_direction_without_a_rate_has_the_rest_of_the_time(disk: Path, plimsoll: Command, original: Original) -> None:
    words = ["--name=t", "--size=4m", "--rw=randrw", "--ioengine=null", "--number_ios=200", "--output-format=terse"]
    words += ["--rate=1,"]
    for answer in (original("fio", *words), plimsoll("fio", *words, cwd=disk).out):
        fields = answer.strip().split(";")
        # Of one byte a second there is one read in 4096 seconds.
        assert (int(fields[5]) // 4, int(fields[46]) // 4) == (1, 199)


@pytest.mark.parametrize("words", [["--unlink=1"], ["--rw=write", "--loops=2", "--unlink_each_loop=1"]])
def test_only_files_that_the_command_makes_are_unlinked(disk: Path, plimsoll: Command, words: list[str]) -> None:
    theirs = disk / "data"
    theirs.write_bytes(b"mine" * 4096)
    job = ["fio", "--name=t", "--size=16k", "--bs=4k", "--rw=read", *words]
    refused = plimsoll(*job, f"--filename={theirs}", check=2)
    assert "--destroy" in refused.err
    assert theirs.read_bytes() == b"mine" * 4096
    plimsoll(*job, f"--filename={disk / 'made'}")
    assert not (disk / "made").exists() or "--unlink=1" not in words
    plimsoll(*job, f"--filename={theirs}", f"--destroy={theirs}")
    assert not theirs.exists() or "--unlink=1" not in words
