"""Facts of the file or device that a test used: holes, unwritten extents, zero blocks, number of extents."""

from __future__ import annotations

import errno
import fcntl
import os
import random
import stat
import struct
import time
from pathlib import Path
from typing import Any

SAMPLE_BYTES = 4096
SAMPLES = 200
FEW_SAMPLES = 16
"""Enough to find that nothing was ever written, and too few to matter where reading a block changes it."""
LONGEST_S = 1.0
"""Reading samples from a slow disk ends after this long, with as many as there are."""
MOST_PARTS = 100_000
"""Holes or extents that are looked at: a fragmented file must not hold up a session."""

_FIEMAP = 0xC020660B
_FIEMAP_HEAD = struct.Struct("=QQLLLL")
_FIEMAP_EXTENT = struct.Struct("=QQQQQLLLL")
_PER_CALL = 256
_LAST, _UNWRITTEN = 0x1, 0x800


def facts(path: Path, offset: int = 0, size: int | None = None, seed: int = 1) -> dict[str, Any]:
    """Facts of the region `offset … offset + size` (to the end without a size); empty if the file cannot be read.

    `hole_bytes` and `unwritten_bytes` read as zeros without touching the device (None where the file system does not
    tell); of `sampled_blocks` blocks read at random places `zero_blocks` held only zeros.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return {}
    try:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        length = os.lseek(descriptor, 0, os.SEEK_END)
        end = length if size is None else min(length, offset + size)
        found: dict[str, Any] = {"length_bytes": length, "region_bytes": max(0, end - offset), "regular": regular}
        if regular:
            found["hole_bytes"] = _hole_bytes(descriptor, offset, end)
            found |= _extents(descriptor, offset, end)
        return found | _sample(descriptor, offset, end, seed)
    except OSError as error:
        return {"error": error.strerror}
    finally:
        os.close(descriptor)


def only_zeros(path: Path, size: int) -> bool:
    """Whether a few blocks at random places of the first `size` bytes all hold zeros, as if they were never written."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        found = _sample(descriptor, 0, min(size, os.lseek(descriptor, 0, os.SEEK_END)), 1, FEW_SAMPLES)
    except OSError:
        return False
    finally:
        os.close(descriptor)
    return 0 < found["sampled_blocks"] == found["zero_blocks"]


def _hole_bytes(descriptor: int, start: int, end: int) -> int | None:
    """Bytes of the region that the file system has no data for."""
    holes = 0
    position = start
    for _ in range(MOST_PARTS):
        if position >= end:
            break
        try:
            data = min(os.lseek(descriptor, position, os.SEEK_DATA), end)
        except OSError as error:
            # ENXIO: no data up to the end of the file.
            return holes + end - position if error.errno == errno.ENXIO else None
        holes += data - position
        position = end if data >= end else os.lseek(descriptor, data, os.SEEK_HOLE)
    return holes


def _extents(descriptor: int, start: int, end: int) -> dict[str, int | None]:
    """Number of extents and unwritten bytes from FIEMAP; None where the file system has none (tmpfs)."""
    count, unwritten, position, last = 0, 0, start, False
    while position < end and not last and count < MOST_PARTS:
        request = bytearray(_FIEMAP_HEAD.pack(position, end - position, 0, 0, _PER_CALL, 0))
        request += bytes(_PER_CALL * _FIEMAP_EXTENT.size)
        try:
            fcntl.ioctl(descriptor, _FIEMAP, request)
        except OSError:
            return {"extents": None, "unwritten_bytes": None}
        mapped = _FIEMAP_HEAD.unpack_from(request)[3]
        if not mapped:
            break
        for index in range(mapped):
            fields = _FIEMAP_EXTENT.unpack_from(request, _FIEMAP_HEAD.size + index * _FIEMAP_EXTENT.size)
            logical, length, flags = fields[0], fields[2], fields[5]
            count += 1
            if flags & _UNWRITTEN:
                unwritten += max(0, min(logical + length, end) - max(logical, start))
            position, last = logical + length, bool(flags & _LAST)
    return {"extents": count, "unwritten_bytes": unwritten}


def _sample(descriptor: int, start: int, end: int, seed: int, most: int = SAMPLES) -> dict[str, int]:
    """Blocks at random places and how many of them held only zeros; their pages leave the cache again."""
    blocks = (end - start) // SAMPLE_BYTES
    if blocks < 1:
        return {"sampled_blocks": 0, "zero_blocks": 0}
    chooser = random.Random(seed)
    deadline = time.monotonic() + LONGEST_S
    sampled = zero = 0
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    for block in sorted(chooser.sample(range(blocks), min(most, blocks))):
        content = os.pread(descriptor, SAMPLE_BYTES, start + block * SAMPLE_BYTES)
        os.posix_fadvise(descriptor, start + block * SAMPLE_BYTES, SAMPLE_BYTES, os.POSIX_FADV_DONTNEED)
        sampled += 1
        zero += not any(content)
        if time.monotonic() > deadline:
            break
    return {"sampled_blocks": sampled, "zero_blocks": zero}
