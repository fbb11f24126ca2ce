"""DiskSpd -Rxml: one run for each time span. Bytes and counts are exact; rates are those over its time."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import Element

from plimsoll.importers import xml_text
from plimsoll.importers.draft import Draft
from plimsoll.importers.latencies import percentile_name
from plimsoll.importers.numbers import UnreadableNumber, located, number, scaled
from plimsoll.importers.quantities import divided, moment_ns
from plimsoll.importers.record import MAX_RUNS, build
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.importers.xml_text import text
from plimsoll.units import MILLISECOND, SECOND

NAME = "diskspd_xml"
TITLE = "DiskSpd XML output"
TOOLS = ("diskspd",)

_KINDS = {"read": "Read", "write": "Write"}
_PERCENT = 100.0
_SETTINGS = {"block_size": "BlockSize", "outstanding": "RequestCount", "write_share": "WriteRatio"}
_SETTINGS |= {"file_size": "FileSize"}


def recognise(head: bytes, name: str) -> bool:
    """Its root, and what each of its time spans has; UTF-16 where PowerShell wrote the file."""
    del name
    plain_head = head.replace(b"\0", b"")
    marks = (b"<TestTimeSeconds>", b"<ResultFormat>xml<")
    return b"<Results>" in plain_head and b"<TimeSpan>" in plain_head and any(mark in plain_head for mark in marks)


@located
def read(source: Source, options: Options) -> Imported:
    """One run per time span of the results, with what its profile asked for."""
    root = xml_text.parse(source.content, source.name)
    profiles = root.findall("Profile/TimeSpans/TimeSpan")
    spans = root.findall("TimeSpan")
    drafts = []
    for index, span in enumerate(spans[: MAX_RUNS + 1]):
        drafts.append(_draft(span, profiles[index] if index < len(profiles) else None, index if spans[1:] else None))
    started = text(root, "System/RunTime").removesuffix(" UTC")
    for draft in drafts:
        draft.started_ns = moment_ns(started) if started else None
        draft.known(tool_version=text(root, "System/Tool/Version"))
    return build(sys.modules[__name__], source, options, drafts, host=_host(root))


def _host(root: Element) -> dict[str, Any]:
    name = text(root, "System/ComputerName")
    return {"hostname": name} if name else {}


def _draft(span: Element, profile: Element | None, index: int | None) -> Draft:
    target = profile.find("Targets/Target") if profile is not None else None
    parameters = _parameters(profile, target) | {"threads": int(_number(span, "ThreadCount") or 0)}
    label = " ".join(str(parameters[name]) for name in ("access", "operation", "block_size") if name in parameters)
    case = f"diskspd {label}".strip() + ("" if index is None else f" timespan {index + 1}")
    draft = Draft(test="diskspd", case=case, parameters=parameters, storage=True)
    draft.where = text(target, "Path") or text(span, "Thread/Target/Path") or "unknown"
    seconds = _number(span, "TestTimeSeconds")
    draft.duration_ns = scaled(seconds, SECOND)
    targets = span.findall("Thread/Target")
    counts = {kind: _sum(targets, f"{tag}Count") for kind, tag in _KINDS.items()}
    sizes = {kind: _sum(targets, f"{tag}Bytes") for kind, tag in _KINDS.items()}
    active = [kind for kind, found in counts.items() if found]
    draft.rate("iops", divided(_total(counts.values()), seconds))
    draft.bandwidth("throughput", divided(_total(sizes.values()), seconds))
    for kind in active if len(active) > 1 else ():
        draft.rate(f"{kind}_iops", divided(counts[kind], seconds))
        draft.bandwidth(f"{kind}_throughput", divided(sizes[kind], seconds))
    draft.known(operations={kind: counts[kind] for kind in active}, bytes={kind: sizes[kind] for kind in active})
    _latencies(draft, span, active)
    if depth := parameters.get("outstanding"):
        draft.in_flight = float(depth * (parameters["threads"] or 1))
    if not active:
        draft.fail("nothing was read or written in its time")
    return draft


def _parameters(profile: Element | None, target: Element | None) -> dict[str, Any]:
    """What the first of the targets was asked for; with several, how many there are."""
    if profile is None or target is None:
        return {}
    found: dict[str, Any] = {name: _number(target, tag) for name, tag in _SETTINGS.items()}
    found = {name: int(value) for name, value in found.items() if value is not None}
    random = _number(target, "Random") or text(target, "RandomAccess") == "true"
    found |= {"access": "random" if random else "sequential"}
    found |= {"operation": {0: "read", 100: "write"}.get(found.get("write_share", 0), "mix")}
    found["software_cache"] = text(target, "DisableOSCache") != "true"
    if len(profile.findall("Targets/Target")) > 1:
        found["targets"] = len(profile.findall("Targets/Target"))
    return found


def _number(element: Element, path: str) -> float | None:
    """The number of a descendant; None where there is no such element."""
    found = element.find(path)
    if found is None:
        return None
    try:
        return number((found.text or "").strip())
    except UnreadableNumber as error:
        raise UnreadableNumber(error.token, error.why, f"<{found.tag}>{found.text or '<'}") from None


def _sum(targets: Iterable[Element], tag: str) -> float | None:
    return _total(_number(each, tag) for each in targets)


def _total(values: Iterable[float | None]) -> float | None:
    """The sum; None where a part is missing."""
    known = list(values)
    return sum(each for each in known if each is not None) if known and None not in known else None


def _latencies(draft: Draft, span: Element, active: list[str]) -> None:
    latency = span.find("Latency")
    if latency is None:
        return
    for kind in active:
        draft.latency(f"{kind}_mean", scaled(_number(latency, f"Average{_KINDS[kind]}Milliseconds"), MILLISECOND))
    for bucket in latency.findall("Bucket"):
        percent = _number(bucket, "Percentile")
        name = "max" if percent == _PERCENT else percentile_name(percent or 0.0)
        for kind in active if name else ():
            draft.latency(f"{kind}_{name}", scaled(_number(bucket, f"{_KINDS[kind]}Milliseconds"), MILLISECOND))
