"""Where random operations go: `norandommap` and `random_distribution` as the core takes them."""

from __future__ import annotations

from itertools import accumulate
from typing import Any

from plimsoll.errors import UsageError
from plimsoll.frontends.fio import files, values
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.section_options import Words

ZONED = ("zoned", "zoned_abs")


def places(job: Job) -> dict[str, Any]:
    """The parameters `distribution` and, where writes go elsewhere than reads, `write_distribution`."""
    words = job.words
    text = words.text("random_distribution") or "random"
    kind, _, rest = text.partition(":")
    if kind == "random":
        return {"distribution": {"kind": "once" if files.is_mapped(words) else "uniform"}}
    if kind in values.HOT:
        return {"distribution": words.read("random_distribution", lambda _: values.hot(kind, rest))}
    if kind in ZONED:
        none: list[tuple[str, str]] = []
        each = words.read("random_distribution", lambda _: values.per_direction(rest, _entries, none))
        reads, writes, trims = ({"kind": "zones", "zones": _zones(job, kind, entries)} for entries in each)
        if job.mode == "randrw" and reads != writes:
            return {"distribution": reads, "write_distribution": writes}
        return {"distribution": {"randwrite": writes, "randtrim": trims}.get(job.mode, reads)}
    raise UsageError(
        f"{words.section.where}: random_distribution={text}: use random, zipf, pareto, normal, zoned, zoned_abs"
    )


def _entries(text: str) -> list[tuple[str, str]]:
    """`60/10:40/20` as pairs of texts."""
    pairs = [part.partition("/") for part in text.split(":")]
    if any(not slash for _, slash, _ in pairs):
        raise UsageError(f"{text!r}: a zone is PERCENT/SIZE, such as 60/10:30/20:10/70")
    return [(percent, size) for percent, _, size in pairs]


def _zones(job: Job, kind: str, entries: list[tuple[str, str]]) -> list[dict[str, float]]:
    """Zones in whole blocks: sizes in percent of each file, with fio's rounding, or in bytes."""
    words, each = job.words, job.region.least
    unit = min(size for size, _ in (*job.block_sizes, *(job.write_block_sizes or [])))
    shares = _percents(words, [percent for percent, _ in entries], complete=True)
    if kind == "zoned":
        percents = _percents(words, [size for _, size in entries], complete=False)
        ends = [int(percent * (each // unit) / 100) for percent in accumulate(percents)]
    else:
        sizes = words.read("random_distribution", lambda _: [values.size(size, words.kb_base) for _, size in entries])
        ends = [size // unit for size in accumulate(sizes)]
    zones = [
        {"weight": share, "bytes": (end - begin) * unit}
        for share, begin, end in zip(shares, [0, *ends], ends, strict=False)
    ]
    where = f"{words.section.where}: random_distribution={words.text('random_distribution')}"
    if ends[-1] * unit > each:
        raise UsageError(f"{where}: the zones have {ends[-1] * unit} bytes together, the region has {each}")
    if any(zone["weight"] and not zone["bytes"] for zone in zones):
        raise UsageError(f"{where}: a zone is smaller than a block of {unit} bytes; make it larger, or the region")
    return zones


def _percents(words: Words, texts: list[str], *, complete: bool) -> list[float]:
    """Percentages; those that are left out share what is left."""
    found = words.read("random_distribution", lambda _: [values.number_of(text) if text else None for text in texts])
    given, missing = sum(each or 0 for each in found), found.count(None)
    where = f"{words.section.where}: random_distribution={words.text('random_distribution')}"
    if given > 100 or any(each is not None and each < 0 for each in found):
        raise UsageError(f"{where}: percentages of zones are 0 or more and add up to 100 at most, not to {given:g}")
    if complete and given < 100 and not missing:
        raise UsageError(f"{where}: the shares of the zones add up to {given:g} %; they have to add up to 100")
    return [(100 - given) / missing if each is None else each for each in found]
