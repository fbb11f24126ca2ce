"""Sections to jobs: clones, file names, regions, limits and groups, with fio's rules and defaults."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.job_file import Section
from plimsoll.frontends.fio.options import BOOLEANS, DEFAULTS, NO_DIFFERENCE

Value = TypeVar("Value")

MODES = {
    "read": "read", "write": "write", "trim": "trim", "randread": "randread", "randwrite": "randwrite",
    "randtrim": "randtrim", "rw": "rw", "readwrite": "rw", "randrw": "randrw",
}  # fmt: skip


class Words:
    """The options of one section, read with fio's rules; errors name section and option."""

    def __init__(self, section: Section) -> None:
        self.section = section
        self._options = section.options
        self.kb_base = self.read("kb_base", values.whole)
        if self.kb_base not in (1000, 1024):
            raise UsageError(f"{section.where}: kb_base={self.kb_base}: there are 1024, fio's default, and 1000")

    def text(self, name: str) -> str | None:
        """The option as text, with fio's default; None where it is absent."""
        return self._options.get(name, DEFAULTS.get(name))

    def read(self, name: str, reader: Callable[[str], Value]) -> Value:
        """The value of an option that has a default, or is known to be there."""
        try:
            return reader(self.text(name) or "")
        except (UsageError, ValueError) as error:
            raise UsageError(f"{self.section.where}: {name}: {error}") from None

    def given(self, name: str) -> bool:
        """Whether the option is there or has a default."""
        return self.text(name) is not None

    def on(self, name: str) -> bool:
        """A boolean option."""
        return self.given(name) and self.read(name, values.boolean)

    def size(self, name: str) -> int:
        """Bytes under the section's kb_base."""
        return self.read(name, lambda text: values.size(text, self.kb_base))

    def notes(self) -> list[str]:
        """What a user of fio should know of these options."""
        found = [f"{name}: {NO_DIFFERENCE[name]}" for name in self._options if name in NO_DIFFERENCE]
        for name, text in self._options.items():
            if name not in BOOLEANS and values.swapped_unit(text, self.kb_base):
                found.append(f"{name}={text}: with kb_base=1024, fio counts KiB, MiB, … as powers of 1000; 4k is 4096")
        return found


@dataclass(frozen=True)
class Job:
    """One clone of a section: what fio calls a job."""

    name: str
    section: Section
    words: Words
    clone: int
    number: int
    """Over all jobs, from 1."""
    stage: int
    """Jobs of one stage run side by side; stonewall begins the next."""
    group: int
    """fio's groupid: what is reported together."""
    mode: str
    path: Path
    is_device: bool
    block_sizes: list[tuple[int, float]]
    write_block_sizes: list[tuple[int, float]] | None
    offset: int
    size: int
    max_bytes: int | None
    """None: the run time alone ends it."""

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.mode in ("read", "randread", "rw", "randrw")

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.mode in ("write", "randwrite", "rw", "randrw")

    @property
    def needs_data(self) -> bool:
        """Whether its file must hold written blocks before it starts."""
        return self.reads or self.words.on("overwrite")


def jobs_of(sections: Sequence[Section]) -> list[Job]:
    """All jobs in fio's order. Raises UsageError."""
    if not sections:
        raise UsageError("there is no job: name a job file, or give --name=NAME and its options")
    jobs: list[Job] = []
    stage = group = 0
    for section in sections:
        words = Words(section)
        if jobs and words.on("stonewall"):
            stage += 1
        if jobs and (words.on("stonewall") or words.on("new_group")):
            group += 1
        for clone in range(_clones(words)):
            jobs.append(_job(section, words, clone, len(jobs) + 1, stage, group))
    return jobs


def _clones(words: Words) -> int:
    clones = words.read("numjobs", values.whole)
    if not 1 <= clones <= 1024:
        raise UsageError(f"{words.section.where}: numjobs={clones}: use 1 to 1024")
    return clones


def _job(section: Section, words: Words, clone: int, number: int, stage: int, group: int) -> Job:
    name = words.text("name") or section.name
    mode = words.text("rw") or "read"
    if mode not in MODES:
        hint = "a sequence such as randread:8 is not carried out" if ":" in mode else f"there are {', '.join(MODES)}"
        raise UsageError(f"{section.where}: rw={mode} is not carried out by Plimsoll; {hint}")
    path = _path(words, name, clone)
    length = _length(path)
    sizes, write_sizes = _block_sizes(words)
    largest = max(size for size, _ in [*sizes, *(write_sizes or [])])
    offset, region = _region(words, path, length, clone)
    if region < largest:
        raise UsageError(
            f"{section.where}: the block size of {largest} bytes is larger than the region of {region} bytes"
        )
    return Job(
        name=name,
        section=section,
        words=words,
        clone=clone,
        number=number,
        stage=stage,
        group=group,
        mode=MODES[mode],
        path=path,
        is_device=path.exists() and stat.S_ISBLK(path.stat().st_mode),
        block_sizes=sizes,
        write_block_sizes=write_sizes,
        offset=offset,
        size=region,
        max_bytes=_max_bytes(words, region, largest, fixed=len(sizes) == 1 and not write_sizes),
    )


def _path(words: Words, name: str, clone: int) -> Path:
    """`filename=`, else a name made from job and clone; below `directory=`."""
    directory = words.text("directory") or ""
    if ":" in directory:
        raise UsageError(f"{words.section.where}: directory={directory}: Plimsoll takes one directory per job")
    filename = words.text("filename")
    if filename is None:
        made = words.text("filename_format") or ""
        filename = made.replace("$jobname", name.replace("/", "_")).replace("$jobnum", str(clone))
        filename = filename.replace("$filenum", "0")
    filename = filename.replace("\\:", "\0")
    if ":" in filename:
        raise UsageError(
            f"{words.section.where}: filename={words.text('filename')}: Plimsoll takes one file per job; give each "
            "file a job of its own"
        )
    filename = filename.replace("\0", ":")
    # fio puts the directory before any name, also before one that starts with a slash.
    return Path(f"{directory}/{filename}" if directory else filename)


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


def _block_sizes(words: Words) -> tuple[list[tuple[int, float]], list[tuple[int, float]] | None]:
    """Mixes of reads and of writes; None where writes have those of reads."""
    kb_base = words.kb_base
    if words.given("bssplit"):
        kinds = (words.text("bssplit") or "").split(",")
        splits = [_split(words, part) for part in kinds]
        return splits[0], splits[1] if len(splits) > 1 and splits[1] != splits[0] else None
    if words.given("bsrange"):
        ranges = words.read(
            "bsrange",
            lambda text: values.per_direction(text, lambda part: values.range_of(part, kb_base), (4096, 4096)),
        )
        reads, writes = _multiples(words, ranges[0]), _multiples(words, ranges[1])
        return reads, writes if writes != reads else None
    sizes = words.read(
        "bs", lambda text: values.per_direction(text.replace("-", ","), lambda part: values.size(part, kb_base), 4096)
    )
    mode = words.text("rw") or ""
    if mode in ("trim", "randtrim"):
        return [(sizes[2], 1.0)], None
    if mode in ("write", "randwrite"):
        return [(sizes[1], 1.0)], None
    mixed = mode in ("rw", "readwrite", "randrw") and sizes[1] != sizes[0]
    return [(sizes[0], 1.0)], [(sizes[1], 1.0)] if mixed else None


def _split(words: Words, part: str) -> list[tuple[int, float]]:
    """One direction's bssplit."""
    try:
        return values.split_of(part, words.kb_base)
    except (UsageError, ValueError) as error:
        raise UsageError(f"{words.section.where}: bssplit: {error}") from None


def _multiples(words: Words, ends: tuple[int, int]) -> list[tuple[int, float]]:
    """A range is even over the multiples of its lower end."""
    low, high = ends
    if low < 1 or high // low > 1024:
        raise UsageError(f"{words.section.where}: bsrange: at most 1024 different sizes; use a larger lower end")
    return [(low * factor, 1.0) for factor in range(1, high // low + 1)]


def _region(words: Words, path: Path, length: int | None, clone: int) -> tuple[int, int]:
    """First byte and length of what a clone works on."""

    def bytes_of(name: str, whole: int | None) -> int:
        amount = words.read(name, lambda text: values.size_or_percent(text, words.kb_base))
        if isinstance(amount, int):
            return amount
        if whole is None:
            raise UsageError(f"{words.section.where}: {name}: a percentage needs a file that exists; {path} does not")
        return int(whole * amount)

    filesize = bytes_of("filesize", length) if words.given("filesize") else None
    whole = filesize if filesize is not None else length
    offset = bytes_of("offset", whole) + clone * bytes_of("offset_increment", whole)
    if words.given("size"):
        size = bytes_of("size", whole)
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


def _max_bytes(words: Words, region: int, largest: int, *, fixed: bool) -> int | None:
    """The limit under which the core issues as many operations as fio: fio stops where less than a block is left."""
    if words.on("time_based"):
        return None
    loops = words.read("loops", values.whole)
    if words.given("io_size"):
        amount = words.read("io_size", lambda text: values.size_or_percent(text, words.kb_base))
        total = amount if isinstance(amount, int) else int(region * amount)
    else:
        total = region
    total = (total // largest * largest if fixed else total) * loops
    if total < largest:
        raise UsageError(f"{words.section.where}: {total} bytes to transfer are less than one block of {largest} bytes")
    return total - largest + 1
