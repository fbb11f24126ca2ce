"""The files of a job: their names, and the order they are used in."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words

MOST_FILES = 10_000
"""Of those that are open all the time."""
MOST_NAMES = 1_000_000
NAME_ENGINES = ("filecreate", "filestat", "filedelete")
"""They work on the names of files, each once, and keep none open."""
ORDERS = {"roundrobin": "turns", "sequential": "sequential", "random": "random"}
"""fio's `file_service_type`, and what the core calls it."""


def paths_of(words: Words, name: str, clone: int) -> tuple[Path, ...]:
    """`filename=`, where a colon divides several, else `nrfiles` names made from job, clone and number; below
    `directory=`, or that of several whose turn it is. Raises UsageError.
    """
    directories = _names(words.text("directory") or "")
    # Clones take several directories in turn.
    directory = directories[clone % len(directories)]
    count = words.read("nrfiles", values.whole)
    most = MOST_NAMES if words.text("ioengine") in NAME_ENGINES else MOST_FILES
    if not 1 <= count <= most:
        raise UsageError(f"{words.section.where}: nrfiles={count}: use 1 to {most}")
    filename = words.text("filename")
    if filename is None:
        made = (words.text("filename_format") or "").replace("$jobname", name.replace("/", "_"))
        made = made.replace("$jobnum", str(clone))
        names = [made.replace("$filenum", str(number)) for number in range(count)]
    else:
        if len(directories) > 1:
            raise UsageError(
                f"{words.section.where}: several directories are for names that are made from the job's; leave out "
                "filename, or name the files with their directories"
            )
        names = _names(filename)
        # fio takes the first of the names where there are more than files.
        names = names[: count if "nrfiles" in words.section.options else None]
    if len(set(names)) < len(names):
        raise UsageError(
            f"{words.section.where}: some of {len(names)} files have one name; use $filenum, or other names"
        )
    # fio puts the directory before any name, also before one that starts with a slash.
    return tuple(Path(f"{directory}/{each}" if directory else each) for each in names)


def _names(text: str) -> list[str]:
    """Names with colons between them; a colon that belongs to a name has a backslash."""
    return [each.replace("\\:", ":") for each in re.split(r"(?<!\\):", text)]


def are_devices(words: Words, paths: Sequence[Path]) -> bool:
    """Whether they are block devices. Raises UsageError where some are and some are not."""
    found = {path.exists() and path.is_block_device() for path in paths}
    if len(found) > 1:
        raise UsageError(f"{words.section.where}: files and devices in one job; give the devices a job of their own")
    return found.pop()


def service(words: Words, count: int, *, verifies: bool = False) -> dict[str, Any]:
    """Order of several files as the core calls it, the operations of a turn, and which files come more often, if some
    do, how many are open at once, if not all, and whether no file is ever through. Raises UsageError.
    """
    kind, _, turn = (words.text("file_service_type") or "").partition(":")
    favoured = "normal" if kind == "gauss" else kind
    if kind not in ORDERS and favoured not in values.HOT:
        raise UsageError(
            f"{words.section.where}: file_service_type={kind} is not supported by Plimsoll; use one of "
            f"{', '.join((*ORDERS, *values.HOT, 'gauss'))}"
        )
    at_once = {**_open_at_once(words, count), **({"endless": True} if endless(words, verifies=verifies) else {})}
    if kind not in ORDERS:
        favour = words.read("file_service_type", lambda _: values.hot(favoured, turn))
        return {"order": "random", "turn": 1, "favour": favour, **at_once}
    turns = words.read("file_service_type", lambda _: max(1, values.whole(turn))) if turn else 1
    return {"order": ORDERS[kind], "turn": turns, **at_once}


def _open_at_once(words: Words, count: int) -> dict[str, Any]:
    """`openfiles` where it is less than there are."""
    asked = words.read("openfiles", values.whole) if words.given("openfiles") else 0
    if asked < 0:
        raise UsageError(f"{words.section.where}: openfiles={asked}: use 1 or more")
    return {"open": asked} if 0 < asked < count else {}


def is_mapped(words: Words) -> bool:
    """Whether a random mode goes to every block once before it goes to one again. `lfsr` needs no map for it."""
    once = not words.on("norandommap") or words.text("random_generator") == "lfsr"
    return once and (words.text("random_distribution") or "random") == "random"


def endless(words: Words, *, verifies: bool) -> bool:
    """Whether fio is never through with a file: in random modes without a map of blocks, and with time_based. It then
    never opens another one, where not all are open, and with file_service_type=sequential stays in the first.
    """
    return words.mode.startswith("rand") and (not is_mapped(words) or (words.on("time_based") and not verifies))


def stays_in_first(words: Words, count: int) -> str | None:
    """A sentence where all files but the first are left alone, as with fio."""
    kind = (words.text("file_service_type") or "").partition(":")[0]
    if count == 1 or kind != "sequential" or not endless(words, verifies=False):
        return None
    return (
        f"file_service_type=sequential with rw={words.mode} stays in the first of {count} files, as with fio, which is "
        "never through with it; use roundrobin or random"
    )
