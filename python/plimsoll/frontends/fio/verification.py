"""`verify` and what belongs to it, as the core takes it: intervals, patterns, a backlog, and what a mismatch ends."""

from __future__ import annotations

import re
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.section_options import Words

NEXT_HEX = r"(?=0[xX][0-9a-fA-F])"
PIECE = re.compile(rf'%o|"([^"]*)"|0[xX]([0-9a-fA-F]+?)(?:{NEXT_HEX}|(?![0-9a-fA-F]))|(-?\d+?)(?:{NEXT_HEX}|(?!\d))')
"""A number ends where another one with 0x begins: `-120xff` is -12 and 0xff, as with fio."""
OWN_CONTENT = ("zero_buffers", "buffer_compress_percentage", "dedupe_percentage")
MOST_BYTES = 512
"""fio's longest pattern."""
MOST_FILE_BYTES = 65536
"""The longest one from a file."""


def verification(job: Job) -> dict[str, Any]:
    """The parameters `verify` and, unless there are checksums in each block and all are read back, `verification`.

    When that is done, `passes` says.
    """
    words = job.words
    kind = words.text("verify")
    pieces = words.read("verify_pattern", pattern) if words.given("verify_pattern") else []
    if kind in ("0", "", None):
        if not pieces:
            return {"verify": False}
        # As with fio: a pattern alone asks for headers with it.
        kind = "meta"
    if kind == "pattern" and not pieces:
        raise UsageError(
            f"{words.section.where}: verify=pattern needs verify_pattern=, such as verify_pattern=0xdeadbeef"
        )
    read_back = words.on("do_verify")
    if job.writes and engine_stores_nothing(words):
        # As with fio, there is nothing to read back; the job itself runs.
        return {"verify": False}
    if not job.writes and not (job.reads and read_back):
        return {"verify": False}
    if taken := [name for name in OWN_CONTENT if words.given(name) and words.text(name) != "0"]:
        raise UsageError(f"{words.section.where}: verify writes content of its own; leave {' and '.join(taken)} out")
    smallest = min(size for size, _ in (*job.block_sizes, *(job.write_block_sizes or [])))
    how = {
        "interval": _interval(words, smallest),
        "pattern": pieces,
        "checksums": kind != "pattern",
        "backlog": _backlog(words) if read_back else None,
        "stop_at_first": words.on("verify_fatal"),
        "read_back": read_back,
    }
    if not job.writes:
        # What an earlier job has written, be it one of another invocation.
        return {"verify": True, "verification": {**how, "backlog": None, "read_back": False, "existing": True}}
    usual = {
        "interval": smallest, "pattern": [], "checksums": True, "backlog": None, "stop_at_first": False,
        "read_back": True,
    }  # fmt: skip
    return {"verify": True} if how == usual else {"verify": True, "verification": how}


def reads_back(job: Job) -> bool:
    """Whether what the job writes is read back to see whether it is there."""
    found = verification(job)
    return bool(found["verify"]) and not (found.get("verification") or {}).get("existing")


def engine_stores_nothing(words: Words) -> bool:
    """Whether there is nothing to be found where it was written."""
    return words.text("ioengine") in ("null", "falloc", "ftruncate")


def _interval(words: Words, smallest: int) -> int:
    """Bytes with a header of their own; more than a block has are a block, as with fio."""
    if not words.given("verify_interval"):
        return smallest
    interval = min(words.size("verify_interval") or smallest, smallest)
    if smallest % interval:
        raise UsageError(
            f"{words.section.where}: verify_interval={interval}: blocks of {smallest} bytes are not a multiple of it; "
            "use one that divides them"
        )
    return interval


def _backlog(words: Words) -> dict[str, int] | None:
    every, batch = (
        words.read(name, _count) if words.given(name) else 0 for name in ("verify_backlog", "verify_backlog_batch")
    )
    return {"every": every, "batch": batch or every} if every else None


def _count(text: str) -> int:
    if (count := values.whole(text)) < 0:
        raise UsageError(f"{text}: use 0 or more")
    return count


def pattern(text: str) -> list[str | dict[str, list[int]]]:
    """`0xff%o"abcd"-12`: hex digits in their order, numbers in as few bytes as hold them, text, the block's offset; or
    the name of a file between single quotes, whose content it then is.
    """
    if len(text) > 2 and text[0] == text[-1] == "'":
        return [{"bytes": list(_of_file(text[1:-1]))}]
    pieces: list[str | dict[str, list[int]]] = []
    at = length = 0
    while at < len(text):
        match = PIECE.match(text, at)
        if match is None:
            raise UsageError(
                f'{text[at:]!r} is not a pattern; write 0xdeadbeef, 255, "text" or %o, also one after the other'
            )
        if match[0] == "%o":
            pieces.append("offset")
            length += 8
        else:
            found = _bytes(match)
            pieces.append({"bytes": list(found)})
            length += len(found)
        at = match.end()
    if not 0 < length <= MOST_BYTES:
        raise UsageError(f"a pattern of {length} bytes: use 1 to {MOST_BYTES}")
    return pieces


def _of_file(name: str) -> bytes:
    """The content of a file, as a pattern."""
    try:
        with open(name, "rb") as file:
            found = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"cannot read the pattern {name}: {error.strerror}") from None
    if not 0 < len(found) <= MOST_FILE_BYTES:
        raise UsageError(f"{name}: a pattern has 1 to {MOST_FILE_BYTES} bytes")
    return found


def _bytes(match: re.Match[str]) -> bytes:
    quoted, hexadecimal, decimal = match.groups()
    if quoted is not None:
        return quoted.encode()
    if hexadecimal is not None:
        return bytes.fromhex(hexadecimal.zfill(len(hexadecimal) + len(hexadecimal) % 2))
    number = int(decimal)
    if not -(2**31) <= number < 2**32:
        raise UsageError(f"{number} has more than 32 bits; write it as 0x{abs(number):x}")
    return number.to_bytes(4 if number < 0 else max(1, (number.bit_length() + 7) // 8), "little", signed=number < 0)
