"""fio's `verify_state_save` and `verify_state_load`: how far a job that verifies came, for one that reads it later.

The file has fio's name, `local-JOB-CLONE-verify.state`; what is in it is Plimsoll's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.errors import UsageError
from plimsoll.frontends.fio.verification import reads_back, verification
from plimsoll.frontends.results import open_result
from plimsoll.run.outcome import Outcome, totals_of

if TYPE_CHECKING:
    from plimsoll.frontends.fio.jobs import Job

FORMAT = "plimsoll verify state 1"


def path_of(job: Job) -> Path:
    """Where the state of a job is."""
    return Path(f"local-{job.name.replace('/', '_')}-{job.clone}-verify.state")


def _saves(job: Job) -> bool:
    return job.words.on("verify_state_save") and job.writes and bool(verification(job)["verify"])


def paths(jobs: Sequence[Job]) -> Iterator[tuple[str, Path]]:
    """The options that leave a state, and where it is."""
    return (("verify_state_save", path_of(job)) for job in jobs if _saves(job))


def leave(job: Job, outcome: Outcome) -> None:
    """Keeps how much a job has written, where it is to. Raises UsageError."""
    if not _saves(job):
        return
    written = totals_of(outcome, "write")["bytes"]
    path = path_of(job)
    try:
        with open_result(path) as file:
            json.dump({"format": FORMAT, "written_bytes": written, "pass_bytes": job.region.amount}, file)
    except OSError as error:
        raise UsageError(f"{job.section.where}: verify_state_save: cannot write {path}: {error.strerror}") from None


def readable_bytes(job: Job) -> int | None:
    """Bytes of a pass that are there to be verified; nothing where no state is asked for. Raises UsageError."""
    if not job.words.on("verify_state_load") or job.writes or reads_back(job):
        return None
    path = path_of(job)
    try:
        state = json.loads(path.read_text(encoding="utf-8"))
        if state.get("format") != FORMAT:
            raise ValueError
        written, whole = int(state["written_bytes"]), int(state["pass_bytes"])
    except OSError as error:
        raise UsageError(
            f"{job.section.where}: verify_state_load: cannot read {path}: {error.strerror}; the job that writes "
            "leaves it with verify_state_save=1"
        ) from None
    except (ValueError, KeyError, AttributeError, UnicodeDecodeError):
        raise UsageError(f"{job.section.where}: verify_state_load: {path} was not left by `plimsoll fio`") from None
    if written >= whole:
        return None
    if job.mode != "read":
        raise UsageError(
            f"{job.section.where}: verify_state_load: {path} is of a job that was ended after {written} of {whole} "
            "bytes; which blocks these are is only known with rw=write and rw=read"
        )
    return written
