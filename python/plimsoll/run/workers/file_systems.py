"""File-system tests on this machine: what the compiled core says of a request, and carrying it out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypedDict

from plimsoll import _core
from plimsoll.run.outcome import FilesPlan, answer
from plimsoll.run.workers.execution import Job


class FilesJob(TypedDict):
    """What the core takes (`crates/files/src/spec.rs`): the plan's parameters, and the place."""

    directory: str
    workload: str
    parameters: Mapping[str, object]
    disk_bytes: int | None
    interval_ns: int


def expected(spec: FilesJob) -> FilesPlan:
    """What a request would do. Raises ValueError if the core refuses it."""
    return answer(FilesPlan, _core.files_validate(json.dumps(spec)))


def start(spec: FilesJob) -> Job:
    """A running job."""
    return _core.files_start(json.dumps(spec))
