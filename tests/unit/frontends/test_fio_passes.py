"""fio's loops as the core's passes: when there are any, and when they end."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.frontends.test_fio_rules import parameters
from tests.unit.frontends.test_fio_words import job

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import files

ONE: dict[str, Any] = {"least": 1, "bytes": 0, "ends": True, "again": True, "read_back": False}
TIMED = ["--time_based", "--runtime=1"]


@pytest.mark.parametrize(
    ("words", "different"),
    [
        (["--rw=read", "--loops=3"], {"least": 3}),
        (["--rw=write", "--fsync=4"], {}),
        (["--rw=write", "--end_fsync=1"], {}),
        (["--rw=write", "--verify=md5"], {"read_back": True}),
        (["--rw=write", "--verify_pattern=1", "--do_verify=0"], {}),
        (["--rw=randread", "--loops=2", "--randrepeat=0"], {"least": 2, "again": False}),
        (["--rw=randread", "--loops=2", "--norandommap"], {"least": 2, "ends": False}),
        (["--rw=randread", "--loops=2", "--random_distribution=zipf"], {"least": 2, "ends": False}),
        (["--rw=write:4k", "--loops=2"], {"least": 2, "ends": False}),
        (["--rw=write", "--io_size=3m", "--loops=2"], {"least": 2, "bytes": 3 * 2**20}),
        (["--rw=write", "--fsync=4", "--loops=2", *TIMED], {"least": None, "ends": False}),
        (["--rw=write", "--verify=md5", *TIMED], {"least": None, "read_back": True}),
        (["--rw=randwrite", "--norandommap", "--verify=md5", *TIMED], {"least": None, "read_back": True}),
    ],
)
def test_passes(words: list[str], different: dict[str, Any]) -> None:
    assert parameters(*words)["passes"] == {**ONE, **different}


@pytest.mark.parametrize(
    "words", [["--rw=randrw"], ["--rw=write", "--io_size=64k"], ["--rw=read", "--fsync=4"], ["--loops=4", *TIMED]]
)
def test_one_pass_with_nothing_at_its_end_is_a_plan_as_before(words: list[str]) -> None:
    assert "passes" not in parameters(*words)


def test_loops_reach_the_part_of_a_file_beyond_the_size() -> None:
    def size(*words: str) -> object:
        return parameters("--size=64k", "--filesize=160k", *words)["size"]

    assert size() == 64 * 1024
    assert size("--loops=2") == size("--io_size=128k") == 128 * 1024
    assert size("--loops=3") == size("--rw=randread") == 160 * 1024


def test_operations_are_those_of_all_loops() -> None:
    assert parameters("--number_ios=7", "--loops=3")["max_operations"] == 21


def test_random_modes_without_an_end_are_never_through_with_a_file() -> None:
    def endless(*words: str) -> object:
        return parameters("--nrfiles=2", *words)["files"].get("endless", False)

    assert endless("--rw=randread", "--norandommap") is endless("--rw=randread", *TIMED) is True
    assert endless("--rw=randwrite", "--verify=md5", *TIMED) is False
    assert endless("--rw=randread") is endless("--rw=read", *TIMED) is False
    words = job("--rw=randread", "--nrfiles=2", "--file_service_type=sequential", *TIMED).words
    assert "first of 2 files" in (files.stays_in_first(words, 2) or "")
    assert files.stays_in_first(words, 1) is None


@pytest.mark.parametrize("name", ["verify_backlog", "verify_backlog_batch"])
def test_fewer_than_no_writes_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="0 or more"):
        parameters("--rw=write", "--verify=md5", f"--{name}=-1")


def test_pages_stay_where_fio_never_begins_anew() -> None:
    def drop_each(*words: str) -> object:
        return parameters(*words)["drop_each"]

    assert drop_each("--rw=randread") == drop_each("--rw=randwrite", "--norandommap", "--verify=md5") == "pass"
    assert drop_each("--rw=randread", "--norandommap") == drop_each("--rw=read", "--direct=1") == "never"
