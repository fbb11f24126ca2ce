"""Did the device move the bytes that the test counted?"""

from __future__ import annotations

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import FLOOR_BYTES, RunEvidence, Window
from plimsoll.run.guards._judge import (
    at_most,
    device_window,
    finding,
    graded,
    moves_nothing,
    percent,
    severest,
    softened,
)
from plimsoll.units import KIB, format_size

NAME = "device_bytes"
TITLE = "Device counters against own counts"
WHY = """With direct I/O every byte the test reads or writes must pass the device. If the kernel's counters of the
device show less, something else answered: a cache below, unwritten blocks, or data that was left out."""

WARN, INVALID = 0.02, 0.05
"""|device − test| / test. Less than the test is invalid; more is a warning only, because journals, copies and
read-ahead are the stack's own work: whether other programs did it is what `foreign_io` judges."""
FLOOR_MISSING = 64 * KIB
SEVERAL = 10.0
"""From this on bytes are told as a multiple."""


def check(evidence: RunEvidence) -> Finding | None:
    """Reads and writes separately, over the part of the run that the samples enclose."""
    if not evidence.io["direct"] or moves_nothing(evidence):
        return None
    if not evidence.reads and not evidence.writes:
        return None
    window = device_window(NAME, evidence)
    if isinstance(window, Finding):
        return window
    kinds = [kind for kind, used in (("read", evidence.reads), ("write", evidence.writes)) if used]
    judged = [_judge(evidence, window, kind) for kind in kinds]
    values = {name: value for each in judged for name, value in each.values.items()}
    found = severest(judged)
    return found and found.model_copy(update={"values": values})


def _judge(evidence: RunEvidence, window: Window, kind: str) -> Finding:
    counters = window.device(evidence.chain.counters)
    device = counters.read_bytes if kind == "read" else counters.write_bytes
    tool = window.tool_bytes.get(kind, 0.0)
    asked = window.after.own_io.get(f"{kind}_bytes", 0) - window.before.own_io.get(f"{kind}_bytes", 0)
    # What the device did beyond this process' own requests is foreign I/O, which has a guard of its own.
    difference = max(min(device, asked) - tool, 0.0) if device > tool <= asked else device - tool
    floor = FLOOR_MISSING if difference < 0 else FLOOR_BYTES
    slack = max(floor, window.uncertain_bytes.get(kind, 0.0), _waiting_bytes(evidence, window, kind))
    share = max(0.0, abs(difference) - slack) / tool if tool else 0.0
    values = {f"{kind}_device_bytes": float(device), f"{kind}_test_bytes": tool}
    did = f"the device did {format_size(device)} of {kind}s, the test counted {format_size(tool)}"
    if difference < 0:
        level = graded(share, WARN, INVALID)
        return finding(
            NAME,
            softened(level, window.judged),
            did if level is Level.OK else f"{did}: {percent(-difference / tool)} never reached it",
            "A cache, unwritten blocks or a compressing layer below the file system answered; write the file first "
            "(layout=refill), and turn off caching below (a loop device needs --direct-io=on).",
            **values,
        )
    expected = kind == "write" and (evidence.syncs or len(evidence.chain.counters) > 1)
    level = Level.OK if expected else at_most(graded(share, WARN, INVALID), Level.WARN)
    return finding(
        NAME,
        level,
        did if level is Level.OK else f"{did}: {_more(difference / tool)}",
        "Other programs, a journal or read-ahead used the device too; see what the foreign I/O guard says.",
        **values,
    )


def _waiting_bytes(evidence: RunEvidence, window: Window, kind: str) -> float:
    """What the device may have done before the window, and the client looked at in it: what its queue has no place for.

    Only with more in flight than that holds the client waits for a place before it looks at what came back.
    """
    operations = window.tool_operations.get(kind, 0.0)
    if not operations:
        return 0.0
    queues = [evidence.chain.device(name).queue_requests for name in evidence.chain.counters]
    waiting = evidence.outcome["mean_in_flight"] - sum(queues) if all(queues) else 0.0
    return max(0.0, waiting) * window.tool_bytes.get(kind, 0.0) / operations


def _more(share: float) -> str:
    """`16 % more`; `408 times as much` where a percentage could not be grasped."""
    return f"{share + 1:,.0f} times as much" if share + 1 >= SEVERAL else f"{percent(share)} more"
