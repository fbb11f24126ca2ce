"""YCSB's properties: files, the published workloads by name, and values that are either asked for or refused."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from plimsoll.errors import UnknownName, UsageError
from plimsoll.meanings import nearest

CORE = {"workload": "site.ycsb.workloads.CoreWorkload", "recordcount": "1000", "operationcount": "1000"}
PUBLISHED: Mapping[str, Mapping[str, str]] = {
    "workloada": {"readproportion": "0.5", "updateproportion": "0.5", "requestdistribution": "zipfian"},
    "workloadb": {"readproportion": "0.95", "updateproportion": "0.05", "requestdistribution": "zipfian"},
    "workloadc": {"readproportion": "1", "updateproportion": "0", "requestdistribution": "zipfian"},
    "workloadd": {
        "readproportion": "0.95",
        "updateproportion": "0",
        "insertproportion": "0.05",
        "requestdistribution": "latest",
    },
    "workloade": {
        "readproportion": "0",
        "updateproportion": "0",
        "scanproportion": "0.95",
        "insertproportion": "0.05",
        "requestdistribution": "zipfian",
        "maxscanlength": "100",
    },
    "workloadf": {
        "readproportion": "0.5",
        "updateproportion": "0",
        "readmodifywriteproportion": "0.5",
        "requestdistribution": "zipfian",
    },
}
"""What the files of these names hold in YCSB 0.17, beside `CORE`; everything else is its default."""

_ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_PAIR = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)


def read_file(name: str) -> dict[str, str]:
    """The properties of a file, or of a published workload where there is no such file. Raises UsageError."""
    path = Path(name)
    if path.is_file():
        return parse(path.read_bytes().decode("utf-8", "replace"))
    if path.name in PUBLISHED:
        return {**CORE, **PUBLISHED[path.name]}
    raise UsageError(
        f"-P {name}: there is no such file; give one that exists, or one of the published workloads by name: "
        f"{', '.join(PUBLISHED)}"
    )


def parse(text: str) -> dict[str, str]:
    """A file in the format of Java's properties."""
    found: dict[str, str] = {}
    for line in _logical_lines(text):
        match = _PAIR.fullmatch(line)
        if match and match[1]:
            found[_unescaped(match[1])] = _unescaped(match[2])
    return found


def _logical_lines(text: str) -> Iterable[str]:
    """Lines without comments; a backslash at the end goes on with the next."""
    pending = ""
    for line in text.splitlines():
        line = line.lstrip()
        if not pending and (not line or line[0] in "#!"):
            continue
        trailing = len(line) - len(line.rstrip("\\"))
        if trailing % 2:
            pending += line[:-1]
            continue
        yield pending + line
        pending = ""
    if pending:
        yield pending


def _unescaped(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda match: chr(int(match[1], 16)), text)
    return re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), text)


class Properties:
    """Values by name. What nobody has asked for in the end means nothing here, and is refused by name."""

    def __init__(self, values: Mapping[str, str], note: Callable[[str], None]) -> None:
        """`note` tells the user what is taken and has no effect."""
        self._values = {name: value.strip() for name, value in values.items()}
        self._asked: set[str] = set()
        self.note = note

    def given(self, name: str) -> str | None:
        """The value; None where it is not given or empty."""
        self._asked.add(name)
        return self._values.get(name) or None

    def text(self, name: str, default: str) -> str:
        """The value, or its default."""
        return self.given(name) or default

    def whole(self, name: str, default: int, least: int = 0) -> int:
        """A whole number of at least `least`."""
        return int(self._number(name, str(default), "a whole number", int, least))

    def number(self, name: str, default: float) -> float:
        """A number of at least 0."""
        return self._number(name, str(default), "a number", float, 0)

    def _number(self, name: str, default: str, what: str, read: Callable[[str], float], least: int) -> float:
        text = self.text(name, default)
        try:
            value = read(text)
        except ValueError:
            value = float("nan")
        if not least <= value < float("inf"):
            raise UsageError(f"property {name}={text}: it must be {what} of at least {least}")
        return value

    def flag(self, name: str, *, default: bool) -> bool:
        """`true` or `false`."""
        return self.choice(name, str(default).lower(), ("true", "false")) == "true"

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        """One of some words, in whatever case."""
        text = self.text(name, default).lower()
        if text not in choices:
            raise UnknownName(f"value of property {name}", text, choices)
        return text

    def only(self, name: str, default: str, why: str) -> None:
        """A property whose default is the only value that there is here."""
        text = self.given(name)
        if text is not None and text.lower() != default:
            raise UsageError(f"property {name}={text}: {why}; only {default} is available, leave it out")

    def ignored(self, name: str, why: str) -> None:
        """A property that can do no harm and has no effect."""
        if self.given(name) is not None:
            self.note(f"property {name} has no effect: {why}")

    def starting(self, prefix: str) -> dict[str, str]:
        """All values with a prefix, by the rest of their names."""
        names = [name for name in self._values if name.startswith(prefix)]
        self._asked.update(names)
        return {name.removeprefix(prefix): self._values[name] for name in names}

    def missing(self, name: str, told: str) -> UsageError:
        """The error for a property that has to be given: one that was misspelt is named instead."""
        strange = (each for each in self._values if each not in self._asked)
        slip = next((each for each in strange if nearest(each, self._asked)[:1] == [name]), None)
        return UsageError(f"no property named {slip!r}; did you mean {name}?" if slip else told)

    def refuse_the_rest(self, binding: str) -> None:
        """Raise UsageError for the first property that means nothing with this binding."""
        for name in self._values:
            if name not in self._asked:
                near = nearest(name, self._asked)
                hint = f"did you mean {near[0]}?" if near else "leave it out"
                raise UsageError(f"no property named {name!r} with binding {binding}; {hint}")
