"""The ways in which a number stands in files and locales, and what an import made of one that was written so."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.model import Run

NUMBER = re.compile(rb"(?<![\w.])\d+(?:\.\d+)?")
_LONG = 4
"""Digits from which on a number can be grouped; a shorter one is first made longer, and compared with that."""


def _grouped(mark: str) -> Callable[[str], str]:
    def group(text: str) -> str:
        digits, point, fraction = text.partition(".")
        return f"{int(digits):,}".replace(",", mark) + point + fraction

    return group


def _lengthened(text: str) -> str:
    """`text` with seven digits before its point, unless it has enough for two groups by itself."""
    digits, point, fraction = text.partition(".")
    return text if len(digits) >= _LONG and not digits.startswith("0") else f"7654{point}{fraction}"


def _fractional(text: str) -> str:
    return text if "." in text else f"{text}.5"


def _same(text: str) -> str:
    return text


@dataclass(frozen=True)
class Spelling:
    """One way of writing: of the number `plain` makes from that of the file, `spelled` makes what is tried."""

    name: str
    spelled: Callable[[str], str]
    plain: Callable[[str], str] = _same


SPELLINGS = (
    Spelling("thousands comma", _grouped(","), _lengthened),
    Spelling("thousands comma, millions", _grouped(","), lambda text: "7654321" + text[len(text.split(".")[0]) :]),
    Spelling("underscore", _grouped("_"), _lengthened),
    Spelling("apostrophe", _grouped("’"), _lengthened),
    Spelling("blank", _grouped(" "), _lengthened),
    Spelling("narrow no-break space", _grouped("\u202f"), _lengthened),
    Spelling("decimal comma", lambda text: _fractional(text).replace(".", ","), _fractional),
    Spelling("exponent", lambda text: f"{text}e0"),
    Spelling("hexadecimal", lambda text: hex(int(text.split(".")[0]))),
    Spelling("infinity", lambda _: "inf"),
    Spelling("not a number", lambda _: "nan"),
    Spelling("negative", lambda text: f"-{text}"),
    Spelling("unit suffix", lambda text: f"{text}k"),
    Spelling("nothing", lambda _: ""),
    Spelling("letter inside", lambda text: f"{text[:1]}o{text[1:]}"),
)


Values = list[dict[str, Any]]
Names = list[tuple[str, str]]


@dataclass(frozen=True)
class Outcome:
    """The numbers of every run, and all that was told of them; `refused` where the file was."""

    values: Values
    names: Names
    told: frozenset[str]
    refused: str = ""


def outcome(module: ModuleType, name: str, content: bytes) -> Outcome:
    """What the format makes of the bytes."""
    try:
        imported: Imported = module.read(Source(name, content), Options())
    except ResultFileError as error:
        return Outcome([], [], frozenset(), str(error))
    told = {*imported.warnings}
    for run in imported.runs:
        told |= {finding.message for finding in run.findings} | ({run.reason} - {""})
    names = [(run.plan.case, run.target.name) for run in imported.runs]
    return Outcome([_values(run) for run in imported.runs], names, frozenset(told))


def _values(run: Run) -> dict[str, Any]:
    """Scores, parameters and length of a run by name."""
    parameters = {f"parameter {name}": value for name, value in run.plan.parameters.items()}
    scores = {f"score {score.metric}": score.value for score in run.scores}
    return scores | parameters


def silently_different(plain: Outcome, spelled: Outcome, *, own_word: bool = False) -> str:
    """What differs without a word: a value, ever; an absence, unless it is told. Empty if nothing does.

    `own_word` is what the format itself writes for what was not measured: it is an absence that needs no words.
    """
    relabelled = set(spelled.names) - set(plain.names) or len(spelled.names) > len(plain.names)
    if plain.refused or spelled.refused or relabelled:
        # Another name, or runs that are no longer one, can be seen: it was no number but a part of a label.
        return ""
    told = bool(spelled.told - plain.told) or own_word
    if len(plain.values) != len(spelled.values):
        return "" if told else f"{len(spelled.values)} runs, not {len(plain.values)}"
    for before, after in zip(plain.values, spelled.values, strict=True):
        for name, value in before.items():
            if name not in after:
                if not told and not isinstance(value, str):
                    return f"{name} is gone"
            elif after[name] != value and not isinstance(after[name], str):
                # A setting that is kept as it is written can be seen, and makes another case.
                return f"{name} is {after[name]}, not {value}"
    return ""


def spelled(content: bytes) -> Iterator[tuple[int, str, Callable[[str], bytes]]]:
    """Every number of a file with its line, and what puts another text in its place."""
    for match in NUMBER.finditer(content):
        begin, end = match.span()

        def replaced(text: str, begin: int = begin, end: int = end) -> bytes:
            return content[:begin] + text.encode() + content[end:]

        yield content.count(b"\n", 0, begin) + 1, match[0].decode(), replaced
