"""Seeded damage for files: what disks, editors, shells and attackers do to them."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

NUMBERS = (
    b"0",
    b"-1",
    b"1e308",
    b"-1e-308",
    b"nan",
    b"inf",
    b"9" * 30,
    b"1" + b"0" * 5000,
    b"0.0000001",
    b"1.2.3",
    b"",
)
TOKENS = (
    b'"', b"{", b"}", b"[", b"]", b",", b";", b"\n", b"\r\n", b"\t", b"\0", b"\xff\xfe", b"\xc3\x28", b":", b"=", b"%",
    b"null", b"true", b"<!DOCTYPE a>", b"<a>", b"</a>", b"&x;", b"+++++", b"\\ud800", b"\xef\xbb\xbf", b"-->", b"<!--",
    "²³٣𝟛".encode(), b"{" * 2000, b"[" * 2000, b'{"a":' * 500, b"HISTFAAAA", b"()", b"/", b" ",
)  # fmt: skip
_DIGITS = re.compile(rb"\d[\d.]*")


def mutate(content: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    """`content` with one to six faults; `others` are files to splice with."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        content = rng.choice(_FAULTS)(content, others, rng)
    return content[:200_000]


def _span(content: bytes, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(content) + 1)
    return start, min(len(content), start + rng.choice((1, 2, 8, 40, 300)))


def _flip(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    if not content:
        return content
    place = rng.randrange(len(content))
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def _cut(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _remove(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:start] + content[end:]


def _repeat(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    start, end = _span(content, rng)
    return content[:end] + content[start:end] * rng.choice((1, 2, 20)) + content[end:]


def _insert(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    place = rng.randrange(len(content) + 1)
    return content[:place] + rng.choice(TOKENS) + content[place:]


def _renumber(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    # The number nearest behind a random place: looking for all of them is most of the time for a long file.
    place = _DIGITS.search(content, rng.randrange(len(content) + 1)) or _DIGITS.search(content)
    if place is None:
        return content
    return content[: place.start()] + rng.choice(NUMBERS) + content[place.end() :]


def _swap_lines(content: bytes, _: Sequence[bytes], rng: random.Random) -> bytes:
    lines = content.split(b"\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    lines[first], lines[second] = lines[second], lines[first]
    return b"\n".join(lines)


def _splice(content: bytes, others: Sequence[bytes], rng: random.Random) -> bytes:
    other = rng.choice(others)
    return content[: rng.randrange(len(content) + 1)] + other[rng.randrange(len(other) + 1) :]


_FAULTS: tuple[Callable[[bytes, Sequence[bytes], random.Random], bytes], ...] = (
    _flip, _flip, _cut, _remove, _repeat, _insert, _insert, _renumber, _renumber, _renumber, _swap_lines, _splice,
)  # fmt: skip
