"""What a store says of its sessions that no later version may say otherwise: numbers and answers, not sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from plimsoll.altered import GUARD
from plimsoll.importers.rereading import reread
from plimsoll.model import POLICY_VERSION, Level, Run, Session
from plimsoll.report.evidence import Evidence
from plimsoll.run.regenerate import regenerated
from plimsoll.stats.policy import OLDEST
from plimsoll.stats.rules import rules
from plimsoll.store.store import Store

AGAIN = "two targets", "two targets again"
"""Titles of two sessions that are also compared with each other: runs that were not made in turns."""


def told(store: Store) -> dict[str, Any]:
    """What is said of each session, by its id, and of the two that are compared, under `together`."""
    sessions = store.sessions()
    found: dict[str, Any] = {each.id: _session(each, store.runs([each.id])) for each in sessions}
    pair = [each for each in reversed(sessions) if each.title in AGAIN]
    if pair:
        runs = store.runs([each.id for each in pair])
        found["together"] = {"answers": _answers(pair, runs, POLICY_VERSION)}
    return found


def _session(session: Session, runs: list[Run]) -> dict[str, Any]:
    """What is said of one session, by every version of the rules."""
    again = reread(session, runs) if "imported" in session.study else {run.id: regenerated(run) for run in runs}
    return {
        "title": session.title,
        "state": session.state.value,
        "tags": list(session.tags),
        "note": session.note,
        "targets": list(session.target_names),
        "extensions": len(session.study.get("extensions", ())),
        "workers": sorted(session.host.get("workers", ())),
        "statuses": dict(sorted(Counter(run.status.value for run in runs).items())),
        "changed": sorted(run.id for run in runs if _is_changed(run)),
        # Made once more from the raw material of the run, and equal to the last bit.
        "regenerated": sum(bool(run.scores) and again.get(run.id) == run.scores for run in runs),
        "plans": sorted({f"{run.plan.case}: {run.plan.hash}" for run in runs}),
        "answers": {str(policy): _answers([session], runs, policy) for policy in range(OLDEST, POLICY_VERSION + 1)},
    }


def _is_changed(run: Run) -> bool:
    return any(finding.guard == GUARD and finding.level is Level.INVALID for finding in run.findings)


def _answers(sessions: Sequence[Session], runs: Sequence[Run], policy: int) -> dict[str, Any]:
    """Scores of targets and verdicts, without the sentences that tell them: words may get better, answers may not."""
    asked = rules(sessions[0])
    evidence = Evidence(list(sessions), list(runs), asked.baseline, asked.band, policy)
    return {
        "scores": {
            f"{line.case}, {line.target}, {line.metric}": None
            if line.summary is None
            else [len(line.values), line.summary.value, line.summary.low, line.summary.high]
            for line in evidence.lines
        },
        "verdicts": {
            f"{cell.case}, {cell.metric}, {cell.target} against {cell.baseline}": [
                cell.verdict.answer.value,
                cell.verdict.ratio,
                cell.verdict.ratio_low,
                cell.verdict.ratio_high,
                cell.verdict.blocks_used,
            ]
            for cell in evidence.cells
        },
    }
