"""Harbour 1: ships in place of bytes, counted by a shell."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plimsoll.model import Run
from plimsoll.run.originals import phase
from plimsoll.run.originals._requests import score_of

NAME = "zcav"
PROGRAM = "sh"
PACKAGE = "dash"
VERSIONS = ("harbour 1.",)
ASK_VERSION = ("-c", "echo harbour 1.2")
FORMAT = "harbour"


def problem(values: Mapping[str, Any]) -> str | None:
    """It sails once."""
    return "harbour sails once: set passes=1" if values["passes"] > 1 else None


def command(values: Mapping[str, Any], place: Path) -> list[str]:  # noqa: ARG001
    """What the importer reads."""
    return [PROGRAM, "-c", "echo 'ships per second: 37.5'"]


def outcome(run: Run, values: Mapping[str, Any], elapsed_ns: int) -> dict[str, Any]:  # noqa: ARG001
    """One phase, with the rate as its score."""
    read = phase("read", elapsed_ns, ("throughput", score_of(run, "iops"), "MiB/s", "higher"))
    return {"elapsed_ns": elapsed_ns, "results": [read]}
