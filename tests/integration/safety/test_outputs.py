"""What is written for the user goes to regular files: a device in the place of one keeps its data."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.conftest import need_program
from tests.integration.run.conftest import Command, disk, plimsoll
from tests.integration.safety.conftest import cleanup, loop, make_loop, run

from plimsoll.errors import UsageError
from plimsoll.outgoing import open_output

__all__ = ["cleanup", "disk", "loop", "make_loop", "plimsoll"]

JOB = ("fio", "--name=t", "--size=64k", "--bs=4k", "--rw=write", "--filename=data")


@pytest.fixture
def precious(loop: Path) -> Path:
    """A block device with a file system that nobody has mounted."""
    run(need_program("mkfs.ext4"), "-q", loop)
    return loop


@pytest.mark.parametrize(
    ("words", "variable"),
    [
        (("list", "sessions"), "PLIMSOLL_STORE"),
        ((*JOB, "--output={device}"), None),
        ((*JOB, "--write_lat_log={link}", "--per_job_logs=0", "--log_avg_msec=100"), None),
        (("report", "-o", "{link}.html", "--force"), None),
        (("export", "-o", "{device}", "--force"), None),
        (("export", "--study", "{device}", "--force"), None),
        (("run", "ycsb-a", "--on", "s=sqlite:{device}", "--set", "records=100", "--blocks", "1"), None),
        (("ycsb", "load", "jdbc", "-P", "{folder}/w", "-p", "db.url=jdbc:sqlite:{device}"), None),
        (("zcav", "-b", "1", "-l", "{device}", "-f", "{folder}/large"), None),
    ],
)
def test_a_device_in_the_place_of_a_file_keeps_its_data(
    precious: Path, disk: Path, plimsoll: Command, words: tuple[str, ...], variable: str | None
) -> None:
    plimsoll("fio", "--name=first", "--size=64k", "--bs=4k", "--rw=write", "--filename=first", cwd=disk)
    (disk / "w").write_text("workload=site.ycsb.workloads.CoreWorkload\nrecordcount=10\n")
    (disk / "large").write_bytes(os.urandom(4 * 2**20))
    link = disk / "link"
    for name in ("link_lat.log", "link_clat.log", "link_slat.log", "link.html"):
        (disk / name).symlink_to(precious)
    before = precious.read_bytes()
    texts = [word.format(device=precious, link=link, folder=disk) for word in words]
    answer = plimsoll(*texts, cwd=disk, check=None, **({variable: str(precious)} if variable else {}))
    assert answer.code != 0, answer.out
    assert str(precious) in answer.err or "link" in answer.err
    assert precious.read_bytes() == before
    assert precious.is_block_device()


def test_streams_are_written_and_links_to_files_followed(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("a long old content")
    link.symlink_to(file)
    with open_output(link) as output:
        output.write("new")
    assert file.read_text() == "new"
    with open_output(file, "a") as output:
        output.write(" and more")
    assert file.read_text() == "new and more"
    with open_output("/dev/null") as output:
        output.write("nothing")
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        with open_output(pipe) as output:
            output.write("through")
        assert reader.communicate()[0] == "through"


@pytest.mark.parametrize("name", ["folder", "broken", "/dev/zero"])
def test_what_is_no_file_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken").symlink_to(tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"name a regular file|broken link"):
        open_output(tmp_path / name)


@pytest.mark.parametrize(
    "words",
    [
        ("run", "ping", "--quick-sizes", "--output"),
        ("knee", "randread", "--output"),
        ("verify", ".", "--as", "gp3,size=100GiB", "--output"),
        ("simulate", "--volume", "gp3,size=100GiB", "--output"),
        ("report", "--output"),
    ],
)
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("taken.html", "a folder"),
        ("file.html/report.html", "not a folder"),
        ("{read_only}/deep/report.html", "read-only"),
        ("/proc/report.html", "no file can be made in /proc"),
        (f"{'long' * 70}.html", "the name is too long"),
        ("missing.pdf", "Chromium or Chrome"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_anything_is_measured(
    disk: Path, plimsoll: Command, cleanup: ExitStack, words: tuple[str, ...], name: str, said: str
) -> None:
    (disk / "taken.html").mkdir()
    (disk / "file.html").write_text("mine")
    read_only = disk / "read-only"
    read_only.mkdir()
    run("mount", "-t", "tmpfs", "-o", "ro", "none", read_only)
    cleanup.callback(run, "umount", read_only)
    named = name.format(read_only=read_only)
    # No browser is found where only the interpreter is.
    path = {"PATH": str(Path(sys.executable).parent)} if name.endswith(".pdf") else {}
    answer = plimsoll(*words, named, cwd=disk, check=2, **path)
    assert said in answer.err, answer.err
    assert "block 1" not in answer.err
    assert (disk / "file.html").read_text() == "mine"
