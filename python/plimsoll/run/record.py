"""From an execution to the run record: status, scores, findings."""

from __future__ import annotations

import base64
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import NoneType
from typing import Any

from uuid_utils import uuid7

from plimsoll import plugins
from plimsoll.model import Finding, Interval, Level, Plan, Run, RunStatus, Target
from plimsoll.parameters import kind_of
from plimsoll.run import workloads
from plimsoll.run.evidence import RunEvidence
from plimsoll.run.outcome import Outcome
from plimsoll.run.places import Place
from plimsoll.run.sampler import attach
from plimsoll.run.schedule import RunRequest
from plimsoll.run.workers.execution import Execution, failure
from plimsoll.stats.carryover import neighbours_in
from plimsoll.stats.paired import ScoreRow
from plimsoll.volumes.full import no_space_text_at

_KEPT_ELSEWHERE = frozenset(
    {"status", "error", "started_ns", "histograms", "intervals", "interval_histograms", "trace"}
)
"""Parts of an outcome that have a field of their own in a run."""

STOPPED = "stopped before its end"
_ENDINGS = {"ok": RunStatus.OK, "stopped": RunStatus.PARTIAL, "failed": RunStatus.FAILED}


def run_record(
    request: RunRequest,
    place: Place,
    plan: Plan,
    execution: Execution,
    started_ns: int,
    beside: Sequence[Outcome] = (),
) -> Run:
    """The record of one finished execution; on a noisy host what others took of the machine only warns.

    `beside` is what others did on the same devices meanwhile, in a block whose targets alternate in slices.
    """
    outcome = execution.outcome
    status = _ENDINGS[outcome["status"]]
    histograms = {kind: base64.b64decode(text) for kind, text in outcome["histograms"].items()}
    measured = [Interval.model_validate(each) for each in outcome["intervals"]]
    samples = (execution.before, *execution.samples, execution.after)
    # Samples are taken once a second, which says nothing of a slice.
    alone = "slices" not in outcome
    intervals = attach(measured, samples, outcome["started_ns"], place.chain.counters) if alone else tuple(measured)
    evidence = RunEvidence(
        plan=plan,
        target=place.target,
        outcome=outcome,
        before=execution.before,
        after=execution.after,
        samples=execution.samples,
        chain=place.chain,
        file=workloads.of(plan).file_facts(plan, place),
        memory_limit_bytes=place.memory_limit_bytes,
        first=request.block.number == 0 and request.block.attempt == 0,
        beside=tuple(beside),
    )
    findings = judged(evidence, request.noisy_host) if status is RunStatus.OK else ()
    reason = _why_failed(outcome, place) if status is RunStatus.FAILED else ""
    if status is RunStatus.PARTIAL:
        reason = STOPPED + (f": {_why_failed(outcome, place)}" if outcome["error"] else "")
    if any(finding.level is Level.INVALID for finding in findings):
        status = RunStatus.INVALID
        reason = next(finding.message for finding in findings if finding.level is Level.INVALID)
    return Run(
        id=str(uuid7()),
        session_id=request.session_id,
        block=request.block.number,
        order=request.position,
        attempt=request.block.attempt,
        target=place.target,
        plan=plan,
        started_ns=started_ns,
        ended_ns=time.time_ns(),
        status=status,
        reason=reason,
        scores=workloads.of(plan).scores(plan, outcome, histograms, intervals),
        histograms=histograms,
        intervals=tuple(intervals),
        findings=findings,
        facts=_facts(outcome),
        artefacts=execution.artefacts,
    )


def unmeasured(request: RunRequest, target: Target, plan: Plan, started_ns: int, reason: str = "") -> Run:
    """A run that has failed without a result."""
    return Run(
        id=str(uuid7()),
        session_id=request.session_id,
        block=request.block.number,
        order=request.position,
        attempt=request.block.attempt,
        target=target,
        plan=plan,
        started_ns=started_ns,
        ended_ns=time.time_ns(),
        status=RunStatus.FAILED,
        reason=reason,
    )


def _why_failed(outcome: Any, place: Place) -> str:
    """The first error, and what an emulated volume knows of it: its programs see an I/O error for everything."""
    full = no_space_text_at(Path(place.target.where)) if outcome["error"] and place.target.kind != "database" else None
    return failure(outcome) + (f"; {full}" if full else "")


def judged(evidence: RunEvidence, noisy_host: bool) -> tuple[Finding, ...]:
    """What every guard says; a guard that cannot judge this kind of run says nothing."""
    findings = []
    kind = kind_of(evidence.plan.workload)
    for guard in plugins.found("guards"):
        if kind not in getattr(guard.module, "KINDS", ("io",)):
            continue
        finding = guard.call("check", evidence, answers=(Finding, NoneType), otherwise=None)
        if finding is not None and finding.guard != guard.name:
            # Nobody speaks for another guard.
            finding = finding.model_copy(update={"guard": guard.name})
        if finding is not None and noisy_host and getattr(guard.module, "HOST_NOISE", False):
            finding = finding.model_copy(update={"level": min(finding.level, Level.WARN, key=list(Level).index)})
        findings.append(finding)
    return tuple(finding for finding in findings if finding is not None)


def _facts(outcome: Any) -> dict[str, Any]:
    """What was measured once per run and is no score."""
    return {name: value for name, value in outcome.items() if name not in _KEPT_ELSEWHERE}


def score_rows(runs: Sequence[Run]) -> Iterable[ScoreRow]:
    """The runs' scores as the light rows that the statistics take."""
    for run in runs:
        plan_hash = run.plan.hash
        for score in run.scores:
            yield ScoreRow(
                session=run.session_id,
                case=run.plan.case,
                metric=score.metric,
                unit=score.unit,
                direction=score.direction,
                target=run.target.name,
                block=run.block,
                attempt=run.attempt,
                order=run.order,
                status=run.status,
                value=score.value,
                plan_hash=plan_hash,
                neighbours=neighbours_in(run.facts),
            )
