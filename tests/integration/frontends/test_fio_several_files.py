"""Several files of one job beside fio itself: lengths on disk, files that are open, files made anew."""

from __future__ import annotations

import json
import resource
from pathlib import Path

import pytest
from tests.conftest import need
from typer.testing import CliRunner

from plimsoll.cli.main import app


def fio(*words: str) -> dict[str, int]:
    """Bytes written, of a job in the current folder."""
    result = CliRunner().invoke(app, ["fio", "--name=j", "--output-format=json", *words])
    assert result.exit_code == 0, result.output
    written = json.loads(result.stdout)["jobs"][0]["write"]
    return {"bytes": written["io_bytes"], "operations": written["total_ios"]}


@pytest.fixture(autouse=True)
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def lengths() -> list[int]:
    return [path.stat().st_size for path in sorted(Path().glob("j.0.*"))]


def test_every_byte_of_files_of_many_sizes_is_written() -> None:
    found = fio("--filesize=64k-256k", "--nrfiles=6", "--rw=randwrite", "--bs=4k", "--openfiles=2", "--fallocate=none")
    assert found["bytes"] == sum(lengths())
    assert len(set(lengths())) > 1
    assert all(path.stat().st_blocks * 512 >= path.stat().st_size for path in Path().glob("j.0.*"))
    # They are in the range now, and stay as they are.
    before = lengths()
    assert fio("--filesize=64k-256k", "--nrfiles=6", "--rw=write", "--bs=4k", "--randseed=9")["bytes"] == sum(before)
    assert lengths() == before


def test_files_of_every_loop_but_the_last_are_removed() -> None:
    words = ("--size=16k", "--nrfiles=2", "--rw=write", "--bs=4k", "--loops=3", "--unlink_each_loop=1")
    assert fio(*words) == {"bytes": 3 * 16384, "operations": 12}
    assert lengths() == [8192, 8192]
    # The files of the last loop are known as those of this front end: they may be written again.
    assert fio(*words)["operations"] == 12


def test_more_files_than_a_process_may_have_open() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    need(soft >= 200, "200 descriptors")
    resource.setrlimit(resource.RLIMIT_NOFILE, (200, hard))
    try:
        found = fio("--nrfiles=400", "--openfiles=10", "--size=1600k", "--bs=4k", "--rw=write")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert found["operations"] == 400
