"""How fio's examples are made small: which of their values are replaced by what, and what is compared.

A value is a text, or makes a new one of the example's; None leaves the option out. What no section has is global.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from plimsoll.units import MIB

Value = str | Callable[[str], str] | None


@dataclass(frozen=True)
class Example:
    """What is changed in one example, and what of its result is certain."""

    values: Mapping[str, Value] = field(default_factory=dict)
    compare: str = "counts"
    """`counts` of operations and bytes; `shares` where the time ends the jobs; `rates` where they are limited."""
    files: Mapping[str, int] = field(default_factory=dict)
    """In place of its devices, and of files that it wants to be there: bytes."""
    folders: Sequence[str] = ()
    file_system_mib: int = 0
    """Of an own file system that it fills; 0: none."""
    places: bool = True
    """Whether a log of all operations can be had: none where the example fills the file system."""
    processor: bool = False
    """Whether it is the time on processors that counts."""


def _sooner(text: str) -> str:
    """Seconds as hundredths of them."""
    return f"{int(text) * 10}ms"


_LONG = {"size": "8m", "runtime": "2"}
EXAMPLES: Mapping[str, Example] = {
    "1mbs_clients": Example({"directory": "tmp", "size": "8k", "startdelay": _sooner}, folders=("tmp",)),
    "aio-read": Example({"directory": ".", "size": "4m"}),
    "backwards-read": Example({"size": "1m"}),
    "basic-verify": Example({"filename": "disk"}, files={"disk": 4 * MIB}),
    "butterfly": Example({"filename": "testfile"}, "shares", files={"testfile": 4 * MIB}),
    "cmdprio-bssplit": Example({"filename": "disk"}, files={"disk": 32 * MIB}, places=False),
    "cmdprio-percentage": Example({"filename": "disk"}, files={"disk": 32 * MIB}, places=False),
    "cpuio": Example({"runtime": "2"}, "shares", places=False, processor=True),
    "cross-stripe-verify": Example(
        {"filename": "disk", "offset_increment": "2m", "io_size": "160k", "numjobs": "3"}, files={"disk": 8 * MIB}
    ),
    "dedupe-global": Example({"size": "4m"}),
    "disk-zone-profile": Example(
        {"filename": "disk", "zonesize": "256k", "zoneskip": "2m"}, files={"disk": 16 * MIB}
    ),
    "e4defrag": Example({"directory": ".", "runtime": "2", "filesize": "4M", "size": "4M"}, "shares"),
    "e4defrag2": Example({"directory": ".", "runtime": "2", "filesize": "4M", "size": "4M"}, "shares"),
    "enospc-pressure": Example(
        {"directory": ".", "filesize": "128M", "size": "999M", "runtime": "3"}, "shares", file_system_mib=64,
        places=False,
    ),
    "exec": Example(
        {"runtime": "2", "program": "/bin/sleep", "arguments": "1", "numjobs": "2"}, "shares",
        places=False, processor=True,
    ),
    "exitwhat": Example({"filename": "test", "filesize": "4M", "number_ios": "100"}, "shares"),
    "falloc": Example({"directory": ".", "runtime": "1", "size": "4M", "filesize": "4M"}, "shares"),
    "filecreate-ioengine": Example({"nrfiles": "50"}, places=False),
    "filedelete-ioengine": Example({"nrfiles": "20"}, places=False),
    "filestat-ioengine": Example({"nrfiles": "20"}, places=False),
    "fio-rand-RW": Example(_LONG, "shares"),
    "fio-rand-read": Example(_LONG, "shares"),
    "fio-rand-write": Example(_LONG, "shares"),
    "fio-seq-RW": Example(_LONG, "shares"),
    "fio-seq-read": Example(_LONG, "shares"),
    "fio-seq-write": Example(_LONG, "shares"),
    "fixed-rate-submission": Example({"size": "8m"}, "rates"),
    "flow": Example({"size": "16m", "runtime": "2", "filename": "testfile"}, "shares"),
    "fsx": Example({"loops": "200"}),
    "ftruncate": Example({"directory": ".", "size": "1028k", "runtime": "1s"}, "shares"),
    "iometer-file-access-server": Example({"size": "4m"}),
    "jesd219": Example({"filename": "disk"}, "shares", files={"disk": 16 * MIB}),
    "latency-profile": Example(
        {"filename": "disk", "latency_window": "500000", "runtime": "10"}, "shares", files={"disk": 16 * MIB}
    ),
    "netio": Example({"size": "4m"}),
    "netio_multicast": Example({"size": "64k"}),
    "null": Example({"size": "64m"}, places=False),
    "numa": Example({"filename": "disk", "size": "4m"}, files={"disk": 4 * MIB}),
    "poisson-rate-submission": Example({"size": "800k"}, "rates"),
    "rand-zones": Example({"size": "16m"}),
    "ssd-steadystate": Example({"filename": "disk"}, files={"disk": 8 * MIB}),
    "ssd-test": Example({"directory": ".", "size": "8m", "runtime": "20"}),
    "steadystate": Example({"runtime": "8", "ss_dur": "2s", "ss_ramp": "1s"}, "shares", places=False),
    "surface-scan": Example({"filename": "datafile.tmp"}, file_system_mib=32, places=False),
    "tiobench-example": Example({"size": "4m", "timeout": "20"}),
    "waitfor": Example({"filename": "data", "filesize": "4m", "runtime": "2"}),
    "zbd-rand-write": Example(
        {"filename": "disk", "zonesize": "4M", "numjobs": "4", "runtime": "2"}, "shares", files={"disk": 32 * MIB}
    ),
    "zbd-seq-read": Example(
        {"filename": "disk", "zonesize": "1M", "offset": "8M", "size": "4M"}, files={"disk": 16 * MIB}
    ),
    "zipf": Example({"size": "16m"}, places=False),
}  # fmt: skip
"""Those of 86 that need no hardware, service or library of their own."""
