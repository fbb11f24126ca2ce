"""What a worker is, asked with the standard library alone: this module is sent to workers that may lack Plimsoll."""

from __future__ import annotations

import os
import platform
import signal
import socket
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


def reached_at() -> str | None:
    """This host's address on the way that an SSH client came; sudo hides it."""
    way = os.environ.get("SSH_CONNECTION", "").split()
    return way[2] if way else None


def free_port() -> int:
    """A port of loopback where nobody listens."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port


def machine() -> str:
    """The same for all that runs on one machine since it was started; empty where the kernel does not say it."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            return file.read().strip()
    except OSError:
        return ""


async def ignore_interrupts() -> None:
    """The worker lives until it is told to end. On its event loop, which its main thread runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def clock_ns() -> int:
    """The worker's clock, ns since 1970."""
    return time.time_ns()
