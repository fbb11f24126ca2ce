"""The process that reads an upload: bounded in memory, time and files, and without the store.

    python -m plimsoll.web.intake.child '{"path": …, "name": …, "target": …, "out": …, "limits": {…}}'

prints one line of JSON: {"path": file to add, "says": [sentence]} or {"error": sentence}.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import deque
from pathlib import Path
from typing import TYPE_CHECKING, Any

from plimsoll.errors import PlimsollError, ResultFileError
from plimsoll.importers.source import MAX_FILE_BYTES, Options
from plimsoll.store.records import sealed
from plimsoll.store.result_file import Limits, Record, is_result_file, read_results, write_results
from plimsoll.units import GIB, MIB

if TYPE_CHECKING:
    from plimsoll.importers.reading import Outcome

MEMORY_BYTES = 2 * GIB
CPU_S = 120
OPEN_FILES = 32
MOST_SENTENCES = 50


def bound(largest_file: int) -> None:
    """From here on the process can be killed by what it reads, and nothing else can be harmed."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    resource.setrlimit(resource.RLIMIT_NOFILE, (OPEN_FILES, OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def check(path: Path, name: str, target: str, out: Path, limits: Limits) -> dict[str, Any]:
    """What to add to the store, or why nothing; files of other tools become a result file first."""
    if is_result_file(path):
        deque(read_results(path, limits), maxlen=0)
        return {"path": str(path), "says": []}
    if path.stat().st_size > MAX_FILE_BYTES:
        raise ResultFileError(f"{name} is over {MAX_FILE_BYTES // MIB} MiB; split it, or import it where it lies")
    # Only now: the importers take longer to load than most files to read.
    from plimsoll.importers.reading import read_content

    outcomes = list(read_content(name, path.read_bytes(), Options(target=target or None)))
    records = list(_records(outcomes).values())
    says = [sentence for each in outcomes for sentence in _says(each)]
    if not records:
        raise ResultFileError("; ".join(says) or f"{name} holds no result")
    if len(records) > limits.records:
        raise ResultFileError(f"{name} holds more than {limits.records} sessions and runs; split it")
    write_results(out, records, limits)
    return {"path": str(out), "says": says[:MOST_SENTENCES]}


def _records(outcomes: list[Outcome]) -> dict[str, Record]:
    found: dict[str, Record] = {}
    for outcome in outcomes:
        if outcome.imported is not None and outcome.imported.session.id not in found:
            found[outcome.imported.session.id] = outcome.imported.session
            # They are new here: what comes of the result file later has the checksums of what was read.
            found |= {run.id: sealed(run) for run in outcome.imported.runs}
    return found


def _says(outcome: Outcome) -> list[str]:
    if outcome.imported is None:
        return [str(outcome.error or outcome.skipped)]
    findings = dict.fromkeys(finding.message for run in outcome.imported.runs for finding in run.findings)
    return [f"{outcome.place}: read as {outcome.format}", *outcome.imported.warnings, *findings]


def main() -> None:
    """Check what the command line names."""
    asked = json.loads(sys.argv[1])
    limits = Limits(**asked["limits"])
    bound(limits.total_bytes)
    path, name = Path(asked["path"]), str(asked["name"])
    try:
        answer = check(path, name, asked["target"], Path(asked["out"]), limits)
    except PlimsollError as error:
        answer = {"error": str(error).replace(str(path), name)}
    except (MemoryError, RecursionError):
        answer = {"error": f"{name} needs more memory than this server gives to a file; split it"}
    print(json.dumps(answer))


if __name__ == "__main__":
    main()
