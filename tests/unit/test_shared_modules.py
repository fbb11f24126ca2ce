"""Tests change what one module of the product sees, never a module that all threads of the process share.

A clock that one test had set for all kept the timers of a server of other tests waiting for fifty days.
"""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SHARED = re.compile(r"""setattr\(\s*["']?(time|asyncio|threading|selectors?|signal|socket)\b""")


def test_no_test_changes_what_all_threads_share() -> None:
    found = [
        f"{path.relative_to(TESTS)}: {each.group()}"
        for path in TESTS.rglob("*.py")
        if path != Path(__file__)
        for each in SHARED.finditer(path.read_text())
    ]
    assert found == []


def test_the_pattern_knows_one() -> None:
    assert SHARED.search('patch.setattr(time, "monotonic", now)')
    assert SHARED.search('monkeypatch.setattr("time.sleep", wait)')
    assert not SHARED.search('patch.setattr(module, "time", own)')
