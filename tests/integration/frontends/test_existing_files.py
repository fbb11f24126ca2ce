"""Files that options of front ends would overwrite: what somebody else wrote is kept, wrappers that run again go on."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.conftest import need
from tests.integration.frontends.conftest import Command

from plimsoll.errors import UnsafeTarget
from plimsoll.frontends.writetest.app import run as writetest
from plimsoll.store.opening import open_store

JOB = ("--name=job", "--filename=data", "--size=64k", "--bs=4k", "--rw=write", "--output-format=json")
LETTER = "Dear diary, today nothing happened.\n"


def need_attributes(folder: Path) -> None:
    try:
        os.setxattr(folder, "user.plimsoll.trial", b"x")
    except OSError:
        need(False, f"a file system with extended attributes below {folder}")
    else:
        os.removexattr(folder, "user.plimsoll.trial")


def test_an_output_is_written_again_and_again_without_a_word(plimsoll: Command, disk: Path) -> None:
    need_attributes(disk)
    words = ("fio", *JOB, "--write_bw_log=log", "--log_avg_msec=100", "--exec_prerun=echo hello", "--output=out.json")
    (disk / "out.json").touch()  # as mktemp does
    first = plimsoll(*words, cwd=disk)
    names = sorted(path.name for path in disk.iterdir())
    assert names == ["data", "job.prerun.txt", "log_bw.1.log", "out.json"]
    again = plimsoll(*words, cwd=disk)
    assert sorted(path.name for path in disk.iterdir()) == names
    assert json.loads((disk / "out.json").read_text())["jobs"]
    assert (disk / "job.prerun.txt").read_text() == "hello\n"
    assert "kept as" not in first.err + again.err


def test_a_file_of_somebody_else_is_refused_before_anything_is_measured(plimsoll: Command, disk: Path) -> None:
    (disk / "letter").write_text(LETTER)
    (disk / "large").write_bytes(os.urandom(4 * 2**20))
    ycsb = ("ycsb", "run", "basic", "-P", "workloadc", "-p", "exportfile=letter")
    for words in (("fio", *JOB, "--output=letter"), ycsb, ("zcav", "-b", "1", "-l", "letter", "large")):
        refused = plimsoll(*words, cwd=disk, check=2)
        assert "letter is there and was not written by this command" in refused.err
        assert "--force" in refused.err
        assert (disk / "letter").read_text() == LETTER
        assert not (disk / "data").exists()
    plimsoll(*ycsb, "--force", cwd=disk)
    assert (disk / "letter").read_text().startswith("[OVERALL], RunTime(ms), ")
    assert "kept as" not in plimsoll(*ycsb, cwd=disk).err


def test_an_output_that_somebody_has_changed_is_his(plimsoll: Command, disk: Path) -> None:
    plimsoll("fio", *JOB, "--output=out.json", cwd=disk)
    noted = (disk / "out.json").read_text() + "my notes\n"
    (disk / "out.json").write_text(noted)
    told = plimsoll("fio", *JOB, "--output=out.json", cwd=disk).err
    assert "out.json is there and was not written by this command: it is kept as out.json.~1~" in told
    assert (disk / "out.json.~1~").read_text() == noted
    assert json.loads((disk / "out.json").read_text())["jobs"]


def test_logs_and_output_of_commands_keep_what_was_there(plimsoll: Command, disk: Path) -> None:
    theirs = ("job.prerun.txt", "job.postrun.txt", "log_lat.1.log", "log_clat_hist.1.log", "all_iops.log")
    for name in theirs:
        (disk / name).write_text(LETTER)
    hist = ("--write_hist_log=log", "--log_hist_msec=100")
    logs = ("--write_lat_log=log", "--log_avg_msec=100", *hist, "--exec_prerun=echo a", "--exec_postrun=echo b")
    told = plimsoll("fio", *JOB, *logs, cwd=disk).err
    shared = ("--name=again", "--filename=data2", "--size=64k", "--rw=write")
    told += plimsoll("fio", *shared, "--write_iops_log=all", "--per_job_logs=0", cwd=disk).err
    for name in theirs:
        assert (disk / f"{name}.~1~").read_text() == LETTER, name
        assert f"kept as {name}.~1~" in told
        assert LETTER not in (disk / name).read_text()


def test_a_run_that_was_killed_leaves_an_output_that_is_still_ours(plimsoll: Command, disk: Path) -> None:
    need_attributes(disk)
    plimsoll("fio", *JOB, "--output=out.json", cwd=disk)
    os.setxattr(disk / "out.json", "user.plimsoll.output", b"unfinished")
    (disk / "out.json").write_text("half a")
    assert "kept as" not in plimsoll("fio", *JOB, "--output=out.json", cwd=disk).err


def test_charts_are_refused_like_a_report(plimsoll: Command, disk: Path) -> None:
    plimsoll("run", "ping", "--on", f"d={disk}", "--set", "runtime=300ms", "--blocks", "2", "--noisy-host")
    plimsoll("report", "--charts", disk / "pictures")
    (picture, *_) = sorted((disk / "pictures").glob("*.svg"))
    picture.write_text(LETTER)
    names = sorted((disk / "pictures").iterdir())
    refused = plimsoll("report", "--charts", disk / "pictures", "-o", disk / "r.md", check=2)
    assert "--force" in refused.err
    assert picture.read_text() == LETTER
    assert not (disk / "r.md").exists()
    plimsoll("report", "--charts", disk / "pictures", "--force")
    assert picture.read_text() != LETTER
    assert sorted((disk / "pictures").iterdir()) == names


def test_a_file_that_appears_after_the_look_is_not_opened(disk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The worst moment there is: nothing was there as it was looked for."""
    letter = disk / "testfile"
    letter.write_text(LETTER)
    exists = Path.exists
    monkeypatch.setattr(Path, "exists", lambda path, **how: path.name != letter.name and exists(path, **how))
    for what in ("a file", "a link"):
        with pytest.raises(UnsafeTarget, match="testfile exists; remove it"):
            writetest(("-o", "5", "-f", str(letter)), open_store, lambda _sentence: None)
        assert LETTER in ((disk / "elsewhere") if what == "a link" else letter).read_text()
        letter.replace(disk / "elsewhere")
        letter.symlink_to(disk / "elsewhere")
