"""Bonnie++ 2.00's text table and its CSV line of format 1.98.

Where the original prints `+++++` because a phase took less than half a second, the measured rate stands here. The
second table of 2.00a prints the number of files in place of files per second; here it is the rate, as in its CSV.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from plimsoll.frontends.bonnie.options import Settings
from plimsoll.run.outcome import PhaseResult
from plimsoll.stats.histogram import decode
from plimsoll.units import GIB, MIB

FORMAT, VERSION = "1.98", "2.00a"
DATA = ("char_write", "block_write", "rewrite", "char_read", "block_read", "seeks")
FILES = (
    "sequential_create", "sequential_stat", "sequential_delete", "random_create", "random_stat", "random_delete",
)  # fmt: skip
MESSAGES = {
    "char_write": "Writing a byte at a time...", "block_write": "Writing intelligently...", "rewrite": "Rewriting...",
    "char_read": "Reading a byte at a time...", "block_read": "Reading intelligently...", "seeks": "start 'em...",
    "sequential_create": "Create files in sequential order...", "sequential_stat": "Stat files in sequential order...",
    "sequential_delete": "Delete files in sequential order...", "random_create": "Create files in random order...",
    "random_stat": "Stat files in random order...", "random_delete": "Delete files in random order...",
}  # fmt: skip
COLUMNS = "  /sec %CP" * 6


def _header() -> str:
    """Names of the fields of a line. The original leaves out those of seeks and processes: its names are off by two."""
    data, files = ("putc", "put_block", "rewrite", "getc", "get_block", "seeks"), ("create", "stat", "del")
    counted = [*data, *(f"{order}_{phase}" for order in ("seq", "ran") for phase in files)]
    pairs = [f"{name},{name}_cpu" for name in counted]
    names = "format_version,bonnie_version,name,concurrency,seed,file_size,io_chunk_size,num_seeks,seek_procs"
    sizes = "num_files,max_size,min_size,num_dirs,file_chunk_size"
    return ",".join([names, *pairs[:6], sizes, *pairs[6:], *(f"{name}_latency" for name in counted)])


HEADER = _header()
"""What comes before the lines of several runs."""


@dataclass(frozen=True)
class Cell:
    """One phase: rate in KiB/s or per second, CPU in percent, largest latency in µs."""

    rate: float
    cpu_percent: int
    latency_us: int


def cells(results: Sequence[PhaseResult]) -> dict[str, Cell]:
    """The phases that were measured."""
    found = {}
    for result in results:
        elapsed_ns = max(result["elapsed_ns"], 1)
        longest = [decode(base64.b64decode(each)).max or 0 for each in result["histograms"].values()]
        used = result["cpu"]["user_ns"] + result["cpu"]["system_ns"]
        found[result["name"]] = Cell(
            rate=result["scores"][0]["value"],
            cpu_percent=round(100 * used / elapsed_ns),
            latency_us=max(longest, default=0) // 1000,
        )
    return found


def size_text(size: int) -> str:
    """`64M`, `8G`."""
    return f"{size // GIB}G" if size % GIB == 0 else f"{size // MIB}M"


def latency(us: int) -> str:
    """`97598us`, `385ms`, `140s`."""
    if us <= 99_999:
        return f"{us}us"
    return f"{us // 1000}ms" if us // 1000 <= 99_999 else f"{us // 1_000_000}s"


def csv_line(found: Mapping[str, Cell], settings: Settings) -> str:
    """One line that `bon_csv2html` and `bon_csv2txt` read."""
    fields = [FORMAT, VERSION, settings.name.replace(",", "_"), str(settings.concurrency), str(settings.seed)]
    chunk = size_text_of_chunk(settings)
    if settings.size:
        fields += [size_text(settings.size), chunk, str(settings.seeks), str(settings.seekers)]
    else:
        fields += [""] * 4
    for phase in DATA:
        fields += _pair(found.get(phase), exact=phase == "seeks")
    many = settings.thousand_files
    sized = settings.file_size_max > 0
    fields += [str(many) if many else "", str(settings.file_size_max) if sized else ""]
    fields += [str(settings.file_size_min) if settings.file_size_min else "", "", ""]
    for phase in FILES:
        fields += _pair(found.get(phase))
    fields += [latency(found[phase].latency_us) if phase in found else "" for phase in (*DATA, *FILES)]
    return ",".join(fields)


def size_text_of_chunk(settings: Settings) -> str:
    """Empty unless it was given, as in the original."""
    return "" if settings.chunk is None else str(settings.chunk)


def _pair(cell: Cell | None, *, exact: bool = False) -> list[str]:
    if cell is None:
        return ["", ""]
    rate = f"{cell.rate:.1f}" if exact and cell.rate < 1000 else f"{cell.rate:.0f}"
    return [rate, str(cell.cpu_percent)]


def table(found: Mapping[str, Cell], settings: Settings) -> Iterator[str]:
    """The text for people."""
    if settings.size:
        yield from _data_table(found, settings)
        if not any(phase in found for phase in FILES):
            yield ""
            return
    yield from _files_table(found, settings)


def _data_table(found: Mapping[str, Cell], settings: Settings) -> Iterator[str]:
    yield f"Version {VERSION:>5}       ------Sequential Output------ --Sequential Input- --Random-"
    yield f"{'':20}-Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--"
    heading = "Name:Size:chunk" if settings.chunk else "Name:Size etc"
    yield f"{heading:<19}{COLUMNS}"
    size = size_text(settings.size) + (f":{settings.chunk}" if settings.chunk else "")
    yield f"{_fitted(settings.name, size)}{''.join(_shown(found.get(phase), phase) for phase in DATA)}".rstrip()
    yield f"{'Latency':<19}{''.join(_delay(found.get(phase)) for phase in DATA)}".rstrip()


def _files_table(found: Mapping[str, Cell], settings: Settings) -> Iterator[str]:
    yield f"Version {VERSION:>5}       ------Sequential Create------ --------Random Create--------"
    yield f"{settings.name:<19.19} -Create-- --Read--- -Delete-- -Create-- --Read--- -Delete--"
    sized = settings.file_size_max > 0
    heading = ("files:max:min" if settings.file_size_min else "files:max") if sized else "              files"
    yield f"{heading:<19}{COLUMNS}"
    count = str(settings.thousand_files)
    if sized:
        count += f":{settings.file_size_max}:{settings.file_size_min}"
    yield f"{count:>19}{''.join(_shown(found.get(phase), phase) for phase in FILES)}".rstrip()
    yield f"{'Latency':<19}{''.join(_delay(found.get(phase)) for phase in FILES)}".rstrip()


def _fitted(name: str, size: str) -> str:
    """Name and size share nineteen columns."""
    room = max(0, 18 - len(size))
    return f"{name[:room]:<{room}} {size}"


def _shown(cell: Cell | None, phase: str) -> str:
    if cell is None:
        return " " * 10
    if phase in DATA and phase != "seeks":
        rate = _kib(cell.rate)
    else:
        rate = f"{cell.rate:5.1f}" if cell.rate < 1000 and phase == "seeks" else f"{cell.rate:5.0f}"
    return f" {rate} {cell.cpu_percent:3d}"


def _kib(rate: float) -> str:
    """Five columns with k, m or g."""
    if rate < 10_000:
        return f"{rate:4.0f}k"
    mib = rate / 1024
    if mib < 100:
        return f"{mib:4.1f}m"
    return f"{mib:4.0f}m" if mib < 1000 else f"{mib / 1024:4.1f}g"


def _delay(cell: Cell | None) -> str:
    return f" {latency(cell.latency_us) if cell else '':>9}"
