"""ioping of all generations: text (0.6, 1.x), JSON (-J) and raw lines (-B, -p) of 8 fields in µs or 10 in ns."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.checks import above
from plimsoll.importers.draft import Draft
from plimsoll.importers.json_text import Damage, documents, table, tables, text_of
from plimsoll.importers.latencies import counted
from plimsoll.importers.numbers import FIELD, UnreadableNumber, at, figure, located, number, on_line
from plimsoll.importers.quantities import decimal, divided, duration_ns, epoch_ns, size_unit, time_in
from plimsoll.importers.record import build
from plimsoll.importers.sought import Sought
from plimsoll.importers.source import Imported, Options, Source
from plimsoll.units import MICROSECOND, SECOND

NAME = "ioping"
TITLE = "ioping output"
TOOLS = ("ioping",)

_PLACE = r"(.{1,300}?) \(([^()]{0,300})\)"
_REQUEST = Sought(
    rf"(?<!\S){FIELD} (bytes|[KMGT]?i?B) (?:from|<<<|>>>|to) {_PLACE}: request={FIELD}"
    rf" time=({FIELD} \w{{1,4}})"
    r"(?: \((warmup|too fast|too slow|fast|slow)\))?",
    ": request=",
)
_HEADING = Sought(rf"--- {_PLACE} ioping statistics ---", " ioping statistics ---")
_DONE = Sought(
    rf"(?<!\S){FIELD} ?([kMG]?) requests completed in ({FIELD} \w{{1,4}}),"
    rf"(?: {FIELD} ([KMGT]?i?B|bytes)(?: (read|written))?,)?"
    rf" {FIELD} ?([kMG]?) iops, {FIELD} ([KMGT]?i?B|bytes)/s",
    " requests completed in ",
)
_GENERATED = Sought(
    rf"generated {FIELD} ?([kMG]?) requests in ({FIELD} \w{{1,4}}), {FIELD} ([KMGT]?i?B|bytes),"
    rf" {FIELD} ?([kMG]?) iops, {FIELD} ([KMGT]?i?B|bytes)/s",
    "generated ",
)
_SPREAD = Sought(r"min/avg/max/mdev = ([^=\n]{1,200})", "min/avg/max/mdev = ")
_RAW = re.compile(r"\s*\d{1,18}(?: \d{1,18}){7}(?:(?: \d{1,18}){2})?\s*")
_COMPLETED_MARK = re.compile(rb" requests completed in [^\n,]{1,40},")
"""redis-benchmark says so, too, and ends the line there."""
_REQUEST_MARK = re.compile(rb"(?m)^[\d.]{1,20} (?:bytes|[KMGT]?i?B) (?:from|<<<|>>>|to) .{1,400}: request=\d+ time=")
_MOST_KEPT = 3600
_IGNORED = ("warmup", "too fast", "too slow")


def recognise(head: bytes, name: str) -> bool:
    """Its requests, its statistics, its JSON, or raw lines whose numbers fit together."""
    del name
    if b"ioping statistics ---" in head or (b" requests completed in " in head and _COMPLETED_MARK.search(head)):
        return True
    if b": request=" in head and _REQUEST_MARK.search(head):
        return True
    if b'"device_size"' in head and (b'"mdev"' in head or b'"ignored"' in head):
        return True
    if not head.lstrip()[:1].isdigit():
        return False
    lines = [line.decode("ascii", "replace") for line in head.split(b"\n", 6)[:6]]
    whole = [line for line in (lines[:-1] if len(lines) > 1 else lines) if line.strip()]
    return bool(whole) and all(_raw_unit(line) is not None for line in whole)


@located
def read(source: Source, options: Options) -> Imported:
    """One run per statistics block; raw lines of -p are repeats of one run each."""
    warnings: list[str] = []
    if '"device_size"' in source.text:
        drafts: Iterable[Draft] = _json(source.text)
    elif "ioping statistics ---" in source.text or _REQUEST.search(source.text):
        drafts = (draft for lines in _parts(source.lines) if (draft := _text(lines)) is not None)
    else:
        lines = [line for line in source.lines if line.strip()]
        drafts = list(map(_raw, lines))
        totals = list(_totals(lines))
        drafts = [draft for index, draft in enumerate(drafts) if index not in totals]
        if totals:
            told, verb = ("lines", "were") if len(totals) > 1 else ("line", "was")
            warnings.append(f"{source.name}: {len(totals)} {told} with the total of those before it {verb} left out")
    return build(sys.modules[__name__], source, options, _told_apart(list(drafts)), warnings=warnings)


def _told_apart(drafts: list[Draft]) -> list[Draft]:
    """Several places in one file are several targets, not repeats of one."""
    if len({(draft.where, draft.target_facts.get("device")) for draft in drafts}) > 1:
        for draft in drafts:
            draft.target = draft.where if any(map(str.isalnum, draft.where)) else draft.target_facts.get("device", "")
    return drafts


def _parts(lines: Sequence[str]) -> Iterator[list[str]]:
    """A block ends with its `min/avg/max/mdev` line."""
    part: list[str] = []
    for line in lines:
        part.append(line)
        if _SPREAD.search(line):
            yield part
            part = []
    yield part


def _text(lines: Sequence[str]) -> Draft | None:
    text = "\n".join(lines)
    requests = [match for line in lines if (match := _REQUEST.search(line)) is not None]
    heading, done = _HEADING.search(text), _DONE.search(text)
    named = (heading[1], heading[2]) if heading else (requests[0][3], requests[0][4]) if requests else None
    if named is None or (done is None and not requests):
        return None
    kind = "write" if ">>>" in text or (done is not None and done[7] == "written") else "read"
    draft = _draft(kind, *named)
    _requests(draft, kind, requests)
    if done is None:
        draft.partial("the statistics are missing; ioping did not finish")
        return draft
    draft.rate("service_iops", decimal(done, 8, 9))
    draft.bandwidth("service_throughput", _bytes(done, 10, 11))
    draft.known(operations={kind: decimal(done, 1, 2)})
    if generated := _GENERATED.search(text):
        draft.rate("iops", decimal(generated, 7, 8))
        draft.bandwidth("throughput", _bytes(generated, 9, 10))
        draft.duration_ns = time_in(generated, 3)
    else:
        draft.duration_ns = time_in(done, 3)
    _spread(draft, kind, text)
    return draft


def _draft(kind: str, path: str, about: str) -> Draft:
    draft = Draft(test="ioping", case=f"ioping {kind}", parameters={"operation": kind}, where=path, storage=True)
    # `ext4 /dev/vda 252.0 GiB`, or `device 465.8 GiB` for a whole disk.
    words = about.split()
    if len(words) > 1 and words[0] != "device":
        draft.target_facts = {"file_system": words[0], "device": words[1]}
    return draft


def _requests(draft: Draft, kind: str, requests: Sequence[re.Match[str]]) -> None:
    """Single requests give what ioping does not print: percentiles."""
    if not requests:
        return
    size = _bytes(requests[0], 1, 2)
    if size:
        draft.parameters["block_size"] = int(size)
    counted_ones = [match for match in requests if match[8] not in _IGNORED]
    times = [time for match in counted_ones if (time := time_in(match, 6)) is not None]
    if times:
        draft.histogram(kind, counted(times))
        draft.latency(f"{kind}_mean", sum(times) / len(times))
        draft.latency(f"{kind}_max", max(times))
        draft.known(request_latencies_ns=times[:_MOST_KEPT])


def _spread(draft: Draft, kind: str, text: str) -> None:
    """`254.2 us / 334.5 us / …` with a unit each, or `0.2/2.8/12.7/5.0 ms` with one for all."""
    match = _SPREAD.search(text)
    parts = [part.strip() for part in match[1].split("/")] if match else []
    if match is None:
        return
    if len(parts) != 4:
        raise at(match, 1, UnreadableNumber(match[1], "are not the four times that belong there"))
    unit = parts[3].split(" ")[-1] if " " in parts[3] else ""
    try:
        low, mean, high, _ = (duration_ns(part, unit) for part in parts)
    except UnreadableNumber as error:
        raise at(match, 1, error) from None
    seen = draft.value(f"{kind}_max")
    above(draft, seen, high, "the maximum of the statistics", "a single request")
    above(draft, low, mean, "the mean of the statistics", "the minimum")
    draft.latency(f"{kind}_mean", mean)
    draft.latency(f"{kind}_max", high)


def _bytes(match: re.Match[str], value: int, unit: int) -> float | None:
    return figure(match, value, size_unit(match[unit]) or 1)


def _json(text: str) -> Iterator[Draft]:
    """-J: an array of requests, and one object with the statistics at its end."""
    damage: list[Damage] = []
    for value in documents(text, "[{", damage):
        entries = tables(value) if isinstance(value, list) else [table(value)]
        times: list[float] = []
        requests = [table(entry.get("io")) for entry in entries if "io" in entry]
        kind = text_of(requests[0].get("operation")) if requests else "read"
        kind = kind if kind in ("read", "write") else "read"
        for io in requests:
            time = number(io.get("time"))
            if time is not None and not io.get("ignored"):
                times.append(time)
        last = next((entry for entry in reversed(entries) if "stat" in entry), None)
        first = entries[0] if entries else {}
        place = table((last or first).get("target"))
        if not place:
            continue
        about = f"{text_of(place.get('fstype'))} {text_of(place.get('device'))}"
        draft = _draft(kind, text_of(place.get("path")) or "unknown", about)
        draft.started_ns = epoch_ns(first.get("timestamp"))
        size = number(requests[0].get("size")) if requests else None
        if size:
            draft.parameters["block_size"] = int(size)
        draft.histogram(kind, counted(times))
        if last is None:
            draft.partial("the statistics are missing; ioping did not finish")
        else:
            _stat(draft, kind, table(last.get("stat")), table(last.get("load")), max(times, default=None))
        yield draft
    if damage:
        raise ResultFileError(f"{damage[0]}; take the complete file as ioping wrote it")


def _stat(draft: Draft, kind: str, stat: dict[str, Any], load: dict[str, Any], seen: float | None) -> None:
    draft.rate("service_iops", number(stat.get("iops")))
    draft.bandwidth("service_throughput", number(stat.get("bps")))
    draft.latency(f"{kind}_mean", number(stat.get("avg")))
    draft.latency(f"{kind}_max", number(stat.get("max")))
    above(draft, seen, number(stat.get("max")), "the maximum of the statistics", "a single request")
    draft.rate("iops", number(load.get("iops")))
    draft.bandwidth("throughput", number(load.get("bps")))
    draft.duration_ns = number(load.get("time"))
    draft.known(operations={kind: number(stat.get("count"))})


def _raw_unit(line: str) -> int | None:
    """ns per unit of a raw line: its own rate is requests over time, which only one unit fits."""
    if not _RAW.fullmatch(line):
        return None
    count, total, iops, _, low, mean, high, *_ = (float(part) for part in line.split())
    if not (count and total and low <= mean <= high):
        return None
    for unit in (1, MICROSECOND):
        if abs(count * SECOND / (total * unit) - iops) <= max(0.02 * iops, 1.0):
            return unit
    return None


def _raw(line: str) -> Draft:
    unit = _raw_unit(line)
    if unit is None:
        raise UnreadableNumber(line.strip(), "is not a raw line of ioping whose numbers fit together", line)
    with on_line(line):
        parts = [number(part) or 0.0 for part in line.split()]
    draft = Draft(test="ioping", case="ioping raw", parameters={"fields": len(parts)}, storage=True)
    draft.rate("service_iops", parts[2])
    draft.bandwidth("service_throughput", parts[3])
    draft.latency("request_mean", parts[5] * unit)
    draft.latency("request_max", parts[6] * unit)
    draft.known(operations={"request": parts[0]}, unit_ns=unit)
    if len(parts) == 10:
        draft.rate("iops", divided(parts[8], parts[9] * unit / SECOND))
        draft.duration_ns = parts[9] * unit
    return draft


def _totals(lines: Sequence[str]) -> Iterator[int]:
    """Which raw lines are the total that -B prints of the lines of -p before it: no repeat of them, but all at once."""
    parts: list[list[int]] = []
    for index, line in enumerate(lines):
        fields = list(map(int, line.split()))
        if parts and len(fields) == len(parts[0]) and _is_total(fields, parts):
            yield index
            parts = []
        else:
            parts.append(fields)


def _is_total(total: Sequence[int], parts: Sequence[Sequence[int]]) -> bool:
    """Whether the numbers cannot but be those of all parts together, and of the requests after the last of them."""
    count, time, _, _, low, _, high, *_ = total
    rest, rest_time = count - sum(part[0] for part in parts), time - sum(part[1] for part in parts)
    if not (low <= min(part[4] for part in parts) and high >= max(part[6] for part in parts)):
        return False
    if rest == 0:
        # Parts are rounded to µs in the format of 8 fields.
        return abs(rest_time) <= len(parts)
    return 0 < rest < max(part[0] for part in parts) and low * rest <= rest_time + len(parts) <= high * rest + 2 * len(
        parts
    )
