"""What stopped each case of a session, from its stored runs: the schedule's own rules, asked once more."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.model import Run, RunStatus, Session, SessionState
from plimsoll.report.evidence import Evidence
from plimsoll.stats.endings import looked
from plimsoll.stats.policy import MODES, STANDARD
from plimsoll.stats.rules import rules
from plimsoll.stats.stopping import Go, Stop, closing
from plimsoll.stats.verdict import StopReason


def endings(evidence: Evidence, case: str) -> str:
    """Why the runs of a case ended, once for all sessions that say the same; empty for what had no schedule."""
    found = dict.fromkeys(
        _ending(evidence, session, case)
        for session in evidence.sessions
        if session.interleaved and "mode" in session.study and "load_line" not in session.study
    )
    return "; ".join(filter(None, found))


def _ending(evidence: Evidence, session: Session, case: str) -> str:
    runs = [run for run in evidence.runs if (run.session_id, run.plan.case) == (session.id, case)]
    statuses = [run.status for run in runs if run.status is not RunStatus.PARTIAL]
    if not statuses:
        return ""
    blocks = len({run.block for run in runs if run.status is not RunStatus.PARTIAL})
    valid = (statuses.count(RunStatus.OK), len(statuses))
    metric = evidence.judged[case][0]
    if not valid[0]:
        return closing(Stop(StopReason.NOTHING_VALID), metric, blocks, valid)
    repeats = session.study.get("repeats")
    if isinstance(repeats, int) and blocks >= repeats:
        return f"repeated {blocks} times, as asked"
    if RunStatus.FAILED in statuses:
        return "a run failed"
    return _after_a_look(evidence, session, case, runs, blocks, valid)


def _after_a_look(
    evidence: Evidence, session: Session, case: str, runs: Sequence[Run], blocks: int, valid: tuple[int, int]
) -> str:
    metric, by = evidence.judged[case][0], rules(session)
    mode = MODES.get(str(session.study.get("mode")), STANDARD)
    asked = session.study.get("blocks")
    ran = {run.target.name for run in runs}
    targets = [name for name in evidence.targets if name in ran]
    called = {
        stored.target: work.target
        for stored, work in evidence.named.names.works.items()
        if stored.session == session.id
    }
    step, summaries = looked(
        [row for row in evidence.rows if (row.session, row.case, row.metric) == (session.id, case, metric)],
        targets,
        called.get(by.baseline or "", next((called[name] for name in session.target_names if name in called), None)),
        band=by.band,
        mode=mode,
        cap=asked if isinstance(asked, int) and asked > 0 else mode.cap,
        blocks=blocks,
    )
    match step:
        case Stop():
            return closing(step, metric, blocks, valid, summaries)
        case Go():
            return _unfinished(session, blocks)


def _unfinished(session: Session, blocks: int) -> str:
    after = f"after {blocks} block{'' if blocks == 1 else 's'}"
    if session.state is SessionState.INTERRUPTED:
        return f"interrupted {after}"
    if session.state is SessionState.RUNNING:
        return f"goes on {after}"
    return f"the time was used up {after}" if "time" in session.study else f"ended early, {after}"
