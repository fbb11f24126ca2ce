"""Stores that hold one of everything a report can speak of, for the test that all formats say the same."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping
from typing import Any

from tests.factories import make_study
from tests.unit.report.studies import burst
from tests.unit.report.test_file_sections import phase, with_results
from tests.unit.report.test_load_line_search import searched

from plimsoll.model import Finding, Level, Plan, Run, RunStatus, Session
from plimsoll.parameters import defaults
from plimsoll.stats.parts import Extension
from plimsoll.units import SECOND

Stored = tuple[list[Session], list[Run]]

VOLUMES = {"gp2": "gp2+size=100GiB+instance=m5.large", "gp3": "gp3+size=100GiB"}


def rich() -> Stored:
    """Two priced volumes: better, same, worse and unknown; a failed, an invalid and a skipped run; a burst."""
    session, runs = make_study(
        ("gp2", "gp3"),
        ("ping", "randread", "randwrite", "randrw", "seqwrite"),
        6,
        {("gp3", "ping"): 0.31, ("gp3", "randwrite"): 1.6},
        noise=0.01,
        failed=1,
        invalid=1,
        title="rich",
    )
    session = session.model_copy(update={"tags": ("baseline", "gp3"), "note": "firmware 2.1\nbefore the move"})
    chance = random.Random(5)
    found = [_priced(run) for run in runs]
    found = [_noisy(run, chance) if run.plan.case == "randrw" else run for run in found]
    # In a case of which all its blocks are still whole.
    at = _place(found, "randread", "gp2")
    found[at] = burst(found[at])
    at = _place(found, "seqwrite", "gp3")
    nothing: dict[str, Any] = {"scores": (), "histograms": {}, "intervals": (), "findings": (), "facts": {}}
    found[at] = found[at].model_copy(
        update={"status": RunStatus.SKIPPED, "reason": "the budget was used up", **nothing}
    )
    return [session], found


def _place(runs: list[Run], case: str, target: str) -> int:
    return next(
        i for i, run in enumerate(runs) if (run.plan.case, run.target.name, run.status) == (case, target, RunStatus.OK)
    )


def _priced(run: Run) -> Run:
    target = run.target.model_copy(update={"options": {"as": VOLUMES[run.target.name]}})
    return run.model_copy(update={"target": target})


def _noisy(run: Run, chance: random.Random) -> Run:
    factor = math.exp(chance.gauss(0, 0.8))
    return run.model_copy(
        update={"scores": tuple(s.model_copy(update={"value": s.value * factor}) for s in run.scores)}
    )


def memory() -> Stored:
    """A file-system test that memory answered on both targets."""
    session, runs = make_study(("a", "b"), ("randread",), 4, {"b": 0.5}, title="memory")
    chance = random.Random(3)
    return [session], [
        with_results(run, [phase("run", 84.7 * math.exp(chance.gauss(0, 0.02)))], memory=True) for run in runs
    ]


def apart() -> Stored:
    """Two imported sets: nothing was interleaved."""
    sessions, found = [], []
    for number, (name, ratio) in enumerate((("old", 1.0), ("new", 1.7))):
        session, runs = make_study(
            (name,), ("randread", "seqwrite"), 5, {name: ratio}, seed=number, title=f"set {name}"
        )
        study = {**session.study, "interleaved": False, "imported": "table"}
        sessions.append(session.model_copy(update={"study": study}))
        found += runs
    return sessions, found


def load_line() -> Stored:
    """A finished search with an objective."""
    session, runs = searched(slo="p99<2ms")
    return [session.model_copy(update={"title": "searched"})], runs


SERVERS: Mapping[str, Mapping[str, str]] = {
    "db1": {"version": "PostgreSQL 15.8", "fsync": "off", "shared_buffers": "128MB"},
    "db2": {"version": "PostgreSQL 15.8", "fsync": "on", "shared_buffers": "4GB"},
}


def databases() -> Stored:
    """Two servers with other settings, and operations that failed."""
    session, runs = make_study(("db1", "db2"), ("randread",), 4, {"db2": 0.6}, title="databases")
    plan = Plan(
        test="ycsb-c", case="ycsb-c", workload="ycsb", parameters=defaults("ycsb"), metrics=("iops", "read_p99")
    )
    late = Finding(
        guard="db_errors", level=Level.WARN, message="2 of 4,000 operations failed (0.05 %)", advice="See its log."
    )
    return [session], [
        run.model_copy(
            update={
                "plan": plan,
                "findings": (late,) if run.block == 1 and run.target.name == "db1" else (),
                "facts": {
                    **run.facts,
                    "server": SERVERS[run.target.name],
                    "whole": ["read"],
                    "elapsed_ns": 10 * SECOND,
                    "errors": {"read": {"timeout": 2}} if run.block == 1 else {},
                    "not_found": {},
                },
            }
        )
        for run in runs
    ]


def extended() -> Stored:
    """Six blocks and ten more on another day, with another kernel."""
    session, runs = make_study(("a", "b"), ("randread",), 6, noise=0.005, title="extended", intervals=2)
    _, more = make_study(("a", "b"), ("randread",), 16, noise=0.005, title="extended", intervals=2)
    part = Extension(session.started_ns + 10**14, {"randread": 6}, 10, changed=("kernel was 6.1, is 6.5",))
    session = session.model_copy(update={"study": {**session.study, "extensions": [part.to_table()]}})
    later = [each for each in more if each.block >= 6]
    return [session], [*runs, *(each.model_copy(update={"session_id": session.id}) for each in later)]


SITUATIONS: Mapping[str, Callable[[], Stored]] = {
    each.__name__: each for each in (rich, memory, apart, load_line, databases, extended)
}
