"""The one folder a session writes to in a directory target, and its removal on any exit.

`$PLIMSOLL_HOME/active/TOKEN.json` names the folder and its owner before the folder exists; a marker inside the folder
holds the same token. So leftovers of a killed session are found by the next command (`sweep`), and nothing without the
matching marker is ever removed.
"""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from pydantic import ValidationError

from plimsoll.errors import TargetError
from plimsoll.location import home
from plimsoll.model import Record
from plimsoll.targets.owner import Owner, current_owner, is_alive

MARKER = ".plimsoll-session"
ENDING_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
LARGEST_MARKER = 4096


class Claim(Record):
    """One work folder: content of the registry entry and of the marker."""

    token: str
    folder: str
    session: str
    created_ns: int
    owner: Owner


@contextmanager
def workdir(directory: Path, session_id: str) -> Iterator[Path]:
    """A new folder `plimsoll-…` (mode 0700) below `directory`, removed with all it holds on any exit.

    SIGTERM and SIGHUP end the process through SystemExit while it exists, unless the program has its own handlers.
    Raises TargetError if the folder cannot be made.
    """
    with _ending_signals_raise():
        claim: Claim | None = None
        try:
            # An interrupt between making the folder and knowing of it would leave it behind.
            with signals_held_back():
                claim = _create(directory.resolve(), session_id)
            yield Path(claim.folder)
        finally:
            if claim is not None:
                with signals_held_back():
                    _remove(claim)


def sweep() -> list[str]:
    """Remove the work folders of sessions that died. One sentence for each one removed or that could not be.

    A folder is removed only if its marker holds the token of its registry entry and belongs to this user; links are
    not followed.
    """
    messages = []
    for claim in leftovers():
        folder = Path(claim.folder)
        try:
            existed = os.path.lexists(folder)
            _remove(claim)
        except TargetError as error:
            messages.append(str(error))
            continue
        if existed and not os.path.lexists(folder):
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


def _create(directory: Path, session_id: str) -> Claim:
    # The tail of a UUIDv7 is its random part; its head is the time and alike in sessions of one minute.
    short = session_id.replace("-", "")[-8:]
    for attempt in range(10):
        folder = directory / (f"plimsoll-{short}" if attempt == 0 else f"plimsoll-{short}-{secrets.token_hex(3)}")
        claim = Claim(
            token=secrets.token_hex(16),
            folder=str(folder),
            session=session_id,
            created_ns=time.time_ns(),
            owner=current_owner(),
        )
        try:
            _write(_entry(claim), claim)
            folder.mkdir(mode=0o700)
            _write(folder / MARKER, claim)
            return claim
        except FileExistsError:
            _entry(claim).unlink(missing_ok=True)
        except OSError as error:
            _abandon(claim)
            raise TargetError(
                f"cannot make a work folder in {directory}: {error.strerror}; choose a directory that can be written"
            ) from None
    raise TargetError(
        f"{directory} is full of folders named plimsoll-{short}…; remove them or choose another directory"
    )


def _write(path: Path, claim: Claim) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(claim.model_dump_json())


def _abandon(claim: Claim) -> None:
    """Undo what `_create` began."""
    folder = Path(claim.folder)
    (folder / MARKER).unlink(missing_ok=True)
    if folder.is_dir() and not folder.is_symlink():
        folder.rmdir()
    _entry(claim).unlink(missing_ok=True)


def _remove(claim: Claim) -> None:
    """Remove the folder if it is the claimed one, then the registry entry.

    Raises TargetError where something could not be removed; the entry then stays for the next sweep.
    """
    folder = Path(claim.folder)
    try:
        parent = os.open(folder.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        _entry(claim).unlink(missing_ok=True)
        return
    try:
        if _is_ours(claim, parent):
            _remove_tree(folder, parent)
    finally:
        os.close(parent)
    _entry(claim).unlink(missing_ok=True)


def _is_ours(claim: Claim, parent: int) -> bool:
    """Whether the folder exists, is a real folder of this user, and carries the token (or is still empty)."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder = os.open(Path(claim.folder).name, flags | os.O_DIRECTORY, dir_fd=parent)
    except OSError:
        return False
    try:
        if os.fstat(folder).st_uid != os.geteuid():
            return False
        if not os.listdir(folder):
            # Killed between making the folder and writing the marker; nothing can be lost.
            return True
        marker = os.open(MARKER, flags | os.O_NONBLOCK, dir_fd=folder)
        try:
            return Claim.model_validate_json(os.read(marker, LARGEST_MARKER)).token == claim.token
        finally:
            os.close(marker)
    except (OSError, ValidationError):
        return False
    finally:
        os.close(folder)


def _remove_tree(folder: Path, parent: int) -> None:
    """Remove the folder; the marker goes last, so that a sweep can finish what a kill interrupts."""
    problem: OSError | None = None
    for _ in range(3):
        # A thread that still ends its work may add a file while the folder is removed.
        try:
            descriptor = os.open(
                folder.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=parent
            )
        except FileNotFoundError:
            return
        try:
            _empty(descriptor)
            os.rmdir(folder.name, dir_fd=parent)
            return
        except FileNotFoundError:
            return
        except OSError as error:
            problem = error
        finally:
            os.close(descriptor)
        time.sleep(0.05)
    reason = problem.strerror if problem else "it is in use"
    raise TargetError(f"cannot remove the work folder {folder}: {reason}; remove it by hand, or run `plimsoll doctor`")


def _empty(folder: int) -> None:
    names = sorted(os.listdir(folder), key=lambda name: name == MARKER)
    for name in names:
        try:
            os.unlink(name, dir_fd=folder)
        except FileNotFoundError:
            continue
        except (IsADirectoryError, PermissionError):
            # rmtree never follows links and opens each level relative to the last.
            shutil.rmtree(name, dir_fd=folder)


@contextmanager
def _ending_signals_raise() -> Iterator[None]:
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
