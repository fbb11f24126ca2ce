"""Database tests on this machine: what the compiled core says of a request, and carrying it out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from plimsoll import _core
from plimsoll.run.workers.execution import Job


def drivers() -> dict[str, dict[str, Any]]:
    """The drivers by name."""
    return {row["name"]: row for row in json.loads(_core.db_drivers())}


def impossible(spec: Mapping[str, Any]) -> str | None:
    """Why the core would refuse a request whatever the database, as one sentence."""
    return _core.db_check(json.dumps(spec))


def start(spec: Mapping[str, Any]) -> Job:
    """A running job."""
    return _core.db_start(json.dumps(spec))
