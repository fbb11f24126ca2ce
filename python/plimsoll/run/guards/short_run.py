"""Are there enough operations for the percentiles that are judged?"""

from __future__ import annotations

import math

from plimsoll.model import Finding, Level
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.guards._judge import finding

NAME = "short_run"
TITLE = "Operations behind a percentile"
WHY = """A percentile needs operations beyond it. With fewer than 368 operations not even an upper bound of p99 can be
given at 97.5 % confidence."""
KINDS = ("io", "files", "db")

PERCENTILES = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "p9999": 0.9999}
MISS = 0.025
"""Chance that no operation lies beyond the percentile; gives 6, 36, 368, 3,688 operations (§3 of the method)."""


def check(evidence: RunEvidence) -> Finding | None:
    """The metrics of the test that are percentiles, such as `read_p99`, where operations of their kind ran.

    The one with the worst shortage is named.
    """
    needs = []
    for metric in evidence.plan.metrics:
        kind, _, name = metric.rpartition("_")
        operations = evidence.totals(kind)["operations"]
        if name in PERCENTILES and operations:
            share = PERCENTILES[name]
            least = math.ceil(math.log(MISS) / math.log(share))
            needs.append((operations / least, f"{kind.replace('_', ' ')} p{100 * share:g}", operations, least))
    if not needs:
        return None
    supply, shown, operations, least = min(needs)
    enough = supply >= 1
    return finding(
        NAME,
        Level.OK if enough else Level.WARN,
        f"{shown} rests on {operations:,} operations" + ("" if enough else f"; it needs at least {least:,}"),
        "Run longer (runtime=), or judge a lower percentile.",
        operations=operations,
        needed=least,
    )
