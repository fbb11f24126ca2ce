"""What all tests share: honest skips and throw-away places."""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Property tests have no time limit of their own: the machine may be busy.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")


def pytest_configure() -> None:
    """A shell that starts the tests in its background has interrupts ignored, for all that the tests start as well."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def need(condition: bool, what: str) -> None:
    """Skip where a component is missing; under CI that is a failure, because skipped is not passed."""
    if condition:
        return
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must have {what}")
    pytest.skip(f"needs {what}")


def need_root() -> None:
    need(os.geteuid() == 0, "root")


def need_module(name: str) -> None:
    need(importlib.util.find_spec(name) is not None, f"the Python module {name}")


def need_program(name: str) -> str:
    path = shutil.which(name)
    need(path is not None, f"the program {name}")
    return str(path)


@pytest.fixture(autouse=True)
def _private_state(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has its own store and state folder, so that no test touches the user's results."""
    state = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("PLIMSOLL_HOME", str(state))
    monkeypatch.delenv("PLIMSOLL_STORE", raising=False)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory on a real disk."""
    return tmp_path
