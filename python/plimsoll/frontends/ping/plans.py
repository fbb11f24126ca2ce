"""ioping's settings as a plan of the core.

A request at a time; unless cached, the pages of each request are dropped before it, outside its time, and a write is
followed by fdatasync inside its time. A late request moves the next ones, as ioping does.
"""

from __future__ import annotations

from plimsoll.declared import IoParameters
from plimsoll.frontends.ping.options import Settings
from plimsoll.model import Plan
from plimsoll.parameters import io_defaults
from plimsoll.units import SECOND

DEFAULT_WORKING_SET = 2**20
ENDLESS_NS = 100_000 * SECOND
"""How long a run without -c and -w may last: the longest time series the core keeps, a bit more than a day."""


def plan_of(settings: Settings, region: int, *, direct_possible: bool = True) -> Plan:
    """The plan on a working set of `region` bytes from `work_offset` on."""
    both, write = settings.on("G"), settings.writes > 0
    cached = settings.on("C") or settings.on("D")
    synced = (both or write) and not settings.on("C")
    parameters: IoParameters = {
        **io_defaults(),
        "engine": "libaio" if settings.on("A") else "psync",
        "alternate": both,
        "block_size": [[float(settings.size), 1.0]],
        "depth": 1,
        "threads": 1,
        "offset": settings.work_offset,
        "size": region,
        "direct": settings.on("D") and direct_possible,
        "sync": "sync" if settings.on("Y") else "dsync" if settings.on("y") else "fdatasync" if synced else "none",
        "runtime": settings.deadline_ns or ENDLESS_NS,
        "max_operations": settings.count,
        "warmup": 0,
        "think_time": settings.interval_ns,
        "think_every": settings.burst or 1,
        "think_from": "start",
        "distribution": {"kind": "uniform"},
        "seed": settings.entropy,
        "layout": "keep",
        # All of it first: of the large pages that a sequential write leaves, a request's part alone cannot be dropped.
        "drop_cache": not cached,
        "drop_each": "never" if cached else "operation",
        "interval": SECOND,
    }
    if settings.on("L"):
        parameters["mode"] = "rw" if both else "write" if write else "read"
    else:
        parameters["mode"] = "randrw" if both else "randwrite" if write else "randread"
    # Only plans that ask for them have them, so that the others are what they were.
    if settings.on("N"):
        parameters["nowait"] = True
    if settings.on("H"):
        parameters["hipri"] = True
    metrics = tuple(f"{kind}_{name}" for kind in _kinds(settings) for name in ("mean", "p50", "p99"))
    return Plan(test="ioping", case=_label(settings), workload="io", parameters=parameters, metrics=metrics)


def _kinds(settings: Settings) -> tuple[str, ...]:
    """What a request is called in the outcome: a write with its sync is a commit."""
    syncs = not settings.on("C") and not settings.on("Y") and not settings.on("y")
    write = "commit" if syncs else "write"
    if settings.on("G"):
        return "read", write
    return (write,) if settings.writes else ("read",)


def _label(settings: Settings) -> str:
    kind = "read-write" if settings.on("G") else "write" if settings.writes else "read"
    marks = [name for letter, name in (("L", "linear"), ("C", "cached"), ("D", "direct"), ("A", "async"),
                                          ("N", "nowait"), ("H", "hipri"))
             if settings.on(letter)]  # fmt: skip
    return " ".join(["ioping", *marks, kind])
