"""Job files and arguments to sections: names with their options as text, global ones already filled in."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import ranges
from plimsoll.frontends.fio.options import canonical, check_value

MAX_INCLUDES = 16
_KEYWORDS: dict[str, Callable[[], int]] = {
    "$pagesize": lambda: os.sysconf("SC_PAGESIZE"),
    "$mb_memory": lambda: os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGESIZE") // 2**20,
    "$ncpus": lambda: os.cpu_count() or 1,
}


@dataclass(frozen=True)
class Section:
    """One job section: fio's options by their canonical names, values as text."""

    name: str
    own: dict[str, str]
    """What the section itself says: fio's "job options"."""
    shared: dict[str, str]
    """What `[global]` said before it."""
    where: str
    walled: bool = False
    """Whether it waits for those before without saying so: the first of a further job file."""

    @property
    def options(self) -> dict[str, str]:
        """Everything that holds for the section."""
        return {**self.shared, **self.own}


@dataclass
class Sections:
    """Collects sections in their order; a global part holds for those that follow it."""

    wanted: Sequence[str] = ()
    """Only these (`--section`); empty: all."""
    found: list[Section] = field(default_factory=list)
    """Those that are wanted."""
    shared: dict[str, str] = field(default_factory=dict)
    _current: Section | None = None
    _further: bool = False

    def begin_file(self, where: str, *, further: bool) -> None:
        """A job file starts. As with fio, a further one has nothing of what was global, and waits for the first."""
        self.begin("global", where)
        self._further = further
        if further:
            self.shared.clear()

    def begin(self, name: str, where: str) -> None:
        """A section starts; `global` changes what holds for the next ones."""
        self._current = None
        if name == "global":
            return
        self._current = Section(name, {}, dict(self.shared), where, self._further)
        if not self.wanted or name in self.wanted:
            self.found.append(self._current)
            self._further = False

    def put(self, name: str, value: str, where: str) -> None:
        """One option of the section that was begun last."""
        try:
            plain = canonical(name)
            value = expand(value)
            check_value(plain, value)
            ranges.check(plain, value)
        except UsageError as error:
            raise UsageError(f"{where}: {error}") from None
        if plain == "name" and self._current is None:
            # As with fio, a name is that of one section.
            return
        (self.shared if self._current is None else self._current.own)[plain] = value

    def unknown(self) -> list[str]:
        """Names that are wanted and not there."""
        return [name for name in self.wanted if name not in {section.name for section in self.found}]


def read(path: Path, sections: Sections, depth: int = 0) -> None:
    """Add the sections of a job file; `-` is standard input, as with fio."""
    if depth > MAX_INCLUDES:
        raise UsageError(f"{path}: job files include each other more than {MAX_INCLUDES} deep")
    for number, line in _lines(path):
        where = f"{path}:{number}"
        if line.startswith("["):
            if not line.endswith("]") or len(line) < 3:
                raise UsageError(f"{where}: {line!r} is not a section; write [name]")
            sections.begin(line[1:-1].strip(), where)
        elif match := re.fullmatch(r"include\s+(.+)", line):
            read(path.parent / match[1], sections, depth + 1)
        else:
            name, _, value = line.partition("=")
            sections.put(name.strip(), value.strip(), where)


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines with something in them, without comments and blanks."""
    try:
        text = Path("/dev/stdin").read_text() if str(path) == "-" else path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise UsageError(f"cannot read the job file {path}: {reason}") from None
    for number, line in enumerate(text.splitlines(), 1):
        line = re.split(r"[;#]", line, maxsplit=1)[0].strip()
        if line:
            yield number, line


def expand(value: str) -> str:
    """Environment variables as `${NAME}` and fio's `$pagesize`, `$ncpus`, `$mb_memory`, also in `2*$pagesize`."""

    def variable(match: re.Match[str]) -> str:
        if match[1] not in os.environ:
            raise UsageError(f"the environment has no variable {match[1]}, which {match[0]} asks for; set it")
        return os.environ[match[1]]

    value = re.sub(r"\$\{(\w+)\}", variable, value)
    if not any(word in value for word in _KEYWORDS):
        return value
    for word, number in _KEYWORDS.items():
        value = value.replace(word, str(number()))
    if factors := re.fullmatch(r"(\d+)\s*([*/+-])\s*(\d+)", value):
        left, right = int(factors[1]), int(factors[3])
        results = {"*": left * right, "+": left + right, "-": left - right, "/": left // right if right else 0}
        return str(results[factors[2]])
    return value


def named(sections: Iterable[Section]) -> str:
    """The names of sections for a title."""
    return ", ".join(dict.fromkeys(section.options.get("name", section.name) for section in sections))
