"""File-system tests on this machine: what the compiled core says of a request, and carrying it out."""

from __future__ import annotations

import json
from collections.abc import Mapping

from plimsoll import _core
from plimsoll.run.outcome import FilesPlan, answer
from plimsoll.run.workers.execution import Job


def expected(spec: Mapping[str, object]) -> FilesPlan:
    """What a request would do. Raises ValueError if the core refuses it."""
    return answer(FilesPlan, _core.files_validate(json.dumps(spec)))


def start(spec: Mapping[str, object]) -> Job:
    """A running job."""
    return _core.files_start(json.dumps(spec))
