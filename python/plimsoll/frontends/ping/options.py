"""ioping's options: suffixes, defaults and what they imply, as in ioping 1.3."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from plimsoll.errors import UsageError
from plimsoll.meanings import nearest
from plimsoll.units import SECOND

_SIZES = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40, "p": 2**50, "sector": 512, "page": 4096}
_COUNTS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_TIMES = {
    "": SECOND, "nsec": 1, "ns": 1, "usec": 1000, "us": 1000, "msec": 10**6, "ms": 10**6, "sec": SECOND, "s": SECOND,
    "min": 60 * SECOND, "m": 60 * SECOND, "hour": 3600 * SECOND, "h": 3600 * SECOND, "day": 86400 * SECOND,
}  # fmt: skip
_NUMBER = re.compile(r"(\d+\.?\d*|\.\d+)(?:/(\d+\.?\d*|\.\d+))?\s*([a-z]*)|()()([a-z]+)", re.IGNORECASE)
"""A number with a unit, or a unit alone: one of it."""

RAPID_NS = 3 * SECOND
RAPID_WORKING_SET = 64 * 2**20
LINEAR_SIZE = 256 * 2**10


def _suffixed(text: str, units: dict[str, float] | dict[str, int], what: str) -> int:
    match = _NUMBER.fullmatch(text.strip())
    unit = (match[3] or match[6] or "").lower() if match else ""
    if match and unit not in units:
        unit = unit.removesuffix("ib").removesuffix("b")
    if not match or unit not in units or (match[2] and float(match[2]) == 0):
        raise UsageError(
            f"{text!r} is not a valid {what}; ioping takes {'4k, 1m' if what == 'size' else '10, 1k, 500ms'}, …"
        )
    return round(float(match[1] or 1) / float(match[2] or 1) * units[unit])


def size(text: str) -> int:
    """Bytes; k, m, g are powers of 1024."""
    return _suffixed(text, _SIZES, "size")


def count(text: str) -> int:
    """A number; k, M, G are powers of 1000."""
    return _suffixed(text, _COUNTS, "count")


def time_ns(text: str) -> int:
    """Nanoseconds; a bare number counts seconds."""
    return _suffixed(text, _TIMES, "time")


SWITCHES = {
    "A": "async", "C": "cached", "D": "direct", "G": "read-write", "L": "linear", "W": "write", "Y": "sync",
    "y": "dsync", "R": "rapid", "k": "keep", "B": "batch", "I": "time", "J": "json", "q": "quiet",
    "v": "version", "N": "nowait", "H": "hipri",
}  # fmt: skip
VALUES: dict[str, tuple[str, Callable[[str], int]]] = {
    "a": ("warmup", count), "b": ("burst", count), "c": ("count", count), "e": ("entropy", count),
    "i": ("interval", time_ns), "s": ("size", size), "S": ("work-size", size), "o": ("work-offset", size),
    "w": ("work-time", time_ns), "l": ("speed-limit", size), "r": ("rate-limit", count), "t": ("min-time", time_ns),
    "T": ("max-time", time_ns), "p": ("print-count", count), "P": ("print-interval", time_ns),
}  # fmt: skip
OWN = {"percentiles": "print percentiles after the statistics", "destroy": "allow this device or file to be written"}
"""Options that ioping has not."""
_SHORT = {long: short for short, long in SWITCHES.items()} | {long: short for short, (long, _) in VALUES.items()}
_MEANT = {"n": "c (-count)", "f": "R (-rapid)", "d": "D (-direct)", "V": "v", "Q": "q", "K": "k"}
"""What letters mean that ping and others have and ioping has not."""
LONG = tuple(name for name in _SHORT if len(name) > 1)


@dataclass(frozen=True)
class Settings:
    """What a command line of ioping asks for. Times in ns, sizes in bytes."""

    place: str
    switches: frozenset[str]
    writes: int
    """How often -W was given: three times shreds a file or device."""
    size: int
    interval_ns: int
    work_size: int | None
    work_offset: int
    deadline_ns: int | None
    count: int | None
    warmup: int
    burst: int
    entropy: int
    min_ns: int
    max_ns: int | None
    print_count: int | None
    print_interval_ns: int | None
    percentiles: bool
    destroy: tuple[str, ...] = ()

    def on(self, switch: str) -> bool:
        """Whether a switch was given, by its letter."""
        return switch in self.switches

    @property
    def quiet(self) -> bool:
        """Whether single requests are not shown."""
        return bool(self.switches & {"q", "B", "R"})


@dataclass
class _Given:
    switches: list[str] = field(default_factory=list)
    values: dict[str, int] = field(default_factory=dict)
    places: list[str] = field(default_factory=list)
    percentiles: bool = False
    destroy: list[str] = field(default_factory=list)


def parse(words: Sequence[str]) -> Settings:
    """Read the words after `plimsoll ping`. Raises UsageError."""
    given, rest = _Given(), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            given.places += rest
            break
        if not word.startswith("-") or word == "-":
            given.places.append(word)
        elif not _long(word, rest, given):
            _short(word[1:], rest, given)
    return _settings(given)


def _long(word: str, rest: list[str], given: _Given) -> bool:
    """`-count 3`, `--count=3`; True if it was one."""
    name, equals, value = word.lstrip("-").partition("=")
    if name == "percentiles":
        given.percentiles = True
    elif name == "destroy":
        given.destroy.append(value if equals else _next(name, rest))
    elif name in _SHORT and len(name) > 1:
        short = _SHORT[name]
        if short in VALUES:
            _take(short, value if equals else _next(name, rest), given)
        else:
            given.switches.append(short)
    elif word.startswith("--"):
        raise UsageError(f"ioping has no option {word}; {_nearest(name)}")
    else:
        return False
    return True


def _nearest(name: str) -> str:
    """Of a long name."""
    near = nearest(name, [*LONG, *OWN])
    return f"the nearest one there is: --{near[0]}" if near else f"there are {', '.join(sorted(LONG))}"


def _short(letters: str, rest: list[str], given: _Given) -> None:
    """`-WWW`, `-qc10`, `-c 10`."""
    for place, letter in enumerate(letters):
        if letter in SWITCHES:
            given.switches.append(letter)
        elif letter in VALUES:
            _take(letter, letters[place + 1 :] or _next(letter, rest), given)
            return
        else:
            if len(letters) > 2:
                raise UsageError(f"ioping has no option -{letters}; {_nearest(letters.partition('=')[0])}")
            near = _MEANT.get(letter)
            hint = f"the nearest one there is: -{near}" if near else "see `plimsoll ping --help`"
            raise UsageError(f"ioping has no option -{letter}; {hint}")


def _next(name: str, rest: list[str]) -> str:
    if not rest:
        raise UsageError(f"ioping's option -{name} needs a value")
    return rest.pop(0)


def _take(letter: str, text: str, given: _Given) -> None:
    long, read = VALUES[letter]
    try:
        given.values[letter] = read(text)
    except UsageError as error:
        raise UsageError(f"-{letter} (-{long}): {error}") from None


def _settings(given: _Given) -> Settings:
    switches, values = frozenset(given.switches), given.values
    if "N" in switches and not switches & {"C", "D"}:
        raise UsageError("-N: without -C or -D every request would have to wait, and fail; add one of them")
    for letter in "NH":
        if letter in switches and "A" in switches:
            raise UsageError(f"-{letter} works only with synchronous requests; leave -A out")
    if len(given.places) != 1 and "v" not in switches:
        problem = "there are several places" if given.places else "there is no place to test"
        raise UsageError(f"{problem}; give one directory, file or device")
    request = values.get("s", LINEAR_SIZE if "L" in switches else 4096)
    if request < 1:
        raise UsageError("-s: the request size must be above zero")
    interval = 0 if "R" in switches else SECOND
    if values.get("l"):
        interval = request * SECOND // values["l"]
    if values.get("r"):
        interval = SECOND // values["r"]
    return Settings(
        place=given.places[0] if given.places else "",
        switches=switches,
        writes=given.switches.count("W"),
        size=request,
        interval_ns=values.get("i", interval),
        work_size=values.get("S", RAPID_WORKING_SET if "R" in switches else None),
        work_offset=values.get("o", 0),
        deadline_ns=values.get("w", RAPID_NS if "R" in switches else None),
        count=values.get("c") or None,
        warmup=values.get("a", 1),
        burst=values.get("b", 0),
        entropy=values.get("e", 0),
        min_ns=values.get("t", 0),
        max_ns=values.get("T"),
        print_count=values.get("p"),
        print_interval_ns=values.get("P"),
        percentiles=given.percentiles,
        destroy=tuple(given.destroy),
    )
