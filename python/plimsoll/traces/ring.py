"""Where a recording is written: one file up to a size, or a ring of the last so many bytes."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

from plimsoll.traces import core
from plimsoll.traces.notes import DROPPED

END_BYTES = 1 << 16
"""Header and totals at the end have place in it."""


class Plain:
    """One file, full when it has its size."""

    def __init__(self, file: BinaryIO, most_bytes: int | None) -> None:
        """The file is empty."""
        self.file, self.most_bytes = file, most_bytes
        self.written = 0
        self._before, self._step_bytes = 0, 0

    def grown(self) -> None:
        """Another second is in the file."""
        self._step_bytes = max(self._step_bytes, self.written - self._before)
        self._before = self.written

    @property
    def full(self) -> bool:
        """Whether the next seconds, and what comes last, would not fit."""
        return self.most_bytes is not None and self.written + 2 * self._step_bytes + END_BYTES >= self.most_bytes

    def write(self, data: bytes) -> None:
        """Goes on."""
        if data:
            self.file.write(data)
            self.file.flush()
            self.written += len(data)

    turns = False

    def turn(self, header: bytes) -> None:
        """Nothing turns here."""

    def finish(self, data: bytes, totals: dict[str, Any]) -> dict[str, Any]:
        """Ends, and says what the totals of the file are."""
        self.write(data)
        return totals


def halves(path: Path) -> list[Path]:
    """Where a ring keeps its parts until it ends."""
    return [path.with_name(f"{path.name}.{index}") for index in (0, 1)]


class Ring:
    """The last bytes of a recording: two halves, of which the older one is dropped when the newer is full.

    They lie beside the trace, and are what is left of it if the recording is killed.
    """

    full = False

    def __init__(self, path: Path, file: BinaryIO, most_bytes: int) -> None:
        """`file` is at `path`, and gets the whole at the end."""
        self.path, self.file, self.half_bytes = path, file, most_bytes // 2
        self.halves = halves(path)
        self.written = 0
        self._at, self._in_half, self._begun = 0, 0, 0
        self._current: BinaryIO | None = None

    def write(self, data: bytes) -> None:
        """Goes on."""
        if not data:
            return
        if self._begun == 0:
            # What an earlier recording left, and the user has let go.
            self.halves[1].unlink(missing_ok=True)
        if self._current is None:
            self._current = self.halves[self._at].open("wb")
            self._begun += 1
        self._current.write(data)
        self._current.flush()
        self.written += len(data)
        self._in_half += len(data)

    def grown(self) -> None:
        """Another second is in the file."""

    @property
    def turns(self) -> bool:
        """Whether the half that is written is full."""
        return self._in_half >= self.half_bytes

    def turn(self, header: bytes) -> None:
        """Begins the next half, with this header."""
        self._close()
        self._at, self._in_half = 1 - self._at, 0
        self.write(header)

    def _close(self) -> None:
        if self._current is not None:
            self._current.close()
        self._current = None

    def finish(self, data: bytes, totals: dict[str, Any]) -> dict[str, Any]:
        """Joins what is left of both halves; if a part was dropped, the trace begins with what is left."""
        self.write(data)
        self._close()
        older, newer = self.halves[1 - self._at], self.halves[self._at]
        # What else is at these names is of an earlier recording.
        parts = [older, newer] if self._begun > 1 else [newer]
        dropped = self._begun > len(self.halves)
        if dropped:
            # The counters of the devices are those of the whole recording, and of no part of it.
            totals = {**totals, "left_out": [DROPPED, *totals["left_out"]], "counters": []}
        for piece in core.joined(parts, totals, from_first=dropped):
            self.file.write(piece)
        for part in parts:
            part.unlink()
        return totals
