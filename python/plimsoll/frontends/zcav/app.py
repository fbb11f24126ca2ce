"""`plimsoll zcav` from its words to its output (2.00). Blocks read in less than a second have their rate, too."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from plimsoll.declared import ZcavParameters
from plimsoll.errors import NothingMeasured, TargetError, UnsafeTarget, UsageError
from plimsoll.frontends.named import open_regular
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.frontends.results import check_result, open_result
from plimsoll.model import Plan, RunStatus
from plimsoll.profile import Entry, cases
from plimsoll.run.outcome import PhaseResult
from plimsoll.run.workloads import files
from plimsoll.store.store import Store
from plimsoll.targets.safety import check_file
from plimsoll.units import GIB, MIB, SECOND

OUTPUT = re.compile(r"\A#(block offset|loops)")
"""How zcav's own output begins."""


@dataclass(frozen=True)
class Settings:
    """Block, chunk, passes, range and step as zcav counts them; sizes in MiB."""

    file: str
    block: int = 512
    chunk: int = 1
    passes: int = 1
    start: int = 0
    end: int | None = None
    step: int = 1
    log: str | None = None
    force: bool = False
    """The file of `log` may be written over, whatever it holds."""
    write: bool = False
    destroy: tuple[str, ...] = ()


def parse(words: Sequence[str]) -> Settings:
    """Read the words after `plimsoll zcav`. Raises UsageError."""
    given: dict[str, str] = {}
    places: list[str] = []
    destroy: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        letter = word[1:2]
        if word == "--force":
            given["force"] = word
        elif not word.startswith("-") or word == "-":
            places.append(word)
        elif word.partition("=")[0] == "--destroy":
            name = word.partition("=")[2] or (rest.pop(0) if rest else "")
            if not name:
                raise UsageError("--destroy needs the name of what may be overwritten")
            destroy.append(name)
        elif word == "-w":
            given["w"] = ""
        elif letter and letter in "bcrugslf":
            value = word[2:] or (rest.pop(0) if rest else "")
            if not value:
                raise UsageError(f"zcav's option -{letter} needs a value")
            places.extend([value] if letter == "f" else [])
            given[letter] = value
        else:
            raise UsageError(f"zcav has no option {word}; there are -b, -c, -r, -s, -w, -l, -f, -u and -g")
    if len(places) != 1 or places[0] == "-":
        raise UsageError("zcav reads one file or device; name it")
    block, _, chunk = given.get("b", "512").partition(":")
    start, colon, end = given.get("r", "").rpartition(":")
    return Settings(
        file=places[0],
        block=_number(block, "b"),
        chunk=_number(chunk or "1", "b"),
        passes=_number(given.get("c", "1"), "c"),
        start=_number(start, "r") if colon else 0,
        end=_number(end, "r") if end else None,
        step=_number(given.get("s", "1"), "s"),
        log=given.get("l"),
        force="force" in given,
        write="w" in given,
        destroy=tuple(destroy),
    )


def _number(text: str, option: str) -> int:
    if not re.fullmatch(r"\d+", text):
        raise UsageError(f"-{option}: {text!r} is not a whole number (of MiB)")
    return int(text)


def plan_of(settings: Settings) -> Plan:
    """Test `zcav` on this file."""
    size = 0 if settings.end is None else (settings.end - settings.start) * MIB
    if size < 0:
        raise UsageError(f"-r: the end {settings.end} lies before the start {settings.start}")
    overrides = {
        "path": str(Path(settings.file).absolute()),
        "size": size,
        "start": settings.start * MIB,
        "block": settings.block * MIB,
        "chunk": settings.chunk * MIB,
        "step": settings.step,
        "passes": settings.passes,
    }
    (case,) = cases([Entry("zcav", overrides)], {}, "zcav")
    plan = case.plan({}, "zcav")
    if not settings.write:
        return plan.model_copy(update={"case": f"zcav {settings.file}"})
    # No test has this parameter: it can be asked for here alone, where the user named what is lost.
    values = plan.values(ZcavParameters).copy()
    values["write"] = True
    return plan.model_copy(update={"case": f"zcav -w {settings.file}", "parameters": values})


def _check(settings: Settings, path: Path) -> None:
    """Only what the user named to be destroyed is written over; devices have checks of their own."""
    if not settings.write or path.is_block_device():
        return
    check_file(path)
    if settings.file not in settings.destroy:
        raise UnsafeTarget(
            f"-w writes zeros over {path}, and its data would be lost; leave -w out to read it, or add "
            f"--destroy {settings.file}"
        )


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry out a command line of zcav; returns the exit code. Raises PlimsollError."""
    settings = parse(words)
    path, plan = Path(settings.file), plan_of(settings)
    if not path.exists():
        raise TargetError(f"there is no {path}; name a file or device that exists")
    if problem := next(files.problems(plan), None):
        raise UsageError(problem)
    if settings.log is not None:
        check_result(
            settings.log, "-l", lambda note: say(f"plimsoll zcav: {note}"), force=settings.force, looks_right=OUTPUT
        )
    _check(settings, path)
    with open_store() as store, Places(settings.destroy) as places:
        place = places.hold(path, writes=settings.write)
        recorder = Recorder(store, "zcav", f"zcav of {settings.file}", list(words), [place])
        started_ns = time.time_ns()
        try:
            with _opened(settings, plan, path, places) as opened:
                execution = files.execute_own(opened, place, lambda _progress: None, lambda: False)
            kept = recorder.add(place, plan, execution, started_ns)
        finally:
            recorder.finish()
    if kept.status is RunStatus.FAILED:
        raise NothingMeasured(kept.reason)
    if kept.status is RunStatus.INVALID:
        say(f"plimsoll zcav: {kept.reason}")
    (result,) = execution.outcome["results"]
    if settings.log is None:
        _print(settings, result, None)
    else:
        try:
            with open_result(settings.log, force=settings.force) as log:
                _print(settings, result, log)
        except OSError as error:
            raise UsageError(f"-l: cannot write {settings.log}: {error.strerror}") from None
    return 0


@contextmanager
def _opened(settings: Settings, plan: Plan, path: Path, places: Places) -> Iterator[Plan]:
    """The plan on the very file that is there now; a device is held in another way."""
    if path.is_block_device():
        yield plan
        return
    descriptor = open_regular(places.named.reach(path), path, os.O_RDWR if settings.write else os.O_RDONLY)
    try:
        values = plan.values(ZcavParameters).copy()
        values["path"] = f"/proc/self/fd/{descriptor}"
        yield plan.having(values)
    finally:
        os.close(descriptor)


def _print(settings: Settings, result: PhaseResult, log: TextIO | None) -> None:
    when = time.strftime("%H:%M:%S")
    print(f"# Finished loop {settings.passes}, on device {settings.file} at {when}", file=sys.stderr)
    print("#block offset (GiB), MiB/s, time", file=log)
    for point in result["points"]:
        seconds = max(point["elapsed_ns"], 1) / SECOND
        print(f"{point['position'] / GIB:.2f} {point['bytes'] / MIB / seconds:.2f} {seconds:.3f}", file=log)
    total = sum(point["bytes"] for point in result["points"]) / MIB
    seconds = sum(point["elapsed_ns"] for point in result["points"]) / SECOND
    rate = total / seconds if seconds else 0
    print(f"# Read {total:.0f} megs in {seconds:.0f} seconds, {rate:.0f} megabytes per second.", file=log)
