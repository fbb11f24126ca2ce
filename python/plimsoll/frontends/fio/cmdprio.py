"""fio's `cmdprio_percentage`, `cmdprio_bssplit`, `cmdprio_class` and `cmdprio`: single operations with an I/O priority.

Source: fio 3.33, `engines/cmdprio.c`, `options.c` (`parse_cmdprio_bssplit_entry`), each rule tried with the binary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import draws, values
from plimsoll.frontends.fio.priorities import CLASS_SHIFT, LEVELS, REAL_TIME
from plimsoll.frontends.fio.section_options import Words

if TYPE_CHECKING:
    from plimsoll.frontends.fio.jobs import Job

ENGINES = ("libaio", "io_uring")
OPTIONS = ("cmdprio_percentage", "cmdprio_bssplit", "cmdprio_class", "cmdprio")
KINDS = ("read", "write")
CLASSES = 3
"""The highest number of a class."""

Shares = list[dict[str, int]]
"""Bytes of an operation (0: any), percent, and the kernel's number of the priority."""


def parameter(job: Job) -> dict[str, Any] | None:
    """The core's parameter; nothing where all operations have the priority of the job."""
    words = job.words
    asked = shares(words)
    # As with fio, a direction that the job does not have is not looked at.
    reads, writes = (asked[at] if getattr(job, f"{kind}s") else [] for at, kind in enumerate(KINDS))
    if not reads and not writes:
        return None
    seed = draws.seed(job, draws.PRIORITIES)
    return {"seed": seed, "reads": reads, "writes": writes, "whole": words.on("lat_percentiles")}


def shares(words: Words) -> tuple[Shares, Shares]:
    """Of reads and of writes. Raises UsageError."""
    where = words.section.where
    given = [name for name in OPTIONS if words.given(name)]
    engine = words.text("ioengine")
    if given and engine not in ENGINES:
        raise UsageError(f"{where}: {given[0]} with ioengine={engine}: use {' or '.join(ENGINES)}")
    percentages = _each(words, "cmdprio_percentage", 100)
    split = words.text("cmdprio_bssplit") or ""
    if split and any(percentages):
        raise UsageError(f"{where}: cmdprio_percentage and cmdprio_bssplit cannot be combined; keep one of them")
    # As with fio, 0 stands for the class that was not given.
    classes = [kind or REAL_TIME for kind in _each(words, "cmdprio_class", CLASSES)]
    numbers = [
        kind << CLASS_SHIFT | level for kind, level in zip(classes, _each(words, "cmdprio", LEVELS - 1), strict=True)
    ]
    if split:
        parts = words.read("cmdprio_bssplit", _parts)
        read, write = (_split(words, part, number) for part, number in zip((parts[0], parts[-1]), numbers, strict=True))
        return read, write
    read, write = (
        [{"size": 0, "percent": percent, "priority": number}] if percent else []
        for percent, number in zip(percentages, numbers, strict=True)
    )
    return read, write


def _each(words: Words, name: str, most: int) -> list[int]:
    """Of reads and of writes; one value is for both."""
    if not words.given(name):
        return [0, 0]
    parts = words.read(name, _parts)
    found = [words.read(name, lambda _, part=part: values.whole(part) if part else 0) for part in parts]  # type: ignore[misc]
    if not all(0 <= value <= most for value in found):
        raise UsageError(f"{words.section.where}: {name}={words.text(name)}: use 0 to {most}")
    return [found[0], found[-1]]


def _parts(text: str) -> list[str]:
    """For reads and for writes."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > len(KINDS):
        raise UsageError(f"{text!r} has more than two values; they are for read and write")
    return parts


def _split(words: Words, part: str, number: int) -> Shares:
    """`64k/25/1/1:64k/75:1m/0` by size; entries without a priority have `number`."""
    found = [_entry(words, entry, number) for entry in part.split(":") if entry]
    found = sorted((entry for entry in found if entry["percent"]), key=lambda entry: entry["size"])
    for size in {entry["size"] for entry in found}:
        total = sum(entry["percent"] for entry in found if entry["size"] == size)
        if total > 100:
            raise UsageError(f"{words.section.where}: cmdprio_bssplit: blocks of {size} bytes add up to {total} %")
    return found


def _entry(words: Words, text: str, number: int) -> dict[str, int]:
    size_text, *rest = text.split("/")

    def read(_: str) -> dict[str, int]:
        size = values.size(size_text, words.kb_base)
        numbers = [values.whole(each) for each in rest if each.strip()]
        if len(numbers) not in (0, 1, 3) or min(numbers, default=0) < 0:
            raise UsageError(f"{text!r}: write BYTES/PERCENT or BYTES/PERCENT/CLASS/LEVEL, such as 64k/25/1/0")
        if size < 1:
            raise UsageError(f"{text!r}: a block of 0 bytes transfers nothing")
        priority = number
        if len(numbers) == 3:
            priority = min(numbers[1], CLASSES) << CLASS_SHIFT | min(numbers[2], LEVELS - 1)
        return {"size": size, "percent": min(numbers[0], 100) if numbers else 0, "priority": priority}

    return words.read("cmdprio_bssplit", read)
