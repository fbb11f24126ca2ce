"""What can be asked of a volume while it is in use: numbers, another shape, a fault."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plimsoll.catalog.options import FOR_LIFE
from plimsoll.catalog.shape import volume_shape
from plimsoll.errors import UnknownName, UsageError
from plimsoll.units import format_size, parse_duration, parse_size
from plimsoll.volumes import control, lifecycle, loop, registry
from plimsoll.volumes.registry import Volume


def _served(name: str) -> Volume:
    """The volume, if it has a server of its own."""
    volume = registry.named(name)
    if volume.members:
        raise UsageError(f"{name} is an array of the kernel's md; say which member: {', '.join(volume.members)}")
    return volume


def statistics(name: str) -> dict[str, Any]:
    """The statistics page: keys of EBS's NVMe statistics page, and `plimsoll` with credits and what else it lacks."""
    folder = _served(name).folder
    found: dict[str, Any] = control.ask(folder, {"command": "stats"})["stats"]
    found["plimsoll"]["transport"] = registry.transport(folder)
    return found


def modify(name: str, options: Mapping[str, str]) -> Volume:
    """Give a volume in use another type, size or rate; credits, fetched blocks and faults stay.

    Raises UsageError with the provider's rule, or if something would have to become smaller.
    """
    with registry.changes():
        volume = _served(name)
        if fixed := [
            option for option in options if option in FOR_LIFE and options[option] != volume.options.get(option)
        ]:
            raise UsageError(f"volume {name}: {', '.join(fixed)} cannot change while it exists; create another volume")
        shape = volume_shape(_merged(volume.options, options), f"volume {name}")
        if shape.size_bytes < volume.size_bytes:
            raise UsageError(
                f"volume {name}: a volume can grow, not shrink (it has {volume.options.get('size')}); create a smaller "
                "one and copy"
            )
        control.ask(volume.folder, {"command": "set", "spec": lifecycle.served_spec(volume, shape)})
        now = volume.model_copy(
            update={"options": dict(shape.options), "summary": shape.summary, "size_bytes": shape.size_bytes}
        )
        registry.save(now)
        if now.size_bytes > volume.size_bytes:
            loop.refresh_size(volume.device)
        return now


def _merged(before: Mapping[str, str], given: Mapping[str, str]) -> dict[str, str]:
    """Another type starts from its own defaults: rates of the old one say nothing about the new one."""
    kept = dict(before)
    if given.get("type", before["type"]) != before["type"]:
        for option in ("iops", "throughput"):
            kept.pop(option, None)
    return kept | dict(given)


def inject(name: str, fault: Mapping[str, Any]) -> int | None:
    """Begin or clear a fault (`crates/volume/src/model/faults.rs`); the bytes that a power loss took back."""
    volume = _served(name)
    if fault.get("offset", 0) >= volume.size_bytes:
        raise UsageError(
            f"--offset {format_size(fault['offset'])}: volume {name} ends at {format_size(volume.size_bytes)}"
        )
    answer = control.ask(volume.folder, {"command": "fault", "fault": dict(fault)})
    lost: int | None = answer.get("lost_bytes")
    return lost


def fault(kind: str, options: Mapping[str, str]) -> dict[str, Any]:
    """The fault written as kind and options (`stall`, {"for": "10s"}). Raises UnknownName, UsageError."""
    if kind not in FAULTS:
        raise UnknownName("fault", kind, FAULTS)
    needed, possible = FAULTS[kind]
    if missing := [option for option in needed if option not in options]:
        raise UsageError(f"the fault {kind} needs {' and '.join(f'--{option}' for option in missing)}")
    if strange := [option for option in options if option not in needed + possible]:
        raise UsageError(f"the fault {kind} has no {' or '.join(f'--{option}' for option in strange)}")
    fields = {field: read(options[option]) for option, (field, read) in _FIELDS[kind].items() if option in options}
    if kind == "slow" and fields["factor"] < 1:
        raise UsageError(f"--factor {options['factor']}: at least 1; a fault makes nothing faster")
    if fields.get("bytes") == 0:
        raise UsageError(f"--length {options['length']}: an empty range has no errors; give one such as 4KiB")
    if kind == "power-loss":
        fields.setdefault("off_ns", 0)
    return {"fault": kind.replace("-", "_"), **fields}


def _operations(text: str) -> str:
    if text not in ("read", "write"):
        raise UnknownName("kind of operation", text, ("read", "write"))
    return text


FAULTS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "stall": (("for",), ()),
    "error": (("offset", "length"), ("only",)),
    "slow": (("factor",), ("for",)),
    "power-loss": ((), ("for",)),
    "detach": ((), ()),
    "clear": ((), ()),
}
"""Needed and possible options of each."""

_FIELDS: dict[str, dict[str, tuple[str, Callable[[str], Any]]]] = {
    "stall": {"for": ("duration_ns", parse_duration)},
    "error": {"offset": ("offset", parse_size), "length": ("bytes", parse_size), "only": ("kind", _operations)},
    "slow": {"factor": ("factor", float), "for": ("duration_ns", parse_duration)},
    "power-loss": {"for": ("off_ns", parse_duration)},
    "detach": {},
    "clear": {},
}
