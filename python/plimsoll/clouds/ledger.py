"""What is rented, on disk before each call: one folder for each rental, below `$PLIMSOLL_HOME/clouds`.

A folder holds `ledger.jsonl`, one line for each thing that happened, and the files of the provider, such as the private
key of the machines. It is there for as long as something of the rental can be; who writes it holds a lock on it, so
that another command can tell a session that goes on from one that was killed.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from plimsoll.clouds.provider import Resource, Step
from plimsoll.clouds.wanted import Rental
from plimsoll.errors import CloudError
from plimsoll.location import home
from plimsoll.notices import tell

FILE = "ledger.jsonl"
_BEGINS_S = 60
"""A folder without a ledger for so long is one of a process that was killed at its beginning, or its end."""


@dataclass(frozen=True, kw_only=True)
class Use:
    """The session that is measured on a rental, with what it takes to go on with it after its command was killed."""

    session: str
    title: str
    study: Mapping[str, Any]
    """Of all allocations, as a session keeps it."""
    earlier: tuple[str, ...] = ()
    """The sessions of the allocations before."""
    places: Mapping[str, str] = field(default_factory=dict)
    """Where the volumes are, by target: `@m1:/mnt/plimsoll/gp3`. They are not made anew."""
    usd_per_hour: float | None = None
    """Of the rental."""


_RENTAL, _STEP, _RESOURCE = TypeAdapter(Rental), TypeAdapter(Step), TypeAdapter(Resource)
_USE = TypeAdapter(Use)


@dataclass
class Entry:
    """One step: what was meant, and what came of it."""

    step: Step
    at_ns: int
    made: Resource | None = None
    made_ns: int | None = None
    refused: bool = False
    """The provider has said that it made nothing."""


class Ledger:
    """The record of one rental, written by this process alone."""

    def __init__(self, folder: Path, descriptor: int, rental: Rental, begun_ns: int) -> None:
        self.folder, self.rental, self.begun_ns = folder, rental, begun_ns
        self.entries: dict[str, Entry] = {}
        self.use: Use | None = None
        """The session that is being measured; None before, and once everything is to end."""
        self.damaged = False
        """Whether lines of it cannot be read: then what is rented is known from its tags alone."""
        self._descriptor = descriptor

    @property
    def made(self) -> list[Resource]:
        """What the provider said it made, in that order."""
        return [entry.made for entry in self.entries.values() if entry.made]

    @property
    def written_s(self) -> float:
        """When its last line was written, in seconds since 1970."""
        return os.fstat(self._descriptor).st_mtime

    def intend(self, step: Step) -> None:
        """Before the call."""
        self._write({"intent": asdict(step)})

    def came(self, step: Step, resource: Resource) -> None:
        """After the call: what it has made."""
        self._write({"made": asdict(resource), "step": step.name})

    def refuse(self, step: Step) -> None:
        """After the call: it has made nothing."""
        self._write({"refused": step.name})

    def begin_use(self, use: Use) -> None:
        """Everything is ready, and a session begins, or goes on."""
        self._write({"use": asdict(use)})

    def end_use(self) -> None:
        """No session can go on with it any more: it is done, or everything is to end.

        Nothing may keep that from ending, so that a disk without room for this line is no error.
        """
        if self.use is not None:
            self.use = None
            with suppress(CloudError):
                self._write({"use": None})

    def close(self) -> None:
        """Let others take it: this process has no more to do with the rental."""
        os.close(self._descriptor)

    def remove(self) -> None:
        """Nothing of the rental is left: forget it, its private key first."""
        for each in self.folder.iterdir():
            if each.is_dir():
                shutil.rmtree(each)
            elif each.name != FILE:
                each.unlink()
        shutil.rmtree(self.folder)
        self.close()

    def _write(self, event: Mapping[str, Any]) -> None:
        line = {"at_ns": time.time_ns(), **event}
        try:
            _append(self._descriptor, line)
        except OSError as error:
            raise CloudError(
                f"cannot write {self.folder / FILE}: {error.strerror}; nothing is rented without a record. "
                "Make room there, or set PLIMSOLL_HOME to another disk"
            ) from None
        self.take(line)

    def take(self, line: Mapping[str, Any]) -> None:
        """What one line says."""
        match line:
            case {"intent": intent, "at_ns": at_ns}:
                step = _STEP.validate_python(intent)
                self.entries[step.name] = Entry(step, at_ns)
            case {"made": made, "step": name, "at_ns": at_ns}:
                self.entries[name].made = _RESOURCE.validate_python(made)
                self.entries[name].made_ns = at_ns
            case {"refused": name}:
                self.entries[name].refused = True
            case {"use": use}:
                self.use = _USE.validate_python(use) if use is not None else None


def begin(rental: Rental) -> Ledger:
    """A new record, on the disk before anything is rented. Raises CloudError where it cannot be written."""
    folder = home() / "clouds" / rental.id
    begun_ns = time.time_ns()
    try:
        folder.parent.mkdir(mode=0o700, exist_ok=True)
        folder.mkdir(mode=0o700)
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_CLOEXEC, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        _append(descriptor, {"at_ns": begun_ns, "rental": asdict(rental)})
        _sync(folder)
        _sync(folder.parent)
    except OSError as error:
        raise CloudError(
            f"cannot make {folder}: {error.strerror}; nothing is rented without a record there. "
            "Set PLIMSOLL_HOME to a folder that can be written"
        ) from None
    return Ledger(folder, descriptor, rental, begun_ns)


def abandoned() -> Iterator[Ledger]:
    """The records of processes that are gone, each taken over by this one until it is removed or closed.

    One that cannot be read is told, and does not keep the others from being ended.
    """
    for folder in _folders():
        try:
            ledger = _taken(folder)
        except BlockingIOError:
            continue
        except CloudError as error:
            tell(str(error))
            continue
        if ledger:
            yield ledger


def take_over(rental_id: str) -> Ledger:
    """The record of one rental whose process is gone. Raises CloudError where it is not, or there is no such rental."""
    try:
        ledger = _taken(home() / "clouds" / rental_id)
    except BlockingIOError:
        raise CloudError(f"another command uses rental {rental_id}; wait for its end or stop it") from None
    if ledger is None:
        raise CloudError(f"there is no rental {rental_id} any more; `plimsoll cloud list` shows what there is")
    if ledger.damaged:
        ledger.close()
        raise CloudError(
            f"{ledger.folder / FILE} cannot be read to its end, so nothing can go on with rental {rental_id}; "
            "`plimsoll cloud sweep` ends it"
        )
    return ledger


def ids() -> list[str]:
    """All rentals that have a record here, of this and other processes."""
    return [folder.name for folder in _folders()]


def _folders() -> list[Path]:
    clouds = home() / "clouds"
    return sorted(each for each in clouds.iterdir() if each.is_dir()) if clouds.is_dir() else []


def _taken(folder: Path) -> Ledger | None:
    """The record in a folder, locked; None where there is none, or the process was killed before it rented anything.

    Raises BlockingIOError while its process lives.
    """
    try:
        descriptor = os.open(folder / FILE, os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
    except FileNotFoundError:
        if folder.is_dir() and time.time() - folder.stat().st_mtime > _BEGINS_S:
            shutil.rmtree(folder)
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        ledger = _read(folder, descriptor)
    except BaseException:
        os.close(descriptor)
        raise
    if ledger is None:
        os.close(descriptor)
        shutil.rmtree(folder)
    return ledger


_UNREADABLE = (ValueError, KeyError, TypeError)


def _read(folder: Path, descriptor: int) -> Ledger | None:
    whole, end, _half = (folder / FILE).read_bytes().rpartition(b"\n")
    if not whole:
        return None
    # The last line of a killed process may be half of one: what it announces did not happen, and the next one must not
    # be joined to it.
    os.ftruncate(descriptor, len(whole + end))
    first, *others = whole.splitlines()
    try:
        line = json.loads(first)
        ledger = Ledger(folder, descriptor, _RENTAL.validate_python(line["rental"]), line["at_ns"])
    except _UNREADABLE as error:
        raise CloudError(
            f"{folder / FILE} cannot be read ({type(error).__name__}); `plimsoll cloud list` asks the provider what "
            f"rental {folder.name} has, `plimsoll cloud sweep` ends it; then remove the folder"
        ) from None
    try:
        for text in others:
            ledger.take(json.loads(text))
    except _UNREADABLE:
        ledger.damaged = True
    return ledger


def _append(descriptor: int, line: Mapping[str, Any]) -> None:
    text = json.dumps(line, separators=(",", ":")) + "\n"
    written = os.write(descriptor, text.encode())
    if written != len(text):
        raise OSError(28, "No space left on device")
    os.fsync(descriptor)


def _sync(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
