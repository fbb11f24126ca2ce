"""`plimsoll bonnie` from its words to Bonnie++'s output."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from plimsoll.errors import NothingMeasured, TargetError, UsageError
from plimsoll.frontends import notes
from plimsoll.frontends.bonnie import output, semaphores
from plimsoll.frontends.bonnie.options import WAITS, Settings, parse
from plimsoll.frontends.recording import Places, Recorder
from plimsoll.model import Plan, RunStatus
from plimsoll.profile import Entry, cases
from plimsoll.run.outcome import Progress
from plimsoll.run.places import Place, in_place
from plimsoll.run.workloads import files
from plimsoll.store.store import Store
from plimsoll.targets import directory
from plimsoll.targets.workdir import workdir
from plimsoll.units import format_size

DECLINED = 2
WAITING = "waiting "
"""What the core tells before the name of a phase while that waits for its start."""


def run(words: Sequence[str], open_store: Callable[[], Store], say: Callable[[str], None]) -> int:
    """Carry out a command line of Bonnie++; returns the exit code. Raises PlimsollError."""
    settings = parse(words)
    if settings.processes is not None:
        print(semaphores.make(settings.processes) if settings.processes != -1 else semaphores.remove())
        return 0
    if settings.waits == WAITS["p"] and sys.stdin is None:
        raise UsageError("-y p waits for lines on standard input, which is closed; leave it open, or use -y s")
    where = Path(settings.directory)
    if not where.is_dir():
        raise TargetError(f"there is no directory {where}; give one that exists with -d")
    plan = _plan(settings)
    if problem := next(files.problems(plan), None):
        raise UsageError(problem)
    for note in settings.notes:
        notes.note(say, f"plimsoll bonnie: {note}")
    with open_store() as store, Places() as places:
        place = places.hold(where / "any", writes=True)
        needed = files.scratch_bytes(plan)
        directory.check(place.target, needed_bytes=needed, advice="give a smaller -s or -n")
        if not _agreed(settings, needed, where.resolve(), say):
            return DECLINED
        recorder = Recorder(store, "bonnie++", f"Bonnie++ on {settings.directory}", list(words), [place])
        try:
            with workdir(where, recorder.session.id) as folder:
                own = replace(place, folder=folder, file=None)
                for number in range(settings.runs):
                    _once(settings, plan, own, recorder, number, say)
        finally:
            recorder.finish()
    return 0


def _agreed(settings: Settings, needed: int, where: Path, say: Callable[[str], None]) -> bool:
    """Say what will be written. The size that nobody chose is twice the memory: on a terminal it is asked for first."""
    if settings.quiet or not needed:
        return True
    free = shutil.disk_usage(where).free
    times = "" if settings.runs == 1 else f", {settings.runs} times"
    chosen = "" if settings.size_given else "; twice the memory, as no -s was given"
    say(
        f"plimsoll bonnie: writes {format_size(needed)}{times} into a folder of its own in {where}, "
        f"where {format_size(free)} are free{chosen}"
    )
    if settings.size_given or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return True
    print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
    if sys.stdin.readline().strip().lower() in ("y", "yes"):
        return True
    say("nothing was written; -s 4g -r 2g, for instance, writes less and says how much memory counts")
    return False


def _plan(settings: Settings) -> Plan:
    (case,) = cases([Entry("bonnie++", settings.parameters())], {}, "bonnie")
    plan = case.plan({}, "bonnie")
    what = output.size_text(settings.size) if settings.size else "files"
    return plan.model_copy(update={"case": f"bonnie++ {what}", "parameters": {**plan.parameters, **settings.rare()}})


def _once(
    settings: Settings, plan: Plan, place: Place, recorder: Recorder, number: int, say: Callable[[str], None]
) -> None:
    started_ns = time.time_ns()
    teller = _Teller([phase["name"] for phase in files.expected(plan)["phases"]], settings)
    try:
        execution = in_place(place, files.execute_own(plan, place, teller.see, lambda: False))
    except KeyboardInterrupt:
        say("\nplimsoll bonnie: interrupted; its files are removed, and nothing of this run is kept")
        raise
    if execution.outcome["status"] == "ok":
        teller.finish()
    run_ = recorder.add(place, plan, execution, started_ns, block=number)
    if run_.status is RunStatus.FAILED:
        raise NothingMeasured(run_.reason)
    if run_.status is RunStatus.INVALID:
        say(f"plimsoll bonnie: {run_.reason}")
    found = output.cells(execution.outcome["results"])
    if settings.runs == 1:
        # As the original does: only the line for programs is on standard output then.
        print("\n".join(output.table(found, settings)), file=sys.stderr if settings.quiet else sys.stdout, flush=True)
    elif not number:
        print(output.HEADER)
    print(output.csv_line(found, settings), flush=True)


class _Teller:
    """The original's words on standard error while phases come and go; short phases are told when they are over.

    With -y p, before each phase its number on standard output: whoever reads it writes the line that is waited for.
    """

    def __init__(self, phases: Sequence[str], settings: Settings) -> None:
        self._coming = [phase for phase in phases if phase in output.MESSAGES]
        self._quiet, self._prompts = settings.quiet, settings.waits == WAITS["p"]
        self._open = self._asked = False

    def see(self, progress: Progress) -> None:
        """A new phase ends the ones before it."""
        phase = progress["phase"].removeprefix(WAITING)
        if phase not in self._coming:
            return
        while self._coming[0] != phase:
            self._next()
        if phase != progress["phase"]:
            self._close()
            self._ask()
        else:
            self._next()

    def _next(self) -> None:
        self._close()
        self._ask()
        self._asked = False
        phase = self._coming.pop(0)
        if not self._quiet:
            print(output.MESSAGES[phase], end="", file=sys.stderr, flush=True)
            self._open = True

    def _close(self) -> None:
        if self._open:
            print("done", file=sys.stderr, flush=True)
        self._open = False

    def _ask(self) -> None:
        """The prompt of the next phase, once."""
        if self._prompts and not self._asked:
            print(f"\n{list(output.MESSAGES).index(self._coming[0])}:", flush=True)
        self._asked = True

    def finish(self) -> None:
        """All phases are over."""
        while self._coming:
            self._next()
        self._close()
