"""The files of a job: their names, and the part of each that the job works on."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values

if TYPE_CHECKING:
    from plimsoll.frontends.fio.jobs import Words

MOST_FILES = 10_000
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
    if not 1 <= count <= MOST_FILES:
        raise UsageError(f"{words.section.where}: nrfiles={count}: use 1 to {MOST_FILES}")
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


def region_of(words: Words, paths: Sequence[Path], clone: int) -> tuple[int, int]:
    """First byte and length of what a clone works on in each of its files. Raises UsageError."""
    length = _common_length(words, paths)
    path, count = paths[0], len(paths)

    def bytes_of(name: str, whole: int | None) -> int:
        amount = words.read(name, lambda text: values.size_or_percent(text, words.kb_base))
        if isinstance(amount, int):
            return amount
        if whole is None:
            raise UsageError(f"{words.section.where}: {name}: a percentage needs a file that exists; {path} does not")
        return int(whole * amount)

    if "-" in (words.text("filesize") or ""):
        raise UsageError(
            f"{words.section.where}: filesize={words.text('filesize')}: all files have one size here; name one"
        )
    filesize = bytes_of("filesize", length) if words.given("filesize") else None
    whole = filesize if filesize is not None else length
    offset = bytes_of("offset", whole) + clone * bytes_of("offset_increment", whole)
    if words.given("size"):
        # All files together have this size; a percentage is one of each.
        percent = (words.text("size") or "").strip().endswith("%")
        size = bytes_of("size", whole) // (1 if percent else count)
    elif whole:
        size = whole - offset
    else:
        raise UsageError(f"{words.section.where}: you need to specify size=, for {path} does not exist")
    if length is not None and path.is_block_device():
        size = min(size, length - offset)
    if filesize is not None:
        size = min(size, filesize - offset)
    if size <= 0:
        raise UsageError(f"{words.section.where}: offset={offset} leaves nothing of {path}")
    return offset, size


def _common_length(words: Words, paths: Sequence[Path]) -> int | None:
    """Bytes of existing files or devices; nothing where one does not exist."""
    lengths = [_length(path) for path in paths]
    known = {length for length in lengths if length is not None}
    sized = words.given("size") and not (words.text("size") or "").strip().endswith("%")
    if len(known) > 1 and not (sized or words.given("filesize")):
        raise UsageError(
            f"{words.section.where}: the {len(paths)} files have different sizes; give size=, of which each gets an "
            "equal part"
        )
    return min(known) if None not in lengths else None


def _length(path: Path) -> int | None:
    """Bytes of an existing file or device."""
    try:
        status = path.stat()
        if stat.S_ISBLK(status.st_mode):
            with path.open("rb") as device:
                return device.seek(0, os.SEEK_END)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"cannot look at {path}: {error.strerror}") from None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is neither a file nor a block device; name one, or a directory with directory=")
    return status.st_size


def service(words: Words) -> dict[str, Any]:
    """Order of several files as the core calls it, the operations of a turn, and which files come more often, if some
    do. Raises UsageError.
    """
    kind, _, turn = (words.text("file_service_type") or "").partition(":")
    favoured = "normal" if kind == "gauss" else kind
    if kind not in ORDERS and favoured not in values.HOT:
        raise UsageError(
            f"{words.section.where}: file_service_type={kind} is not carried out by Plimsoll; there are "
            f"{', '.join((*ORDERS, *values.HOT, 'gauss'))}"
        )
    if words.given("openfiles") and words.read("openfiles", values.whole) < words.read("nrfiles", values.whole):
        raise UsageError(f"{words.section.where}: all files are open at once here; leave openfiles out")
    if kind not in ORDERS:
        favour = words.read("file_service_type", lambda _: values.hot(favoured, turn))
        return {"order": "random", "turn": 1, "favour": favour}
    return {"order": ORDERS[kind], "turn": max(1, values.whole(turn)) if turn else 1}
