"""How a cluster and a place on one of its workers are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from plimsoll.errors import UsageError
from plimsoll.targets.database import is_address

_HOST = re.compile(r"[A-Za-z0-9._@:\[\]-]+")
MOST_LOCAL = 64


@dataclass(frozen=True)
class ClusterAddress:
    """`tcp://scheduler:8786`, `local:4` or `ssh:host1,host2`."""

    kind: Literal["scheduler", "local", "ssh"]
    text: str
    workers: int = 0
    hosts: tuple[str, ...] = ()


def parse_cluster(text: str) -> ClusterAddress:
    """The cluster in `--cluster`; raises UsageError."""
    kind, _, rest = text.strip().partition(":")
    if kind in ("tcp", "tls", "ws", "wss", "ucx") and rest.startswith("//") and len(rest) > len("//"):
        return ClusterAddress("scheduler", text.strip())
    if kind == "local" and rest.isdigit() and 1 <= int(rest) <= MOST_LOCAL:
        return ClusterAddress("local", text.strip(), workers=int(rest))
    hosts = tuple(host.strip() for host in rest.split(",") if host.strip())
    if kind == "ssh" and hosts and all(_HOST.fullmatch(host) for host in hosts):
        return ClusterAddress("ssh", text.strip(), hosts=hosts)
    raise UsageError(
        f"{text!r} is no cluster; write tcp://scheduler:8786 (or tls://…) for one that runs, local:4 for four worker "
        f"processes here (at most {MOST_LOCAL}), or ssh:host1,host2"
    )


ALL = "*"
"""The worker of a place that is used from every worker at once."""
WORKER = "{worker}"
"""In a path: the name of the worker, for a folder of its own on a file system that all share."""


def split_place(where: str) -> tuple[str, str]:
    """`@worker1:/mnt/x` as worker and path, `@*:postgresql://…` as `*` and address; raises UsageError."""
    worker, colon, path = where.removeprefix("@").partition(":")
    if not colon or not worker or not (path.startswith("/") or is_address(path)):
        raise UsageError(
            f"{where!r} is no place on a worker; write @WORKER:/absolute/path, @WORKER:ADDRESS, or @*:… for all workers"
        )
    return worker, path
