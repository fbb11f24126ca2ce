"""fio's own draws: kinds, places and sizes come from the streams that fio has for them, in fio's order.

Source: fio 3.33, `init.c` (`setup_random_seeds`, `td_fill_rand_seeds_internal`), tried with the binary.
"""

from __future__ import annotations

import secrets
from typing import Any

from plimsoll.frontends.fio import values
from plimsoll.frontends.fio.drawable import QUEUING, WORD
from plimsoll.frontends.fio.files import is_mapped
from plimsoll.frontends.fio.jobs import Job
from plimsoll.frontends.fio.section_options import Words

PRIME, FIXED = 0x9E370001, 0xB1899BED
"""The multiplier from one stream to the next, and the seed of what is the same whatever `randseed` says."""
READ_SIZES, WRITE_SIZES, TRIM_SIZES, MIX, PLACES, PRIORITIES = 0, 1, 2, 4, 6, 19
"""Numbers of fio's streams."""


def seed(job: Job, stream: int) -> int:
    """Of one of fio's streams; another one each time where the job is to be another one each time."""
    words = job.words
    if words.on("allrandrepeat"):
        return (FIXED * job.number + stream) % WORD
    repeats = words.on("randrepeat")
    if stream == PLACES and repeats:
        return FIXED * job.number % WORD
    if not (repeats or "randseed" in job.section.options):
        return secrets.randbits(32)
    first: int = words.read("randseed", lambda text: int(text, 0))
    return int((first * PRIME ** (4 + stream) * job.number + stream) % WORD)


def repeats(words: Words) -> bool:
    """Whether each pass is drawn like the first: not where a seed is given, as with fio 3.33."""
    return words.on("allrandrepeat") or (words.on("randrepeat") and "randseed" not in words.section.options)


def parameter(job: Job, *, verifies: bool) -> dict[str, Any] | None:
    """The core's parameter; nothing where the core's own streams decide."""
    if not job.drawn:
        return None
    words = job.words
    timed = words.on("time_based")
    reads = seed(job, READ_SIZES)
    # What is verified has to have the sizes that it was written with.
    writes = reads if verifies else seed(job, WRITE_SIZES)
    alone = {"randwrite": writes, "randtrim": seed(job, TRIM_SIZES)}.get(job.mode, reads)
    return {
        "places": seed(job, PLACES),
        "sizes": [alone, writes],
        "ranged": words.given("bsrange") and not words.given("bssplit"),
        "map": is_mapped(words),
        "endless": timed,
        # Otherwise a map ends it, with a draw that finds nothing.
        "pass": _pass_bytes(job) if ends(job, verifies=verifies) and (timed or _queues(words)) else None,
    }


def ends(job: Job, *, verifies: bool) -> bool:
    """Whether a pass comes to its end, after which the draws begin anew.

    Without a map of blocks fio counts the bytes of a pass only under engines that do not wait for each operation; under
    the others the job goes on to the end of its loops.
    """
    words = job.words
    if words.on("time_based"):
        return verifies
    return is_mapped(words) or _queues(words)


def _queues(words: Words) -> bool:
    return words.text("ioengine") in QUEUING


def _pass_bytes(job: Job) -> int:
    """A pass without a map goes on to `io_size`, where something is written."""
    words, amount = job.words, job.region.amount
    if is_mapped(words) or not job.writes or not words.given("io_size"):
        return amount
    asked = words.read("io_size", lambda text: values.size_or_percent(text, words.kb_base))
    return max(amount, asked if isinstance(asked, int) else int(job.size * asked))
