"""The files of jobs before and after a run: which may be written, laid out as fio does, synced and removed."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plimsoll.declared import IoParameters
from plimsoll.errors import TargetError, UnsafeTarget, UsageError
from plimsoll.frontends.fio.jobs import Job, unlinks_each_loop
from plimsoll.frontends.fio.plans import engine_name
from plimsoll.frontends.fio.regions import fills_alone, is_endless
from plimsoll.frontends.fio.tolerance import NOTHING_IGNORED, fills
from plimsoll.frontends.named import Identity, NamedFiles, identity, open_regular, remove_own
from plimsoll.frontends.recording import Places
from plimsoll.model import Plan
from plimsoll.parameters import defaults
from plimsoll.run.places import Place
from plimsoll.run.workers.execution import failure
from plimsoll.run.workers.local import LAID_OUT, execute
from plimsoll.targets.safety import check_file
from plimsoll.units import MIB, format_size

MARK = "user.plimsoll"
"""Extended attribute of files that this front end made: they may be written again without asking."""
FILLED_AT_ONCE = MIB
"""Bytes of a write that fills a file to be read."""
CREATES, DELETES = "filecreate", "filedelete"
"""Engines that make and remove files."""


def check_files(jobs: Sequence[Job], destroy: Sequence[str], *, readonly: bool) -> None:
    """Refuse to overwrite what the user may want to keep, before anything is written. Raises UnsafeTarget."""
    for job in jobs:
        if readonly and job.changes:
            raise UsageError(f"{job.name}: rw={job.mode} writes, but --readonly is given")
        if readonly and engine_name(job.words) in (CREATES, DELETES):
            raise UsageError(f"{job.name}: ioengine={engine_name(job.words)} changes files, but --readonly is given")
        if not job.is_device and job.moves:
            for path, length in job.lengths.items():
                if is_endless(path):
                    continue
                _check_file(job, path, length, destroy)
                if readonly and engine_name(job.words) != "null" and _lacks(path, length):
                    raise UsageError(
                        f"{job.name}: {path} is shorter than the {format_size(length)} that are read, and "
                        "--readonly does not let it grow; name a longer file"
                    )


def _check_file(job: Job, path: Path, length: int, destroy: Sequence[str]) -> None:
    if not path.parent.is_dir():
        raise UsageError(f"{job.name}: there is no directory {path.parent}; make it, or name another")
    if not path.exists():
        if not job.words.on("allow_file_create"):
            raise UsageError(f"{job.name}: {path} does not exist and allow_file_create=0; make it first")
        return
    if engine_name(job.words) == CREATES and not _unlinks(job):
        # It opens what is there already, and leaves it as it is.
        return
    overwritten = job.changes or path.stat().st_size < length
    if overwritten or _unlinks(job):
        check_file(path)
    if str(path) in destroy:
        return
    if overwritten and not _ours(path):
        raise UnsafeTarget(
            f"{job.name}: {path} exists and was not made by `plimsoll fio`; its data would be lost. Remove it, "
            f"name another file, or add --destroy {path}"
        )
    if _unlinks(job) and not _marked(path):
        raise UnsafeTarget(
            f"{job.name}: {path} was there before, and unlink would delete it; only files that `plimsoll fio` made are "
            f"unlinked. Leave unlink out, name another file, or add --destroy {path}"
        )


def _unlinks(job: Job) -> bool:
    """Whether its files are removed at any time."""
    return unlinks_each_loop(job) or _unlinks_at_the_end(job) or engine_name(job.words) == DELETES


def _unlinks_at_the_end(job: Job) -> bool:
    words = job.words
    return words.on("unlink") or (words.on("unlink_each_loop") and words.on("time_based"))


def _lacks(path: Path, length: int) -> bool:
    return not path.exists() or path.stat().st_size < length


def _ours(path: Path) -> bool:
    return _marked(path) or path.stat().st_size == 0


def _marked(path: Path | int) -> bool:
    try:
        return os.getxattr(path, MARK) == b"fio"
    except OSError:
        return False


@dataclass
class JobFiles:
    """The files of a job as the system reaches them, and what is known of them once they are laid out."""

    first: Path
    """For the core, which finds the others from there."""
    each: Mapping[Path, Path]
    """By the names that the user gave."""
    named: NamedFiles
    destroy: Sequence[str]
    known: list[Identity] = field(default_factory=list)
    to_make: list[Path] = field(default_factory=list)
    """What the job itself is to make, and was not there before."""

    @classmethod
    def of(cls, job: Job, places: Places) -> JobFiles:
        """Its folders are held from now on."""
        each = {path: places.named.reach(path) for path in job.paths}
        return cls(places.named.together(job.paths)[0], each, places.named, places.destroy)


def prepare(job: Job, plan: Plan, place: Place, files: JobFiles, told: Callable[[str], None]) -> None:
    """Make the files as fio does: blocks written where they will be read, otherwise space reserved."""
    if job.is_device or plan.values(IoParameters)["engine"] == "null" or any(map(is_endless, job.paths)):
        return
    if engine_name(job.words) == CREATES:
        files.to_make = [path for path in job.paths if not files.each[path].exists()]
        return
    lacking = {path: length for path, length in job.lengths.items() if _lacks(files.each[path], length)}
    # As with fio, an empty file is made, and not counted.
    if count := sum(1 for length in lacking.values() if length and not fills_alone(job.words)):
        mib = sum(lacking.values()) // 2**20
        what = f"files ({count} files / total {mib}MiB)" if count > 1 else f"file (1 file / {mib}MiB)"
        told(f"{job.name}: Laying out IO {what}")
    for path, length in job.lengths.items():
        made = _make(job, path, length, files) if path in lacking else _look(job, path, files)
        files.known.append(made)
        if path in lacking and job.needs_data and length:
            nothing = (place.sampler, lambda _progress: None, lambda: False, ())
            laid = execute(_layout(plan, length), files.each[path], *nothing, [made]).outcome
            if laid["status"] == "failed":
                raise TargetError(f"{job.name}: {failure(laid)}")


def fill(job: Job, plan: Plan, place: Place, files: JobFiles, told: Callable[[str], None]) -> None:
    """Write the file of a job that only reads it, until there is no room."""
    if not fills(job.words):
        return
    told(f"{job.name}: Laying out IO file (1 file / as long as there is room)")
    made = _make(job, job.path, job.size, files)
    block, until_full = [[float(FILLED_AT_ONCE), 1.0]], {**NOTHING_IGNORED, "until_full": True}
    filling = _layout(
        plan, job.size, mode="write", block_size=block, max_operations=None, layout="keep", tolerance=until_full
    )
    nothing = (place.sampler, lambda _progress: None, lambda: False, ())
    laid = execute(filling, files.each[job.path], *nothing, [made]).outcome
    if laid["status"] == "failed":
        raise TargetError(f"{job.name}: {failure(laid)}")


def _look(job: Job, path: Path, files: JobFiles) -> Identity:
    """What a file is that is there already. Raises TargetError or UnsafeTarget."""
    try:
        descriptor = open_regular(files.each[path], path, os.O_RDONLY)
    except OSError as error:
        raise TargetError(f"{job.name}: cannot open {path}: {error.strerror}") from None
    try:
        if job.changes:
            _check_own(job, path, descriptor, files)
        return identity(descriptor)
    finally:
        os.close(descriptor)


def _check_own(job: Job, path: Path, descriptor: int, files: JobFiles) -> None:
    """As `check_files`, of what is open now: it may have come since. Raises UnsafeTarget."""
    if identity(descriptor) in files.named.made or str(path) in files.destroy:
        return
    status = os.fstat(descriptor)
    if not _marked(descriptor) and status.st_size:
        raise UnsafeTarget(
            f"{job.name}: {path} was put there by somebody else meanwhile; its data would be lost. Remove it, name "
            f"another file, or add --destroy {path}"
        )
    if status.st_nlink > 1:
        raise UnsafeTarget(
            f"{job.name}: {path} has another name as well (a hard link), under which its data would be lost; remove "
            f"this one, name another file, or add --destroy {path}"
        )


def _make(job: Job, path: Path, end: int, files: JobFiles) -> Identity:
    """The file with its mark, and with the room that it will need."""
    there = files.each[path]
    try:
        new = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            descriptor = os.open(there, new, 0o644)
            files.named.made.add(identity(descriptor))
        except FileExistsError:
            descriptor = open_regular(there, path, os.O_RDWR)
    except OSError as error:
        hint = "a link is in its place" if error.errno == errno.ELOOP else error.strerror
        raise TargetError(f"{job.name}: cannot make {path}: {hint}") from None
    try:
        _check_own(job, path, descriptor, files)
        _grow(job, path, end, descriptor)
        return identity(descriptor)
    finally:
        os.close(descriptor)


def _grow(job: Job, path: Path, end: int, descriptor: int) -> None:
    """Make the file as long as it has to be."""
    try:
        _mark(descriptor)
        if job.grows:
            os.ftruncate(descriptor, 0)
        elif not job.needs_data:
            reserves = job.words.text("fallocate") in ("native", "posix", "keep", "1")
            if end and reserves and not job.words.on("create_on_open"):
                os.posix_fallocate(descriptor, 0, end)
            os.ftruncate(descriptor, end)
    except OSError as error:
        raise TargetError(
            f"{job.name}: cannot make {path} {format_size(end)} long: {error.strerror}; free some space, or use a "
            "smaller size="
        ) from None


def _mark_made(job: Job, files: JobFiles) -> None:
    """What the job has made is marked, and removed where that is asked for."""
    for path in files.to_make:
        try:
            descriptor = open_regular(files.each[path], path, os.O_RDWR)
        except (OSError, TargetError):
            continue
        try:
            _mark(descriptor)
            files.named.made.add(identity(descriptor))
            if _unlinks_at_the_end(job):
                remove_own({files.each[path]: identity(descriptor)})
        finally:
            os.close(descriptor)


def _mark(descriptor: int) -> None:
    try:
        os.setxattr(descriptor, MARK, b"fio")
    except OSError:
        # Without extended attributes the next run asks before it overwrites.
        return


def _layout(plan: Plan, end: int, **others: Any) -> Plan:
    """Write the file once, then read one block of it: the core lays out only for a job. `others` change, too."""
    changes = {
        "engine": "psync", "mode": "read", "block_size": [[4096.0 if end >= 4096 else 1.0, 1.0]], "depth": 1,
        "write_block_size": None, "direct": False, "sync": "none", "sync_at_end": False, "max_operations": 1,
        "max_bytes": None, "warmup": 0, "rate": None, "think_time": 0, "verify": False, "sqpoll": False,
        "iopoll": False, "offset": 0, "size": end, "layout": "fill", "alternate": False, "drop_each": "never",
        "distribution": {"kind": "once"}, **others,
    }  # fmt: skip
    kept = {name: value for name, value in plan.parameters.items() if name in (*defaults("io"), *LAID_OUT)}
    return plan.having({**kept, **changes})


def clean_up(jobs: Iterable[tuple[Job, JobFiles]]) -> None:
    """fsync_on_close and unlink, after everything is measured."""
    for job, files in jobs:
        _mark_made(job, files)
        for path, made in zip(job.paths, files.known, strict=False):
            there, anew = files.each[path], unlinks_each_loop(job)
            try:
                # The files of the last loop are new ones.
                if not anew and identity(there) != made:
                    continue
                descriptor = open_regular(there, path, os.O_RDWR if job.writes else os.O_RDONLY)
            except (OSError, TargetError):
                continue
            try:
                if job.words.on("fsync_on_close") and job.writes:
                    os.fsync(descriptor)
                if anew:
                    _mark(descriptor)
                if _unlinks_at_the_end(job):
                    remove_own({there: identity(descriptor)})
            finally:
                os.close(descriptor)
