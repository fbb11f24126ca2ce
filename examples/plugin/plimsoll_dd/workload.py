"""A test that runs dd: it writes zeros to a new file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from plimsoll.model import Score
from plimsoll.parameter import Parameter, read_flag, read_positive_count
from plimsoll.units import MIB, SECOND, parse_size
from plimsoll_dd.output import copies

PLIMSOLL_CONTRACT = 1
NAME = "dd"
PROGRAM = "dd"
PACKAGE = "coreutils"
PARAMETERS = (
    Parameter("block_size", MIB, parse_size, "bytes of each write"),
    Parameter("count", 256, read_positive_count, "writes"),
    Parameter("durable", True, read_flag, "the time includes fdatasync at the end"),
)
TESTS: dict[str, dict[str, Any]] = {
    "dd-write": {
        "title": "dd: writing zeros",
        "question": "How fast does dd write a file of zeros?",
        "definition": "256 writes of 1 MiB of zeros to a new file, and fdatasync at the end, inside the measured time.",
        "source": "dd of GNU coreutils; everybody's first disk test.",
        "reading": "One stream of large writes. Zeros can be compressed away; seqwrite writes random data.",
        "metrics": ["throughput"],
        "parameters": {},
        "quick_sizes": {"count": 16},
        "modes": {"cached": {"meaning": "without fdatasync, as most people type it", "parameters": {"durable": False}}},
    }
}
_SLOW_BYTES_PER_S = 50 * MIB


def command(values: Mapping[str, Any], folder: Path) -> list[str]:
    """The words that are run in `folder`, which is new and empty, and is removed afterwards.

    Files in it are named as from there: its path means nothing to another process.
    """
    del folder
    sync = ["conv=fdatasync"] if values["durable"] else []
    size = [f"bs={values['block_size']}", f"count={values['count']}"]
    # What it prints is translated, unless it is told not to.
    return ["env", "LC_ALL=C", "dd", "if=/dev/zero", "of=zeros", *size, *sync]


def scores(output: str, values: Mapping[str, Any], elapsed_ns: int) -> list[Score]:
    """One number per metric, in base units (B/s, ns, 1/s); none where the output says nothing."""
    del values, elapsed_ns
    return [
        Score(metric="throughput", value=each.bytes_per_s, unit="B/s", direction="higher")
        for each in copies(output)[-1:]
        if each.bytes_per_s
    ]


def written_bytes(values: Mapping[str, Any]) -> int:
    """For `plimsoll plan`; this and the two below can be left out."""
    return int(values["block_size"] * values["count"])


def scratch_bytes(values: Mapping[str, Any]) -> int:
    """What must be free on the target."""
    return written_bytes(values)


def run_ns(values: Mapping[str, Any]) -> int:
    """A guess at the time of one run."""
    return written_bytes(values) * SECOND // _SLOW_BYTES_PER_S + SECOND
