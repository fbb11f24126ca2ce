"""From a request to a block device that programs can use, and away again without a trace.

create:  record ─► server ─► loop device ─► file system ─► mounted
remove:  the same backwards, each step only as far as it is there, so that it can finish what a kill interrupted
"""

from __future__ import annotations

import json
import os
import selectors
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import psutil  # type: ignore[import-untyped]  # its stubs are a package of their own

from plimsoll.catalog.shape import VolumeShape, volume_shape
from plimsoll.errors import TargetError, UsageError
from plimsoll.targets.host import memory_limit_bytes
from plimsoll.targets.owner import Owner, is_alive
from plimsoll.targets.workdir import signals_held_back
from plimsoll.volumes import array, control, filesystem, full, loop, machine, path, registry
from plimsoll.volumes.registry import Volume
from plimsoll.volumes.removal import remove

START_S = 30.0
MEMORY_SHARE = 0.8
"""Of the memory that is free when a volume is made: the bound of what it keeps there."""


@dataclass(frozen=True)
class VolumeRequest:
    """What a volume shall be."""

    name: str
    options: Mapping[str, str]
    """The shape: type, size, …; `plimsoll.catalog.shape`."""
    file_system: str | None = None
    mount: Path | None = None
    """Where to mount it; without one, in its own folder."""
    backing: Literal["sparse", "memory"] = "sparse"
    write_cache_bytes: int = 0
    """Size of a volatile cache whose content a power loss drops; 0 as EBS."""
    instance_name: str | None = None
    raid_with_md: bool = False
    """The kernel's md combines the members, each a volume with a device of its own."""
    keeper: Owner | None = None
    restart: bool = False
    """Each run finds its buckets and credits as they were at the start."""


def create(request: VolumeRequest) -> Volume:
    """Serve, attach, format, mount. Raises UsageError or TargetError, having left nothing behind."""
    shape = check(request)
    with registry.changes():
        _check_instance(request, shape)
        volume = Volume(
            name=request.name,
            created_ns=time.time_ns(),
            options=dict(shape.options),
            summary=shape.summary,
            size_bytes=shape.size_bytes,
            file_system=request.file_system,
            backing=request.backing,
            write_cache_bytes=request.write_cache_bytes,
            instance_name=_instance_name(request, shape),
            keeper=request.keeper,
            restart=request.restart,
        )
        registry.reserve(volume)
        try:
            return _build(volume, request, shape)
        except TargetError as error:
            why = full.no_space_text(volume)
            with signals_held_back():
                remove(volume.folder, force=True)
            if why is None:
                raise
            raise TargetError(f"{error}; {why}") from None
        except BaseException:
            with signals_held_back():
                remove(volume.folder, force=True)
            raise


def check(request: VolumeRequest) -> VolumeShape:
    """Refuse what cannot be, before anything is done; the shape."""
    shape = volume_shape(request.options, f"volume {request.name}")
    if request.file_system is not None:
        filesystem.check(request.file_system)
    elif request.mount is not None:
        raise UsageError(f"volume {request.name}: a mount point needs a file system, such as --fs ext4")
    if request.instance_name is not None and not registry.NAME.fullmatch(request.instance_name):
        raise UsageError(
            f"{request.instance_name!r} is not a name for an instance; use letters, digits, dots or dashes"
        )
    if request.instance_name is not None and shape.instance is None:
        raise UsageError(f"volume {request.name}: a shared instance needs a type, such as instance=m5.large")
    if request.raid_with_md and shape.raid is None:
        raise UsageError(f"volume {request.name}: md combines the members of an array, such as --raid 0 --members 4")
    if shape.size_bytes == 0:
        raise UsageError(f"volume {request.name}: say how large it is, such as size=100GiB")
    machine.check(request.file_system, array=request.raid_with_md)
    return shape


def _instance_name(request: VolumeRequest, shape: VolumeShape) -> str | None:
    """Members of an array of md share the instance that the array is on."""
    return (
        request.name if request.raid_with_md and shape.instance and not request.instance_name else request.instance_name
    )


def _check_instance(request: VolumeRequest, shape: VolumeShape) -> None:
    """Volumes on one instance agree on its type."""
    for other in registry.volumes():
        if request.instance_name is not None and other.instance_name == request.instance_name:
            mine, its = shape.options.get("instance"), other.options.get("instance")
            if mine != its:
                raise UsageError(
                    f"instance {request.instance_name} is {its} (volume {other.name}), not {mine}; choose another name "
                    "for this instance"
                )


def served_spec(volume: Volume, shape: VolumeShape) -> dict[str, Any]:
    """The numbers for the server: the shape, where the bytes are, and whom it shares its instance with."""
    spec = dict(shape.spec)
    backing: dict[str, Any] = {"volatile_cache_bytes": volume.write_cache_bytes}
    if volume.backing == "sparse":
        backing["path"] = str(volume.folder / "bytes")
    else:
        free = min(memory_limit_bytes(), psutil.virtual_memory().available)
        backing["memory_bytes_max"] = int(free * MEMORY_SHARE)
    if volume.instance_name is not None:
        state = str(registry.instance_state(volume.instance_name))
        spec["instance"] = {**spec.get("instance", {}), "shared_state": state}
    return {**spec, "backing": backing}


def _build(volume: Volume, request: VolumeRequest, shape: VolumeShape) -> Volume:
    volume = _combine(volume, shape) if request.raid_with_md else _serve(volume, served_spec(volume, shape))
    if request.file_system is not None:
        volume = _format_and_mount(volume, request.file_system, request.mount)
    for folder in registry.served_folders(volume):
        control.ask(folder, {"command": "bypass", "on": False})
    volume = volume.model_copy(update={"state": "ready"})
    registry.save(volume)
    return volume


def _serve(volume: Volume, spec: Mapping[str, Any]) -> Volume:
    """Start its server and attach a loop device. Formatting is no use of a volume, so the model is bypassed until it
    is ready: that takes no time, credits or first touches from it."""
    registry.write(volume.folder / "spec.json", json.dumps(spec))
    volume.file.touch(mode=0o600)
    _start(volume.folder)
    control.ask(volume.folder, {"command": "bypass", "on": True})
    device, sequence = loop.attach(volume.file)
    volume = volume.model_copy(update={"device": device, "device_sequence": sequence})
    registry.save(volume)
    path.compensate(volume.folder, device)
    return volume


def _combine(volume: Volume, shape: VolumeShape) -> Volume:
    """Serve each member as a volume of its own, `NAME.0`, `NAME.1`, …, and let md combine them."""
    single = {name: value for name, value in shape.options.items() if name not in ("raid", "members", "chunk")}
    names = tuple(f"{volume.name}.{number}" for number in range(shape.members))
    volume = volume.model_copy(update={"members": names})
    registry.save(volume)
    member_shape = volume_shape(single, f"member of volume {volume.name}")
    devices = []
    for number, name in enumerate(names):
        update: dict[str, Any] = {"name": name, "members": (), "options": single, "file_system": None}
        update |= {"summary": member_shape.summary, "size_bytes": member_shape.size_bytes}
        member = volume.model_copy(update=update)
        registry.reserve(member)
        spec = served_spec(member, member_shape)
        member = _serve(member, {**spec, "seed": spec["seed"] + number})
        registry.save(member.model_copy(update={"state": "ready"}))
        devices.append(member.device)
    device = array.assemble(volume.name, devices, shape.spec["array"]["raid"], shape.spec["array"]["chunk"])
    volume = volume.model_copy(update={"device": device, "size_bytes": loop.size_bytes(device)})
    registry.save(volume)
    return volume


def _format_and_mount(volume: Volume, file_system: str, wanted: Path | None) -> Volume:
    filesystem.make(file_system, volume.device)
    point = (wanted or volume.folder / "mount").absolute()
    made = filesystem.prepare_mount_point(point)
    volume = volume.model_copy(update={"mount": str(point), "mount_made": made})
    registry.save(volume)
    filesystem.mount(file_system, volume.device, point)
    return volume


def _start(folder: Path) -> None:
    """Start the server and wait until the file can be opened. Raises TargetError with the server's reason."""
    server = None
    try:
        # Until it has written who it is, only this process knows it: whatever ends the wait ends the server.
        with (folder / "log").open("wb") as log, signals_held_back():
            server = subprocess.Popen(
                [sys.executable, "-P", "-m", "plimsoll.volumes.server", str(folder)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                cwd="/",
                start_new_session=True,
            )
        said = _first_line(server)
        if said != b"ready\n":
            lines = said.decode(errors="replace").split() or (folder / "log").read_text(errors="replace").split()
            raise TargetError(
                f"cannot serve volume {folder.name}: {' '.join(lines) or 'its server ended without a message'}"
            )
    except BaseException:
        if server is not None:
            server.kill()
            server.wait()
        raise
    # The server outlives this process; nobody here waits for it.
    server.returncode = 0


def _first_line(server: subprocess.Popen[bytes]) -> bytes:
    """What the server says when it can be used, or why it cannot."""
    assert server.stdout is not None
    said = b""
    with server.stdout, selectors.DefaultSelector() as selector:
        selector.register(server.stdout, selectors.EVENT_READ)
        deadline = time.monotonic() + START_S
        while not said.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                return said + b"it did not start in time"
            if not (part := os.read(server.stdout.fileno(), 4096)):
                break
            said += part
    return said


def delete(name: str, *, force: bool = False) -> None:
    """Remove a volume with all its data; `force` also while programs use it. Raises UnknownName, TargetError."""
    with registry.changes():
        volume = registry.named(name)
        with signals_held_back():
            remove(volume.folder, force=force, known=volume)


def sweep() -> list[str]:
    """Remove volumes that no process serves any more or whose session is gone; a sentence for each."""
    messages = []
    with registry.changes(wait=False) as mine:
        if not mine:
            return []
        killed = "its maker was killed"
        abandoned: list[tuple[Path, Volume | None, str]] = [(each, None, killed) for each in registry.unreadable()]
        abandoned += [(each.folder, each, why) for each in registry.volumes() if (why := _why_dead(each))]
        for folder, known, why in abandoned:
            if not folder.exists():
                # A member of an array that was just removed.
                continue
            try:
                with signals_held_back():
                    remove(folder, force=True, known=known)
            except TargetError as error:
                messages.append(f"volume {folder.name} cannot be removed ({why}): {error}")
            else:
                messages.append(f"removed volume {folder.name}: {why}")
    return messages


def _why_dead(volume: Volume) -> str | None:
    if volume.state == "creating":
        return "its maker was killed"
    if volume.keeper is not None and not is_alive(volume.keeper):
        return "the session that used it was killed"
    if any(registry.server(folder) is None for folder in registry.served_folders(volume)):
        return "its server is gone, and its data with it"
    return None
