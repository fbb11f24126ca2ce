"""What a place is: its facts, not the name that somebody gave it.

Two sets of runs are of one place if nothing that is known of both differs. What is not known of one of them, as in
files of other tools and in old stores, differs from nothing; but a set that would fit several places stays on its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.model import RENTED, Target
from plimsoll.units import format_size

_MADE_FOR_IT = ("fs", "backing", "instance_name", "write_cache", "mount", "image", "zone", "spot")
"""Options of a served or rented volume that say how it is served or where, and not what it is."""


def place_facts(target: Target, host: Mapping[str, Any]) -> dict[str, str]:
    """What identifies the place of a run, in the order in which people tell places apart; what is not known is absent.

    `host` are the facts of the session's host. Paths and names of devices are no facts of a place: both change when it
    is mounted elsewhere. What stands for serial numbers is the `key` of each device below.
    """
    facts = target.facts
    devices = facts.get("devices")
    listed = [each for each in devices if isinstance(each, Mapping)] if isinstance(devices, Sequence) else []
    top = listed[0] if listed else {}
    size = top.get("size_bytes") or (facts.get("size_bytes") if target.kind == "device" else None)
    found = {
        "file system": _text(facts.get("file_system")),
        "volume": _volume(target),
        "address": target.where if target.kind == "database" else "",
        "size": format_size(size) if isinstance(size, int) and size > 0 else "",
        "allocation": _text(_rented(target).get("rental")),
        "model": ", ".join(dict.fromkeys(filter(None, (_text(each.get("model")) for each in listed)))),
        "device": " ".join(sorted({key for each in listed if (key := _text(each.get("key")))})),
        "host": _host(target, host),
    }
    return {name: text for name, text in found.items() if text}


def told_apart(places: Sequence[Mapping[str, str]]) -> list[int]:
    """The number of the place to which each set of facts belongs, counted in the order of their first sets."""
    groups: list[dict[str, str]] = []
    group_of: dict[int, int] = {}
    # Those of which most is known come first: they say how many places there are.
    for index in sorted(range(len(places)), key=lambda index: -len(places[index])):
        facts = places[index]
        fitting = [number for number, known in enumerate(groups) if not differing(known, facts)]
        if len(fitting) == 1:
            group_of[index] = fitting[0]
            groups[fitting[0]] |= facts
        else:
            group_of[index] = len(groups)
            groups.append(dict(facts))
    order = {number: place for place, number in enumerate(dict.fromkeys(group_of[i] for i in range(len(places))))}
    return [order[group_of[index]] for index in range(len(places))]


def words_apart(places: Sequence[Mapping[str, str]]) -> list[str]:
    """For each of several different places the fewest facts that tell it from the others: `ext4`, `tmpfs`."""
    names = list(dict.fromkeys(name for facts in places for name in facts))
    chosen: list[str] = []
    parts = [""] * len(places)
    for name in names:
        if len({facts.get(name) for facts in places}) < 2:
            continue
        trial = [_words(facts, [*chosen, name]) for facts in places]
        if len(set(trial)) > len(set(parts)):
            chosen, parts = [*chosen, name], trial
        if len(set(parts)) == len(places):
            break
    twice = {text for text in parts if parts.count(text) > 1}
    return [f"{text}, {number}" if text in twice else text for number, text in enumerate(parts, 1)]


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """What differs between two places of one name: `file system changed from ext4 to tmpfs`."""
    return [f"{name} changed from {before[name]} to {after[name]}" for name in differing(before, after)]


def differing(one: Mapping[str, str], other: Mapping[str, str]) -> list[str]:
    """The facts that are known of both and are not the same."""
    return [name for name in one if name in other and one[name] != other[name]]


def _words(facts: Mapping[str, str], names: Sequence[str]) -> str:
    plain = ("file system", "volume", "address", "size", "model", "host")
    return ", ".join(
        f"{name} unknown" if name not in facts else facts[name] if name in plain else f"{name} {facts[name]}"
        for name in names
    )


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _volume(target: Target) -> str:
    """What was ordered: the shape of a served volume, or what `as=` says that a place is."""
    if target.kind not in ("volume", RENTED):
        return target.options.get("as", "")
    words = target.where.partition(":")[2].split(",")
    return " ".join(sorted(word for word in words if word.partition("=")[0] not in _MADE_FOR_IT))


def _rented(target: Target) -> Mapping[str, Any]:
    """What was rented for a place; nothing where nothing was."""
    found = target.facts.get(RENTED)
    return found if isinstance(found, Mapping) else {}


def _host(target: Target, host: Mapping[str, Any]) -> str:
    """The machine that the place belongs to: a rented one, the session's own, or the worker that a place is on."""
    if target.kind == RENTED:
        return _text(_rented(target).get("machine"))
    workers = host.get("workers")
    if target.where.startswith("@"):
        name = target.where[1:].partition(":")[0]
        worker = workers.get(name) if isinstance(workers, Mapping) else None
        return _text(worker.get("hostname")) if isinstance(worker, Mapping) else ""
    return _text(host.get("hostname")) or _text(host.get("name"))
