"""Taking a volume away: every step only as far as there is something, so that it can finish what a kill interrupted."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path

from plimsoll.errors import TargetError
from plimsoll.targets.mounts import read_mounts
from plimsoll.targets.owner import Owner
from plimsoll.volumes import array, control, filesystem, loop, machine, registry
from plimsoll.volumes.registry import Volume

END_S = 10.0


def remove(folder: Path, *, force: bool, known: Volume | None = None) -> None:
    """Take away everything that is there of a volume; the lock is held. Raises TargetError while it is in use.

    Who has just read its record gives it as `known`: one that cannot be read a second time would hide its mount point.
    """
    volume = known or next((each for each in registry.volumes() if each.folder == folder), None)
    if volume is not None and volume.members:
        _remove_array(volume, force=force)
        return
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
    _remove_folder(folder, volume)


def _remove_array(volume: Volume, *, force: bool) -> None:
    """The array first, then its members."""
    servers = {folder: registry.server(folder) for folder in registry.served_folders(volume)}
    for folder, server in servers.items():
        _hurry(folder, server, on=True)
    try:
        if volume.device:
            _take_from_users(volume.folder, [volume.device], force=force)
            array.stop(volume.device)
    except TargetError:
        for folder, server in servers.items():
            _hurry(folder, server, on=False)
        raise
    for folder in servers:
        if folder.exists():
            remove(folder, force=True)
    _remove_folder(volume.folder, volume)


def _remove_folder(folder: Path, volume: Volume | None) -> None:
    if volume is not None and volume.mount is not None and volume.mount_made:
        _remove_mount_point(Path(volume.mount))
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
        holders = [f"the device {holder}" for device in devices for holder in loop.holders(device)]
        if users := holders + loop.users(numbers, {mount.point for mount in mounts}):
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


def _remove_mount_point(point: Path) -> None:
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
