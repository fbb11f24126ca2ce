"""Where uploads are taken in: checked in a process of their own, added to the store, noted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Event, Semaphore

from plimsoll.errors import ResultFileError
from plimsoll.location import home
from plimsoll.store import uploads
from plimsoll.store.result_file import Limits
from plimsoll.store.store import Store
from plimsoll.store.tokens import Scope
from plimsoll.units import MIB
from plimsoll.web.access import Visitor
from plimsoll.web.faults import Refused
from plimsoll.web.intake.spool import Part, Spool
from plimsoll.web.settings import Settings

CHECK_S = 180
"""A check that takes longer is ended."""

CHILD = ("-m", "plimsoll.web.intake.child")
WAIT_S = 60
MOST_ANSWER_BYTES = MIB
LINE_BYTES = 32 * MIB


@dataclass(frozen=True)
class Outcome:
    """An accepted upload, in words and numbers."""

    message: str
    sessions: tuple[str, ...]
    new_sessions: int
    new_runs: int
    already_there: int
    says: tuple[str, ...]


class UploadService:
    """Takes in one upload after the other."""

    def __init__(
        self, store: Store, settings: Settings, taken_in: Callable[[Sequence[str]], None] = lambda _: None
    ) -> None:
        self._taken_in = taken_in
        self.spool = Spool(settings.spool, settings.upload_bytes)
        self._store = store
        self._limits = Limits(settings.unpacked_bytes, LINE_BYTES, records=settings.records)
        self._turn = Semaphore(1)
        self._closing = Event()
        self._child: subprocess.Popen[bytes] | None = None

    def close(self) -> None:
        """End a check that is under way; its upload stays and can be finished later."""
        self._closing.set()
        if self._child is not None:
            _kill(self._child)

    def finish(self, part: Part, who: Visitor, client: str) -> Outcome:
        """Check a complete upload and add it to the store. Raises Refused or ResultFileError; both are noted."""
        path = self.spool.complete(part)
        sender = uploads.Sender(
            token_id=who.token_id,
            token_name=who.name,
            client=client,
            file_name=part.name,
            size_bytes=part.size_bytes,
            sha256=part.sha256,
            may_merge=who.scope is Scope.MERGE,
        )
        with self._one_at_a_time():
            try:
                checked, says = self._check(path, part)
                received = uploads.receive(self._store, checked, sender, self._limits)
            except ResultFileError as error:
                uploads.refuse(self._store, sender, error)
                self.spool.drop(part)
                raise
        self.spool.drop(part)
        self._taken_in(received.session_ids)
        summary = received.summary
        return Outcome(str(summary), received.session_ids, **asdict(summary), says=says)

    @contextmanager
    def _one_at_a_time(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=WAIT_S):
            raise Refused(
                503, "other uploads are being taken in; finish this one again in a minute", {"retry-after": "30"}
            )
        try:
            if self._closing.is_set():
                raise Refused(503, "the server is stopping; finish the upload when it is back", {"retry-after": "30"})
            yield
        finally:
            self._turn.release()

    def _check(self, path: Path, part: Part) -> tuple[Path, tuple[str, ...]]:
        """The result file to add, and what there is to say about it."""
        asked = {
            "path": str(path),
            "name": part.name,
            "target": part.target,
            "out": str(self.spool.beside(part)),
            "limits": asdict(self._limits),
        }
        # It gets no environment: the place of the store may hold a password.
        child = subprocess.Popen(
            [sys.executable, "-I", *CHILD, json.dumps(asked)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={"PATH": os.defpath, "LANG": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1", "PLIMSOLL_HOME": str(home())},
            start_new_session=True,
            cwd="/",
        )
        self._child = child
        try:
            printed = child.communicate(timeout=CHECK_S)[0][:MOST_ANSWER_BYTES]
        except subprocess.TimeoutExpired:
            raise ResultFileError(f"{part.name} could not be checked within {CHECK_S} s; split it") from None
        finally:
            self._child = None
            _kill(child)
            if child.stdout is not None:
                child.stdout.close()
        if self._closing.is_set():
            raise Refused(503, "the server is stopping; finish the upload when it is back", {"retry-after": "30"})
        return _read(printed, child.returncode, part.name)


def _read(printed: bytes, code: int, name: str) -> tuple[Path, tuple[str, ...]]:
    try:
        answer = json.loads(printed)
    except ValueError:
        reason = f"signal {-code}" if code < 0 else f"exit code {code}"
        raise ResultFileError(f"{name} needs more memory or time than this server gives ({reason}); split it") from None
    if "error" in answer:
        raise ResultFileError(str(answer["error"]))
    return Path(answer["path"]), tuple(str(each) for each in answer["says"])


def _kill(child: subprocess.Popen[bytes]) -> None:
    if child.poll() is None:
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            return
        child.wait()
