"""The events of a session as JSON, one line each, for programs that watch it: `plimsoll run --log-json`."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any, TextIO

from plimsoll.addresses import shown_in
from plimsoll.api.watching import Progress
from plimsoll.model import Run
from plimsoll.notices import tell

_PLAIN = tuple(field.name for field in fields(Progress) if field.name not in ("run", "kind"))


class EventLog:
    """Writes each event as it comes. A log that cannot be written any more is told once; the session goes on."""

    def __init__(self, file: TextIO, name: str) -> None:
        self._file, self._name = file, name
        self._before: dict[str, Any] = {}
        self._broken = False

    def __call__(self, event: Progress) -> None:
        """One line, unless it is progress that says nothing new: the core counts about once a second."""
        found = row_of(event)
        if event.kind == "progress":
            if event.operations_per_s is None or _without_share(found) == self._before:
                return
            self._before = _without_share(found)
        self._write(found)

    def ended(self, error: BaseException | None) -> None:
        """Says how it ended, where no session could: by Ctrl-C or by a fault."""
        if error is not None:
            told = "interrupted" if isinstance(error, KeyboardInterrupt) else str(error)
            self._write({"kind": "error", "text": shown_in(told)})

    def _write(self, row: dict[str, Any]) -> None:
        if self._broken:
            return
        try:
            line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), **row}
            self._file.write(json.dumps(line, ensure_ascii=False) + "\n")
            self._file.flush()
        except OSError as error:
            self._broken = True
            with suppress(OSError):
                tell(f"{self._name}: {error.strerror}; no more events are written there, the session goes on")


def row_of(event: Progress) -> dict[str, Any]:
    """An event with what it is about; names and base units are those of `plimsoll.Progress`."""
    row: dict[str, Any] = {"kind": event.kind}
    row |= {name: value for name in _PLAIN if (value := getattr(event, name)) not in (None, "")}
    row["text"] = shown_in(event.text)
    if not event.text:
        del row["text"]
    return row | ({"run": _run(event.run)} if event.run is not None else {})


def _without_share(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "share"}


def _run(run: Run) -> dict[str, Any]:
    return {
        "id": run.id,
        "status": run.status.value,
        "reason": run.reason,
        "started_ns": run.started_ns,
        "ended_ns": run.ended_ns,
        "scores": {score.metric: {"value": score.value, "unit": score.unit} for score in run.scores},
        "findings": [
            {"guard": found.guard, "level": found.level.value, "message": found.message} for found in run.findings
        ],
    }
