"""Whether fio's own draws of a job are known here (`draws.py` makes them)."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.frontends.fio.files import is_mapped
from plimsoll.frontends.fio.section_options import Words

WORD = 2**32
QUEUING = ("libaio", "io_uring", "posixaio")
SHORT = ("tausworthe", "")
"""Generators whose order is known here."""

Split = Sequence[tuple[int, float]]


def are_known(words: Words, files: int, size: int, reads: Split, writes: Split | None) -> bool:
    """Whether places and sizes can be drawn as fio draws them: in random modes over one file."""
    mode, smallest = words.mode, min(length for length, _ in reads)
    strided = words.text("zonemode") == "strided" or (words.given("zonesize") and bool(words.size("zoneskip")))
    aligned = words.given("ba") and words.size("ba") not in (0, smallest)
    return (
        mode.startswith("rand") and mode != "randtrimwrite" and files == 1 and not words.after_mode and not strided
        and (words.text("random_distribution") or "random") == "random"
        and set((words.text("percentage_random") or "").split(",")) <= {"100", ""}
        and (words.text("random_generator") or "") in SHORT
        and (writes is None or min(length for length, _ in writes) == smallest)
        and not (aligned and is_mapped(words))
        and size // smallest < WORD - 1
    )  # fmt: skip
