"""`plimsoll writetest` from its words to its output (versions 10.4 and 10.8 of the documentation's example)."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.declared import IoParameters
from plimsoll.errors import NothingMeasured, TargetError, UnsafeTarget, UsageError
from plimsoll.frontends.named import Identity, identity, remove_own
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.frontends.side_by_side import Stop, Task, run_together
from plimsoll.model import Plan, RunStatus
from plimsoll.profile import Entry, cases
from plimsoll.store.store import Store
from plimsoll.units import SECOND, parse_count

LARGEST = 102_400
INTERRUPTED = 130


@dataclass(frozen=True)
class Settings:
    """`-b bytes`, `-f file`, `-o operations`."""

    size: int = 256
    file: str = "testfile"
    operations: int = 1000


def parse(words: Sequence[str]) -> Settings:
    """Read the words after `plimsoll writetest`. Raises UsageError."""
    given: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word[:2] not in ("-b", "-f", "-o"):
            raise UsageError(f"writetest has no option {word!r}; there are -b BYTES, -f FILE and -o OPERATIONS")
        value = word[2:] or (rest.pop(0) if rest else "")
        if not value:
            raise UsageError(f"writetest's option {word} needs a value")
        given[word[1]] = value
    size, operations = parse_count(given.get("b", "256")), parse_count(given.get("o", "1000"))
    if not 1 <= size <= LARGEST:
        raise UsageError(f"-b {size}: writetest takes 1 to {LARGEST} bytes")
    if operations < 1:
        raise UsageError(f"-o {operations}: at least one operation")
    return Settings(size, given.get("f", "testfile"), operations)


def plan_of(settings: Settings) -> Plan:
    """Test `writetest` with these numbers."""
    texts = {"block_size": str(settings.size), "size": str(settings.size), "max_operations": str(settings.operations)}
    (case,) = cases([Entry("writetest", {**texts, "runtime": "24h", "interval": "1s"})], {}, "writetest")
    plan = case.plan({}, "writetest")
    values = plan.values(IoParameters).copy()
    values["layout"] = "keep"
    return plan.model_copy(update={"case": f"writetest {settings.size} B", "parameters": values})


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry out a command line of writetest; returns the exit code. Raises PlimsollError."""
    settings = parse(words)
    plan, path = plan_of(settings), Path(settings.file)
    if path.exists():
        # Said before anything is opened; whether it is so is decided as the file is made.
        raise _there(path)
    if not path.parent.is_dir():
        raise TargetError(f"there is no directory {path.parent}; make it, or name another file with -f")
    with open_store() as store, Places() as places:
        place, there = places.hold(path, writes=True), places.named.reach(path)
        made: dict[Path, Identity] = {}
        recorder = Recorder(store, "writetest", f"writetest on {path.parent.resolve()}", list(words), [place])
        stop = Stop()
        try:
            made[there] = _make(path, there, settings.size)
            (ended,) = run_together([Task(plan, there, place.chain, made=[made[there]])], stop)
            if ended is None:
                return INTERRUPTED
            kept = recorder.add(place, plan, ended.execution, ended.started_ns)
        finally:
            remove_own(made)
            recorder.finish(interrupted=stop.interrupted)
    if kept.status is RunStatus.FAILED:
        raise NothingMeasured(kept.reason)
    if kept.status is RunStatus.INVALID:
        say(f"plimsoll writetest: {kept.reason}")
    _print(ended.execution.outcome["operations"]["commit"]["operations"], ended.execution.outcome["elapsed_ns"])
    return INTERRUPTED if stop.interrupted else 0


def _there(path: Path) -> UnsafeTarget:
    """The original removes such a file and makes it anew; here nobody's is lost."""
    return UnsafeTarget(f"{path} exists; remove it, or name another file with -f")


def _make(path: Path, there: Path, size: int) -> Identity:
    """A new file, or an error: never one that somebody else has made since."""
    try:
        descriptor = os.open(there, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
    except FileExistsError:
        raise _there(path) from None
    except OSError as error:
        raise _unwritable(path, error) from None
    made = identity(descriptor)
    try:
        os.write(descriptor, bytes(size))
    except OSError as error:
        remove_own({there: made})
        raise _unwritable(path, error) from None
    finally:
        os.close(descriptor)
    return made


def _unwritable(path: Path, error: OSError) -> TargetError:
    return TargetError(f"cannot write {path}: {error.strerror}; choose another place with -f")


def _print(operations: int, elapsed_ns: int) -> None:
    """The lines of version 10.8."""
    minutes, seconds = divmod(elapsed_ns / SECOND, 60)
    hours, minutes = divmod(int(minutes), 60)
    print(f"Running: {operations} ops")
    print(f"Elapsed time: {hours}:{minutes:02d}:{seconds:09.6f}")
    print(f"{operations} operations: {operations * SECOND / max(elapsed_ns, 1):7.2f} operations per second")
