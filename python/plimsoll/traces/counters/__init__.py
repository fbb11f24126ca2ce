"""Monitoring that people already have, one file per format: bytes of a file in, sums per device and period out.

A format has `NAME`, `TITLE`, `recognise(head)` and `read(text, options)`. Files are other people's: their size is
bounded, and what does not fit is a sentence with file, line and what to do.
"""

from __future__ import annotations

import csv
import fnmatch
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import ModuleType

from plimsoll import plugins
from plimsoll.errors import TargetError, UsageError
from plimsoll.traces.counters._together import joined
from plimsoll.traces.series import NEEDED, Column, Found, Series, build, in_periods_of
from plimsoll.units import MIB, format_size

MOST_BYTES = 512 * MIB
"""A month of seconds of a machine with ten disks, as text."""
HEAD_BYTES = 65_536
STACKED = re.compile(r"(dm-\d+|md\d+|loop\d+|zram\d+|ram\d+|sr\d+|fd\d+|.*_crypt)")
"""Devices made of others, and those that hold no data of a volume: never taken unless they are named."""
PARTITION = re.compile(r"((?:sd|vd|xvd|hd)[a-z]+\d+|(?:nvme\d+n\d+|mmcblk\d+)p\d+)")


@dataclass(frozen=True)
class Options:
    """What the user says of files that do not say it themselves."""

    device: str | None = None
    rate: tuple[str, ...] = ()
    """What each nameless result is a rate of: `reads`, `write_bytes`, …"""
    query: Path | None = None
    """The query file of `aws cloudwatch get-metric-data`."""
    stat: str | None = None
    period_s: float | None = None


def formats() -> Sequence[ModuleType]:
    """Every format, by name."""
    return _formats()


@cache
def _formats() -> tuple[ModuleType, ...]:
    return tuple(sorted(plugins.modules(__name__), key=lambda each: str(each.NAME)))


def is_counters(path: Path) -> bool:
    """Whether a file is monitoring of a format that is known here."""
    with path.open("rb") as file:
        return _recognised(file.read(HEAD_BYTES)) is not None


def load(paths: Sequence[Path], options: Options) -> Series:
    """The series of one device from one file or several; raises UsageError, TargetError."""
    found: list[Found] = []
    titles: list[str] = []
    rates = list(options.rate)
    if 1 < len(rates) < len(paths):
        raise UsageError(f"--rate has {len(rates)} names for {len(paths)} files; give one for each, in their order")
    for path in paths:
        text = _text(path)
        module = _recognised(text[:HEAD_BYTES].encode("utf-8", "replace"))
        if module is None:
            known = ", ".join(str(each.TITLE) for each in formats())
            raise UsageError(f"{path}: no format that is known; known are {known}")
        titles.append(str(module.TITLE))
        try:
            found += module.read(text, replace(options, rate=tuple(rates)))
        except UsageError as error:
            raise UsageError(f"{path}: {error}") from None
        except csv.Error as error:
            raise UsageError(f"{path}: a row of the table cannot be read ({error}); export it again") from None
        rates = rates[1:] if len(rates) > 1 else rates
    one = _one(joined(found), options)
    series = build(one, " and ".join(dict.fromkeys(titles)), options.period_s)
    return series if options.period_s is None else in_periods_of(series, options.period_s)


def _text(path: Path) -> str:
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise UsageError(
                f"{path} has {format_size(size)}, and at most {format_size(MOST_BYTES)} are read: cut it, or ask for "
                "longer periods"
            )
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError as error:
        raise TargetError(f"cannot read {path}: {error.strerror}") from None


def _recognised(head: bytes) -> ModuleType | None:
    text = head.decode("utf-8-sig", "replace")
    return next((each for each in formats() if each.recognise(text)), None)


def _one(found: Sequence[Found], options: Options) -> Found:
    """The device that is meant; raises UsageError with the names of all where that is not clear."""
    if options.device is not None:
        chosen = [each for each in found if fnmatch.fnmatchcase(each.name, options.device)]
        exact = [each for each in found if each.name == options.device]
        if len(exact or chosen) == 1:
            return (exact or chosen)[0]
        raise UsageError(f"--device {options.device}: {_names(found)}")
    if len(found) == 1:
        return found[0]
    whole = [
        each for each in found if not STACKED.fullmatch(_bare(each.name)) and not PARTITION.fullmatch(_bare(each.name))
    ]
    busy = [each for each in whole if _is_complete(each) and _is_busy(each)] or [
        each for each in whole if _is_complete(each)
    ]
    if len(busy) == 1:
        others = [each.name for each in found if each is not busy[0]]
        note = f"taken: {busy[0].name}; left out, because idle or made of it or part of it: {', '.join(others)}"
        return replace(busy[0], notes=(note, *busy[0].notes))
    if not found:
        raise UsageError("no counters of a disk in it")
    raise UsageError(
        f"several devices; say which with --device NAME: {_names(found)}. Of a RAID or LVM device take that (md0, "
        "dm-0) if one volume shall replace it, else one member"
    )


def _bare(name: str) -> str:
    """`sda` of `host:9100 sda`."""
    return name.rsplit(" ", 1)[-1]


def _is_complete(found: Found) -> bool:
    return all(name in found.columns for name in NEEDED)


def _is_busy(found: Found) -> bool:
    return any(_moves(found.columns[name]) for name in ("reads", "writes"))


def _moves(column: Column) -> bool:
    if column.kind == "counter":
        return len(set(column.values[:1]) | set(column.values[-1:])) > 1
    return any(value > 0 for value in column.values)


def _names(found: Sequence[Found]) -> str:
    names = sorted(each.name for each in found)
    more = f" and {len(names) - 40} more" if len(names) > 40 else ""
    return f"the file has {', '.join(names[:40])}{more}" if names else "the file has no device"
