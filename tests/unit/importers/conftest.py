"""Fixtures for the tests of all formats."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

LONGEST_S = 120


@pytest.fixture
def never_hangs() -> Iterator[None]:
    """Stops a reader that does not come to an end; far above what any test needs."""

    def stop(*_: object) -> None:
        raise TimeoutError("a reader hangs")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)
