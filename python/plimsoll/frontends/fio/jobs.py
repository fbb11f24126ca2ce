"""Sections to jobs: clones, file names, regions, limits and groups, with fio's rules and defaults."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import drawable, files, recorded, values
from plimsoll.frontends.fio.job_file import Section
from plimsoll.frontends.fio.regions import Blocks, Region, fills_alone, region_of
from plimsoll.frontends.fio.section_options import Words
from plimsoll.frontends.fio.tolerance import fills

NO_IO = ("cpuio",)
"""Engines that use the processor and no file."""
IDLE_BYTES = 4096
MOST_SIZES = 4096


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
    paths: tuple[Path, ...]
    """One, or several that have a part of the region each."""
    is_device: bool
    block_sizes: list[tuple[int, float]]
    write_block_sizes: list[tuple[int, float]] | None
    region: Region
    max_bytes: int | None
    """None: the run time alone ends it."""
    log: recorded.Log | None = None
    """What it replays."""
    moves: bool = True
    """Whether it does any I/O."""
    drawn: bool = False
    """Its places and sizes are those that fio draws."""
    flow: tuple[int, int] = (1, 0)
    """Jobs that begin together and share its flow, and the sum of their weights."""

    @property
    def path(self) -> Path:
        """The file or device; the first of several."""
        return self.paths[0]

    @property
    def offset(self) -> int:
        """Of the region, in each file."""
        return self.region.offset

    @property
    def size(self) -> int:
        """Of the region, in all files together."""
        return sum(self.region.parts)

    @property
    def lengths(self) -> dict[Path, int]:
        """Bytes that each file must have."""
        return dict(zip(self.paths, self.region.ends, strict=True))

    @property
    def changes(self) -> bool:
        """Whether it writes or trims."""
        return self.writes or self.mode in ("trim", "randtrim")

    @property
    def trims_first(self) -> bool:
        """Whether each block is trimmed before it is written."""
        return self.mode in ("trimwrite", "randtrimwrite")

    @property
    def reads(self) -> bool:
        """Whether it reads."""
        return self.mode in ("read", "randread", "rw", "randrw")

    @property
    def writes(self) -> bool:
        """Whether it writes."""
        return self.mode in ("write", "randwrite", "rw", "randrw") or self.trims_first

    @property
    def grows(self) -> bool:
        """Whether its files are as long as what it writes makes them."""
        return fills(self.words) and self.writes and not self.needs_data

    @property
    def needs_data(self) -> bool:
        """Whether its file must hold written blocks before it starts.

        With `create_on_open` nothing is laid out: as with fio, engines that do not wait read what is not there.
        """
        opened = self.words.on("create_on_open") and self.words.text("ioengine") in drawable.QUEUING
        return (self.reads and not opened) or self.words.on("overwrite")


def unlinks_each_loop(job: Job) -> bool:
    """Whether files are removed and made anew between loops; with time_based there is one loop only."""
    words = job.words
    return words.on("unlink_each_loop") and words.read("loops", values.whole) > 1 and not words.on("time_based")


def jobs_of(sections: Sequence[Section]) -> list[Job]:
    """All jobs in fio's order. Raises UsageError."""
    if not sections:
        raise UsageError("there is no job: name a job file, or give --name=NAME and its options")
    jobs: list[Job] = []
    stage = group = 0
    for section in sections:
        words = Words(section)
        walled = section.walled or words.on("stonewall")
        if jobs and walled:
            stage += 1
        if jobs and (walled or words.on("new_group")):
            group += 1
        filled = frozenset(path for job in jobs if job.stage < stage and fills_alone(job.words) for path in job.paths)
        for clone in range(_clones(words)):
            jobs.append(_job(section, words, clone, len(jobs) + 1, stage, group, filled))
    return [replace(job, flow=_flow(job, jobs)) if job.words.given("flow") else job for job in jobs]


def caught_up(job: Job) -> Job:
    """The job with its files as they are now. Raises UsageError."""
    now = _job(job.section, job.words, job.clone, job.number, job.stage, job.group, None)
    return replace(now, flow=job.flow)


def _flow(job: Job, jobs: Sequence[Job]) -> tuple[int, int]:
    """Of a job that shares its flow with others from the beginning."""

    def weight(other: Job) -> int:
        return other.words.read("flow", values.whole) if other.words.given("flow") else 0

    number = job.words.text("flow_id")
    together = [
        weight(other)
        for other in jobs
        if other.stage == job.stage and other.words.text("flow_id") == number and weight(other)
        and other.words.text("startdelay") == "0" and not other.words.given("wait_for")
    ]  # fmt: skip
    return len(together), sum(together)


def _clones(words: Words) -> int:
    clones = words.read("numjobs", values.whole)
    if not 1 <= clones <= 1024:
        raise UsageError(f"{words.section.where}: numjobs={clones}: use 1 to 1024")
    return clones


def _job(
    section: Section, words: Words, clone: int, number: int, stage: int, group: int, filled: frozenset[Path] | None
) -> Job:
    name = words.text("name") or section.name
    if words.text("ioengine") in NO_IO:
        return _idle(section, words, name, clone, number, stage, group)
    if (log := recorded.of_job(words)) is not None:
        return _recorded(section, words, name, clone, number, stage, group, log)
    paths = files.paths_of(words, name, clone)
    sizes, write_sizes = _block_sizes(words)
    all_sizes = [size for size, _ in [*sizes, *(write_sizes or [])]]
    if min(all_sizes) < 1:
        raise UsageError(f"{section.where}: a block of 0 bytes transfers nothing; use a larger bs, bsrange or bssplit")
    blocks = Blocks(min(all_sizes), max(all_sizes))
    is_device = files.are_devices(words, paths)
    region = region_of(words, paths, number, clone, blocks, filled)
    drawn = drawable.are_known(words, len(paths), sum(region.parts), sizes, write_sizes)
    fixed = len(sizes) == 1 and not write_sizes
    return Job(
        name=name,
        section=section,
        words=words,
        clone=clone,
        number=number,
        stage=stage,
        group=group,
        mode=words.mode,
        paths=paths,
        is_device=is_device,
        block_sizes=sizes,
        write_block_sizes=write_sizes,
        region=region,
        max_bytes=_max_bytes(words, region, blocks.largest, fixed=fixed, to_the_end=drawn and not fixed),
        drawn=drawn,
    )


def _idle(section: Section, words: Words, name: str, clone: int, number: int, stage: int, group: int) -> Job:
    """A job that uses the processor only."""
    region = Region(0, (IDLE_BYTES,), (IDLE_BYTES,), IDLE_BYTES)
    path = files.paths_of(words, name, clone)[0]
    return Job(
        name, section, words, clone, number, stage, group, "read", (path,), is_device=False,
        block_sizes=[(IDLE_BYTES, 1.0)], write_block_sizes=None, region=region, max_bytes=None, moves=False,
    )  # fmt: skip


def _recorded(
    section: Section, words: Words, name: str, clone: int, number: int, stage: int, group: int, log: recorded.Log
) -> Job:
    """A job that replays a log: files, sizes and kinds are those of its lines."""
    paths = tuple(Path(each) for each in log.files)
    largest = max(log.largest, 1)
    ends = [max(end, largest) for end in log.ends()]
    region = Region(0, tuple(ends), tuple(ends), sum(ends))
    mode = "rw" if log.does("write", "trim") else "read"
    return Job(
        name, section, words, clone, number, stage, group, mode, paths, files.are_devices(words, paths),
        block_sizes=[(largest, 1.0)], write_block_sizes=None, region=region, max_bytes=None, log=log,
    )  # fmt: skip


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
    mode = words.mode
    if mode in ("trim", "randtrim"):
        return [(sizes[2], 1.0)], None
    if mode in ("write", "randwrite", "trimwrite", "randtrimwrite"):
        return [(sizes[1], 1.0)], None
    mixed = mode in ("rw", "randrw") and sizes[1] != sizes[0]
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
    if low < 1 or high // low > MOST_SIZES:
        raise UsageError(
            f"{words.section.where}: bsrange: at most {MOST_SIZES} different sizes; use a larger lower end"
        )
    return [(low * factor, 1.0) for factor in range(1, high // low + 1)]


def _with_gaps(words: Words, region: Region, largest: int, *, fixed: bool) -> int | None:
    """Bytes that a loop over a region moves at most where it leaves some out; None where nothing but its size ends it.

    fio ends it at a block that would go beyond the end of a file, or that ends there. Otherwise it begins anew where
    the region begins the file.
    """
    backwards = words.after_mode.startswith("-")
    step = largest + words.read("rw", lambda _: values.size(words.after_mode.removeprefix("-"), words.kb_base))
    parts = [part for part in region.parts if part]
    begun = [-(-part // step) for part in parts]
    if not backwards and fixed and words.mode != "rw":
        beyond = [(blocks - 1) * step + largest - part for blocks, part in zip(begun, parts, strict=True)]
        if max(beyond) >= 0:
            return sum(blocks - (over > 0) for blocks, over in zip(begun, beyond, strict=True)) * largest
    return None if words.read("offset", lambda text: text == "0") else sum(begun) * largest


def _max_bytes(words: Words, region: Region, largest: int, *, fixed: bool, to_the_end: bool) -> int | None:
    """The limit under which the core issues as many operations as fio: fio stops where less than a block is left."""
    if words.on("time_based"):
        return None
    loops = words.read("loops", values.whole)
    if words.given("io_size"):
        amount = words.read("io_size", lambda text: values.size_or_percent(text, words.kb_base))
        if isinstance(amount, float) and amount > 1:
            raise UsageError(f"{words.section.where}: io_size values greater than 100% aren't supported; use loops")
        total = amount if isinstance(amount, int) else int(sum(region.parts) * amount)
        # As with fio, less than a block is one block.
        total = max(total, largest) if total else region.amount
    else:
        total = region.amount
    # What is trimmed counts beside what is written.
    loops *= 2 if words.mode.endswith("trimwrite") else 1
    total = (total // largest * largest if fixed else total) * loops
    if words.after_mode and not words.mode.startswith("rand") and total <= region.amount * loops:
        once = _with_gaps(words, region, largest, fixed=fixed)
        total = total if once is None else min(total, once * loops)
    if total < largest:
        raise UsageError(f"{words.section.where}: {total} bytes to transfer are less than one block of {largest} bytes")
    return total if to_the_end else total - largest + 1
