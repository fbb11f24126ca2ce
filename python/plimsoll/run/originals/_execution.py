"""One run of an original: its output through the importer, as an outcome of the core's form."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import Options, Source
from plimsoll.model import Artefact, Plan, Run, RunStatus
from plimsoll.run.originals import Original, of
from plimsoll.run.outcome import Found, OnProgress, ProgramOutcome
from plimsoll.run.places import Place
from plimsoll.run.workers import program
from plimsoll.run.workers.execution import Execution
from plimsoll.run.workers.program import KEPT, Ended

ASK_S = 10


def execute(
    plan: Plan,
    place: Place,
    file: Path | None,
    timeout_ns: int,
    on_progress: OnProgress,
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Run the original in a new folder, and remove that folder.

    It works on `file`, a test file or device, or else on files of its own in that folder; it is ended after
    `timeout_ns`.
    """
    original = of(plan)

    def command(folder: Path) -> list[str]:
        return original.command(plan.parameters, _seen_from(folder, file, place) if file else folder)

    ended = program.carry_out(original.PROGRAM, command, place, timeout_ns, on_progress, deadline_reached)
    digest = hashlib.sha256(ended.content).hexdigest()
    artefact = Artefact(name=f"{original.PROGRAM}.txt", sha256=digest, content=ended.content)
    return Execution(_outcome(plan, original, ended), ended.before, ended.after, ended.samples, (artefact,))


def _seen_from(folder: Path, file: Path, place: Place) -> Path:
    """The test file as the original names it: from the folder that it is started in, which cannot be taken from it.

    What this process holds open means nothing to another one.
    """
    return Path(os.path.relpath(file, folder)) if place.folder is not None else file


def _outcome(plan: Plan, original: Original, ended: Ended) -> ProgramOutcome:
    imported, version = None, ""
    hangs = f"it hangs, or the place does; {KEPT}"
    reason = ended.reason("raise timeout" if "timeout" in plan.parameters else hangs)
    if not (reason or ended.job.stopped):
        imported, version, reason = _read(original, ended)
    found: Found = {}
    if imported is not None and not reason:
        found = original.outcome(imported, plan.parameters, ended.job.elapsed_ns)
    outcome = ended.outcome(reason, found)
    outcome["original"] = {"program": original.PROGRAM, "version": version, "command": ended.command}
    return outcome


def _read(original: Original, ended: Ended) -> tuple[Run | None, str, str]:
    """What the importer makes of the output, the tool's version, and why that is no result, if it isn't."""
    source = Source(f"{original.PROGRAM}.txt", ended.content)
    importer = import_module(f"plimsoll.importers.formats.{original.FORMAT}")
    try:
        run: Run = importer.read(source, Options()).runs[-1]
    except ResultFileError:
        return None, "", f"{original.PROGRAM} printed nothing that can be read: {ended.last_words}; {KEPT}"
    version = _version(original, run)
    if not version.startswith(original.VERSIONS):
        wanted = " or ".join(original.VERSIONS)
        reason = f"{original.PROGRAM} is version {version}, this test follows {wanted}: install that one; {KEPT}"
        return run, version, reason
    if run.status is not RunStatus.OK:
        return run, version, f"{original.PROGRAM} did not finish: {run.reason}; {KEPT}"
    return run, version, ""


def _version(original: Original, run: Run) -> str:
    """What the tool says of itself, in its output or when asked."""
    if not original.ASK_VERSION:
        return str(run.facts.get("tool_version", "unknown"))
    with suppress(subprocess.TimeoutExpired, OSError):
        asked = subprocess.run(
            [original.PROGRAM, *original.ASK_VERSION], capture_output=True, text=True, timeout=ASK_S, check=False
        )
        return asked.stdout.strip() or "unknown"
    return "unknown"
