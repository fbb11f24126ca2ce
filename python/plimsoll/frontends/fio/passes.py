"""fio's loops: when a pass over the files is over, how many there are, and what is read back after each.

Source: fio 3.33, `backend.c` (`keep_running`, `do_io`, `do_verify`), each rule tried with the binary: a pass is over
when no file has room for the next operation, or the job is; with `verify` it is then read back. The last of the loops
ends with the last byte, which may make them fewer; with `io_size` beyond the files more begin, for as long as reads,
writes and what was read back leave room in it.
"""

from __future__ import annotations

from typing import Any

from plimsoll.frontends.fio import draws, values
from plimsoll.frontends.fio.files import is_mapped
from plimsoll.frontends.fio.jobs import Job


def passes(job: Job, *, verifies: bool) -> dict[str, Any] | None:
    """The parameter of the core; None where one pass, without anything at its end, does."""
    words = job.words
    timed, loops = words.on("time_based"), words.read("loops", values.whole)
    io_size = 0 if timed or job.max_bytes is None or not words.given("io_size") else _io_size(job)
    syncs = words.on("end_fsync") or any(words.read(name, values.whole) for name in ("fsync", "fdatasync"))
    several = not timed and (loops > 1 or io_size > job.region.amount)
    if not (several or verifies or (syncs and job.writes)):
        return None
    return {
        "least": None if timed else loops,
        "bytes": io_size,
        "ends": _ends(job, verifies=verifies),
        "again": draws.repeats(words),
        "read_back": verifies and words.on("do_verify"),
    }


def _io_size(job: Job) -> int:
    amount = job.words.read("io_size", lambda text: values.size_or_percent(text, job.words.kb_base))
    return amount if isinstance(amount, int) else int(job.size * amount)


def _ends(job: Job, *, verifies: bool) -> bool:
    """Random places without a map that are not drawn as in fio, and gaps, have no end of their own.

    With `time_based` fio begins anew without a new pass, so that it would never verify: then a pass is as many bytes as
    there are.
    """
    words = job.words
    if job.drawn:
        return draws.ends(job, verifies=verifies)
    if words.on("time_based"):
        return verifies
    return is_mapped(words) if words.mode.startswith("rand") else not words.after_mode
