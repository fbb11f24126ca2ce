"""ioping 1: the same plan as its command line, on the test file that the native test also uses."""

from __future__ import annotations

from pathlib import Path

from plimsoll.declared import IoParameters
from plimsoll.model import Run
from plimsoll.run.originals._requests import Requests, outcome_of, run_length_ns, score_of
from plimsoll.run.outcome import Found

NAME = "ioping"
PROGRAM = "ioping"
PACKAGE = "ioping"
VERSIONS = ("ioping 1.",)
ASK_VERSION = ("-v",)
FORMAT = "ioping"

_OPENED = {"sync": "-Y", "dsync": "-y"}


def problem(values: IoParameters) -> str | None:
    """One request at a time at places drawn with repetition, each start so long after the last."""
    if values["engine"] not in ("psync", "libaio") or values["depth"] * values["threads"] > 1:
        return "ioping has one request in flight, by calls or libaio: set engine=psync, depth=1 and threads=1"
    if values["mode"] not in ("read", "randread", "write", "randwrite") or len(values["block_size"]) > 1:
        return "ioping is run for reads or writes of one size: change mode or block_size"
    if values["think_time"] and (values["think_from"] != "start" or values["think_every"] > 1):
        return "ioping counts its interval from start to start: set think_from=start and think_every=1"
    if values["distribution"] != {"kind": "uniform"} or values["random_share"] < 1:
        return "ioping draws every place anew: set distribution=uniform and random_share=1"
    if values["rate"] or values["warmup"] or values["verify"] or values["max_bytes"]:
        return "ioping has no rate, warmup, verify and max_bytes: leave them out"
    return _sync_problem(values)


def _sync_problem(values: IoParameters) -> str | None:
    if _cached(values) and values["drop_cache"]:
        return "ioping drops the pages of each request or none: set drop_each=operation, or drop_cache=no"
    synced = values["sync"] == "fdatasync" and values["sync_every"] == 1
    if values["mode"].endswith("write") and not (synced or values["sync"] in _OPENED):
        return "ioping makes every write durable: set sync=fdatasync and sync_every=1"
    return None


def _cached(values: IoParameters) -> bool:
    return not values["direct"] and values["drop_each"] != "operation"


def command(values: IoParameters, place: Path) -> list[str]:
    """One after the other it prints only totals: of some ten thousand a second nobody reads each."""
    flags = ["-a", "0", "-i", f"{values['think_time']}ns", "-w", f"{values['runtime']}ns"]
    flags += ["-s", str(int(values["block_size"][0][0])), "-S", str(values["size"]), "-o", str(values["offset"])]
    flags += ["-J"] if values["think_time"] else ["-B"]
    chosen = {
        "-D": values["direct"],
        "-C": _cached(values),
        "-A": values["engine"] == "libaio",
        "-L": not values["mode"].startswith("rand"),
        "-WWW": values["mode"].endswith("write"),
        _OPENED.get(values["sync"], ""): values["sync"] in _OPENED,
    }
    flags += [flag for flag, wanted in chosen.items() if wanted]
    flags += ["-c", str(values["max_operations"])] if values["max_operations"] else []
    return [PROGRAM, *flags, str(place)]


def outcome(run: Run, values: IoParameters, elapsed_ns: int) -> Found:
    """A write is told with the sync inside its time: a commit, as the native test calls it."""
    writes = values["mode"].endswith("write")
    told, count = next(iter(run.facts["operations"].items()))
    kind = "write" if writes else "read"
    size = int(values["block_size"][0][0])
    requests = Requests(
        operations=int(count),
        moved_bytes=int(count) * size,
        mean_ns=score_of(run, f"{told}_mean"),
        histogram=run.histograms.get(told),
    )
    found = {kind: requests}
    if writes and values["sync"] not in _OPENED:
        found = {"commit": requests, kind: Requests(requests.operations, requests.moved_bytes)}
    return outcome_of(found, run_length_ns(run, elapsed_ns), blocking=(kind, "commit"))
