"""fio's `zonemode`: zones with gaps between them (`strided`), and the zones of zoned devices (`zbd`).

Source: fio 3.33, `io_u.c` (`get_next_offset`), `zbd.c`. A file has no zones that have to be written in order: with
`zbd`, fio then goes anywhere, as it does without.
"""

from __future__ import annotations

from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.jobs import Job


def strides(job: Job) -> dict[str, int] | None:
    """The core's parameter; None where the whole region is used. Raises UsageError."""
    words = job.words
    mode = words.text("zonemode")
    if mode == "none" and words.given("zonesize") and words.size("zoneskip"):
        # As with fio, these two ask for it.
        mode = "strided"
    where = words.section.where
    if mode == "zbd":
        _check_zoned(job)
    if mode != "strided":
        return None
    if not words.given("zonesize"):
        raise UsageError(f"{where}: zonemode=strided needs zonesize=")
    if len(job.paths) > 1:
        raise UsageError(f"{where}: zonemode=strided is for one file; give each a job of its own")
    size = words.size("zonesize")
    spread = words.size("zonerange") if words.given("zonerange") else size
    largest = max(length for length, _ in (*job.block_sizes, *(job.write_block_sizes or [])))
    if not largest <= min(size, spread) or spread > job.size:
        raise UsageError(
            f"{where}: zonesize={size} and zonerange={spread}: a zone has at least one block of {largest} bytes, and "
            f"lies in the {job.size} bytes of the job"
        )
    return {"bytes": size, "range": spread, "skip": words.size("zoneskip")}


def _check_zoned(job: Job) -> None:
    words = job.words
    for path in job.paths if job.is_device else ():
        model = Path(f"/sys/class/block/{path.resolve().name}/queue/zoned")
        if model.exists() and model.read_text().strip() != "none":
            raise UsageError(
                f"{words.section.where}: zonemode=zbd on {path}, a zoned device, is not supported by Plimsoll: its "
                "zones have to be written in order; use fio itself"
            )
    if not words.given("zonesize"):
        raise UsageError(f"{words.section.where}: zonemode=zbd needs zonesize= for a file or device without zones")
    if job.reads and not job.writes and not words.on("read_beyond_wp"):
        raise UsageError(
            f"{words.section.where}: zonemode=zbd with rw={words.text('rw')}: no zone counts as written, nothing would "
            "be read; add read_beyond_wp=1, or leave zonemode out"
        )
    if job.size < words.size("zonesize"):
        raise UsageError(f"{words.section.where}: zonesize={words.text('zonesize')} is more than the job has")
