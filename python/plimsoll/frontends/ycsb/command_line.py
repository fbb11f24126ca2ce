"""The words after `plimsoll ycsb`, as `bin/ycsb` and YCSB's Java client take them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from plimsoll.addresses import shown
from plimsoll.errors import UnknownName, UsageError

PHASES = ("load", "run")
DATA = ("keep", "create", "reuse", "recreate")
"""`--reuse`, …: what is done about data that are there, as our own database tests have it."""

USAGE = (
    "plimsoll ycsb load|run BINDING [-P FILE]… [-p NAME=VALUE]… [-threads N] [-target OPS_PER_S] [-s] [-l LABEL] "
    f"[{'|'.join(f'--{each}' for each in DATA)}] [--destroy NAME] [--force]"
)
_VALUED = {"-threads": "threadcount", "-target": "target", "-l": "label", "-db": "db"}
_JAVA = ("-cp", "-jvm-args")
OPTIONS = ("-P", "-p", "-s", "-t", "-load", *_VALUED, *_JAVA, "--destroy", "--force", *(f"--{each}" for each in DATA))
_SECRET = re.compile(r"pass|secret|token", re.IGNORECASE)
_SECRET_WITHIN = re.compile(r"\b((?:\w*passw\w*|pwd|token)=)[^&;\s]*", re.IGNORECASE)


@dataclass
class CommandLine:
    """What was typed."""

    phase: str = ""
    binding: str = ""
    files: list[str] = field(default_factory=list)
    properties: dict[str, str] = field(default_factory=dict)
    """Of `-p` and of the options that stand for one; they win over files."""
    status: bool = False
    data: str | None = None
    force: bool = False
    """What is there under the name of exportfile may be overwritten, whatever it is."""
    destroy: list[str] = field(default_factory=list)
    """Data that Plimsoll did not make and may all the same drop."""
    java: list[str] = field(default_factory=list)
    """Options for Java, which have no meaning here."""


def parse(words: Sequence[str]) -> CommandLine:
    """Read the words. Raises UsageError."""
    line, rest = CommandLine(), list(words)
    while rest:
        _take(rest.pop(0), rest, line)
    if not line.phase:
        raise UsageError(f"say whether to load or to run; usage: {USAGE}")
    if not line.binding:
        line.binding = _binding_of_class(line.properties.pop("db", ""))
    return line


def _take(word: str, rest: list[str], line: CommandLine) -> None:
    if not word.startswith("-"):
        _take_name(word, line)
    elif not _took_flag(word, line):
        _take_valued(word, rest, line)


def _took_flag(word: str, line: CommandLine) -> bool:
    """Whether it is an option without a value; then it is set."""
    if word in ("-load", "-t"):
        _set_phase("load" if word == "-load" else "run", line)
    elif word == "-s":
        line.status = True
    elif word.startswith("--") and word[2:] in DATA:
        line.data = word[2:]
    elif word == "--force":
        line.force = True
    else:
        return False
    return True


def _take_valued(word: str, rest: list[str], line: CommandLine) -> None:
    if word.partition("=")[0] == "--destroy":
        line.destroy.append(word.partition("=")[2] or _value(word, rest))
    elif word == "-P":
        line.files.append(_value(word, rest))
    elif word == "-p":
        name, equals, value = _value(word, rest).partition("=")
        if not equals:
            raise UsageError(f"-p {name}: write -p name=value")
        line.properties[name.strip()] = value
    elif word in _VALUED:
        line.properties[_VALUED[word]] = _value(word, rest)
    elif word.partition("=")[0] in _JAVA:
        line.java.append(word.partition("=")[0])
        if "=" not in word:
            _value(word, rest)
    else:
        raise UnknownName("option of YCSB", word, OPTIONS)


def _value(word: str, rest: list[str]) -> str:
    if not rest:
        raise UsageError(f"option {word} needs a value; usage: {USAGE}")
    return rest.pop(0)


def _take_name(word: str, line: CommandLine) -> None:
    if not line.phase and word not in (*PHASES, "shell"):
        raise UnknownName("command of YCSB", word, PHASES)
    if word == "shell" and not line.phase:
        raise UsageError("there is no shell; use load or run")
    if not line.phase:
        line.phase = word
    elif not line.binding:
        line.binding = word
    else:
        raise UsageError(f"{word!r} is one name too many; usage: {USAGE}")


def _set_phase(phase: str, line: CommandLine) -> None:
    if line.phase not in ("", phase):
        raise UsageError(f"both {line.phase} and {phase} are asked for; do them one after the other")
    line.phase = phase


def _binding_of_class(name: str) -> str:
    """The binding of `-db site.ycsb.db.JdbcDBClient`; YCSB's own default is the one without a database."""
    last = name.rpartition(".")[2]
    classes = {
        "": "basic",
        "BasicDB": "basic",
        "JdbcDBClient": "jdbc",
        "RedisClient": "redis",
        "RocksDBClient": "rocksdb",
    }
    return classes.get(last, last)


def without_secrets(words: Sequence[str]) -> list[str]:
    """The words as they may be kept and shown: no password of a property or an address."""
    safe = []
    for word in words:
        name, equals, _ = word.partition("=")
        if equals and _SECRET.search(name):
            safe.append(f"{name}=***")
            continue
        safe.append(_SECRET_WITHIN.sub(r"\1***", shown(word)))
    return safe
