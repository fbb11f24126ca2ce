"""Is the result a known limit of the volume or instance?"""

from __future__ import annotations

import statistics
from collections.abc import Mapping

from plimsoll.model import Finding, Level, Unit
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding, percent, severest
from plimsoll.run.outcome import Amount
from plimsoll.units import SECOND, format_value, parse_count, parse_size

NAME = "cap_plateau"
TITLE = "Known caps"
WHY = """A result that sits on a documented limit, without any scatter, is that limit: two volumes with one cap look
the same whatever is behind it. A result above the limit did not come from the volume."""

NEAR = 0.03
LARGEST_VARIATION = 0.01
"""Coefficient of variation of the one-second rates of a throttled run."""
CEILING = 1.05
SHORTEST_CEILING_S = 10.0
"""Shorter runs can exceed a limit out of the volume's one-second bucket."""
OPTIONS: Mapping[str, tuple[Amount, Unit]] = {"cap_iops": ("operations", "1/s"), "cap_throughput": ("bytes", "B/s")}


def check(evidence: RunEvidence) -> Finding | None:
    """Targets with `cap_iops=` or `cap_throughput=`: what the volume is documented to deliver at most."""
    findings = [_judge(evidence, option) for option in OPTIONS if option in evidence.target.options]
    return severest(findings)


def _judge(evidence: RunEvidence, option: str) -> Finding:
    field, unit = OPTIONS[option]
    text = evidence.target.options[option].removesuffix("/s")
    cap = parse_count(text) if unit == "1/s" else parse_size(text)
    rate = sum(evidence.totals(kind)[field] for kind in ("read", "write")) * SECOND / max(1, evidence.elapsed_ns)
    share = rate / cap if cap else 0.0
    variation = _variation(evidence, field)
    values = {"share": share, "variation": variation}
    shown = f"{format_value(rate, unit)} is {percent(share)} of the cap of {format_value(cap, unit)}"
    if share > CEILING:
        return finding(
            NAME,
            Level.INVALID if evidence.elapsed_ns >= SHORTEST_CEILING_S * SECOND else Level.WARN,
            f"{shown}: more than the volume can deliver",
            f"A cache or unwritten blocks answered; write the file first (layout=refill), or correct {option}.",
            **values,
        )
    if abs(share - 1) <= NEAR and variation < LARGEST_VARIATION:
        return finding(
            NAME,
            Level.WARN,
            f"{shown}, without scatter: near its limit",
            "This is what was paid for, not what the machine could do; compare targets with different caps with care.",
            **values,
        )
    return finding(NAME, Level.OK, shown, "", **values)


def _variation(evidence: RunEvidence, field: Amount) -> float:
    """Coefficient of variation of the rate over the whole intervals; 1 where there are too few."""
    intervals = evidence.outcome["intervals"]
    full_ns = intervals[0]["duration_ns"] if intervals else 0
    rates = [
        sum(done[field] for kind, done in each["operations"].items() if kind in ("read", "write")) / each["duration_ns"]
        for each in intervals
        if each["duration_ns"] >= full_ns * 0.9 > 0
    ]
    mean = statistics.fmean(rates) if rates else 0.0
    return statistics.pstdev(rates) / mean if len(rates) >= 3 and mean else 1.0
