"""fio's `exec_prerun` and `exec_postrun`: commands of the user around a job, in the job's own thread."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from plimsoll.errors import TargetError
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.results import open_result
from plimsoll.run.workers.execution import Execution

SHELL = "/bin/sh"


def between(job: Job, carry_out: Callable[..., Execution], told: Callable[[str], None]) -> Callable[..., Execution]:
    """Carries a job out between its commands; each leaves what it prints in `NAME.prerun.txt`, `NAME.postrun.txt`."""

    def carried(*words: Any) -> Execution:
        _run(job, "prerun", told)
        execution = carry_out(*words)
        _run(job, "postrun", told)
        return execution

    return carried


def paths(jobs: Sequence[Job]) -> Iterator[tuple[str, Path]]:
    """The options that leave a file, and the file."""
    for job in jobs:
        for option, when in (("exec_prerun", "prerun"), ("exec_postrun", "postrun")):
            if job.words.text(option):
                yield option, _path(job, when)


def _path(job: Job, when: str) -> Path:
    return Path(f"{job.name.replace('/', '_')}.{when}.txt")


def _run(job: Job, when: str, told: Callable[[str], None]) -> None:
    command = job.words.text(f"exec_{when}")
    if not command:
        return
    path = _path(job, when)
    told(f"{job.name} : Saving output of {when} in {path}")
    try:
        with open_result(path) as output:
            code = subprocess.run([SHELL, "-c", command], stdout=output, stderr=output, check=False).returncode
    except OSError as error:
        raise TargetError(f"{job.name}: exec_{when}: cannot write {path}: {error.strerror}") from None
    if code:
        raise TargetError(f"{job.name}: exec_{when}={command} ended with exit code {code}; {path} has what it printed")
