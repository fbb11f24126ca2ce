"""From a wish to a block device that programs can use, and away again without a trace.

create:  record ─► server ─► loop device ─► file system ─► mounted
remove:  the same backwards, each step only as far as it is there, so that it can finish what a kill interrupted
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
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
from plimsoll.targets.mounts import read_mounts
from plimsoll.targets.owner import Owner, is_alive
from plimsoll.targets.workdir import signals_held_back
from plimsoll.volumes import control, filesystem, loop, machine, registry
from plimsoll.volumes.registry import Volume

START_S = 30.0
END_S = 10.0
MEMORY_SHARE = 0.8
"""Of the memory that is free when a volume is made: the bound of what it keeps there."""


@dataclass(frozen=True)
class Wish:
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


def create(wish: Wish) -> Volume:
    """Serve, attach, format, mount. Raises UsageError or TargetError, having left nothing behind."""
    shape = check(wish)
    with registry.changes():
        _check_instance(wish, shape)
        volume = Volume(
            name=wish.name,
            created_ns=time.time_ns(),
            options=dict(shape.options),
            summary=shape.summary,
            size_bytes=shape.size_bytes,
            file_system=wish.file_system,
            backing=wish.backing,
            write_cache_bytes=wish.write_cache_bytes,
            instance_name=wish.instance_name,
            keeper=wish.keeper,
        )
        registry.reserve(volume)
        try:
            return _build(volume, wish, shape)
        except BaseException:
            with signals_held_back():
                remove(volume.folder, force=True)
            raise


def check(wish: Wish) -> VolumeShape:
    """Refuse what cannot be, before anything is done; the shape."""
    shape = volume_shape(wish.options, f"volume {wish.name}")
    if wish.file_system is not None:
        filesystem.check(wish.file_system)
    elif wish.mount is not None:
        raise UsageError(f"volume {wish.name}: a mount point needs a file system, such as --fs ext4")
    if wish.instance_name is not None and not registry.NAME.fullmatch(wish.instance_name):
        raise UsageError(f"{wish.instance_name!r} is no name for an instance; use letters, digits, dots or dashes")
    if wish.instance_name is not None and shape.instance is None:
        raise UsageError(f"volume {wish.name}: an instance that is shared needs a type, such as instance=m5.large")
    if shape.size_bytes == 0:
        raise UsageError(f"volume {wish.name}: say how large it is, such as size=100GiB")
    machine.check(wish.file_system, array=wish.raid_with_md)
    return shape


def _check_instance(wish: Wish, shape: VolumeShape) -> None:
    """Volumes on one instance agree on its type."""
    for other in registry.volumes():
        if wish.instance_name is not None and other.instance_name == wish.instance_name:
            mine, its = shape.options.get("instance"), other.options.get("instance")
            if mine != its:
                raise UsageError(
                    f"instance {wish.instance_name} is {its} (volume {other.name}), not {mine}; choose another name "
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


def _build(volume: Volume, wish: Wish, shape: VolumeShape) -> Volume:
    registry.write(volume.folder / "spec.json", json.dumps(served_spec(volume, shape)))
    volume.file.touch(mode=0o600)
    _start(volume.folder)
    # Formatting is no use of the volume: it takes no time, credits or first touches from it.
    control.ask(volume.folder, {"command": "bypass", "on": True})
    device, sequence = loop.attach(volume.file)
    volume = volume.model_copy(update={"device": device, "device_sequence": sequence})
    registry.save(volume)
    if wish.file_system is not None:
        volume = _format_and_mount(volume, wish.file_system, wish.mount)
    control.ask(volume.folder, {"command": "bypass", "on": False})
    volume = volume.model_copy(update={"state": "ready"})
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
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(
            [sys.executable, "-P", "-m", "plimsoll.volumes.server", str(folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd="/",
            start_new_session=True,
        )
    assert server.stdout is not None
    said = b""
    with server.stdout, selectors.DefaultSelector() as selector:
        selector.register(server.stdout, selectors.EVENT_READ)
        deadline = time.monotonic() + START_S
        while not said.endswith(b"\n"):
            if not selector.select(max(0.0, deadline - time.monotonic())):
                said += b"it did not start in time"
                break
            if not (part := os.read(server.stdout.fileno(), 4096)):
                break
            said += part
    if said != b"ready\n":
        server.kill()
        server.wait()
        lines = said.decode(errors="replace").split() or (folder / "log").read_text(errors="replace").split()
        raise TargetError(f"cannot serve volume {folder.name}: {' '.join(lines) or 'its server ended without a word'}")
    # The server outlives this process; nobody here waits for it.
    server.returncode = 0


def delete(name: str, *, force: bool = False) -> None:
    """Remove a volume with all its data; `force` also while programs use it. Raises UnknownName, TargetError."""
    with registry.changes():
        volume = registry.named(name)
        with signals_held_back():
            remove(volume.folder, force=force)


def sweep() -> list[str]:
    """Remove volumes that no process serves any more or whose session is gone; a sentence for each."""
    messages = []
    with registry.changes(wait=False) as mine:
        if not mine:
            return []
        abandoned = [(folder, "its maker was killed") for folder in registry.unreadable()]
        abandoned += [(each.folder, why) for each in registry.volumes() if (why := _why_dead(each))]
        for folder, why in abandoned:
            try:
                with signals_held_back():
                    remove(folder, force=True)
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
    if not volume.members and registry.server(volume.folder) is None:
        return "its server is gone, and its data with it"
    return None


def remove(folder: Path, *, force: bool) -> None:
    """Take away everything that is there of a volume; the lock is held. Raises TargetError while it is in use."""
    volume = next((each for each in registry.volumes() if each.folder == folder), None)
    server = registry.server(folder)
    devices = _devices(folder, volume)
    _hurry(folder, server, on=True)
    try:
        _take_from_users(folder, devices, force=force)
    except TargetError:
        _hurry(folder, server, on=False)
        raise
    for device in devices:
        loop.detach(device)
    if server is not None:
        _end(folder, server)
    if filesystem.is_served(folder / "device"):
        filesystem.unmount(str(folder / "device"), lazily=True)
    if volume is not None and volume.mount is not None and volume.mount_made:
        _remove_folder(Path(volume.mount))
    if any(Path(mount.point).is_relative_to(folder) for mount in read_mounts()):
        raise TargetError(f"something is still mounted below {folder}; unmount it and run this again")
    shutil.rmtree(folder)
    _forget_instance(volume)


def _devices(folder: Path, volume: Volume | None) -> list[str]:
    """Loop devices of the volume: those on its file, and the recorded one as long as it is the same attachment."""
    found = loop.of_file(folder / "device")
    if volume is not None and volume.device and volume.device_sequence:
        same = loop.is_attached(volume.device) and loop.sequence(volume.device) == volume.device_sequence
        found += [volume.device] if same and volume.device not in found else []
    return found


def _hurry(folder: Path, server: Owner | None, *, on: bool) -> None:
    """Let what is still to be written past the model. A server that does not answer would hold everything up."""
    if server is None:
        return
    try:
        control.ask(folder, {"command": "bypass", "on": on})
    except TargetError:
        _kill(folder, server)


def _take_from_users(folder: Path, devices: list[str], *, force: bool) -> None:
    """Unmount every file system on the devices. Raises TargetError, having changed nothing, while programs use them."""
    mounts = [mount for device in devices for mount in filesystem.mounts_of(loop.number(device), device)]
    if not force:
        numbers = {os.stat(device).st_rdev for device in devices if os.path.exists(device)}
        if users := loop.users(numbers, {mount.point for mount in mounts}):
            raise TargetError(
                f"volume {folder.name} is in use by {', '.join(users)}; end that first, or give --force to take the "
                "volume away from it"
            )
    for mount in mounts:
        try:
            filesystem.unmount(mount.point)
        except machine.Failed:
            if not force:
                raise
            filesystem.unmount(mount.point, lazily=True)


def _end(folder: Path, server: Owner) -> None:
    """Stop the server: ask it, then tell it, then end it."""
    try:
        control.ask(folder, {"command": "stop", "force": True})
    except TargetError:
        _signal(server, signal.SIGTERM)
    if not _wait(folder):
        _kill(folder, server)


def _kill(folder: Path, server: Owner) -> None:
    _signal(server, signal.SIGKILL)
    _wait(folder)


def _signal(server: Owner, number: signal.Signals) -> None:
    try:
        os.kill(server.pid, number)
    except ProcessLookupError:
        # It ended by itself meanwhile.
        return


def _wait(folder: Path) -> bool:
    deadline = time.monotonic() + END_S
    while registry.server(folder) is not None:
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _remove_folder(point: Path) -> None:
    try:
        point.rmdir()
    except OSError:
        # Someone put files there, or removed it: no longer ours.
        return


def _forget_instance(volume: Volume | None) -> None:
    """The buckets of an instance go with its last volume."""
    if volume is None or volume.instance_name is None:
        return
    if all(each.instance_name != volume.instance_name for each in registry.volumes()):
        registry.instance_state(volume.instance_name).unlink(missing_ok=True)
