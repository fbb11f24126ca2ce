"""One run of another program in a new folder on the target, and its outcome in the form of the core's."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkdtemp
from typing import cast

from plimsoll.importers.source import MAX_FILE_BYTES
from plimsoll.run.outcome import Found, OnProgress, ProgramOutcome, failure_of
from plimsoll.run.places import Place
from plimsoll.run.sampler import HostSample
from plimsoll.run.workers.execution import watch
from plimsoll.run.workers.process import ProcessJob
from plimsoll.units import SECOND, format_duration

KEPT = "its output is kept with the run"


@dataclass(frozen=True)
class Ended:
    """A program that came to its end, or was ended."""

    program: str
    command: list[str]
    job: ProcessJob
    code: int
    content: bytes
    """What it wrote to its standard output and errors."""
    before: HostSample
    after: HostSample
    samples: tuple[HostSample, ...]

    def reason(self, late_hint: str) -> str:
        """Why it did not finish, as a sentence; empty where it did, and where it was stopped on purpose."""
        if self.job.late:
            return f"{self.program} took longer than {format_duration(self.job.timeout_ns)}: {late_hint}"
        if self.code and not self.job.stopped:
            how = f"was ended by signal {-self.code}" if self.code < 0 else f"ended with exit code {self.code}"
            return f"{self.program} {how}: {self.last_words}; {KEPT}"
        return ""

    @property
    def last_words(self) -> str:
        """The last line that it wrote."""
        lines = self.content.decode("utf-8", "replace").strip().splitlines()
        return repr(lines[-1][:200]) if lines else "it said nothing"

    def outcome(self, reason: str, found: Found) -> ProgramOutcome:
        """The outcome, with what was found in its output; it failed where there is a `reason`."""
        usage = self.job.usage
        elapsed_ns = found.get("elapsed_ns", self.job.elapsed_ns)
        outcome: ProgramOutcome = {
            "status": "stopped" if self.job.stopped else "failed" if reason else "ok",
            "error": failure_of(reason) if reason else None,
            # A tool prepares before it measures, and ends when it has measured.
            "started_ns": self.job.started_ns + self.job.elapsed_ns - elapsed_ns,
            "elapsed_ns": elapsed_ns,
            "phases": {"layout_ns": 0, "measure_ns": elapsed_ns},
            "operations": {},
            "histograms": {},
            "intervals": [],
            "cpu": {
                "user_ns": round(usage.ru_utime * SECOND) if usage else 0,
                "system_ns": round(usage.ru_stime * SECOND) if usage else 0,
                "busiest_thread": 0.0,
                "all_processors": 0.0,
            },
            "mean_in_flight": 0.0,
            "offered_operations": None,
            "verified": None,
            "clock": f"that of {self.program}",
        }
        return cast(ProgramOutcome, {**outcome, **found})


def carry_out(
    program: str,
    command: Callable[[Path], list[str]],
    place: Place,
    timeout_ns: int,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Ended:
    """Run the command that is made for a new, empty folder, in that folder, and remove it whatever happens.

    It is ended after `timeout_ns`.
    """
    # Of a device nothing is written but itself: what the program prints goes elsewhere.
    own = Path(mkdtemp(prefix="original-", dir=place.folder))
    folder, output = own / "files", own / "output.txt"
    try:
        folder.mkdir()
        words = command(folder)
        before = place.sampler.sample()
        job = ProcessJob(words, folder, output, timeout_ns)
        text, samples = watch(job, place.target.where, place.sampler, on_progress, deadline_reached)
        after = place.sampler.sample()
        content = output.read_bytes()[:MAX_FILE_BYTES]
    finally:
        shutil.rmtree(own, ignore_errors=True)
    return Ended(program, words, job, int(text), content, before, after, samples)
