"""Memory that fio's lockmem pins."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.conftest import need_root

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import lockmem
from plimsoll.units import MIB


def locked_bytes() -> int:
    found = re.search(r"VmLck:\s+(\d+) kB", Path("/proc/self/status").read_text())
    return int(found[1]) * 1024 if found else 0


def test_memory_is_locked_for_a_while() -> None:
    need_root()
    before = locked_bytes()
    with lockmem.locked(4 * MIB):
        assert locked_bytes() - before == 4 * MIB
    assert locked_bytes() == before


def test_nothing_is_locked_unless_asked() -> None:
    before = locked_bytes()
    with lockmem.locked(0):
        assert locked_bytes() == before


def test_some_memory_is_left_and_a_refusal_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lockmem, "memory_limit_bytes", lambda: lockmem.LEFT_BYTES + MIB)

    class Refusing:
        """A C library whose mlock says no."""

        def __init__(self, *_: object, **__: object) -> None: ...

        def mlock(self, _start: object, length: object) -> int:
            assert length.value == MIB  # type: ignore[attr-defined]
            return -1

    monkeypatch.setattr(lockmem.ctypes, "CDLL", Refusing)
    with pytest.raises(UsageError, match="ulimit -l"), lockmem.locked(100 * MIB):
        pass
