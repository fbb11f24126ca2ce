"""dbench 4.0 with its own recorded load."""

from __future__ import annotations

from pathlib import Path

from plimsoll.declared import DbenchParameters
from plimsoll.model import Run
from plimsoll.run.originals import phase
from plimsoll.run.outcome import Found
from plimsoll.units import MILLISECOND, SECOND

NAME = "dbench"
PROGRAM = "dbench"
PACKAGE = "dbench"
VERSIONS = ("4.0",)
ASK_VERSION = ()
FORMAT = "dbench"

LOAD = Path("/usr/share/dbench/client.txt")


def problem(values: DbenchParameters) -> str | None:
    """It takes whole seconds, and a fifth of them as warm-up."""
    seconds = values["runtime"] // SECOND
    if not LOAD.exists():
        return f"dbench's load {LOAD} is missing; install Debian's package dbench, or leave out implementation=original"
    if values["loops"] or values["runtime"] % SECOND or values["warmup"] != seconds // 5 * SECOND:
        return "dbench takes whole seconds and a fifth of them as warm-up: set runtime=10s and warmup=2s, or alike"
    return None


def command(values: DbenchParameters, place: Path) -> list[str]:  # noqa: ARG001 (it works where it is started)
    """So many clients in the folder."""
    seconds = values["runtime"] // SECOND
    return [PROGRAM, "-c", str(LOAD), "-t", str(seconds), str(values["threads"])]


def outcome(run: Run, values: DbenchParameters, elapsed_ns: int) -> Found:
    """Throughput in 10⁶ bytes per second, and the longest latency."""
    found = {score.metric: score.value for score in run.scores}
    latency = found.get("max_latency")
    run_phase = phase(
        "run",
        min(elapsed_ns, values["runtime"]),
        ("throughput", found["throughput"] / 1e6, "MB/s", "higher"),
        ("max_latency", None if latency is None else latency / MILLISECOND, "ms", "lower"),
    )
    return {"results": [run_phase]}
