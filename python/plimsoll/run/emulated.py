"""Targets that are emulated volumes: served before the first run, taken away after the last, whatever happens."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager

from plimsoll.catalog.instances import instance
from plimsoll.catalog.options import read_options
from plimsoll.catalog.shape import volume_shape
from plimsoll.catalog.targets import AS, shape_of
from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.location import home, temporary
from plimsoll.model import Session, Target
from plimsoll.targets.owner import current_owner
from plimsoll.targets.rented import NO_FILE_SYSTEM, is_rented, rented_options
from plimsoll.targets.rented_database import is_rented_database, planned_address, rented_shape
from plimsoll.targets.small_memory import LEAST_BYTES
from plimsoll.targets.volume import FILE_SYSTEM, TARGET_OPTIONS, volume_options
from plimsoll.units import MIB, format_size, parse_size
from plimsoll.volumes import lifecycle
from plimsoll.volumes.lifecycle import VolumeRequest
from plimsoll.volumes.registry import NAME

USABLE_SHARE = 0.9
"""Of a volume: the rest is the file system's own, its journal and its reserve."""


def is_emulated(target: Target) -> bool:
    """Whether it is made for the session."""
    return target.kind == "volume"


def planned(target: Target) -> Target:
    """The target as it will be when it is served or rented: a database, a directory, or a device where it has no
    file system."""
    if is_rented_database(target):
        return target.model_copy(update={"kind": "database", "where": planned_address(target)})
    if is_rented(target):
        bare = rented_options(target)[1].get("fs") == NO_FILE_SYSTEM
        return target.model_copy(update={"kind": "device" if bare else "directory"})
    return target.model_copy(update={"kind": "directory"}) if is_emulated(target) else target


def check(target: Target, needed_bytes: int) -> None:
    """Refuse a volume that cannot be served here or is too small. Raises UsageError, UnknownName, TargetError."""
    memory_of(target)
    _check_size(target, lifecycle.check(_request(target, "planned")).size_bytes, needed_bytes)


def check_rented(target: Target, needed_bytes: int) -> None:
    """Refuse a volume that is too small and what is not sold. Raises UsageError, UnknownName, TargetError."""
    if is_rented_database(target):
        rented_shape(target)
        return
    shape = volume_shape(rented_options(target)[0], f"target {target.name}")
    # An instance that is not known yet brings disks of a size that is not known yet.
    if shape.size_gib:
        _check_size(target, shape.size_bytes, needed_bytes)


def _check_size(target: Target, size_bytes: int, needed_bytes: int) -> None:
    usable = int(size_bytes * USABLE_SHARE)
    if needed_bytes > usable:
        raise TargetError(
            f"target {target.name}: the test needs {format_size(needed_bytes)}, and the volume holds about "
            f"{format_size(usable)}; make it larger, or the test's files smaller with --set size="
        )


def check_room(needed_bytes: int) -> None:
    """Refuse sessions whose volumes would fill the disk that holds them."""
    free = shutil.disk_usage(home()).free
    if needed_bytes > free:
        raise TargetError(
            f"the tests write {format_size(needed_bytes)} to volumes whose bytes are below {home()}, where "
            f"{format_size(free)} are free; make the tests smaller, or set PLIMSOLL_HOME to a larger disk"
        )


@contextmanager
def served(targets: Sequence[Target], session: Session) -> Iterator[list[Target]]:
    """The targets, each volume among them as the directory where it is mounted now."""
    with ExitStack() as stack:
        found = []
        for target in targets:
            if is_emulated(target):
                volume = lifecycle.create(_request(target, session.id))
                stack.callback(_discard, volume.name)
                there = {"where": volume.mount, "options": {**target.options, **_from_snapshot(target)}}
                found.append(planned(target).model_copy(update=there))
            else:
                found.append(target)
        yield found


def _from_snapshot(target: Target) -> dict[str, str]:
    """For a volume with blocks that nobody has touched: that it is one, which guards have to know."""
    shape = shape_of(target)
    if shape is None or "first_touch" not in shape.spec:
        return {}
    return {AS: "+".join(f"{name}={value}" for name, value in shape.options.items())}


def as_written(target: Target, targets: Sequence[Target]) -> Target:
    """A target of `served` as the study has it, with the facts of the place."""
    original = next((each for each in targets if each.name == target.name and is_emulated(each)), None)
    return target if original is None else original.model_copy(update={"facts": target.facts})


def memory_of(target: Target) -> int | None:
    """Bytes of memory that tests on a volume may use; None where nothing was said. Raises UsageError."""
    if not is_emulated(target):
        return None
    options, others = volume_options(target)
    text = others.get("memory", "no")
    if text in ("no", "false", "off"):
        return None
    where = f"target {target.name}: memory={text}"
    if text in ("yes", "true", "on"):
        if "instance" not in options:
            raise UsageError(
                f"{where}: name the instance whose memory it is, such as instance=m1.small, or give a size"
            )
        return instance(options["instance"].strip().lower(), options.get("era"), where).memory_mib * MIB
    size = parse_size(text)
    if size < LEAST_BYTES:
        raise UsageError(f"{where}: the test itself needs memory; give at least {format_size(LEAST_BYTES)}")
    return size


def _discard(name: str) -> None:
    try:
        lifecycle.delete(name, force=True)
    except UnknownName:
        # Someone else deleted it, or its server was killed and another command swept it.
        return


def _request(target: Target, session_id: str) -> VolumeRequest:
    """What to serve; names hold the session's, so that sessions side by side do not meet."""
    shape, others = volume_options(target)
    short = session_id.replace("-", "")[-8:]
    values = read_options(TARGET_OPTIONS, others, f"target {target.name}")
    instance_name = values.get("instance_name")
    if instance_name is not None and not NAME.fullmatch(instance_name):
        raise UsageError(f"target {target.name}: instance_name={instance_name}: use letters, digits, dots or dashes")
    name = f"{short}-{target.name[:31]}"
    return VolumeRequest(
        name=name,
        options=shape,
        file_system=values.get("fs", FILE_SYSTEM),
        # Not below our own folder, which is nobody else's: the servers of databases run as users of their own.
        mount=temporary() / f"plimsoll-{name}",
        backing=values.get("backing", TARGET_OPTIONS["backing"].default),
        write_cache_bytes=values.get("write_cache", TARGET_OPTIONS["write_cache"].default),
        instance_name=None if instance_name is None else f"{short}-{instance_name[:31]}",
        keeper=current_owner(),
        restart=values.get("restart", False),
    )
