"""One session per place: the workers of a session share a database, nobody else does."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import pytest

from plimsoll.errors import TargetError
from plimsoll.targets import lock as locks
from plimsoll.targets.lock import lock, lock_address

ADDRESS = "redis://127.0.0.1:6379/0"


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(locks, "UDEV_WAIT_S", 0.0)
    monkeypatch.setenv("PLIMSOLL_HOME", str(tmp_path / "home"))


def test_workers_of_one_session_share_an_address_until_the_last_has_ended() -> None:
    with ExitStack() as first, ExitStack() as second:
        first.enter_context(lock_address(ADDRESS, "mine"))
        second.enter_context(lock_address(ADDRESS, "mine"))
        first.close()
        for other in ("other", None):
            with pytest.raises(TargetError, match="is in use by process"), lock_address(ADDRESS, other):
                pass
    with lock_address(ADDRESS, "other"), lock_address("redis://127.0.0.1:6379/1", "mine"):
        pass


def test_who_shares_with_nobody_is_alone() -> None:
    with lock_address(ADDRESS, "earlier"):
        pass
    with (
        lock_address(ADDRESS, None),
        pytest.raises(TargetError, match="two sessions"),
        lock_address(ADDRESS, "earlier"),
    ):
        pass


def test_a_directory_is_for_one_alone(tmp_path: Path) -> None:
    with lock(tmp_path), pytest.raises(TargetError, match="Wait until it ends"), lock(tmp_path):
        pass
