"""Which kind of work a case is, so that many tests stand in groups: reads, writes, mixed, files, databases.

It is what a test asks for; where a file says no more than a name, what the name says. Nothing is computed from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from plimsoll.model import Plan
from plimsoll.parameters import kind_of

FEWEST_CASES = 6
"""With less a table needs no groups."""
OTHER = "other"
_DATABASES = frozenset({"sqlite", "imported:ycsb", "imported:go_ycsb", "imported:pgbench", "imported:pgbench_logs",
                        "imported:hammerdb", "imported:redis_benchmark"})  # fmt: skip
_FILES = frozenset({"imported:bonnie", "imported:dbench", "imported:postmark"})
_NAMES = (
    (
        "databases",
        r"sql|pgbench|postgres|maria|redis|mongo|rocksdb|leveldb|tpc|ycsb|insert|transaction|commit|quer[yi]",
    ),
    ("files", r"files?\b|mail|web.?server|\btree|unpack|archive|fs.?mark|postmark|dbench|iozone|compilebench"),
    ("mixed", r"rw\b|mixed|read.{0,5}write"),
    ("reads", r"read"),
    ("writes", r"writ"),
)
"""What a name is searched for, the surest first."""


def kind_of_work(plan: Plan) -> str:
    """One word for a table; `other` where neither parameters nor names say more."""
    if plan.workload in _DATABASES:
        return "databases"
    if plan.workload in _FILES:
        return "files"
    if plan.workload == "web":
        return "web"
    if not plan.workload.startswith("imported:") and (kind := kind_of(plan.workload)) != "io":
        return {"db": "databases", "files": "files"}.get(kind, OTHER)
    named = str(plan.parameters.get("mode") or plan.parameters.get("rw") or "")
    return _named(named) or _named(plan.case) or OTHER


def grouped(plans: Mapping[str, Plan]) -> dict[str, str]:
    """Cases with their kinds, those of a kind together, else in their order; nothing where they are few or of one."""
    kinds = {case: kind_of_work(plan) for case, plan in plans.items()}
    order = [*dict.fromkeys(kinds.values())]
    # What nothing is known of is last.
    order.sort(key=lambda kind: kind == OTHER)
    if len(kinds) < FEWEST_CASES or len(order) < 2:
        return {}
    return dict(sorted(kinds.items(), key=lambda each: order.index(each[1])))


def _named(words: str) -> str:
    return next((kind for kind, pattern in _NAMES if re.search(pattern, words, re.IGNORECASE)), "")
