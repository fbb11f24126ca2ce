"""A database address as target: which driver speaks to it, and what is wrong with how it is written."""

from __future__ import annotations

import os
import re
import socket
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from plimsoll.addresses import holds_password, shown
from plimsoll.drivers import Driver, by_scheme, drivers
from plimsoll.errors import TargetError
from plimsoll.model import Target

_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*", re.IGNORECASE)


def is_address(where: str) -> bool:
    """Whether a place is written as an address rather than as a path."""
    scheme, colon, rest = where.partition(":")
    if not colon or scheme == "vol" or not _SCHEME.fullmatch(scheme):
        return False
    return rest.startswith("//") or is_embedded(where)


def is_embedded(where: str) -> bool:
    """Whether an address is that of an embedded database, a scheme and a path."""
    found = by_scheme().get(where.partition(":")[0].lower())
    return found is not None and bool(found.data)


def host(where: str) -> str | None:
    """The host in an address; None where there is none, or where it is written wrongly, which `check` tells."""
    try:
        return urlsplit(where).hostname
    except ValueError:
        return None


def server(where: str) -> tuple[str, ...] | None:
    """What two addresses of one server have in common, and of an embedded database the whole; None where that is not
    known."""
    if is_embedded(where):
        return (where,)
    try:
        parts = urlsplit(where)
        sockets = [value for name, value in parse_qsl(parts.query) if name == "socket"]
        return (parts.scheme.lower(), parts.hostname or "", str(parts.port or ""), *sockets)
    except ValueError:
        return None


def driver(target: Target) -> str:
    """Name of the driver. Raises TargetError."""
    return _driver_of(target.name, target.where).name


def _driver_of(name: str, where: str) -> Driver:
    scheme = where.partition(":")[0].lower()
    if scheme not in by_scheme():
        raise TargetError(
            f"target {name}: no driver speaks {scheme}; addresses begin with {', '.join(sorted(by_scheme()))}"
        )
    return by_scheme()[scheme]


def url(target: Target) -> str:
    """The address as its driver takes it; those without a database of their own take none."""
    return target.where if drivers()[driver(target)].url else ""


def check(target: Target) -> None:
    """Refuse an unknown scheme, what an embedded database cannot be in, and a password. Raises TargetError."""
    spoken = _driver_of(target.name, target.where)
    refuse_password(target.name, target.where)
    if spoken.data:
        _check_embedded(target.name, spoken, Path(target.where.partition(":")[2]))
    try:
        urlsplit(target.where)
    except ValueError as error:
        raise TargetError(f"target {target.name}: {error}; write it as postgresql://user@host:port/database") from None


def _check_embedded(name: str, spoken: Driver, path: Path) -> None:
    # It would make a database of a block device as well, and of whatever is on it.
    if path.is_dir():
        found = "a folder"
    elif path.is_file() or not path.exists():
        found = "a file"
    else:
        found = "a device or a pipe"
    needed = "a folder" if spoken.folder else "a file"
    if path.exists() and found != needed:
        other = f", such as {spoken.below(os.path.normpath(path))}" if path.is_dir() else ": name another"
        raise TargetError(f"target {name}: {path} is {found}, and {spoken.name} needs {needed}{other}")


def refuse_jdbc(name: str, where: str) -> None:
    """Raise TargetError for an address of JDBC: it is told without `jdbc:`, and without options of JDBC's drivers."""
    jdbc, _, address = where.partition(":")
    if jdbc.lower() != "jdbc":
        return
    plain, _, options = shown(address).partition("?")
    rest = " (user@ stands before the host, and encryption is tls=require)" if options else ""
    _driver_of(name, plain)
    raise TargetError(f"target {name}: an address of JDBC is written without jdbc: here, as {plain}{rest}")


def refuse_password(name: str, where: str) -> None:
    """Raise TargetError for an address that holds a password."""
    if holds_password(where):
        raise TargetError(
            f"target {name}: the address holds a password, which would be stored with the results; put it into an "
            "environment variable and name that: password_env=NAME (an @ that is none is written %40)"
        )


def facts(target: Target) -> dict[str, Any]:
    """What an address tells; the server's own facts come with each run."""
    return {"driver": driver(target), "address": target.where, "on_this_machine": on_this_machine(target.where)}


def on_this_machine(where: str) -> bool | None:
    """Whether the server of an address shares this machine with the client; None where its host has no address."""
    name = host(where)
    if name is None:
        return True
    try:
        there = {str(found[4][0]).partition("%")[0] for found in socket.getaddrinfo(name, None)}
    except (OSError, UnicodeError):  # a name with an empty label, or one that is too long, is no name
        return None
    here = {each.address.partition("%")[0] for found in psutil.net_if_addrs().values() for each in found}
    return any(ip_address(each).is_loopback or each in here for each in there)
