"""The volumes of this user on this machine: one folder each, below `$PLIMSOLL_HOME/volumes`.

    NAME/volume.json     what it is (`Volume`); written before anything of it exists
    NAME/spec.json       the numbers that the server was started with
    NAME/server.json     the process that serves it (`Owner`), written by that process
    NAME/device          a regular file served through FUSE: the bytes of the volume, at its speed
    NAME/bytes           where they are (sparse), unless they are in memory
    NAME/socket          commands; mode 0600
    NAME/log             what the server says when it fails
    NAME/mount           mount point, unless the user chose one
    .instances/NAME      buckets that the volumes of one instance share

Changes happen under one lock: a folder whose volume is not complete while it is free belongs to a dead process.
"""

from __future__ import annotations

import fcntl
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field, ValidationError

from plimsoll.errors import TargetError, UnknownName, UsageError
from plimsoll.location import home
from plimsoll.model import Record
from plimsoll.targets.blockdev import text_of
from plimsoll.targets.chain import Chain
from plimsoll.targets.owner import Owner, is_alive

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")


class Volume(Record):
    """A volume as its file in the registry holds it."""

    name: str
    state: Literal["creating", "ready"] = "creating"
    created_ns: int
    options: dict[str, str]
    """The shape, as `catalog.shape.volume_shape` reads it."""
    summary: str
    size_bytes: int
    """Of the device."""
    device: str = ""
    """`/dev/loopN`; with md, `/dev/mdN`."""
    device_sequence: int = 0
    """The kernel's number of this attachment, never used twice: tells our loop device from a later one."""
    file_system: str | None = None
    mount: str | None = None
    mount_made: bool = False
    """The mount point was made for the volume, and goes with it."""
    backing: Literal["sparse", "memory"] = "sparse"
    write_cache_bytes: int = 0
    instance_name: str | None = None
    """Volumes with the same one share the limits of the instance."""
    keeper: Owner | None = None
    """A session that has the volume for itself: when its process is gone, so is the volume."""
    restart: bool = False
    """Each run finds its buckets and credits as they were at the start."""
    members: tuple[str, ...] = Field(default=())
    """Volumes that the kernel's md combines into this one."""

    @property
    def folder(self) -> Path:
        """Everything of it."""
        return root() / self.name

    @property
    def file(self) -> Path:
        """What the server mounts, and the loop device reads."""
        return self.folder / "device"


def root() -> Path:
    """The folder of all volumes, created on first use."""
    folder = home() / "volumes"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


@contextmanager
def changes(*, wait: bool = True) -> Iterator[bool]:
    """Hold the lock under which volumes are made, changed and removed; False if it is taken and `wait` is off."""
    descriptor = os.open(root() / ".lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(descriptor)


def reserve(volume: Volume) -> None:
    """Make the folder of a new volume and write the first of its record. Raises UsageError if the name is taken."""
    if not NAME.fullmatch(volume.name):
        raise UsageError(
            f"{volume.name!r} is not a name for a volume; use 1 to 40 letters, digits, dots, dashes or underscores"
        )
    try:
        volume.folder.mkdir(mode=0o700)
    except FileExistsError:
        raise UsageError(
            f"a volume named {volume.name} exists; `plimsoll volume delete {volume.name}` removes it, or choose "
            "another name"
        ) from None
    save(volume)


def save(volume: Volume) -> None:
    """Write the record; readers see the old one or the new one."""
    write(volume.folder / "volume.json", volume.model_dump_json())


def write(path: Path, text: str) -> None:
    """Replace a file of a volume at once."""
    draft = path.with_name(f".{path.name}")
    try:
        draft.write_text(text)
        draft.replace(path)
    except OSError as error:
        raise TargetError(f"cannot write {path}: {error.strerror}; make room there or set PLIMSOLL_HOME") from None


def volumes() -> list[Volume]:
    """All whose record can be read, oldest first."""
    found = [volume for folder in _folders() if (volume := _read(folder)) is not None]
    return sorted(found, key=lambda volume: (volume.created_ns, volume.name))


def named(name: str) -> Volume:
    """The complete volume of that name. Raises UnknownName."""
    ready = [volume for volume in volumes() if volume.state == "ready"]
    for volume in ready:
        if volume.name == name:
            return volume
    raise UnknownName("volume", name, [volume.name for volume in ready])


def unreadable() -> list[Path]:
    """Folders without a record that can be read: their makers were killed at the very start."""
    return [folder for folder in _folders() if _read(folder) is None]


def served_folders(volume: Volume) -> list[Path]:
    """Where the servers of a volume are: its own folder, or those of its members."""
    return [root() / name for name in volume.members] or [volume.folder]


def server(folder: Path) -> Owner | None:
    """The process that serves the volume in this folder, if it runs."""
    try:
        owner = Owner.model_validate_json((folder / "server.json").read_text())
    except (OSError, ValidationError):
        return None
    return owner if is_alive(owner) and not _has_ended(owner.pid) else None


def transport(folder: Path) -> str | None:
    """How requests reach the server of the volume in this folder: io_uring or dev_fuse; None if that cannot be seen."""
    owner = server(folder)
    try:
        opened = [os.readlink(path) for path in Path(f"/proc/{owner.pid}/fd").iterdir()] if owner is not None else []
    except OSError:
        return None
    # It has a ring only for them.
    return ("io_uring" if "anon_inode:[io_uring]" in opened else "dev_fuse") if opened else None


def servers_below(chain: Chain) -> tuple[int, ...]:
    """The processes that serve the volumes below a place, whoever made them."""
    owners = [server(folder) for folder in folders_below(chain)]
    return tuple(owner.pid for owner in owners if owner is not None)


def folders_below(chain: Chain) -> tuple[Path, ...]:
    """The folders of the volumes below a place, one per server."""
    files = [Path(device.backing_file) for device in chain.devices if device.kind == "loop" and device.backing_file]
    return tuple(file.parent for file in files if file.name == "device")


def _has_ended(pid: int) -> bool:
    """Whether the process is only waiting for its parent to notice."""
    return text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()[:1] in ([], ["Z"])


def instance_state(name: str) -> Path:
    """The file through which the volumes of instance `name` share its limits."""
    folder = root() / ".instances"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / name


def _folders() -> list[Path]:
    return [entry for entry in root().iterdir() if not entry.name.startswith(".") and entry.is_dir()]


def _read(folder: Path) -> Volume | None:
    try:
        volume = Volume.model_validate_json((folder / "volume.json").read_text())
    except (OSError, ValidationError):
        return None
    return volume if volume.name == folder.name else None
