"""ioping's lines: requests, statistics, raw figures, JSON."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plimsoll.frontends.ping.options import Settings
from plimsoll.frontends.ping.statistics import Request, Totals

PERCENTILES = (50, 90, 99, 99.9)


@dataclass(frozen=True)
class Place:
    """What ioping says of the place."""

    path: str
    file_system: str
    device: str
    device_size: int

    def __str__(self) -> str:
        if not self.file_system:
            return f"{self.path} (block device {size(self.device_size)})"
        return f"{self.path} ({self.file_system} {self.device} {size(self.device_size)})"


def _scaled(value: float, units: tuple[tuple[str, float], ...]) -> str:
    """No decimals where the value is whole in its unit, one from 10 units on, else two."""
    for name, factor in units:
        if value >= factor or factor == units[-1][1]:
            scaled = value / factor
            digits = 0 if value % factor == 0 else 1 if scaled >= 10 else 2
            text = f"{scaled:.{digits}f}"
            return f"{text} {name}" if name else text
    return str(value)


def duration(ns: float) -> str:
    """`142.3 us`."""
    whole = int(ns)
    return _scaled(whole, (("hour", 3600e9), ("min", 60e9), ("s", 1e9), ("ms", 1e6), ("us", 1e3), ("ns", 1)))


def count(number: float) -> str:
    """`5.85 k`."""
    return _scaled(int(number), (("T", 1e12), ("G", 1e9), ("M", 1e6), ("k", 1e3), ("", 1)))


def size(number: float) -> str:
    """`22.8 MiB`."""
    units = (("PiB", 2.0**50), ("TiB", 2.0**40), ("GiB", 2.0**30), ("MiB", 2.0**20), ("KiB", 2.0**10), ("B", 1.0))
    return _scaled(int(number), units)


def request_line(request: Request, settings: Settings, place: Place) -> str:
    """The line of one request: `4 KiB <<< . (ext4 /dev/sda1): request=1 time=142.3 us`."""
    arrow = ">>>" if request.kind == "write" else "<<<"
    mark = f" ({request.mark})" if request.mark else ""
    line = f"{size(settings.size)} {arrow} {place}: request={request.number} time={duration(request.latency_ns)}{mark}"
    return f"{time.strftime('%b %d %H:%M:%S')} {line}" if settings.on("I") else line


def raw_line(totals: Totals, settings: Settings) -> str:
    """Ten numbers: what counted, then what was generated."""
    rate = totals.iops
    numbers = (
        totals.count, totals.sum_ns, rate, rate * settings.size, totals.min_ns, totals.mean_ns, totals.max_ns,
        totals.deviation_ns, totals.all_count, totals.load_ns,
    )  # fmt: skip
    return " ".join(str(int(number)) for number in numbers)


def summary(totals: Totals, settings: Settings, place: Place) -> Iterator[str]:
    """The statistics at the end."""
    verb = "" if settings.on("G") else " written" if settings.writes else " read"
    moved, rate = totals.count * settings.size, totals.iops
    yield ""
    yield f"--- {place} ioping statistics ---"
    yield (
        f"{count(totals.count)} requests completed in {duration(totals.sum_ns)}, {size(moved)}{verb}, "
        f"{count(rate)} iops, {size(rate * settings.size)}/s"
    )
    outside = "".join(
        f"{count(number)} too {word}, "
        for number, word in ((totals.too_fast, "fast"), (totals.too_slow, "slow"))
        if number
    )
    yield (
        f"{outside}generated {count(totals.all_count)} requests in {duration(totals.load_ns)}, "
        f"{size(totals.all_count * settings.size)}, {count(totals.load_iops)} iops, "
        f"{size(totals.load_iops * settings.size)}/s"
    )
    figures = (totals.min_ns, totals.mean_ns, totals.max_ns, totals.deviation_ns)
    yield f"min/avg/max/mdev = {' / '.join(duration(figure) for figure in figures)}"
    if settings.percentiles:
        names = "/".join(f"p{percent:g}" for percent in PERCENTILES)
        yield f"{names} = {' / '.join(duration(totals.percentile(percent)) for percent in PERCENTILES)}"


def _target(place: Place) -> dict[str, Any]:
    moment = time.time()
    return {
        "timestamp": round(moment, 6),
        "localtime": time.strftime("%Y-%m-%dT%H:%M:%S%z", time.localtime(moment)),
        "target": {
            "path": place.path,
            "fstype": place.file_system,
            "device": place.device,
            "device_size": place.device_size,
        },
    }


def request_json(request: Request, settings: Settings, place: Place) -> str:
    """One request as an object."""
    operation = {
        "request": request.number,
        "operation": request.kind,
        "size": settings.size,
        "time": request.latency_ns,
        "ignored": request.ignored,
    }
    return json.dumps({**_target(place), "io": operation}, indent=2)


def totals_json(totals: Totals, settings: Settings, place: Place) -> str:
    """The figures as an object."""
    stat: dict[str, Any] = {
        "count": totals.count,
        "size": totals.count * settings.size,
        "time": totals.sum_ns,
        "iops": round(totals.iops, 6),
        "bps": int(totals.iops * settings.size),
        "min": totals.min_ns,
        "avg": int(totals.mean_ns),
        "max": totals.max_ns,
        "mdev": int(totals.deviation_ns),
    }
    if settings.percentiles:
        stat["percentile"] = {f"{percent:g}": totals.percentile(percent) for percent in PERCENTILES}
    load = {
        "count": totals.all_count,
        "size": totals.all_count * settings.size,
        "time": totals.load_ns,
        "iops": round(totals.load_iops, 6),
        "bps": int(totals.load_iops * settings.size),
    }
    return json.dumps({**_target(place), "stat": stat, "load": load}, indent=2)
