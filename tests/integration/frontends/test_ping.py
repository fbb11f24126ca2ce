"""`plimsoll ping` beside ioping: the same options give the same lines."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest
from tests.integration.frontends.conftest import Command, Original
from tests.integration.run.conftest import PLIMSOLL

from plimsoll.frontends.ping.app import run
from plimsoll.store.opening import open_store

QUICK = ("-c", "4", "-i", "5ms")


def shape(text: str) -> list[str]:
    """The lines with every figure and its unit replaced, and marks that are chance left out."""
    text = re.sub(r" \((fast|slow)\)", "", text)
    figure = r"[\d.]+ ?(?:k|M|G)? ?(?:ns|us|ms|s|KiB|MiB|GiB|B|iops)?(?:/s)?(?=[ ,)\n]|$)"
    return re.sub(figure, "#", re.sub(r"=[\d.]+ [mun]?s", "=#", text)).splitlines()


WORDS = (
    "", "-W", "-G", "-C", "-D", "-A", "-L", "-q", "-s 16k -S 64k", "-a 2", "-t 10s", "-T 1ns", "-Y -W", "-y -W", "-b 2",
    "-p 1", "-p 1 -q", "-s page", "-H", "-C -N",
)  # fmt: skip


@pytest.mark.parametrize("words", WORDS)
def test_lines(
    words: str, disk: Path, original: Original, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    theirs = original("ioping", *QUICK, *words.split(), ".")
    monkeypatch.chdir(disk)
    assert run([*QUICK, *words.split(), "."], open_store, lambda _message: None) == 0
    assert shape(capsys.readouterr().out) == shape(theirs)
    assert not list(disk.iterdir())


def test_raw_lines_and_rapid(disk: Path, plimsoll: Command, original: Original) -> None:
    for words in (("-B", *QUICK, "."), ("-R", "-B", "-w", "0.2", ".")):
        theirs, ours = original("ioping", *words).split(), plimsoll("ping", *words, cwd=disk).out.split()
        assert len(ours) == len(theirs) == 10
        assert all(number.isdigit() for number in ours)


def test_json(disk: Path, plimsoll: Command, original: Original) -> None:
    theirs = json.loads(original("ioping", "-J", *QUICK, "."))
    ours = json.loads(plimsoll("ping", "-J", *QUICK, ".", cwd=disk).out)
    assert len(ours) == len(theirs) == 5
    for mine, other in zip(ours, theirs, strict=True):
        assert list(mine) == list(other)
        for name in set(mine) - {"timestamp", "localtime"}:
            assert list(mine[name]) == list(other[name])
        assert mine["target"] == {**other["target"]}


def test_percentiles_and_the_store(disk: Path, plimsoll: Command) -> None:
    out = plimsoll("ping", *QUICK, "--percentiles", ".", cwd=disk).out
    assert re.search(r"^p50/p90/p99/p99\.9 = .* / .* / .* / .*", out, re.MULTILINE)
    assert "ioping read" in plimsoll("show", "--json").out


def test_our_importer_reads_it(disk: Path, plimsoll: Command) -> None:
    (disk / "ping.txt").write_text(plimsoll("ioping", *QUICK, ".", cwd=disk).out)
    answer = plimsoll("import", disk / "ping.txt")
    assert "ioping: 1 new session, 1 new run" in answer.out + answer.err


def test_an_interrupt_prints_the_statistics(disk: Path) -> None:
    process = subprocess.Popen([PLIMSOLL, "ping", "-i", "20ms", "."], cwd=disk, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    first = process.stdout.readline()
    process.send_signal(signal.SIGINT)
    rest, _ = process.communicate(timeout=120)
    assert "(warmup)" in first
    assert "ioping statistics" in rest
    assert process.returncode == 0
    assert not list(disk.iterdir())


def test_files_are_read_but_not_shredded_by_mistake(disk: Path, plimsoll: Command) -> None:
    file = disk / "file"
    file.write_bytes(bytes(65536))
    assert "request=4" in plimsoll("ping", *QUICK, "file", cwd=disk).out
    answer = plimsoll("ping", *QUICK, "-W", "file", cwd=disk, check=2)
    assert "-WWW" in answer.err
    assert not any(file.read_bytes())
    plimsoll("ping", *QUICK, "-WWW", "file", cwd=disk)
    assert any(file.read_bytes())


def test_the_file_stays_with_k(disk: Path, plimsoll: Command) -> None:
    plimsoll("ping", *QUICK, "-k", ".", cwd=disk)
    assert [path.name for path in disk.iterdir()] == ["ioping.tmp"]
    plimsoll("ping", *QUICK, "-k", ".", cwd=disk)


def test_bad_words(disk: Path, plimsoll: Command) -> None:
    for words, reason in ((("-X", "."), "-X"), (("nowhere",), "nowhere"), ((), "no place"), (("-s", "2m", "."), "")):
        answer = plimsoll("ping", *words, *(("-c", "1") if words == ("-s", "2m", ".") else ()), cwd=disk, check=None)
        assert answer.code == (0 if not reason else 2)
        assert reason in answer.err


def test_the_target_has_the_name_of_the_directory_each_time(disk: Path, plimsoll: Command) -> None:
    """Not that of the folder that is made for the session: two sessions on one place are two of one series."""
    for _ in range(2):
        plimsoll("ping", *QUICK, disk)
    sessions = plimsoll("list", "sessions", "--json").json
    assert [each["targets"] for each in sessions] == [disk.name, disk.name]
    words = [each["session"] for each in sessions]
    assert "2 sessions" in plimsoll("show", *words).out
    assert f"1 target ({disk.name})" in plimsoll("show", *words).out
    # Another random stream is a repetition of the same work.
    assert "seed" not in plimsoll("show", *words).out
