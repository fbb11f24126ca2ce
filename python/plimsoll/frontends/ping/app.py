"""`plimsoll ping` from its words to ioping's output."""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from plimsoll.errors import NothingMeasured, TargetError, UnsafeTarget, UsageError
from plimsoll.frontends.named import identities, open_regular
from plimsoll.frontends.ping import output
from plimsoll.frontends.ping.options import Settings, parse
from plimsoll.frontends.ping.plans import DEFAULT_WORKING_SET, plan_of
from plimsoll.frontends.ping.statistics import Request, Statistics
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.frontends.side_by_side import Ended, Stop, Task, run_together
from plimsoll.model import RunStatus
from plimsoll.run.places import Place, in_place
from plimsoll.run.workers.local import impossible
from plimsoll.store.store import Store
from plimsoll.targets.safety import check_file
from plimsoll.targets.workdir import WorkFolder, workdir

VERSION = "ioping 1.3"
KEPT = "ioping.tmp"
PIECE = 2**20


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry out a command line of ioping; returns the exit code. Raises PlimsollError."""
    settings = parse(words)
    if settings.on("v"):
        print(VERSION)
        return 0
    where = Path(settings.place)
    _check(settings, where)
    # ioping draws another sequence each time unless it is told a seed.
    seeded = settings if settings.entropy else _with_seed(settings)
    with open_store() as store, Places(settings.destroy) as places:
        region = _region(settings, where)
        plan = plan_of(seeded, region)
        if reason := impossible(plan, where):
            raise UsageError(f"plimsoll ping: {reason}")
        with _file(settings, where, region, places) as (path, folder):
            writes = settings.writes > 0 or settings.on("G")
            place = places.hold(path, writes=writes, below=where if where.is_dir() else None)
            place = replace(place, folder=folder)
            recorder = Recorder(store, "ioping", f"{plan.case} on {settings.place}", list(words), [place])
            try:
                return _ping(seeded, plan_of(seeded, region), place, recorder, _describe(settings, place), say)
            finally:
                recorder.finish()


def _with_seed(settings: Settings) -> Settings:
    return replace(settings, entropy=secrets.randbits(63))


def _check(settings: Settings, where: Path) -> None:
    """ioping's own caution, and Plimsoll's: what is there is not overwritten by mistake."""
    if not where.exists():
        raise TargetError(f"there is no {where}; give a directory, a file or a device that exists")
    if where.is_dir():
        return
    if not where.is_file() and not where.is_block_device():
        raise TargetError(f"{where} is neither a directory nor a file nor a block device")
    writes = settings.writes > 0 or settings.on("G")
    if writes and settings.writes < 3:
        raise UnsafeTarget(
            f"writing to {where} destroys what is in it; think twice, then use -WWW to shred this target"
        )
    if writes and where.is_file():
        check_file(where)


def _region(settings: Settings, where: Path) -> int:
    """Length of the working set."""
    if where.is_dir():
        region = settings.work_size or max(DEFAULT_WORKING_SET, settings.size)
    else:
        with where.open("rb") as file:
            whole = file.seek(0, os.SEEK_END) - settings.work_offset
        region = min(settings.work_size or whole, whole)
    if region < settings.size:
        raise UsageError(
            f"the working set of {max(region, 0)} bytes holds no request of {settings.size} bytes; change -S, -o or -s"
        )
    return region // settings.size * settings.size


@contextmanager
def _file(settings: Settings, where: Path, region: int, places: Places) -> Iterator[tuple[Path, WorkFolder | None]]:
    """The file to work on: the one named, or one of random bytes in the directory that is removed afterwards."""
    if not where.is_dir():
        yield places.named.reach(where), None
        return
    end = settings.work_offset + region
    if settings.on("k"):
        path = places.named.reach(where / KEPT)
        _keep(path, where / KEPT, end, settings)
        yield path, None
        return
    with workdir(where, secrets.token_hex(16)) as folder:
        path = folder / KEPT
        _keep(path, folder.path / KEPT, end, settings)
        yield path, folder


def _keep(path: Path, shown: Path, length: int, settings: Settings) -> None:
    """The file in the directory: as long as it has to be, and where it is written, this user's alone.

    Raises TargetError or UnsafeTarget.
    """
    try:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        except FileExistsError:
            short = os.lstat(path).st_size < length
            writes = short or settings.writes > 0 or settings.on("G")
            descriptor = open_regular(path, shown, os.O_RDWR if writes else os.O_RDONLY)
            status = os.fstat(descriptor)
            if writes and (status.st_uid != os.geteuid() or status.st_nlink > 1):
                os.close(descriptor)
                raise UnsafeTarget(
                    f"{shown} belongs to somebody else or has another name; remove it, or leave out -k"
                ) from None
            if not short:
                os.close(descriptor)
                return
    except OSError as error:
        hint = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise TargetError(f"cannot make {shown}: {hint}; choose a directory that can be written") from None
    _fill(descriptor, shown, length, settings)


def _fill(descriptor: int, path: Path, length: int, settings: Settings) -> None:
    """Random bytes, on stable storage, as ioping prepares its file; closed."""
    try:
        for start in range(0, length, PIECE):
            os.pwrite(descriptor, os.urandom(min(PIECE, length - start)), start)
        os.fsync(descriptor)
        if not settings.on("C"):
            # Of the whole file: pages that reach beyond the working set could not be dropped with it.
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    except OSError as error:
        raise TargetError(f"cannot fill {path}: {error.strerror}; use a smaller -S") from None
    finally:
        os.close(descriptor)


def _describe(settings: Settings, place: Place) -> output.Place:
    """File system, device and size as ioping names them."""
    facts = place.target.facts
    where = Path(settings.place)
    if where.is_block_device():
        return output.Place(settings.place, "", settings.place, int(facts.get("size_bytes", 0)))
    top = place.chain.top
    status = os.stat(where)
    device = f"/dev/{top.name}" if top else f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    file_system = str(facts.get("file_system", "")) or stat.filemode(status.st_mode)
    space = os.statvfs(where)
    return output.Place(settings.place, file_system, device, space.f_blocks * space.f_frsize)


class _Teller:
    """Prints requests as they come back."""

    def __init__(self, settings: Settings, place: output.Place) -> None:
        self.statistics = Statistics(settings)
        self._settings = settings
        self._place = place
        self._objects = 0
        self._next_part_ns = settings.print_interval_ns

    def see(self, record: Mapping[str, Any]) -> None:
        """Take in what a progress or outcome tells of single operations."""
        lines = [
            line for kind, start, latency, *_ in record.get("trace", ()) for line in self._one(kind, start, latency)
        ]
        if lines:
            # Objects of one list follow each other as ioping writes them.
            print("".join(lines) if self._settings.on("J") else "\n".join(lines) + "\n", end="", flush=True)

    def _one(self, kind: str, start_ns: int, latency_ns: int) -> Iterator[str]:
        settings = self._settings
        request = self.statistics.see(kind, start_ns, latency_ns)
        if settings.on("J"):
            if not settings.on("B"):
                yield self._object(output.request_json(request, settings, self._place))
        elif not settings.quiet:
            yield output.request_line(request, settings, self._place)
            if settings.burst and request.number % settings.burst == 0:
                yield ""
        part = self.statistics.part
        by_count = settings.print_count and part.count >= settings.print_count
        if by_count or (self._next_part_ns is not None and self._next_ns(request) >= self._next_part_ns):
            if settings.print_interval_ns and self._next_part_ns is not None:
                self._next_part_ns += settings.print_interval_ns
            totals = self.statistics.take_part()
            yield (
                self._object(output.totals_json(totals, settings, self._place))
                if settings.on("J")
                else output.raw_line(totals, settings)
            )

    def _next_ns(self, request: Request) -> int:
        """When the next request is due: what comes before it belongs to one part."""
        waits = request.number % (self._settings.burst or 1) == 0
        end_ns = request.start_ns + request.latency_ns
        return max(request.start_ns + self._settings.interval_ns, end_ns) if waits else end_ns

    def interrupted(self, elapsed_ns: int) -> None:
        """The time until then counts, though no request came."""
        total = self.statistics.total
        total.end_ns = max(total.end_ns, (total.begin_ns or 0) + elapsed_ns)

    def _object(self, text: str) -> str:
        self._objects += 1
        return f"[{text}" if self._objects == 1 else f",{text}"

    def finish(self) -> None:
        """The statistics of the whole run."""
        total = self.statistics.total
        if self._settings.on("J"):
            print(f"{self._object(output.totals_json(total, self._settings, self._place))}]")
        elif self._settings.on("B"):
            print(output.raw_line(total, self._settings))
        elif not (self._settings.quiet and (self._settings.print_count or self._settings.print_interval_ns)):
            print("\n".join(output.summary(total, self._settings, self._place)))


def _ping(
    settings: Settings, plan: Any, place: Place, recorder: Recorder, described: output.Place, say: Callable[[str], None]
) -> int:
    teller, stop = _Teller(settings, described), Stop()
    assert place.file is not None  # the front end names it
    made = identities([place.file])
    task = Task(plan=plan, path=place.file, chain=place.chain, keep=("trace",), on_progress=teller.see, made=made)
    (ended,) = run_together([task], stop)
    if ended is None:
        return 130
    teller.see(ended.execution.outcome)
    if stop.interrupted:
        teller.interrupted(ended.execution.outcome["elapsed_ns"])
    teller.finish()
    return _record(teller, plan, place, recorder, ended, say)


def _record(
    teller: _Teller, plan: Any, place: Place, recorder: Recorder, ended: Ended, say: Callable[[str], None]
) -> int:
    """An interrupt is how a run without -c and -w ends: what was measured is whole."""
    execution = ended.execution
    outcome = execution.outcome
    outcome["trace"] = []
    if outcome["status"] == "stopped":
        outcome["status"] = "ok"
    total = teller.statistics.total
    facts = {"ioping": {"valid": total.count, "requests": total.all_count, "mean_ns": total.mean_ns}}
    run_ = recorder.add(place, plan, in_place(place, execution), ended.started_ns, facts)
    if run_.status is RunStatus.FAILED:
        raise NothingMeasured(run_.reason)
    if run_.status is RunStatus.INVALID:
        say(f"plimsoll ping: {run_.reason}")
    return 0
