"""Did other programs work beside a database test?"""

from __future__ import annotations

from plimsoll.model import Finding
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, graded, not_checkable, percent, severest, softened
from plimsoll.units import MIB, SECOND, format_size

NAME = "db_foreign"
TITLE = "Foreign load beside a database test"
KINDS = ("db",)
WHY = """Whatever other programs compute and read on the machine of the client or of a private server takes time from
the test. What the processors did, and the disk read, beyond the client and the servers that it started is theirs."""

HOST_NOISE = True
"""Noise of others, which hits all targets of a block alike: `noisy_host` in a study makes it a warning at most."""
CPU_WARN = 0.10
"""Time of all processors that others used."""
READ_WARN = 0.05
"""(device − own) / device. Both are warnings only: whether they slowed the server down cannot be seen from here."""
FLOOR_BYTES_PER_S = MIB
"""Log files and programs that begin; below it nothing is said."""
_ADVICE = "Stop what else works on this machine (updates, containers, other tests), and run again."


def check(evidence: RunEvidence) -> Finding | None:
    """Over the measured part. A server of somebody else on this machine cannot be told from other programs."""
    if not evidence.after.family_ns:
        return None
    if evidence.db["server"] == "none" and evidence.target.facts.get("on_this_machine") is not False:
        return not_checkable(NAME, "the server is on this machine, and was not started for the test")
    found = [each for each in (_processors(evidence), _disk(evidence)) if each is not None]
    return severest(found)


def _processors(evidence: RunEvidence) -> Finding | None:
    samples = evidence.measured[1:-1] if len(evidence.measured) > 3 else evidence.measured
    first, last = samples[0], samples[-1]
    ticks = last.cpu.total - first.cpu.total
    span_ns = last.monotonic_ns - first.monotonic_ns
    if ticks <= 0 or span_ns <= 0 or not last.cpus:
        return None
    busy = 1 - (last.cpu.idle - first.cpu.idle) / ticks - (last.cpu.steal - first.cpu.steal) / ticks
    own_ns = last.family_ns - first.family_ns + last.servers_ns - first.servers_ns
    others = max(0.0, busy - own_ns / span_ns / len(last.cpus))
    return finding(
        NAME,
        softened(graded(others, CPU_WARN, float("inf")), evidence.long_enough),
        f"other programs used {percent(others)} of the time of all processors",
        _ADVICE,
        processors=others,
    )


def _disk(evidence: RunEvidence) -> Finding | None:
    """Reads of the disk below a private server. Writes reach it later and with a journal: nobody's can be told."""
    if not evidence.on_device:
        return None
    first, last = evidence.before, evidence.after
    names = evidence.chain.disks if len(evidence.chain.disks) == 1 else evidence.chain.counters
    moved = (last.disk(names) - first.disk(names)).read_bytes
    foreign = max(0, moved - (last.family_read_bytes - first.family_read_bytes))
    share = foreign / moved if moved else 0.0
    seconds = max(1, last.monotonic_ns - first.monotonic_ns) / SECOND
    level = graded(share if foreign > FLOOR_BYTES_PER_S * seconds else 0.0, READ_WARN, float("inf"))
    return finding(
        NAME,
        softened(level, evidence.long_enough),
        f"other programs read {format_size(foreign)} of the {format_size(moved)} that the disk read ({percent(share)})",
        _ADVICE,
        share=share,
        foreign_bytes=float(foreign),
    )
