"""`NAME=WHERE[,option=value…]`: how a target is written.

    nvme=/mnt/a,engine=psync,depth=1      name, place, options
    /mnt/a,depth=1                        the name is made from the place: `a`
    .                                     the name of the current directory
    gp2=vol:type=gp2,size=100GiB,fs=xfs   an emulated volume, made for the session
    gp3=aws:gp3,size=500GiB,iops=6000     a volume and its machine, rented for the session
    db=aws-rds:mysql,class=db.m6g.large,… a database, rented for the session
    pg=postgresql://user@host/database    a database

The name ends at the first `=`, unless a `/` or `,` stands before it; so a place may hold `=` if it starts with a path
(`./a=b`) or if a name is given (`x=/mnt/a=b`). A comma starts an option only where `word=` follows; any other comma
belongs to the place or to the value before it. Options stay text: the plan reads them.
"""

from __future__ import annotations

import re
from pathlib import Path

from plimsoll.addresses import shown
from plimsoll.catalog.databases import database_provider
from plimsoll.catalog.targets import rented_by
from plimsoll.errors import UsageError
from plimsoll.model import Target
from plimsoll.targets.database import host, is_address, refuse_jdbc, refuse_password
from plimsoll.targets.mounts import is_block_device
from plimsoll.targets.rented import rented_target
from plimsoll.targets.rented_database import rented_database_target
from plimsoll.targets.volume import is_volume, volume_target

NAME_LENGTH = 40
_NAME = re.compile(rf"[A-Za-z0-9._-]{{1,{NAME_LENGTH}}}")
_HEAD = re.compile(r"([^=/,]*)=(.*)", re.DOTALL)
_OPTION_START = re.compile(r",(?=[A-Za-z_][A-Za-z0-9_-]*=)")


def parse_target(text: str) -> Target:
    """The target written as `NAME=WHERE[,option=value…]` or `WHERE[,option=value…]`.

    `kind` is `device` where the place is a block device, `database` where it is an address, else `directory`. Nothing
    is checked here but the form.
    Raises UsageError.
    """
    rest = text.strip()
    name = ""
    is_rented = rented_by(rest) or database_provider(rest)
    if not is_volume(rest) and not is_rented and (head := _HEAD.fullmatch(rest)):
        name, rest = head[1].strip(), head[2].strip()
        _check_name(name, text)
    where, *words = _OPTION_START.split(rest)
    where = where.strip()
    if not where:
        raise UsageError(f"target {shown(text)!r} names no place; write NAME=WHERE, such as disk=/mnt/a")
    if "\0" in where:
        raise UsageError(f"target {shown(text)!r}: a path cannot hold a zero byte")
    if is_volume(where):
        return volume_target(name, where, _options(words, text))
    if rented_by(where):
        return rented_target(name, where, _options(words, text))
    if database_provider(where):
        return rented_database_target(name, where, _options(words, text))
    refuse_jdbc(name or "database", where)
    if "://" in where:
        refuse_password(name or "database", where)
    if is_address(where):
        label = name or name_from(Path(host(where) or where.partition(":")[0]))
        return Target(name=label, kind="database", where=where, options=_options(words, text))
    try:
        place = Path(where).expanduser() if where.startswith("~") else Path(where)
    except RuntimeError:
        raise UsageError(f"target {shown(text)!r}: there is no such user, so {where} means nothing") from None
    return Target(
        name=name or name_from(place),
        kind="device" if is_block_device(place) else "directory",
        where=str(place) if where.startswith("~") else where,
        options=_options(words, text),
    )


def name_from(place: Path) -> str:
    """A readable name: the last part of the place, with everything that a name cannot hold replaced by `-`."""
    last = place.name if place.name not in ("", "..") else place.absolute().resolve().name
    readable = re.sub(r"[^A-Za-z0-9._-]+", "-", last).strip("-.")[:NAME_LENGTH]
    return readable or ("root" if place.absolute().resolve() == Path("/") else "target")


def _check_name(name: str, text: str) -> None:
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"target {shown(text)!r}: {name!r} is not a name; use 1 to {NAME_LENGTH} letters, digits, dots, dashes or "
            "underscores"
        )


def _options(words: list[str], text: str) -> dict[str, str]:
    options: dict[str, str] = {}
    for word in words:
        option, _, value = word.partition("=")
        if option in options:
            raise UsageError(f"target {shown(text)!r} gives {option} twice; keep one of them")
        options[option] = value.strip()
    return options
