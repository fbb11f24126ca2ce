"""File-system tests on this machine: what the compiled core says of a request, and carrying it out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plimsoll import _core
from plimsoll.run.workers.execution import Job


def expected(spec: Mapping[str, Any]) -> dict[str, Any]:
    """What a request would do (`Plan` of `crates/files/src/outcome.rs`). Raises ValueError if the core refuses it."""
    answer: dict[str, Any] = json.loads(_core.files_validate(json.dumps(spec)))
    return answer


def start(spec: Mapping[str, Any]) -> Job:
    """A running job."""
    return _core.files_start(json.dumps(spec))
