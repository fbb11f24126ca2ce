"""Bonnie++ 2.00."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from plimsoll.declared import BonnieParameters
from plimsoll.model import Run
from plimsoll.run.originals import phase
from plimsoll.run.outcome import Found, Phase
from plimsoll.units import KIB, MIB

NAME = "bonnie"
PROGRAM = "bonnie++"
PACKAGE = "bonnie++"
VERSIONS = ("2.00",)
ASK_VERSION = ()
FORMAT = "bonnie"

_DATA = {
    "putc": "char_write",
    "put_block": "block_write",
    "rewrite": "rewrite",
    "getc": "char_read",
    "get_block": "block_read",
}
_FILES = {
    f"{short}_{what}": f"{order}_{name}"
    for short, order in (("seq", "sequential"), ("ran", "random"))
    for what, name in (("create", "create"), ("stat", "stat"), ("del", "delete"))
}


def problem(values: BonnieParameters) -> str | None:
    """Sizes in MiB, files in 1024."""
    if values["version"] != "2":
        return "the installed Bonnie++ has the conventions of 2.00: leave out mode old (version=1)"
    if values["size"] % MIB or values["files"] % KIB:
        return "Bonnie++ takes whole MiB of data and multiples of 1024 files: change size or files"
    return None


def command(values: BonnieParameters, place: Path) -> list[str]:  # noqa: ARG001 (it works where it is started)
    """Without its own check against memory, which Plimsoll's guards make."""
    size = f"{values['size'] // MIB}:{values['chunk']}:{values['seeks']}:{values['seekers']}"
    files = f"{values['files'] // KIB}:{values['file_size_max']}:{values['file_size_min']}"
    asked = (("-f", values["skip_characters"]), ("-b", values["unbuffered"]))
    flags = [flag for flag, on in asked if on]
    user = ["-u", "root"] if os.geteuid() == 0 else []
    return [PROGRAM, "-d", ".", "-s", size, "-r", "0", "-n", files, *flags, *user, "-q", "-m", "original"]


def outcome(run: Run, values: BonnieParameters, elapsed_ns: int) -> Found:  # noqa: ARG001
    """Phases that took half a second or more have numbers; of shorter ones Bonnie++ gives no rate."""
    return {"results": list(_phases({score.metric: score.value for score in run.scores}, elapsed_ns))}


def _phases(found: Mapping[str, float], elapsed_ns: int) -> Iterator[Phase]:
    """All of them: a phase alone would have scores without its name, which are not those of the native test."""
    for theirs, ours in _DATA.items():
        bytes_per_second = found.get(f"{theirs}_throughput")
        rate = None if bytes_per_second is None else bytes_per_second / KIB
        yield phase(ours, elapsed_ns, ("throughput", rate, "KiB/s", "higher"))
    yield phase("seeks", elapsed_ns, ("seeks_per_second", found.get("seek_rate"), "seeks/s", "higher"))
    for theirs, ours in _FILES.items():
        yield phase(ours, elapsed_ns, ("files_per_second", found.get(f"{theirs}_rate"), "files/s", "higher"))
