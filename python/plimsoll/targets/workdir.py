"""The one folder a session writes to in a directory target, and its removal on any exit.

`$PLIMSOLL_HOME/active/TOKEN.json` names the folder and its owner before the folder exists; a marker inside the folder
holds the same token. So leftovers of a killed session are found by the next command (`sweep`), and nothing without the
matching marker is ever removed.

Who owns the directory can rename the folder at any time and put another one, or a link, in its place. So the folder is
opened once, and everything in it, its removal included, goes by that descriptor.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from pydantic import ValidationError

from plimsoll.drafts import whole_file
from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.model import Record
from plimsoll.targets.held import HeldFolder, held, make_file, make_folder
from plimsoll.targets.owner import Owner, current_owner, is_alive

MARKER = ".plimsoll-session"
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
LARGEST_MARKER = 4096
_GONE = " (deleted)"
"""What the kernel adds to the name of an open folder that has none any more."""


class Claim(Record):
    """One work folder: content of the registry entry and of the marker."""

    token: str
    folder: str
    session: str
    created_ns: int
    owner: Owner


@dataclass(frozen=True)
class WorkFolder(HeldFolder):
    """A session's own folder, and the directory that it was made in."""

    parent: HeldFolder
    claim: Claim

    def moved(self) -> str | None:
        """A sentence where it is not in its place any more; others cannot reach what it holds all the same."""
        if self.is_still(self.parent):
            return None
        return (
            f"the work folder {self.path} was moved, removed or exchanged while it was in use, by somebody who may "
            f"write to {self.parent.path}; what was measured there does not count, and nothing was written elsewhere. "
            "Choose a directory that only you can change"
        )

    def check(self) -> None:
        """Raise TargetError if it is not in its place any more."""
        if reason := self.moved():
            raise TargetError(reason)


@contextmanager
def workdir(directory: Path, session_id: str) -> Iterator[WorkFolder]:
    """A new folder `plimsoll-…` (mode 0700) below `directory`, removed with all it holds on any exit.

    SIGTERM and SIGHUP end the process through SystemExit while it exists, unless the program has its own handlers.
    Raises TargetError if the folder cannot be made.
    """
    with ending_signals_raise(), held(directory) as parent:
        folder: WorkFolder | None = None
        try:
            # An interrupt between making the folder and knowing of it would leave it behind.
            with signals_held_back():
                folder = _create(parent, session_id)
            yield folder
        finally:
            if folder is not None:
                with signals_held_back():
                    try:
                        _remove(folder.claim, folder, parent)
                    finally:
                        os.close(folder.descriptor)


def sweep() -> list[str]:
    """Remove the work folders of sessions that died. One sentence for each one removed or that could not be.

    A folder is removed only if its marker holds the token of its registry entry and belongs to this user; links are
    not followed.
    """
    messages = []
    for claim in leftovers():
        folder = Path(claim.folder)
        existed = os.path.lexists(folder)
        try:
            removed = _sweep(claim)
        except TargetError as error:
            messages.append(str(error))
            continue
        if removed:
            messages.append(f"removed {folder}, left by session {claim.session}, which was killed")
        elif existed:
            messages.append(f"left {folder} alone: it is not the folder that session {claim.session} made")
    return messages


def leftovers() -> list[Claim]:
    """Claims whose process is gone."""
    return [claim for claim in _claims() if not is_alive(claim.owner)]


def _registry() -> Path:
    folder = home() / "active"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _entry(claim: Claim) -> Path:
    return _registry() / f"{claim.token}.json"


def _claims() -> list[Claim]:
    claims = []
    for entry in sorted(_registry().glob("*.json")):
        try:
            claim = Claim.model_validate_json(entry.read_text())
        except (OSError, ValidationError):
            continue
        if entry.stem == claim.token:
            claims.append(claim)
    return claims


def _create(parent: HeldFolder, session_id: str) -> WorkFolder:
    # The tail of a UUIDv7 is its random part; its head is the time and alike in sessions of one minute.
    short = session_id.replace("-", "")[-8:]
    for attempt in range(10):
        name = f"plimsoll-{short}" if attempt == 0 else f"plimsoll-{short}-{secrets.token_hex(3)}"
        claim = Claim(
            token=secrets.token_hex(16),
            folder=str(parent.path / name),
            session=session_id,
            created_ns=time.time_ns(),
            owner=current_owner(),
        )
        try:
            _register(claim)
            made = make_folder(parent, name)
        except FileExistsError:
            _entry(claim).unlink(missing_ok=True)
            continue
        except OSError as error:
            _entry(claim).unlink(missing_ok=True)
            raise TargetError(_unwritable(parent, error)) from None
        except TargetError:
            _entry(claim).unlink(missing_ok=True)
            raise
        folder = WorkFolder(made.path, made.descriptor, parent, claim)
        try:
            os.close(make_file(folder, MARKER, claim.model_dump_json().encode()))
        except OSError as error:
            _remove(claim, folder, parent)
            os.close(folder.descriptor)
            raise TargetError(_unwritable(parent, error)) from None
        return folder
    raise TargetError(f"{parent} is full of folders named plimsoll-{short}…; remove them or choose another directory")


def _unwritable(parent: HeldFolder, error: OSError) -> str:
    return f"cannot make a work folder in {parent}: {error.strerror}; choose a directory that can be written"


def _register(claim: Claim) -> None:
    # Half of an entry would be of nobody, and stay.
    with whole_file(_entry(claim)) as file:
        file.write(claim.model_dump_json().encode())


def _sweep(claim: Claim) -> bool:
    """Remove the folder if it is the claimed one, then the registry entry; whether there was such a folder.

    Raises TargetError where something could not be removed; the entry then stays for the next sweep.
    """
    path = Path(claim.folder)
    try:
        parent = HeldFolder(path.parent, os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    except OSError:
        _entry(claim).unlink(missing_ok=True)
        return False
    try:
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            folder = HeldFolder(path, os.open(path.name, flags, dir_fd=parent.descriptor))
        except OSError:
            _entry(claim).unlink(missing_ok=True)
            return False
        try:
            ours = _is_ours(claim, folder)
            if ours:
                _remove(claim, folder, parent)
            else:
                _entry(claim).unlink(missing_ok=True)
            return ours
        finally:
            os.close(folder.descriptor)
    finally:
        os.close(parent.descriptor)


def _is_ours(claim: Claim, folder: HeldFolder) -> bool:
    """Whether the open folder is of this user, and carries the token, or what was written of it before a kill."""
    try:
        if os.fstat(folder.descriptor).st_uid != os.geteuid():
            return False
        inside = os.listdir(folder.descriptor)
        if not inside:
            # Killed between making the folder and writing the marker; nothing can be lost.
            return True
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        marker = os.open(MARKER, flags, dir_fd=folder.descriptor)
        try:
            content = os.read(marker, LARGEST_MARKER)
            if inside == [MARKER] and claim.model_dump_json().encode().startswith(content):
                # Killed while writing it; nothing else is there.
                return True
            return Claim.model_validate_json(content).token == claim.token
        finally:
            os.close(marker)
    except (OSError, ValidationError):
        return False


def _remove(claim: Claim, folder: HeldFolder, parent: HeldFolder) -> None:
    """Empty the open folder and remove it, wherever it is now, then the registry entry.

    The marker goes last, so that a sweep can finish what a kill interrupts. Raises TargetError where something could
    not be removed; the entry then stays for the next sweep.
    """
    problem: OSError | None = None
    for _ in range(3):
        # A thread that still ends its work may add a file while the folder is removed.
        try:
            _empty(folder.descriptor)
            _remove_empty(folder, parent)
        except OSError as error:
            problem = error
            time.sleep(0.05)
        else:
            _entry(claim).unlink(missing_ok=True)
            return
    reason = problem.strerror if problem else "it is in use"
    raise TargetError(f"cannot remove the work folder {folder}: {reason}; remove it by hand, or run `plimsoll doctor`")


def _remove_empty(folder: HeldFolder, parent: HeldFolder) -> None:
    """Remove the name of an open, empty folder: that by which it was made, or where somebody has moved it."""
    if _has_name(folder, parent.descriptor, folder.path.name):
        os.rmdir(folder.path.name, dir_fd=parent.descriptor)
        return
    now = Path(os.readlink(folder))
    try:
        above = os.open(now.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    except FileNotFoundError:
        return
    try:
        if _has_name(folder, above, now.name):
            os.rmdir(now.name, dir_fd=above)
        elif not now.name.endswith(_GONE):
            raise OSError(errno.EBUSY, "somebody keeps moving it")
    finally:
        os.close(above)


def _has_name(folder: HeldFolder, parent: int, name: str) -> bool:
    try:
        status = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except OSError:
        return False
    return os.path.samestat(status, os.fstat(folder.descriptor))


def _empty(folder: int) -> None:
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        # Somebody has removed the folder itself.
        return
    for name in sorted(names, key=lambda name: name == MARKER):
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            continue
        except (IsADirectoryError, PermissionError):
            # rmtree never follows links and opens each level relative to the last.
            shutil.rmtree(name, dir_fd=folder)


@contextmanager
def ending_signals_raise() -> Iterator[None]:
    """Turn signals that would end the process at once into SystemExit, so that cleaning up happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    replaced = [number for number in ENDING_SIGNALS if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, leave)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def signals_held_back() -> Iterator[None]:
    """Keep interrupts away while files are removed; they arrive afterwards.

    A signal mask would not do: another thread would take the signal, and Python would still run its handler here.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []
    held = (*ENDING_SIGNALS, signal.SIGINT)
    before = {number: signal.signal(number, lambda number, _frame: arrived.append(number)) for number in held}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for late in dict.fromkeys(arrived):
            signal.raise_signal(late)
