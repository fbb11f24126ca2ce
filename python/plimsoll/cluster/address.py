"""How a cluster and a place on one of its workers are written."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from plimsoll.errors import UsageError
from plimsoll.targets.database import is_address

_HOST = re.compile(
    r"(?:(?P<user>[\w.-]+)@)?(?:\[(?P<six>[0-9A-Fa-f:.%]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::(?P<port>\d{1,5}))?"
)
MOST_LOCAL = 64
PAGE = "127.0.0.1:0"
"""Where a process of a cluster that we start shows its figures: for nobody else, at a free port."""


@dataclass(frozen=True)
class OwnWay:
    """How a host is reached that no configuration of the user knows: with a key of its own, and SSH alone is open."""

    options: Mapping[str, Any]
    """For the connection, in the words of asyncssh; ~/.ssh is left out."""
    python: str
    root: bool = False
    """Whether the worker becomes root by sudo."""


@dataclass(frozen=True)
class SshHost:
    """`me@host:2222`, or a name from ~/.ssh/config."""

    text: str
    name: str
    user: str | None = None
    port: int | None = None
    way: OwnWay | None = None


@dataclass(frozen=True)
class ClusterAddress:
    """`tcp://scheduler:8786`, `local:4` or `ssh:host1,host2?python=/path/of/python`.

    A tunnel is not written: its hosts were rented, each with its own way; their workers are called as their `text`.
    """

    kind: Literal["scheduler", "local", "ssh", "tunnel"]
    text: str
    workers: int = 0
    hosts: tuple[SshHost, ...] = ()
    python: str | None = None
    """On the hosts; by default the path of this one."""


def parse_cluster(text: str) -> ClusterAddress:
    """The cluster in `--cluster`; raises UsageError."""
    kind, _, rest = text.strip().partition(":")
    if kind in ("tcp", "tls", "ws", "wss", "ucx") and rest.startswith("//") and len(rest) > len("//"):
        return ClusterAddress("scheduler", text.strip())
    if kind == "local" and rest.isdigit() and 1 <= int(rest) <= MOST_LOCAL:
        return ClusterAddress("local", text.strip(), workers=int(rest))
    if kind == "ssh" and (found := _ssh(text.strip(), rest)):
        return found
    raise UsageError(
        f"{text!r} is not a cluster; write tcp://scheduler:8786 (or tls://…) for one that runs, local:4 for four "
        f"worker processes here (at most {MOST_LOCAL}), or ssh:host1,me@host2:2222 (with ?python=/path/of/python where "
        "it is another path than here)"
    )


def _ssh(text: str, rest: str) -> ClusterAddress | None:
    words, _, option = rest.partition("?")
    hosts = []
    for word in filter(None, map(str.strip, words.split(","))):
        match = _HOST.fullmatch(word)
        if not match or int(match["port"] or 1) > 65535:
            return None
        port = int(match["port"]) if match["port"] else None
        hosts.append(SshHost(word, match["six"] or match["name"], match["user"], port))
    name, _, python = option.partition("=")
    if not hosts or (option and (name != "python" or not python)):
        return None
    return ClusterAddress("ssh", text, hosts=tuple(hosts), python=python or None)


ALL = "*"
"""The worker of a place that is used from every worker at once."""
WORKER = "{worker}"
"""In a path: the name of the worker, for a folder of its own on a file system that all share."""


def split_place(where: str) -> tuple[str, str]:
    """`@worker1:/mnt/x` as worker and path, `@*:postgresql://…` as `*` and address; raises UsageError."""
    worker, colon, path = where.removeprefix("@").partition(":")
    if not colon or not worker or not (path.startswith("/") or is_address(path)):
        raise UsageError(
            f"{where!r} is not a place on a worker; write @WORKER:/absolute/path, @WORKER:ADDRESS, or @*:… for all"
        )
    return worker, path
