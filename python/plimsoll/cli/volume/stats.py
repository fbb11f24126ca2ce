"""`plimsoll volume stats`: what a volume did and has left."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from plimsoll.cli.options import Json

NEEDS_ARGUMENTS = True
EXAMPLES = "`plimsoll volume stats data --json` has the keys of the NVMe statistics page of EBS."
_TRANSPORTS = {"io_uring": "io_uring", "dev_fuse": "/dev/fuse"}


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the volume.")],
    json: Json = False,
) -> None:
    """Show counters, latencies and credits of a volume. Also time over each limit, and how it is served."""
    from plimsoll.cli.output import console, print_json, print_table
    from plimsoll.volumes.changes import statistics
    from plimsoll.volumes.full import no_space_text
    from plimsoll.volumes.registry import named

    page = statistics(name)
    if json:
        print_json(page)
        return
    console().print(f"{name}: {named(name).summary}", markup=False)
    print_table([_side(page, "read"), _side(page, "write")], right=("operations", "data", "mean", "p50", "p99"))
    print_table(_limits(page), right=("left", "of", "waited"))
    own = page["plimsoll"]
    notes = [f"{page['volume_queue_length']} operations in the queue, {own['flushes']} flushes, {own['errors']} errors"]
    notes += ["a degradation episode is going on"] if own["degraded"] else []
    notes += [f"requests come through {_TRANSPORTS[own['transport']]}"] if own["transport"] else []
    console().print("; ".join(notes), markup=False)
    if out := no_space_text(named(name)):
        console().print(f"warning: {out}", markup=False)


def _side(page: dict[str, Any], side: str) -> dict[str, str]:
    from plimsoll.units import MICROSECOND, format_duration, format_size

    operations = page[f"total_{side}_ops"]
    bins = page[f"{side}_io_latency_histogram"]["bins"]
    mean = page[f"total_{side}_time"] * MICROSECOND / operations if operations else None
    return {
        "": f"{side}s",
        "operations": f"{operations:,}",
        "data": format_size(page[f"total_{side}_bytes"]),
        "mean": "" if mean is None else format_duration(mean),
        "p50": _percentile(bins, operations, 0.50),
        "p99": _percentile(bins, operations, 0.99),
    }


def _percentile(bins: list[dict[str, int]], operations: int, share: float) -> str:
    """The bin that holds it: the page has powers of two only."""
    from plimsoll.units import MICROSECOND, format_duration

    passed = 0
    for each in bins:
        passed += each["count"]
        if operations and passed >= share * operations:
            return f"under {format_duration(each['upper'] * MICROSECOND)}"
    return ""


def _limits(page: dict[str, Any]) -> list[dict[str, str]]:
    from plimsoll.units import format_duration, format_size

    def amount(bucket: str, value: float) -> str:
        return format_size(value) if "throughput" in bucket else f"{value:,.0f}"

    return [
        {
            "limit": bucket["name"].replace(".", " ").replace("_", " "),
            "left": amount(bucket["name"], bucket["tokens"]),
            "of": amount(bucket["name"], bucket["capacity"]),
            "waited": format_duration(bucket["exceeded_ns"]),
        }
        for bucket in page["plimsoll"]["buckets"]
    ]
