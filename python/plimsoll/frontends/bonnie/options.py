"""Bonnie++'s options, as in 2.00a."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.meanings import nearest
from plimsoll.units import GIB, MIB

WITH_VALUE = "dcsnmrxugpzZ"
SWITCHES = "qbyDf"
LONG = {
    "directory": "d", "chunk": "s", "concurrency": "c", "size": "s", "number": "n", "files": "n", "machine": "m",
    "name": "m", "ram": "r", "memory": "r", "runs": "x", "times": "x", "user": "u", "uid": "u", "group": "g",
    "seed": "z", "random": "Z", "quiet": "q", "buffering": "b", "no-buffering": "b", "sync": "b", "fast": "f",
    "direct": "D", "processes": "p", "semaphores": "p", "help": "h",
}  # fmt: skip
"""What people call the options, which have letters only."""
_MEANT = {"t": "x", "i": "x", "o": "q", "w": "d", "R": "r", "S": "s", "N": "n"}
"""What letters mean that others have and Bonnie++ has not: runs, places, memory, sizes."""
WAITS = {"s": "together", "p": "prompts"}
"""What -y waits for, as the parameter that is then set; without a word it is the first."""
_MOST_SEED = 2**31
_SIZE = re.compile(r"(\d+)([kmgt]?)", re.IGNORECASE)
FILES_UNIT = 1024


@dataclass(frozen=True)
class Settings:
    """What a command line of Bonnie++ asks for. Sizes in bytes."""

    directory: str
    name: str
    concurrency: int
    size: int
    size_given: bool
    chunk: int | None
    seeks: int
    seekers: int
    thousand_files: int
    file_size_max: int
    file_size_min: int
    runs: int
    seed: int
    quiet: bool
    skip_characters: bool
    unbuffered: bool
    notes: tuple[str, ...]
    direct: bool = False
    waits: str = ""
    """What each test waits for: one of WAITS, or nothing."""
    processes: int | None = None
    """Only create semaphores for this many processes; -1 removes them."""

    def parameters(self) -> dict[str, Any]:
        """Parameters of the `bonnie` workload, as text or numbers."""
        return {
            "version": "2",
            "size": self.size,
            "chunk": self.chunk or 8192,
            "skip_characters": self.skip_characters,
            "unbuffered": self.unbuffered,
            "seeks": self.seeks,
            "seekers": self.seekers,
            "files": self.thousand_files * FILES_UNIT,
            "file_size_min": self.file_size_min,
            "file_size_max": self.file_size_max,
            "seed": self.seed,
        }

    def rare(self) -> dict[str, bool]:
        """Parameters that no test has: a plan holds them only where they are asked for."""
        asked = {"skip_data": not self.size, "direct": self.direct, self.waits: bool(self.waits)}
        return {name: True for name, on in asked.items() if on}


@dataclass
class _Given:
    values: dict[str, str] = field(default_factory=dict)
    switches: set[str] = field(default_factory=set)


def parse(words: Sequence[str]) -> Settings:
    """Read the words after `plimsoll bonnie`. Raises UsageError."""
    given, rest = _Given(), list(words)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-") or word in ("-", "--"):
            raise UsageError(f"Bonnie++ takes no argument {word!r}; the directory is given with -d")
        if word.startswith("--"):
            raise UsageError(f"Bonnie++ has no option {word}; {_nearest(word)}")
        _letters(word[1:], rest, given)
    return _settings(given)


def _nearest(word: str) -> str:
    """Of a word where Bonnie++ has letters."""
    near = nearest(word.lstrip("-").partition("=")[0], LONG)
    if near:
        return f"the nearest one there is: -{LONG[near[0]]}"
    return f"its options are letters: {', '.join(f'-{letter}' for letter in sorted(WITH_VALUE + SWITCHES))}"


def _letters(letters: str, rest: list[str], given: _Given) -> None:
    for place, letter in enumerate(letters):
        if letter in WITH_VALUE:
            value = letters[place + 1 :] or (rest.pop(0) if rest else "")
            if not value:
                raise UsageError(f"Bonnie++'s option -{letter} needs a value")
            given.values[letter] = value
            return
        if letter not in SWITCHES:
            near = _MEANT.get(letter)
            hint = f"the nearest one there is: -{near}" if near else "see `plimsoll bonnie --help`"
            raise UsageError(f"Bonnie++ has no option -{letter}; {hint}")
        given.switches.add(letter)
        if letter == "y":
            what = letters[place + 1 :] or (rest.pop(0) if rest and rest[0].lower() in WAITS else "s")
            if what.lower() not in WAITS:
                raise UsageError(
                    f"-y {what}: it is -y s for the semaphores of -p, or -y p for a line on standard input"
                )
            given.values["y"] = what.lower()
            return
        if letter == "f" and letters[place + 1 :].isdigit():
            raise UsageError("-f with a size is not supported; -f alone leaves the tests of characters out")


def _size(text: str, unit: int, option: str) -> int:
    match = _SIZE.fullmatch(text)
    if not match:
        raise UsageError(f"-{option}: {text!r} is not a size; Bonnie++ takes 300, 300m or 16g")
    return int(match[1]) * ({"k": 2**10, "m": MIB, "g": GIB, "t": 2**40}[match[2].lower()] if match[2] else unit)


def _number(text: str, option: str) -> int:
    if not re.fullmatch(r"-?\d+", text):
        raise UsageError(f"-{option}: {text!r} is not a whole number")
    return int(text)


def _memory(given: _Given) -> int:
    """RAM in bytes as Bonnie++ rounds it, or what -r says."""
    if "r" in given.values:
        return _size(given.values["r"], MIB, "r")
    ram = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // MIB
    if ram >= 1024:
        ram = (ram // 1024 + (1 if ram % 1024 > 512 else 0)) * 1024
    return ram * MIB


def _settings(given: _Given) -> Settings:
    values = given.values
    ram = _memory(given)
    size_text, *more = values.get("s", str(2 * ram // MIB or 300)).split(":")
    size = _size(size_text, MIB, "s")
    if 0 < size < 2 * ram:
        raise UsageError(
            f"-s: {size // MIB} MiB are less than twice the {ram // MIB} MiB of memory, so that memory would be "
            f"measured; take -s {2 * ram // MIB}, or -r to say that less memory counts"
        )
    chunk, seeks, seekers = _after_size(more)
    counts = values.get("n", "16").split(":")
    numbers = [_number(each, "n") for each in counts]
    if len(numbers) > 3 and numbers[3] > 1:
        raise UsageError(f"-n {values['n']}: several folders are not supported; leave the fourth number out")
    if min(numbers) < 0:
        raise UsageError(f"-n {values['n']}: links in place of files are not supported; use sizes of 0 or more")
    largest = numbers[1] if len(numbers) > 1 else 0
    smallest = numbers[2] if len(numbers) > 2 else 0
    if smallest > largest:
        raise UsageError(f"-n {values['n']}: the largest size comes first, such as -n 16:{smallest}:{largest}")
    notes = []
    if "u" in values or "g" in values:
        notes.append("-u, -g: Plimsoll writes into a new folder of its own, as the user who started it")
    return Settings(
        directory=values.get("d", "."),
        name=values.get("m", platform.node()),
        concurrency=_number(values.get("c", "1"), "c"),
        size=size,
        size_given="s" in values,
        chunk=chunk,
        seeks=seeks,
        seekers=seekers,
        thousand_files=numbers[0],
        file_size_max=largest,
        file_size_min=smallest,
        runs=max(1, _number(values.get("x", "1"), "x")),
        seed=_seed(values),
        quiet="q" in given.switches,
        skip_characters="f" in given.switches,
        unbuffered="b" in given.switches,
        notes=tuple(notes),
        direct="D" in given.switches,
        waits=WAITS[values["y"]] if "y" in values else "",
        processes=_number(values["p"], "p") if "p" in values else None,
    )


def _seed(values: Mapping[str, str]) -> int:
    """Of -z, made from the file of -Z, or the time: what stands in the CSV repeats the run with -z."""
    if "z" in values and "Z" in values:
        raise UsageError("-z and -Z both say where random numbers come from; give one of them")
    if "z" in values:
        seed = _number(values["z"], "z")
        if not 0 <= seed < 2**63:
            raise UsageError(f"-z {seed}: a seed is 0 or more, with up to 18 digits")
        return seed
    if "Z" not in values:
        return int(time.time())
    try:
        with Path(values["Z"]).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").digest()
    except OSError as error:
        raise UsageError(f"-Z: cannot read {values['Z']}: {error.strerror}; give a file of random bytes") from None
    return int.from_bytes(digest[:8], "big") % _MOST_SEED


def _after_size(more: Sequence[str]) -> tuple[int | None, int, int]:
    """`:chunk:seeks:procs` of -s."""
    chunk = _size(more[0], 1, "s") if more and more[0] else None
    seeks = _number(more[1], "s") if len(more) > 1 and more[1] else 8192
    seekers = _number(more[2], "s") if len(more) > 2 and more[2] else 5
    for what, number in (("chunk", chunk), ("number of seeks", seeks), ("number of processes", seekers)):
        if number is not None and number < 1:
            raise UsageError(f"-s: the {what} is {number}; -s SIZE:CHUNK:SEEKS:PROCESSES takes 1 or more of each")
    return chunk, seeks, seekers
