"""What an address tells of where its server is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.errors import TargetError
from plimsoll.model import Target
from plimsoll.targets.database import check, on_this_machine


def test_a_server_on_loopback_shares_this_machine() -> None:
    assert on_this_machine("redis://127.0.0.1:6379/0") is True
    assert on_this_machine("postgresql://me@[::1]/x") is True
    assert on_this_machine("sqlite:/x.db") is True
    assert on_this_machine("redis://192.0.2.1/0") is False


@pytest.mark.parametrize("name", ["a..b", "a" * 70 + ".example"])
def test_what_can_be_no_name_has_no_address(name: str) -> None:
    assert on_this_machine(f"postgresql://me@{name}/x") is None


def test_an_embedded_database_is_never_made_of_a_device(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null")):
        with pytest.raises(TargetError, match=f"{path} is a device or a pipe, and sqlite needs a file: name another"):
            check(Target(name="t", where=f"sqlite:{path}"))
        with pytest.raises(
            TargetError, match=f"{path} is a device or a pipe, and rocksdb needs a folder: name another"
        ):
            check(Target(name="t", where=f"rocksdb:{path}"))
    check(Target(name="t", where=f"sqlite:{tmp_path}/new.db"))
    check(Target(name="t", where=f"rocksdb:{tmp_path}/new"))


def test_an_embedded_database_is_in_a_file_or_in_a_folder_as_its_driver_says(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    check(Target(name="t", where=f"sqlite:{tmp_path}/file"))
    check(Target(name="t", where=f"rocksdb:{tmp_path}"))
    with pytest.raises(
        TargetError, match=f"{tmp_path} is a folder, and sqlite needs a file, such as sqlite:{tmp_path}/database.db"
    ):
        check(Target(name="t", where=f"sqlite:{tmp_path}"))
    with pytest.raises(TargetError, match=f"{tmp_path}/file is a file, and rocksdb needs a folder: name another"):
        check(Target(name="t", where=f"rocksdb:{tmp_path}/file"))
