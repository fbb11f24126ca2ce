"""One run of an original: its output through the importer, as an outcome of the core's form."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Mapping
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

KEPT = "its output is kept with the run"


def execute(
    plan: Plan,
    place: Place,
    on_progress: Callable[[Mapping[str, Any]], None],
    deadline_reached: Callable[[], bool],
) -> Execution:
    """Run the original in a new folder below the session's, and remove that folder."""
    assert place.folder is not None  # check_place
    original = of(plan)
    folder = Path(mkdtemp(prefix="original-", dir=place.folder))
    output = place.folder / f"{folder.name}.txt"
    try:
        command = original.command(plan.parameters, folder)
        before = place.sampler.sample()
        job = ProcessJob(command, folder, output, plan.parameters["timeout"])
        code, samples = watch(job, place.target.where, place.sampler, on_progress, deadline_reached)
        after = place.sampler.sample()
        content = output.read_bytes()[:MAX_FILE_BYTES]
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        output.unlink(missing_ok=True)
    outcome = _outcome(plan, original, job, int(str(code)), content, command)
    name = f"{original.PROGRAM}.txt"
    artefact = Artefact(name=name, sha256=hashlib.sha256(content).hexdigest(), content=content)
    return Execution(outcome, before, after, samples, (artefact,))


def _outcome(
    plan: Plan, original: Original, job: ProcessJob, code: int, content: bytes, command: list[str]
) -> dict[str, Any]:
    imported, reason = (None, "")
    if job.late:
        reason = f"{original.PROGRAM} took longer than {format_duration(plan.parameters['timeout'])}: raise timeout"
    elif code and not job.stopped:
        how = f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
        reason = f"{original.PROGRAM} {how}: {_last_words(content)}; {KEPT}"
    elif not job.stopped:
        imported, reason = _read(original, content)
    version = "" if imported is None else str(imported.facts.get("tool_version", ""))
    results = []
    if imported is not None and not reason:
        results = original.results(imported, plan.parameters, job.elapsed_ns)
    status = "stopped" if job.stopped else "failed" if reason else "ok"
    usage = job.usage
    return {
        "status": status,
        "error": {"message": reason, "offset": None} if reason else None,
        "started_ns": job.started_ns,
        "elapsed_ns": job.elapsed_ns,
        "phases": {"layout_ns": 0, "measure_ns": job.elapsed_ns},
        "operations": {},
        "histograms": {},
        "intervals": [],
        "cpu": {
            "user_ns": round(usage.ru_utime * SECOND) if usage else 0,
            "system_ns": round(usage.ru_stime * SECOND) if usage else 0,
            "busiest_thread": 0.0,
        },
        "mean_in_flight": 0.0,
        "offered_operations": None,
        "verified": None,
        "clock": f"that of {original.PROGRAM}",
        "results": results,
        "original": {"program": original.PROGRAM, "version": version, "command": command},
    }


def _read(original: Original, content: bytes) -> tuple[Run | None, str]:
    """What the importer makes of the output, and why that is no result, if it isn't."""
    source = Source(f"{original.PROGRAM}.txt", content)
    importer = import_module(f"plimsoll.importers.formats.{original.FORMAT}")
    try:
        run: Run = importer.read(source, Options()).runs[-1]
    except ResultFileError:
        return None, f"{original.PROGRAM} printed nothing that can be read: {_last_words(content)}; {KEPT}"
    version = str(run.facts.get("tool_version", "unknown"))
    if not version.startswith(original.VERSIONS):
        wanted = " or ".join(original.VERSIONS)
        return run, f"{original.PROGRAM} is version {version}, this test follows {wanted}: install that one; {KEPT}"
    if run.status is not RunStatus.OK:
        return run, f"{original.PROGRAM} did not come to its end: {run.reason}; {KEPT}"
    return run, ""


def _last_words(content: bytes) -> str:
    lines = content.decode("utf-8", "replace").strip().splitlines()
    return repr(lines[-1][:200]) if lines else "it said nothing"
