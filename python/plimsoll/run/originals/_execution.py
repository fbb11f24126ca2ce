"""One run of an original: its output through the importer, as an outcome of the core's form."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from plimsoll.errors import ResultFileError
from plimsoll.importers.source import MAX_FILE_BYTES, Options, Source
from plimsoll.model import Artefact, Plan, Run, RunStatus
from plimsoll.run.originals import Original, of
from plimsoll.run.places import Place
from plimsoll.run.workers.execution import Execution, watch
from plimsoll.run.workers.process import ProcessJob
from plimsoll.units import SECOND, format_duration

ASK_S = 10
KEPT = "its output is kept with the run"


def execute(
    plan: Plan,
    place: Place,
    file: Path | None,
    timeout_ns: int,
    on_progress: Callable[[Mapping[str, Any]], None],
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Run the original in a new folder, and remove that folder.

    It works on `file`, a test file or device, or else on files of its own in that folder; it is ended after
    `timeout_ns`.
    """
    original = of(plan)
    # Of a device nothing is written but itself: what the original prints goes elsewhere.
    own = Path(mkdtemp(prefix="original-", dir=place.folder))
    folder, output = own / "files", own / "output.txt"
    try:
        folder.mkdir()
        command = original.command(plan.parameters, _seen_from(folder, file, place) if file else folder)
        before = place.sampler.sample()
        job = ProcessJob(command, folder, output, timeout_ns)
        code, samples = watch(job, place.target.where, place.sampler, on_progress, deadline_reached)
        after = place.sampler.sample()
        content = output.read_bytes()[:MAX_FILE_BYTES]
    finally:
        shutil.rmtree(own, ignore_errors=True)
    outcome = _outcome(plan, original, job, int(str(code)), content, command)
    name = f"{original.PROGRAM}.txt"
    artefact = Artefact(name=name, sha256=hashlib.sha256(content).hexdigest(), content=content)
    return Execution(outcome, before, after, samples, (artefact,))


def _seen_from(folder: Path, file: Path, place: Place) -> Path:
    """The test file as the original names it: from the folder that it is started in, which cannot be taken from it.

    What this process holds open means nothing to another one.
    """
    return Path(os.path.relpath(file, folder)) if place.folder is not None else file


def _outcome(
    plan: Plan, original: Original, job: ProcessJob, code: int, content: bytes, command: list[str]
) -> dict[str, Any]:
    imported, version, reason = (None, "", "")
    if job.late:
        hint = ": raise timeout" if "timeout" in plan.parameters else f": it hangs, or the place does; {KEPT}"
        reason = f"{original.PROGRAM} took longer than {format_duration(job.timeout_ns)}{hint}"
    elif code and not job.stopped:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        reason = f"{original.PROGRAM} {how}: {_last_words(content)}; {KEPT}"
    elif not job.stopped:
        imported, version, reason = _read(original, content)
    found: dict[str, Any] = {}
    if imported is not None and not reason:
        found = original.outcome(imported, plan.parameters, job.elapsed_ns)
    status = "stopped" if job.stopped else "failed" if reason else "ok"
    usage = job.usage
    elapsed_ns = found.get("elapsed_ns", job.elapsed_ns)
    return {
        "status": status,
        "error": {"message": reason, "offset": None} if reason else None,
        # A tool prepares before it measures, and ends when it has measured.
        "started_ns": job.started_ns + job.elapsed_ns - elapsed_ns,
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
        "clock": f"that of {original.PROGRAM}",
        **found,
        "original": {"program": original.PROGRAM, "version": version, "command": command},
    }


def _read(original: Original, content: bytes) -> tuple[Run | None, str, str]:
    """What the importer makes of the output, the tool's version, and why that is no result, if it isn't."""
    source = Source(f"{original.PROGRAM}.txt", content)
    importer = import_module(f"plimsoll.importers.formats.{original.FORMAT}")
    try:
        run: Run = importer.read(source, Options()).runs[-1]
    except ResultFileError:
        return None, "", f"{original.PROGRAM} printed nothing that can be read: {_last_words(content)}; {KEPT}"
    version = _version(original, run)
    if not version.startswith(original.VERSIONS):
        wanted = " or ".join(original.VERSIONS)
        reason = f"{original.PROGRAM} is version {version}, this test follows {wanted}: install that one; {KEPT}"
        return run, version, reason
    if run.status is not RunStatus.OK:
        return run, version, f"{original.PROGRAM} did not come to its end: {run.reason}; {KEPT}"
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


def _last_words(content: bytes) -> str:
    lines = content.decode("utf-8", "replace").strip().splitlines()
    return repr(lines[-1][:200]) if lines else "it said nothing"
