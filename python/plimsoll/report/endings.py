"""What stopped each case of a session, from its stored runs: the schedule's own rules, asked once more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from plimsoll.model import Run, RunStatus, Session, SessionState
from plimsoll.report.evidence import Evidence
from plimsoll.stats.endings import looked, repeated
from plimsoll.stats.parts import extensions_of
from plimsoll.stats.policy import LAST, MODES, STANDARD, Mode
from plimsoll.stats.rules import rules
from plimsoll.stats.stopping import PRECISE_ENOUGH, Go, Stop, closing
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
    repeats, parts = session.study.get("repeats"), extensions_of(session.study)
    if isinstance(repeats, int) and blocks >= repeats and not parts:
        return f"{repeated(blocks)}, as asked"
    if (
        parts
        and not parts[-1].until_verdict
        and blocks >= (parts[-1].cap(_stored_case(evidence, session, case)) or LAST)
    ):
        return f"extended to {blocks} blocks, as asked"
    if RunStatus.FAILED in statuses:
        return "a run failed"
    return _after_a_look(evidence, session, case, runs, blocks, valid)


def _after_a_look(
    evidence: Evidence, session: Session, case: str, runs: Sequence[Run], blocks: int, valid: tuple[int, int]
) -> str:
    metric, by = evidence.judged[case][0], rules(session)
    mode = MODES.get(str(session.study.get("mode")), STANDARD)
    asked, parts = session.study.get("blocks"), extensions_of(session.study)
    cap = asked if isinstance(asked, int) and asked > 0 else most_blocks(mode, runs)
    if parts:
        cap = parts[-1].cap(_stored_case(evidence, session, case)) or LAST
        mode = replace(mode, patient=True, score_width=mode.score_width or PRECISE_ENOUGH)
    ran = {run.target.name for run in runs}
    targets = [name for name in evidence.targets if name in ran]
    called = {
        stored.target: work.target
        for stored, work in evidence.named.names.works.items()
        if stored.session == session.id
    }
    step, summaries, _ = looked(
        [row for row in evidence.rows if (row.session, row.case, row.metric) == (session.id, case, metric)],
        targets,
        called.get(by.baseline or "", next((called[name] for name in session.target_names if name in called), None)),
        band=by.band,
        mode=replace(mode, cap=cap),
        blocks=blocks,
    )
    match step:
        case Stop():
            return closing(step, metric, blocks, valid, summaries, asked=None if parts else asked)
        case Go():
            return _unfinished(session, blocks)


def most_blocks(mode: Mode, runs: Sequence[Run]) -> int:
    """What the mode allowed; a case may have gone on with one target after the other, with as many blocks."""
    allowed = (mode.most_blocks(run.plan.parameters.get("runtime"), alternating=run.in_slices) for run in runs)
    return max(allowed, default=mode.cap)


def _unfinished(session: Session, blocks: int) -> str:
    after = f"after {blocks} block{'' if blocks == 1 else 's'}"
    if session.state is SessionState.INTERRUPTED:
        return f"interrupted {after}"
    if session.state is SessionState.RUNNING:
        return f"goes on {after}"
    parts = extensions_of(session.study)
    bounded = parts[-1].time_ns is not None if parts else "time" in session.study
    return f"the time was used up {after}" if bounded else f"ended early, {after}"


def _stored_case(evidence: Evidence, session: Session, case: str) -> str:
    """The label that the session itself uses for a case."""
    works = evidence.named.names.works.items()
    return next((stored.case for stored, work in works if (stored.session, work.case) == (session.id, case)), case)
