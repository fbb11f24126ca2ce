"""What a worker is, asked with the standard library alone: this module is sent to workers that may lack Plimsoll."""

from __future__ import annotations

import os
import platform
import time


def about() -> dict[str, str | None]:
    """Plimsoll's version on the worker (None where it is missing), Python's, and the host's name."""
    try:
        import plimsoll

        version: str | None = plimsoll.__version__
    except ImportError:
        version = None
    return {"plimsoll": version, "python": platform.python_version(), "hostname": platform.node()}


def version_of(package: str) -> str | None:
    """The version of an installed package, None where it is missing."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return None


def reached_at() -> str:
    """This host's address on the way that an SSH client came."""
    return os.environ["SSH_CONNECTION"].split()[2]


def clock_ns() -> int:
    """The worker's clock, ns since 1970."""
    return time.time_ns()
