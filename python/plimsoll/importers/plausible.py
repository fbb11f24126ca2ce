"""Rates that the storage named in a file cannot have: warnings on the run. What a file does not say is not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from plimsoll.catalog.instance import Instance
from plimsoll.catalog.instances import instances
from plimsoll.catalog.volume_type import volume_types
from plimsoll.importers.draft import Draft
from plimsoll.importers.numbers import plain
from plimsoll.units import GIB, KIB, MIB, format_size, format_value

MARGIN = 1.1
"""Providers' limits are exceeded by a few percent now and then; what is above by more was not the storage."""

_ADVICE = "the data came from memory, or a unit is wrong; use files of at least twice the memory, or direct I/O"
_INSTANCE = re.compile(
    r"(?<![\w.-])[a-z]{1,6}\d{1,2}[a-z0-9-]{0,8}\.(?:nano|micro|small|medium|large|metal|\d{0,3}xlarge)(?![\w.-])"
)
_WORD = re.compile(r"(?<![\w.-])[a-z]{2}[\w-]{1,30}(?![\w.])")
_SEVERAL = re.compile(r"\braid|\bmd\d|\bstripe|\bzpool|,|\d ?x ", re.IGNORECASE)
_PLACES = ("disk", "devices", "device")
_IN_MEMORY = re.compile(r"\b(?:tmpfs|ramfs|brd|ram ?disk)\b", re.IGNORECASE)
_MEMORY = re.compile(r"(?:(\d{1,3}) x )?(\d{1,7}(?:\.\d{1,3})?) ?([KMG])i?B\b")
_SIZE = re.compile(
    r"\bsize(?: per thread)?: ?(\d{1,7}) ?([KMG])i?B?\b|\b(\d{1,7}) ?([KMG])i?B random read\b", re.IGNORECASE
)
_THREADS = re.compile(r"\bthreads?(?: count)?: ?(\d{1,5})\b|\b(\d{1,5}) threads\b", re.IGNORECASE)
_READS = re.compile(r"\bread\b", re.IGNORECASE)
_OTHERS = re.compile(r"\bwrite|\bmix|\bdirect: ?yes|\bo_direct|\bblock size:|\brecord size:", re.IGNORECASE)
_FACTORS = {"K": KIB, "M": MIB, "G": GIB}


class _Limit(NamedTuple):
    """What one named thing gives at most, bytes/s."""

    what: str
    throughput: float


def check(draft: Draft, name: str = "") -> None:
    """Against the instance and volume types that the file names, and against the memory it names.

    `name` is what the user calls the target.
    """
    if not draft.storage:
        return
    facts = {key: str(fact) for key, fact in draft.target_facts.items()}
    places = " ".join([name, draft.target, draft.where, *(facts.get(key, "") for key in _PLACES)])[:10_000]
    described = " ".join([places, *facts.values()])[:20_000]
    if _IN_MEMORY.search(described):
        return
    for limit in (*_of_instances(described), *_of_volumes(places)):
        _above(draft, limit)
    _fits_memory(draft)


def _of_instances(described: str) -> Iterator[_Limit]:
    """The limit of the one instance type that is named; of two neither is known."""
    found = set(_INSTANCE.findall(described)) & instances().keys()
    if len(found) == 1 and (limit := _link(instances()[found.pop()])):
        yield limit


def _of_volumes(places: str) -> Iterator[_Limit]:
    """The limit of the one volume type that is named, where nothing speaks of several volumes."""
    found = {word for word in _WORD.findall(places) if word in _volumes()}
    if len(found) == 1 and not _SEVERAL.search(places):
        yield _volumes()[found.pop()]


def _link(found: Instance) -> _Limit | None:
    """The link to its volumes; nothing for an instance with disks of its own, which may have been the ones measured."""
    if found.store_disks:
        return None
    if found.volumes_max_mbs is not None:
        return _Limit(f"an instance {found.name} carries to its volumes", found.volumes_max_mbs * 1e6)
    if found.network_max_gbps is not None:
        return _Limit(f"the network of an instance {found.name} carries", found.network_max_gbps * 1e9 / 8)
    return None


@cache
def _volumes() -> Mapping[str, _Limit]:
    """The most that one volume of each type ever gave; types whose names are words of their own are left out."""
    found: dict[str, _Limit] = {}
    for each in volume_types():
        if each.throughput_max and re.search(r"[\d-]", each.name):
            before = found[each.name].throughput if each.name in found else 0.0
            most = each.throughput_max * each.provider.throughput_unit_bytes
            found[each.name] = _Limit(f"one {each.name} volume gives", max(before, most))
    return found


def _above(draft: Draft, limit: _Limit) -> None:
    told = [each.value for each in draft.scores.values() if each.metric.endswith("throughput") and each.unit == "B/s"]
    largest = max(told, default=0.0)
    if largest > limit.throughput * MARGIN:
        most = format_value(limit.throughput, "B/s")
        draft.warn("plausible", f"{format_value(largest, 'B/s')} is more than {limit.what} ({most})", _ADVICE)


def _fits_memory(draft: Draft) -> None:
    """Reads without direct I/O of files that fit into the memory, where the file says how large both are."""
    memory = _bytes_of(str(draft.target_facts.get("memory", "")))
    about = str(draft.parameters.get("description", ""))
    size, threads = _SIZE.search(about), _THREADS.search(about)
    if not memory or not size or not _READS.search(about) or _OTHERS.search(about):
        return
    one = (plain(size[1] or size[3]) or 0.0) * _FACTORS[(size[2] or size[4]).upper()]
    total = one * (plain(threads[1] or threads[2]) or 1.0) if threads else one
    throughput = draft.value("throughput")
    if throughput and 0 < total < memory:
        draft.warn(
            "working_set",
            f"the {format_size(total)} of files that were read fit into the memory of {format_size(memory)}: "
            f"{format_value(throughput, 'B/s')} may be its speed, not the disk's",
            "use files of at least twice the memory, or direct I/O",
        )


def _bytes_of(memory: str) -> float:
    """Bytes of `1024MB`, `8GB`, `2 x 16GB DDR4`; 0 where it is not said."""
    match = _MEMORY.search(memory)
    if match is None:
        return 0.0
    return (plain(match[1]) or 1.0) * (plain(match[2]) or 0.0) * _FACTORS[match[3]]
