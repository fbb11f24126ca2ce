"""The part of each file that a job works on: fio's `size`, `filesize` and `offset`.

Source: fio 3.33, `filesetup.c` (`setup_files`), each rule tried with the binary.
"""

from __future__ import annotations

import os
import random
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.fio.tolerance import fills

FILLING = ("write", "read", "randread")
"""Modes of jobs whose file is as long as there is room: it is written, or filled before it is read."""


@dataclass(frozen=True)
class Region:
    """What one clone works on."""

    offset: int
    """First byte, in each file."""
    parts: tuple[int, ...]
    """Bytes of each file that are worked on; with several files in whole blocks, maybe none."""
    ends: tuple[int, ...]
    """Bytes that each file must have."""
    amount: int
    """Bytes that one pass transfers."""
    late: bool = False
    """How long the files are is only known once jobs before have filled them, or the layout has."""

    @property
    def least(self) -> int:
        """Bytes of the smallest part that is not empty."""
        return min(part for part in self.parts if part)


@dataclass(frozen=True)
class Blocks:
    """The smallest and the largest block of a job."""

    smallest: int
    largest: int


def region_of(
    words: Words, paths: Sequence[Path], number: int, clone: int, blocks: Blocks, filled: frozenset[Path] | None
) -> Region:
    """What a clone works on; `number` is that of its job, `filled` are files that jobs before it make as long as there
    is room, None once they have. Raises UsageError.
    """
    lengths = [_length(path) for path in paths]
    late = False
    if not _is_sized(words) and not paths[0].is_block_device():
        late = filled is not None and (not filled.isdisjoint(paths) or (fills(words) and words.mode != "write"))
        if late or fills_alone(words):
            lengths = [_room(words, paths)]
    size = words.read("size", lambda text: values.size_or_percent(text, words.kb_base)) if words.given("size") else 1.0
    if isinstance(size, float) and not 0 < size <= 1:
        raise UsageError(f"{words.section.where}: size={words.text('size')}: use 1% to 100% of what is there")
    ends_of = words.read("filesize", lambda text: _ends(text, words.kb_base)) if words.given("filesize") else None
    whole = ends_of[0] if ends_of else _common(lengths)
    offset = _bytes_of(words, "offset", whole, paths[0]) + clone * _bytes_of(words, "offset_increment", whole, paths[0])
    if ends_of:
        draws = _draws(words, number)
        ends = [_drawn(ends_of, length, draws, blocks.smallest) for length in lengths]
        drawn = any(end != length for end, length in zip(ends, lengths, strict=True))
        if drawn and offset > ends_of[0]:
            # Whatever is drawn, as with fio: another seed would have none of it behind the offset.
            raise UsageError(f"{words.section.where}: offset={offset} leaves nothing of a file of {ends_of[0]} bytes")
    elif isinstance(size, int):
        # All files together have this size.
        ends = [offset + size // len(paths)] * len(paths)
    else:
        ends = [_known(words, path, length) for path, length in zip(paths, lengths, strict=True)]
    if lengths[0] is not None and paths[0].is_block_device():
        ends = [min(end, length or 0) for end, length in zip(ends, lengths, strict=True)]
    if isinstance(size, float) and size < 1:
        # A percentage is one of each file.
        ends = [offset + min(int(end * size), end - offset) for end in ends]
    parts = _parts(words, paths, ends, offset, blocks.largest)
    amount = min(size, sum(parts)) if ends_of and isinstance(size, int) else sum(parts)
    in_order = not words.mode.startswith("rand") and not words.after_mode and not words.on("time_based")
    if in_order and len(parts) == 1:
        # The rest of the file is there, and is never reached: later loops go on where the one before them ended.
        parts = [min(parts[0], _of_all_loops(words, amount, parts[0]))]
    return Region(offset, tuple(parts), tuple(ends), amount, late)


def _of_all_loops(words: Words, amount: int, part: int) -> int:
    if not words.given("io_size"):
        return amount * words.read("loops", values.whole)
    asked = words.read("io_size", lambda text: values.size_or_percent(text, words.kb_base))
    return max(amount, asked if isinstance(asked, int) else int(part * asked)) * words.read("loops", values.whole)


def _parts(words: Words, paths: Sequence[Path], ends: Sequence[int], offset: int, largest: int) -> list[int]:
    parts = [end - offset for end in ends]
    if min(parts) < 0 or (offset and not any(parts)):
        short = paths[parts.index(min(parts))]
        raise UsageError(f"{words.section.where}: offset={offset} leaves nothing of {short}")
    if max(parts) < largest:
        raise UsageError(
            f"{words.section.where}: the block size of {largest} bytes is larger than the region of {max(parts)} bytes"
        )
    # As with fio, what is left behind the last whole block of a file is not used.
    return [part // largest * largest for part in parts] if len(parts) > 1 else parts


def _bytes_of(words: Words, name: str, whole: int | None, path: Path) -> int:
    amount = words.read(name, lambda text: values.size_or_percent(text, words.kb_base))
    if isinstance(amount, int):
        return amount
    if whole is None:
        raise UsageError(
            f"{words.section.where}: {name}: a percentage needs files that exist, of one size; look at {path}"
        )
    return int(whole * amount)


def _ends(text: str, kb_base: int) -> tuple[int, int]:
    """`1m-8m`, or `1m` for one size."""
    low_text, dash, high_text = text.partition("-")
    low = values.size(low_text, kb_base)
    high = values.size(high_text, kb_base) if dash else low
    if not 0 < low <= high:
        raise UsageError(f"{text}: 1 byte or more, the lower end first, such as 1m-8m")
    return low, high


def _drawn(ends: tuple[int, int], length: int | None, draws: random.Random, unit: int) -> int:
    """A file that has such a size keeps it; the others get one of whole blocks."""
    low, high = ends
    if length is not None and low <= length <= high:
        return length
    if low == high:
        return low
    size = low + int((high - low) * draws.random())
    return size - size % unit


def _draws(words: Words, number: int) -> random.Random:
    """Equal sizes on every run with randrepeat, other ones for each job."""
    if words.on("randrepeat") or words.on("allrandrepeat"):
        return random.Random(words.read("randseed", lambda text: int(text, 0)) + number)
    return random.Random()


def _known(words: Words, path: Path, length: int | None) -> int:
    if not length:
        raise UsageError(f"{words.section.where}: you need to specify size=, for {path} does not exist")
    return length


def fills_alone(words: Words) -> bool:
    """Whether nothing but the room there is ends what a job writes into a file."""
    return fills(words) and not _is_sized(words) and words.mode == "write"


def _is_sized(words: Words) -> bool:
    return words.given("size") or words.given("filesize")


def _room(words: Words, paths: Sequence[Path]) -> int:
    """More than a file can become: what it has already, and twice what is free, for others may free some meanwhile."""
    where = words.section.where
    if len(paths) > 1:
        raise UsageError(f"{where}: fill_device without size= is for one file; leave nrfiles out")
    if fills(words) and (words.mode not in FILLING or words.on("overwrite")):
        raise UsageError(f"{where}: fill_device without size= is for rw={', '.join(FILLING)}, without overwrite")
    path = paths[0]
    found = path if path.exists() else path.parent
    try:
        status = os.statvfs(found)
    except OSError as error:
        raise UsageError(f"{where}: cannot look at {found}: {error.strerror}") from None
    return 2 * status.f_frsize * status.f_bfree + (_length(path) or 0)


def _common(lengths: Sequence[int | None]) -> int | None:
    """The length of all files, if it is one."""
    return lengths[0] if len(set(lengths)) == 1 else None


def is_endless(path: Path) -> bool:
    """`/dev/null` and `/dev/zero`, which take everything and hold nothing."""
    return str(path) in ("/dev/null", "/dev/zero")


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
    if is_endless(path):
        return None
    if not stat.S_ISREG(status.st_mode):
        raise UsageError(f"{path} is neither a file nor a block device; name one, or a directory with directory=")
    return status.st_size
