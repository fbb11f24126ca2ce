"""fio's logs of every operation, beside those of fio."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from tests.integration.frontends.conftest import Command, Original

WORDS = (
    "--name=t", "--size=256k", "--ioengine=psync", "--rw=randrw", "--bs=4k,8k",
    "--write_lat_log=run", "--write_bw_log=run", "--write_iops_log=run",
)  # fmt: skip


def rows(path: Path) -> list[tuple[int, ...]]:
    return [tuple(map(int, line.split(", "))) for line in path.read_text().splitlines()]


def logs(disk: Path) -> dict[str, list[tuple[int, ...]]]:
    return {kind: rows(disk / f"run_{kind}.1.log") for kind in ("lat", "clat", "bw", "iops")}


def test_every_operation_has_a_line_as_with_fio(disk: Path, plimsoll: Command, original: Original) -> None:
    original("fio", *WORDS)
    theirs = logs(disk)
    (disk / "t.0.0").unlink()
    (job,) = plimsoll("fio", *WORDS, "--output-format=json", cwd=disk).json["jobs"]
    ours = logs(disk)
    for kind, found in ours.items():
        assert {len(row) for row in found} == {len(row) for row in theirs[kind]} == {5}
        directions = Counter(row[2] for row in found)
        assert directions == {0: job["read"]["total_ios"], 1: job["write"]["total_ios"]}
        # Direction and size belong together, whichever of them chance has made reads.
        assert {row[2:] for row in found} == {row[2:] for row in theirs[kind]} == {(0, 4096, 0), (1, 8192, 0)}
        assert [row[0] for row in found] == sorted(row[0] for row in found)
    assert {row[1] for row in ours["iops"]} == {row[1] for row in theirs["iops"]} == {1}
    # Bytes per ms of fio's integer division.
    assert [row[1] for row in ours["bw"]] == [row[3] * 10**6 // row[1] for row in ours["lat"]]
    assert sum(row[1] for row in ours["lat"] if not row[2]) == pytest.approx(
        job["read"]["lat_ns"]["mean"] * job["read"]["total_ios"], rel=1e-6
    )


def test_what_single_operations_cannot_tell_is_refused(disk: Path, plimsoll: Command) -> None:
    common = ("--name=t", "--size=1m", "--write_lat_log=x")
    ramp = ("--time_based", "--runtime=1", "--ramp_time=1")
    assert "leave out ramp_time" in plimsoll("fio", *common, *ramp, cwd=disk, check=2).err
    job = plimsoll("fio", *common, "--bssplit=4k/50:8k/50", "--output-format=json", cwd=disk).json["jobs"][0]
    sizes = [int(line.split(", ")[3]) for line in (disk / "x_lat.1.log").read_text().splitlines()]
    assert set(sizes) == {4096, 8192}
    assert sum(sizes) == job["read"]["io_bytes"]
    assert (
        "cannot write" in plimsoll("fio", "--name=t", "--size=64k", "--write_lat_log=no/where", cwd=disk, check=2).err
    )
