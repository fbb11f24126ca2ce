"""Phoronix Test Suite composite.xml: all runs of RawString, failed results, line graphs, the MiB that it calls MB."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from plimsoll.errors import ResultFileError
from plimsoll.importers import xml_text
from plimsoll.importers.checks import rates_agree
from plimsoll.importers.draft import Draft, slug
from plimsoll.importers.json_text import documents, table, text_of
from plimsoll.importers.numbers import located, number
from plimsoll.importers.quantities import moment_ns, unit_of, usual_direction
from plimsoll.importers.record import build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.importers.xml_text import text
from plimsoll.model import Direction, Unit
from plimsoll.units import GIB, KIB, MIB, SECOND, parse_size

NAME = "phoronix"
TITLE = "Phoronix Test Suite composite.xml"
TOOLS = ("phoronix-test-suite",)

_MIBIBYTE_PROFILES = frozenset({"fio", "aio-stress", "iozone", "tiobench", "compilebench"})
"""Profiles whose "MB/s" is MiB/s: the tool divides by 2^20, or prints KiB/s that the profile divides by 1024."""

_STORAGE_PROFILES = _MIBIBYTE_PROFILES | {"dbench", "fs-mark", "postmark", "ior", "blogbench", "unpack-linux", "sqlite"}
_DIRECTIONS: dict[str, Direction] = {"HIB": "higher", "LIB": "lower"}
_BINARY = {"KB/s": KIB, "MB/s": MIB, "GB/s": GIB}
_PROFILE = re.compile(r"(?:[^/]+/)?(.*?)(?:-\d[^-/]*)?")
_METRICS = {"IOPS": "iops", "TPS": "transaction_rate", "": "value"}
_PER_SECOND = re.compile(r" ?(?:/| per )(?:s|sec|second)$", re.IGNORECASE)
_BLOCK_SIZE = re.compile(r"Block Size: ?(\d{1,9} ?[kKmM])i?[bB]?\b")
_MAX_RUNS = 1000
_GRAPHS = ("LINE_GRAPH", "FILLED_LINE_GRAPH", "BOX_PLOT")


@dataclass(frozen=True)
class _Scale:
    """What a number of a result means."""

    metric: str
    unit: Unit
    factor: float
    direction: Direction
    corrected: str = ""


@dataclass
class _Measured:
    """One entry of one result: its runs, or its one value."""

    scale: str
    proportion: str
    graph: str
    entry: Element


def recognise(head: bytes, name: str) -> bool:
    """The root element of every composite.xml."""
    del name
    return b"<PhoronixTestSuite" in head


@located
def read(source: Source, options: Options) -> Imported:
    """One run per execution: a result's RawString holds them, results that differ by scale alone are one."""
    root = xml_text.parse(source.content, source.name)
    if root.tag != "PhoronixTestSuite":
        raise ResultFileError(
            f"{source.name}: the XML is {root.tag[:60]!r} and not a result of the Phoronix Test Suite"
        )
    systems = {text(system, "Identifier"): system for system in root.findall("System")}
    grouped: dict[tuple[str, ...], tuple[Element, list[_Measured]]] = {}
    for result in root.findall("Result"):
        named = tuple(text(result, part) for part in ("Identifier", "AppVersion", "Arguments", "Description"))
        for entry in result.findall("Data/Entry"):
            measured = _Measured(
                text(result, "Scale"), text(result, "Proportion"), text(result, "DisplayFormat"), entry
            )
            group = grouped.setdefault((*named, text(entry, "Identifier")), (result, []))
            group[1].append(measured)
    drafts: list[Draft] = []
    for (*_, place), (result, parts) in grouped.items():
        drafts += _drafts(result, place, parts, systems.get(place))
    client = text(root, "Generated/TestClient")
    started = moment_ns(text(root, "Generated/LastModified"))
    for draft in drafts:
        draft.started_ns = draft.started_ns or started
        draft.known(tool_version=client)
    return build(
        sys.modules[__name__], source, options, drafts, title=text(root, "Generated/Title"), host=_host(systems)
    )


def _host(systems: dict[str, Element]) -> dict[str, Any]:
    """What all systems of the file have in common, if there is but one."""
    if len({(text(each, "Hardware"), text(each, "Software")) for each in systems.values()}) != 1:
        return {}
    return _facts(next(iter(systems.values())))


def _facts(system: Element | None) -> dict[str, Any]:
    """`K: V, K: V` of hardware and software as facts."""
    facts: dict[str, Any] = {}
    for part in ("Hardware", "Software"):
        for piece in re.split(r", (?=[A-Z][\w -]{0,30}: )", text(system, part)[:10_000]):
            key, colon, value = piece.partition(": ")
            if colon:
                facts[slug(key)] = value
    return facts


def _drafts(result: Element, place: str, parts: Sequence[_Measured], system: Element | None) -> Iterator[Draft]:
    """The runs of one test on one system."""
    runs = [_values(part) for part in parts]
    count = max(1, *(len(values) for values in runs))
    if count > _MAX_RUNS:
        raise ResultFileError(f"{text(result, 'Title')[:80]}: more than {_MAX_RUNS} runs in one RawString")
    failure = next((message for part in parts if (message := text_of(_json(part).get("error")))), "")
    for index in range(count):
        draft = _draft(result, place, system)
        for part, values in zip(parts, runs, strict=True):
            if part.graph in _GRAPHS:
                _graph(draft, result, part)
            elif index < len(values):
                _score(draft, result, part, values[index])
            _one_run(draft, part, values, index)
        if not draft.scores:
            draft.fail(failure or "every pass of the test failed; the file holds no number")
        elif failure:
            draft.partial(failure)
        size = _BLOCK_SIZE.search(text(result, "Description"))
        # fio's own `1m`, which the profile writes as 1MB, is a power of 1024.
        block_bytes = parse_size(size[1].replace(" ", "")) if size else None
        rates_agree(draft, draft.value("iops"), draft.value("throughput"), block_bytes, "the run")
        yield draft


def _draft(result: Element, place: str, system: Element | None) -> Draft:
    identifier, version = text(result, "Identifier"), text(result, "AppVersion")
    profile = _profile(identifier)
    description = text(result, "Description")
    draft = Draft(
        test=profile or text(result, "Title") or "phoronix",
        case=f"{profile}: {description}" if description else profile or text(result, "Title"),
        # Not the version: it is a note beside a verdict, and makes no other test.
        parameters={"profile": profile, "arguments": text(result, "Arguments"), "description": description},
        target=place,
        where=place or "unknown",
        target_facts=_facts(system),
        storage=profile in _STORAGE_PROFILES,
        started_ns=moment_ns(text(system, "TimeStamp")),
    )
    draft.known(profile=identifier, application_version=version, title=text(result, "Title"))
    return draft


def _profile(identifier: str) -> str:
    match = _PROFILE.fullmatch(identifier[:200])
    return match[1] if match else identifier


def _values(part: _Measured) -> list[float]:
    """The single runs; where there was one, RawString may be empty and the value is it."""
    if part.graph in _GRAPHS:
        return []
    return _numbers(text(part.entry, "RawString"), ":") or _numbers(text(part.entry, "Value"), "\n")


def _numbers(written: str, mark: str, *, signed: bool = True) -> list[float]:
    """The numbers between the marks; none where there is nothing at all. A sensor may be below zero."""
    pieces = written.split(mark) if written else []
    return [read for piece in pieces if (read := number(piece, signed=signed)) is not None]


def _json(part: _Measured) -> dict[str, Any]:
    return table(next(documents(text(part.entry, "JSON")), None))


def _scale(result: Element, part: _Measured) -> _Scale | None:
    """Metric, unit and direction of a result; None where its direction is nowhere."""
    profile, scale = _profile(text(result, "Identifier")), part.scale
    known = unit_of(scale)
    unit, factor = known or ("1", 1.0)
    direction = _DIRECTIONS.get(part.proportion.upper()) or usual_direction(unit)
    if direction is None:
        return None
    corrected = ""
    if profile in _MIBIBYTE_PROFILES and scale in _BINARY:
        factor, corrected = float(_BINARY[scale]), scale.replace("B/s", "iB/s")
    latency = "average latency" in text(result, "Description").lower()
    if unit == "B/s":
        metric = "throughput"
    elif unit == "ns":
        metric = "latency_mean" if latency else "time"
    else:
        metric = _METRICS.get(scale.upper()) or slug(_PER_SECOND.sub(" rate", scale))
    return _Scale(metric, unit, factor, direction, corrected)


def _score(draft: Draft, result: Element, part: _Measured, value: float) -> None:
    scale = _scale(result, part)
    if scale is None:
        draft.warn("direction", f"the file does not say whether more or less {part.scale or 'of it'} is better")
        return
    metric = scale.metric if scale.metric not in draft.scores else f"{scale.metric}_{slug(part.scale)}"
    draft.number(metric, value * scale.factor, scale.unit, scale.direction)
    if scale.corrected:
        draft.warn(
            "units",
            f"this Phoronix profile writes {part.scale} but means {scale.corrected}; it was read as {scale.corrected}",
            "do not compare the number as printed with one in real megabytes",
        )


def _one_run(draft: Draft, part: _Measured, values: Sequence[float], index: int) -> None:
    """Times of the runs, and whether the value is what the runs make."""
    times = _numbers(text_of(_json(part).get("test-run-times")), ":")
    if len(times) > 1 and len(values) == 1 and not text(part.entry, "RawString"):
        draft.summary = True
        draft.known(summarised_runs=len(times))
    if index < len(times) and len(times) == len(values):
        draft.duration_ns = times[index] * SECOND
    if values and text(part.entry, "Value"):
        (stated,) = _numbers(text(part.entry, "Value"), "\n")
        mean = sum(values) / len(values)
        # The value is rounded to two decimals or more, or to a whole number.
        rounding = 0.0051 if "." in text(part.entry, "Value") else 0.51
        if abs(mean - stated) > max(0.01 * abs(mean), rounding):
            draft.warn("mean", f"the value is {stated:g}, but its runs have a mean of {mean:g}")


def _graph(draft: Draft, result: Element, part: _Measured) -> None:
    """A series of values; its mean is the score where a direction is given."""
    scale = _scale(result, part)
    known = _numbers(text(part.entry, "Value"), ",", signed=scale is None or scale.unit == "1")
    if not known or scale is None:
        if known:
            draft.warn("direction", "a line graph without a direction is kept as a series only")
            draft.known(points=known[:3600])
        return
    draft.number(f"{scale.metric}_series_mean", sum(known) / len(known) * scale.factor, scale.unit, scale.direction)
    values = [point * scale.factor for point in known]
    draft.known(points=values[:3600])
    draft.warn("series", f"the score is the mean of a graph of {len(known)} points, whose times the file does not hold")
