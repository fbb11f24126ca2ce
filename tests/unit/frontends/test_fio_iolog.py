"""fio's iologs: what is read of them, what is refused, and what a job leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.unit.frontends.test_fio_words import job

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import iolog, recorded
from plimsoll.frontends.fio.command_line import parse
from plimsoll.frontends.fio.plans import plan_of
from plimsoll.frontends.fio.section_options import Words

VERSION_2 = """fio version 2 iolog
/a add
/a open
/a write 0 4096
/a wait 1000 0
/a datasync 0 0
/b read 8192 512
/a close
"""


def log_of(folder: Path, text: str) -> recorded.Log:
    path = folder / f"{abs(hash(text))}.log"
    path.write_text(text)
    (section,) = parse(["--name=j", f"--read_iolog={path}"]).sections
    found = recorded.of_job(Words(section))
    assert found is not None
    return found


def test_both_versions_are_read(tmp_path: Path) -> None:
    log = log_of(tmp_path, VERSION_2)
    assert log.files == ("/a", "/b")
    assert [(line.at_ns, line.kind, line.file, line.offset, line.length) for line in log.lines] == [
        (0, "write", 0, 0, 4096),
        (1_000_000, "fdatasync", 0, 0, 0),
        (1_000_000, "read", 1, 8192, 512),
    ]
    assert (log.ends(), log.largest) == ([4096, 8704], 4096)
    third = log_of(tmp_path, "fio version 3 iolog\n30 /n add\n40 /n trim 0 2147483648\n52 /n write 0 4096\n")
    assert [(line.at_ns, line.kind, line.length) for line in third.lines] == [
        (10_000, "trim", 2**31),
        (22_000, "write", 4096),
    ]
    # A trim needs no room, neither in the file nor in a buffer.
    assert (third.ends(), third.largest) == ([4096], 4096)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("fio version 1 iolog\n", "version 2 or 3"),
        ("fio version 2 iolog\n/a read x 4096\n", ":2: '/a read x 4096' is not a line"),
        ("fio version 2 iolog\n/a jump 0 4096\n", "is not a line"),
        ("fio version 3 iolog\n/a read 0 4096\n", "is not a line"),
        ("fio version 2 iolog\n/a add\n", "no operations"),
        ("fio version 2 iolog\n/a read -1 4096\n", "is not a line"),
        ("fio version 2 iolog\n/a read 0 99999999999\n", "is not a line"),
    ],
)
def test_what_is_no_log_is_refused_with_its_line(text: str, said: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=said):
        log_of(tmp_path, text)


def test_a_job_has_the_files_and_sizes_of_its_log(tmp_path: Path) -> None:
    path = tmp_path / "load.log"
    path.write_text(VERSION_2)
    found = job(f"--read_iolog={path}", "--replay_no_stall=1", "--ioengine=null")
    assert [str(each) for each in found.paths] == ["/a", "/b"]
    assert (found.mode, found.lengths[Path("/b")], found.block_sizes) == ("rw", 8704, [(4096, 1.0)])
    replay = plan_of(found).parameters["replay"]
    assert replay == {
        "operations": [[0, "write", 0, 4096], [1_000_000, "fdatasync", 0, 0], [1_000_000, "read", 4096 + 8192, 512]],
        "timed": False,
    }


def test_a_job_leaves_what_another_one_can_read(tmp_path: Path) -> None:
    writer = job(f"--write_iolog={tmp_path / 'kept'}", "--size=1m")
    kept = iolog.kept(writer)
    assert kept is not None
    kept.see({"trace": [("write", 2000, 10, 4096, 4096, 0, 0)]})
    iolog.leave(writer, kept, {"trace": [("read", 5_000_000, 10, 0, 4096, 0, 0), ("sync", 3000, 1, 0, 0, 0, 0)]})
    assert (tmp_path / "kept").read_text().splitlines() == [
        "fio version 3 iolog", f"0 {writer.path} add", f"0 {writer.path} open", f"2 {writer.path} write 4096 4096",
        f"3 {writer.path} sync 0 0",
        f"5000 {writer.path} read 0 4096", f"5000 {writer.path} close",
    ]  # fmt: skip
    assert [line.kind for line in log_of(tmp_path, (tmp_path / "kept").read_text()).lines] == ["write", "fsync", "read"]
