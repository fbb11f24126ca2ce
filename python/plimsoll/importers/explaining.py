"""What an importer took from a file and what it left: for `plimsoll import --explain`, which stores nothing."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from plimsoll.importers.reading import Outcome, read_files
from plimsoll.importers.source import Options, Source
from plimsoll.importers.tracing import Place, Read, Tracer, tracing
from plimsoll.model import Run, Unit

MOST_LINES = 5
"""Of one number that stands in several places alike."""
_UNITS: Mapping[Unit, Mapping[float, str]] = {
    "ns": {1: "ns", 1e3: "µs", 1e6: "ms", 1e9: "s", 60e9: "min"},
    "B/s": {1: "B/s", 1e3: "kB/s", 1024: "KiB/s", 1e6: "MB/s", 2**20: "MiB/s", 1e9: "GB/s", 2**30: "GiB/s"},
    "B": {1: "B", 1e3: "kB", 1024: "KiB", 1e6: "MB", 2**20: "MiB", 1e9: "GB", 2**30: "GiB"},
    "1/s": {1: "1/s", 1e3: "1,000/s", 1 / 60: "1/min"},
    "1": {1: "1", 0.01: "%"},
}
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class ExplainedNumber:
    """One score, and where it comes from."""

    metric: str
    value: float
    unit: Unit
    tokens: tuple[str, ...]
    """The numbers as they stand in the file: one, or all that it is computed from; none where that is not known."""
    file_unit: str
    """Of the one number, as the importer took it: `µs`; empty where it is computed."""
    where: str
    """`line 12`, `jobs[0].read.iops (line 54)`; for several, all of them."""
    computed: bool
    """It is not one number of the file, but made from several, or from the histogram, or from a column."""


@dataclass(frozen=True)
class ExplainedRun:
    """One run as it would be stored."""

    case: str
    target: str
    status: str
    reason: str
    parameters: Mapping[str, Any]
    facts: tuple[str, ...]
    """Names of what is kept beside the scores."""
    histograms: tuple[str, ...]
    numbers: tuple[ExplainedNumber, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Explained:
    """One file, or one group of files."""

    file: str
    format: str = ""
    title: str = ""
    tools: tuple[str, ...] = ()
    forced: bool = False
    """Somebody said which format; otherwise its content did."""
    problem: str = ""
    """Why nothing would be imported."""
    failed: bool = False
    """It cannot be read; else a problem is why it would be left out."""
    runs: tuple[ExplainedRun, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    """Numbers of a JSON document, or lines with digits, of which no score is made; empty for a log."""
    is_log: bool = False
    """Its scores are counted by the reader of logs, from all of its lines."""
    taken: int = 0
    """How many numbers or lines some score is made of; 0 for a log, whose scores are counted from all of its lines."""

    def named(self, names: Mapping[str, str]) -> Explained:
        """The same with the name by which the file was given."""
        name = names.get(self.file, self.file)
        return replace(self, file=name, problem=self.problem.replace(self.file, name))


def explain(files: Sequence[str], options: Options, format_name: str | None = None) -> Iterator[Explained]:
    """What `read_files` would take from each file."""
    formats = _formats()
    outcomes = read_files(files, options, format_name=format_name)
    while True:
        with tracing() as tracer:
            outcome = next(outcomes, None)
        if outcome is None:
            return
        module = formats.get(outcome.format)
        head: dict[str, Any] = {"file": outcome.place, "format": outcome.format, "forced": format_name is not None}
        if module is not None:
            head |= {"title": module.TITLE, "tools": tuple(module.TOOLS)}
        if outcome.imported is None:
            failed = outcome.error is not None
            yield Explained(**head, problem=str(outcome.error or outcome.skipped), failed=failed)
        else:
            yield _explained(head, outcome, tracer)


def _formats() -> dict[str, Any]:
    from plimsoll.importers.reading import formats

    return {name: each.module for name, each in formats().items()}


def _explained(head: dict[str, Any], outcome: Outcome, tracer: Tracer) -> Explained:
    assert outcome.imported is not None  # whoever calls has looked
    runs = outcome.imported.runs
    files = [Source(each.name, each.content) for run in runs for each in run.artefacts]
    finder = _Finder(files)
    made = tuple(_run(run, origins, finder) for run, origins in zip(runs, tracer.origins, strict=True))
    used = {place for origins in tracer.origins for read in origins.values() for place in read.places}
    if _is_log(outcome):
        # Its lines are counted by the reader of logs, all of them.
        return Explained(**head, runs=made, warnings=outcome.imported.warnings, is_log=True)
    left_out = finder.json_rest(tracer, used) if tracer.json_places else finder.lines_rest()
    taken = len(used) if tracer.json_places else len(finder.lines_used)
    return Explained(**head, runs=made, warnings=outcome.imported.warnings, left_out=tuple(left_out), taken=taken)


def _is_log(outcome: Outcome) -> bool:
    return bool(getattr(_formats()[outcome.format], "STREAMS", False))


def _run(run: Run, origins: Mapping[str, Read], finder: _Finder) -> ExplainedRun:
    return ExplainedRun(
        case=run.plan.case,
        target=run.target.name,
        status=run.status.value,
        reason=run.reason,
        parameters=run.plan.parameters,
        facts=tuple(name for name in run.facts if name != "imported"),
        histograms=tuple(run.histograms),
        numbers=tuple(
            _number(score.metric, score.value, score.unit, origins.get(score.metric), finder) for score in run.scores
        ),
        warnings=tuple(finding.message for finding in run.findings),
    )


def _number(metric: str, value: float, unit: Unit, origin: Read | None, finder: _Finder) -> ExplainedNumber:
    if origin is None or not all(map(finder.knows, origin.places)):
        return ExplainedNumber(metric, value, unit, (), "", "", computed=True)
    computed = origin.factor is None or len(origin.places) > 1
    tokens = tuple(place.token for place in origin.places)
    finder.use(origin.places)
    where = ", ".join(dict.fromkeys(finder.where(place) for place in origin.places))
    file_unit = "" if computed or origin.factor is None else _unit(unit, origin.factor)
    return ExplainedNumber(metric, value, unit, tokens, file_unit, where, computed)


def _unit(unit: Unit, factor: float) -> str:
    """What one of the file is: `ms` for 1,000,000 ns."""
    named = next((name for known, name in _UNITS[unit].items() if abs(known - factor) <= 1e-9 * known), None)
    return named or f"{factor:g} {unit}"


@dataclass
class _Finder:
    """Finds places in the files of one measurement."""

    files: Sequence[Source]
    lines_used: set[tuple[int, int]] = field(default_factory=set)
    """File and line, both from 0, of which some score is made."""

    def knows(self, place: Place) -> bool:
        """Whether it stands somewhere: an importer may hand on a number that it made."""
        return bool(self._lines(place))

    def use(self, places: Sequence[Place]) -> None:
        """Some score is made of what stands there."""
        for place in places:
            self.lines_used.update(self._lines(place))

    def where(self, place: Place) -> str:
        """In words. Where equal text stands in several places, all of them, because it may be any."""
        found = self._lines(place)
        several = len(self.files) > 1
        told = [f"{self.files[file].name} line {line + 1}" if several else f"line {line + 1}" for file, line in found]
        words = " or ".join(told[:MOST_LINES]) + (" or more" if len(told) > MOST_LINES else "")
        return f"{place.path} ({words})" if place.path else words

    def _lines(self, place: Place) -> list[tuple[int, int]]:
        if place.path and place.offset >= 0:
            return [(0, _line_at(place.text, place.offset))]
        if place.text:
            found = [each for file in range(len(self.files)) for each in self._with_text(file, place)]
            if found:
                return found
        word = re.compile(rf"(?<![\w.]){re.escape(place.token)}(?![\w.])")
        return [
            (file, line)
            for file, source in enumerate(self.files)
            for line, text in enumerate(source.lines)
            if place.token in text and word.search(text)
        ]

    def _with_text(self, file: int, place: Place) -> Iterator[tuple[int, int]]:
        """Wherever the text in which a number was read stands in a file."""
        text, begin = self.files[file].text, 0
        for _ in range(MOST_LINES + 1):
            at = text.find(place.text, begin)
            if at < 0:
                return
            yield file, _line_at(text, at + max(place.offset, 0))
            begin = at + 1

    def json_rest(self, tracer: Tracer, used: set[Place]) -> list[str]:
        """The numbers of which no score is made, by their paths."""
        paths = Counter(place.path for place in tracer.json_places)
        return [
            # Several documents have the same paths, so there the line says which.
            f"{place.path} = {place.token}" + (_on_line(place) if paths[place.path] > 1 else "")
            for place in tracer.json_places
            if place not in used
        ]

    def lines_rest(self) -> list[str]:
        """The lines with digits of which no score is made."""
        several = len(self.files) > 1
        return [
            f"{f'{source.name} ' if several else ''}line {line + 1}: {text.strip()[:120]}"
            for file, source in enumerate(self.files)
            for line, text in enumerate(source.lines)
            if (file, line) not in self.lines_used and _DIGIT.search(text)
        ]


def _on_line(place: Place) -> str:
    return f" (line {_line_at(place.text, place.offset) + 1})" if place.offset >= 0 else ""


def _line_at(text: str, offset: int) -> int:
    return bisect_right(_line_starts(text), offset) - 1


@lru_cache(maxsize=4)
def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]
