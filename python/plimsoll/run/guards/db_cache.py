"""Did the storage below a database have anything to read?"""

from __future__ import annotations

from plimsoll.drivers import works_in_client
from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent
from plimsoll.run.guards._server import change, level_of, looks_up
from plimsoll.units import format_size

NAME = "db_cache"
TITLE = "Data against the database's cache"
KINDS = ("db",)
WHY = """Data that fit into the server's cache, or into the memory of its machine, are read from there: the storage
below is asked for writes only, and its speed is not in the numbers. The sizes of the tables and of the cache, and
its hit ratio, are the server's own figures. The memory is looked at where the server runs here."""

FULL = 0.999
"""Share of the pages asked for that the cache had, from which on nothing was read from storage to speak of."""
FEWEST_PAGES = 1000


def check(evidence: RunEvidence) -> Finding | None:
    """Servers that keep their data on storage and tell how much. A warning: the rate is right, for memory."""
    data, cache = level_of(evidence, "data_bytes"), level_of(evidence, "cache_bytes")
    if not looks_up(evidence.plan) or not (data or cache):
        return None
    hits, misses = change(evidence, "cache_hits"), change(evidence, "cache_misses")
    ratio = None
    if hits is not None and misses is not None and hits + misses >= FEWEST_PAGES:
        ratio = hits / (hits + misses)
    known = {"data_bytes": data, "cache_bytes": cache, "hit_ratio": ratio}
    figures = {name: float(value) for name, value in known.items() if value is not None}
    why = _why(evidence, data, cache, ratio)
    if not why:
        sizes = [f"{format_size(data)} of data"] if data else []
        sizes += [f"{format_size(cache)} of cache"] if cache else []
        sizes += [] if ratio is None else [f"the cache had {percent(ratio)} of the pages asked for"]
        return finding(NAME, Level.OK, ", ".join(sizes), "", **figures)
    return finding(
        NAME,
        Level.WARN,
        f"{why}: {_so(ratio)}",
        "For the storage, measure more data than cache and memory hold (records=, scale=), or give the server less of "
        "both; for data that fit in production as well, this is the right answer.",
        **figures,
    )


def _so(ratio: float | None) -> str:
    """What follows: sizes alone say where data can be, the cache's own count where they were."""
    if ratio is not None and ratio >= FULL:
        return "reads came from memory, and the speed of the storage is not in them"
    missed = "" if ratio is None else f" (its cache had {percent(ratio)} of the pages asked for)"
    return f"reads may have come from memory{missed}, and the speed of the storage would not be in them"


def _why(evidence: RunEvidence, data: int | None, cache: int | None, ratio: float | None) -> str:
    server = evidence.db["server"]
    here = server != "none" or works_in_client(server, evidence.target.where)
    memory = evidence.memory_limit_bytes if here else 0
    if data and cache and data <= cache:
        return f"the data ({format_size(data)}) fit into the server's cache ({format_size(cache)})"
    if ratio is not None and ratio >= FULL:
        return f"the server's cache had {percent(ratio)} of the pages asked for"
    if data and memory and data <= memory:
        return f"the data ({format_size(data)}) fit into the memory of this machine ({format_size(memory)})"
    return ""
