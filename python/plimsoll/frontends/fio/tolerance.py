"""fio's `continue_on_error`, `ignore_error` and `fill_device`: failed operations that do not end a job, or end it well.

Source: fio 3.33, `options.c` (`ignore_error_type`), `td_error.c`, each rule tried with the binary.
"""

from __future__ import annotations

import errno
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.section_options import Words

KINDS = ("read", "write", "verify")
"""What an error can be of; trims and syncs count as writes."""
CONTINUES = {
    "none": (), "0": (), "read": ("read",), "write": ("write",), "io": ("read", "write"), "verify": ("verify",),
    "all": KINDS, "1": KINDS,
}  # fmt: skip
"""Values of `continue_on_error` with the kinds that they are about."""
NON_FATAL = (errno.EIO, errno.EILSEQ)
"""What a kind goes on after, unless `ignore_error` names others."""


def goes_on(words: Words) -> dict[str, tuple[int, ...]]:
    """Kinds that have errors after which the job goes on, with the numbers of these.

    As with fio, a `continue_on_error` behind `ignore_error` leaves only the kinds that it names.
    """
    asked = words.text("continue_on_error") or "none"
    if asked not in CONTINUES:
        raise UsageError(f"{words.section.where}: continue_on_error={asked}: use one of {', '.join(CONTINUES)}")
    ignored = words.read("ignore_error", _ignored) if words.given("ignore_error") else {}
    found = {kind: ignored.get(kind, NON_FATAL) for kind in CONTINUES[asked]}
    last = [name for name in words.section.options if name in ("ignore_error", "continue_on_error")][-1:]
    return found if last == ["continue_on_error"] else found | ignored


def _ignored(text: str) -> dict[str, tuple[int, ...]]:
    """`EAGAIN,ENOSPC:122` as numbers of reads, writes and what is verified; a kind without any is left out."""
    parts = text.split(",")
    if len(parts) > len(KINDS):
        raise UsageError(f"{text!r} has more than three lists; they are for read, write and verify")
    found = {kind: tuple(map(_number, filter(None, part.split(":")))) for kind, part in zip(KINDS, parts, strict=False)}
    return {kind: numbers for kind, numbers in found.items() if numbers}


def _number(text: str) -> int:
    name = text.strip()
    number = getattr(errno, name, 0) if name.startswith("E") else abs(values.whole(name))
    if not number:
        raise UsageError(f"{name!r} is not an error; write ENOSPC, EIO, … or its number")
    return int(number)


NOTHING_IGNORED = {"reads": [], "writes": [], "bad_blocks": False, "until_full": False}
"""The core's parameter under which every error ends a job."""


def fills(words: Words) -> bool:
    """Whether the job writes until there is no room: its files are as long as that makes them."""
    return words.on("fill_device")


def tolerance(words: Words) -> dict[str, Any] | None:
    """The core's parameter; nothing where the first error ends the job."""
    kinds = goes_on(words)
    if not kinds and not fills(words):
        return None
    return {
        "reads": list(kinds.get("read", ())),
        "writes": list(kinds.get("write", ())),
        "bad_blocks": errno.EILSEQ in kinds.get("verify", ()),
        "until_full": fills(words),
    }
