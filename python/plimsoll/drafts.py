"""Files that appear whole or not at all, and folders for a moment: whatever kills the process, nothing of them stays.

A file has no name until it is complete (O_TMPFILE). Where it needs one before, because it takes the place of another
or the file system knows no files without names, and for folders, `$PLIMSOLL_HOME/active/TOKEN.draft` says first where
it will be, and is locked for as long as this process lives. The next command (`sweep`) removes what the entries of
the dead name. Nobody else's things have such a name, for the token is in it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path
from typing import NamedTuple

from plimsoll.errors import PlimsollError
from plimsoll.location import home, temporary
from plimsoll.outgoing import check_regular

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_ENTRY = ".draft"
_LONGEST_PATH = 4096
_COPIED_BYTES = 1 << 20
_TRIES = 3


@contextmanager
def whole_file(path: str | Path) -> Iterator[BufferedRandom]:
    """A file to write and read, which is at `path` once the block has ended well, in the place of what was there.

    It is on the disk then, too: what is said to be written is there after a loss of power. Raises UsageError for a
    device or a folder, OSError like `open`.
    """
    check_regular(path)
    path = Path(os.path.abspath(path))
    folder = os.open(path.parent, _FOLDER)
    try:
        nameless = _nameless(folder)
        if nameless is not None:
            with nameless as file:
                yield file
                _complete(file)
                _name(file, folder, path)
        else:
            with _noted(path.parent, ".part") as draft, _made(folder, draft) as file:
                yield file
                _complete(file)
                os.replace(draft.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)
        _sync_folder(path.parent)
    finally:
        os.close(folder)


@contextmanager
def scratch_folder() -> Iterator[Path]:
    """A folder of this user alone among the temporary files, removed at the end with all that it holds.

    Raises OSError where none can be made.
    """
    with _noted(temporary()) as folder:
        folder.mkdir(mode=0o700)
        yield folder


def sweep() -> list[str]:
    """Remove what killed commands left of these; a sentence for each one."""
    told = []
    for entry in sorted((home() / "active").glob(f"*{_ENTRY}")):
        try:
            descriptor = os.open(entry, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            place = Path(os.fsdecode(os.read(descriptor, _LONGEST_PATH)))
            # Without its path the process was killed before there was anything to remove.
            if place.is_absolute() and entry.stem in place.name and _remove(place):
                told.append(f"removed {place}, left by a command that was killed")
            entry.unlink(missing_ok=True)
        except BlockingIOError:
            continue
        except OSError as error:
            told.append(f"cannot remove what {entry} names: {error.strerror}; the next command tries again")
        finally:
            os.close(descriptor)
    return told


def _nameless(folder: int) -> BufferedRandom | None:
    """A new file in this folder that has no name; None where the file system cannot make it, or not name it later."""
    try:
        descriptor = os.open(".", os.O_RDWR | os.O_TMPFILE | os.O_CLOEXEC, 0o666, dir_fd=folder)
    except OSError:
        # Whatever is wrong with the folder is told where a file with a name is made in it.
        return None
    return os.fdopen(descriptor, "w+b")


def _made(folder: int, draft: Path) -> BufferedRandom:
    return os.fdopen(os.open(draft.name, _NEW, 0o666, dir_fd=folder), "w+b")


def _complete(file: BufferedRandom) -> None:
    file.flush()
    os.fsync(file.fileno())


def _name(file: BufferedRandom, folder: int, path: Path) -> None:
    """Give a file its name, or that of another, which goes."""
    # What is wrong with the name is told when the file takes it in the second way.
    with suppress(OSError):
        _link(file, folder, path.name)
        return
    with _noted(path.parent, ".part") as draft:
        try:
            _link(file, folder, draft.name)
        except OSError:
            with _made(folder, draft) as copy:
                file.seek(0)
                shutil.copyfileobj(file, copy, _COPIED_BYTES)
                _complete(copy)
        os.replace(draft.name, path.name, src_dir_fd=folder, dst_dir_fd=folder)


def _link(file: BufferedRandom, folder: int, name: str) -> None:
    # With the descriptor of a folder Python calls linkat, which follows the link in /proc to the file itself.
    os.link(f"/proc/self/fd/{file.fileno()}", name, dst_dir_fd=folder, follow_symlinks=True)


def _sync_folder(folder: Path) -> None:
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except PermissionError:
        # It may be written and not read: its file system writes it when it likes.
        return
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Not every file system can do that with a folder.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _noted(folder: Path, end: str = "") -> Iterator[Path]:
    """A place in `folder` that nobody else has, noted before anything is there; what is there at the end is removed."""
    token = secrets.token_hex(16)
    # In a folder of the user's it is hidden, as drafts are.
    place = folder / f"{'.' if end else ''}plimsoll-{token}{end}"
    note = _note(token, place)
    try:
        yield place
    finally:
        try:
            _remove_patiently(place)
            if note is not None:
                note.entry.unlink(missing_ok=True)
        except OSError:
            # The next command tries again, and tells.
            if note is None:
                raise
        finally:
            if note is not None:
                os.close(note.descriptor)


class _Note(NamedTuple):
    entry: Path
    descriptor: int
    """Open for as long as its lock is held."""


def _note(token: str, place: Path) -> _Note | None:
    """None where none can be written, which keeps nobody from writing elsewhere."""
    with suppress(OSError, PlimsollError):
        entry = home() / "active" / f"{token}{_ENTRY}"
        entry.parent.mkdir(mode=0o700, exist_ok=True)
        for _ in range(_TRIES):
            descriptor = os.open(entry, _NEW, 0o600)
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX)
                content = os.fsencode(place)
                # Without a name, a sweep came between the two calls above.
                if os.fstat(descriptor).st_nlink and os.write(descriptor, content) == len(content):
                    return _Note(entry, descriptor)
            except OSError:
                os.close(descriptor)
                entry.unlink(missing_ok=True)
                raise
            os.close(descriptor)
            entry.unlink(missing_ok=True)
    return None


def _remove_patiently(place: Path) -> None:
    """A program that still ends may add files to a folder while it is removed."""
    for _ in range(_TRIES - 1):
        with suppress(OSError):
            _remove(place)
            return
        time.sleep(0.05)
    _remove(place)


def _remove(place: Path) -> bool:
    """Remove a file, or a folder of this user; whether there was one. Links are not followed. Raises OSError."""
    try:
        above = os.open(place.parent, _FOLDER)
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        status = os.stat(place.name, dir_fd=above, follow_symlinks=False)
        # The owner of a file says nothing where a mount gives all of them to one user.
        if stat.S_ISREG(status.st_mode):
            os.unlink(place.name, dir_fd=above)
        elif stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
            shutil.rmtree(place.name, dir_fd=above)
        else:
            return False
        return True
    except FileNotFoundError:
        return False
    finally:
        os.close(above)
