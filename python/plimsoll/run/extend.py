"""More blocks for a finished session: which session may have them, how many it would take, and how they are asked for.

The looks go on where they ended, by the one plan of `stats/policy.py`, which pays for all of them from the start. So an
extension may be asked for because there was no verdict, and again, and verdicts stay false with at most 5 %.
"""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import plimsoll
from plimsoll.errors import TargetError, UsageError
from plimsoll.model import POLICY_VERSION, Run, RunStatus, Session, SessionState
from plimsoll.run import plan as planning
from plimsoll.run.record import score_rows
from plimsoll.run.resume import rents
from plimsoll.run.run_lengths import in_turns
from plimsoll.run.session import carry_on
from plimsoll.run.session_runner import SessionRunner
from plimsoll.run.study import Study, from_table
from plimsoll.stats.endings import looked
from plimsoll.stats.paired import cells
from plimsoll.stats.parts import Extension
from plimsoll.stats.policy import LAST, LEVELS_FROM, MODES, PLAN_FROM, log_width, next_look
from plimsoll.stats.stopping import PRECISE_ENOUGH, Stop
from plimsoll.stats.verdict import StopReason
from plimsoll.store.liveness import state_now
from plimsoll.store.names import short_id
from plimsoll.store.store import Store
from plimsoll.targets.host import host_facts
from plimsoll.targets.owner import machine_key

LAST_OF_OLD_PLAN = 12
"""Blocks up to which the looks of older rules are those of the present plan."""


@dataclass(frozen=True)
class Standing:
    """Where a case of a session stands."""

    case: str
    blocks: int
    """Blocks that it has."""
    needed: int | None
    """Projected blocks in all until there is a verdict, or a precise score; None where there is one."""
    block_ns: int
    """About how long one more block takes."""

    @property
    def within_reach(self) -> bool:
        """Undecided, and the plan of looks goes as far as is projected."""
        return self.needed is not None and self.needed <= LAST

    @property
    def more(self) -> int:
        """Blocks to the look at which the verdict is projected."""
        if self.needed is None:
            return 0
        wanted = max(self.needed, self.blocks + 1)
        return (next_look(wanted - 1) or LAST) - self.blocks


def refusal(session: Session) -> str | None:
    """Why a session cannot be extended here, or None."""
    name = short_id(session.id)
    if "load_line" in session.study:
        return (
            "it is a search for a load line, whose loads were chosen from what was found: more blocks of them would be "
            "no larger sample of anything; `plimsoll knee` with --mode publish searches more closely"
        )
    if not session.interleaved or "mode" not in session.study or "tests" not in session.study:
        return "it was imported or made by a front end, not measured in blocks by `plimsoll run`"
    if why := _gone(session):
        return why
    state = state_now(session)
    if state is SessionState.RUNNING:
        return "it is still running; wait for its end"
    if state is SessionState.INTERRUPTED:
        return f"it was interrupted; `plimsoll run --resume {name}` goes on first"
    return None


def _gone(session: Session) -> str | None:
    """Why its places are not here."""
    if rents(session):
        return (
            "its volumes were rented for it and given back; `plimsoll run` with --allocations measures on further ones"
        )
    if session.host.get("machine_key") != machine_key():
        return f"it ran on another machine ({session.host.get('hostname', 'unknown')}), where it can be extended"
    return None


def standings(session: Session, runs: Sequence[Run]) -> list[Standing]:
    """Where the cases of a session stand, one that never ran too; those in which a run failed are left out."""
    study = from_table(session.study, f"session {session.title}")
    by_case: dict[str, list[Run]] = defaultdict(list)
    for run in runs:
        if run.status is not RunStatus.PARTIAL:
            by_case[run.plan.case].append(run)
    return [
        _standing(step, by_case[step.case], study)
        for step in planning.steps(study)
        if not any(run.status is RunStatus.FAILED for run in by_case[step.case])
    ]


def _standing(step: planning.Step, runs: Sequence[Run], study: Study) -> Standing:
    present: dict[tuple[int, int], set[str]] = defaultdict(set)
    for run in runs:
        present[run.block, run.attempt].add(run.target.name)
    blocks = len({block for (block, _), names in present.items() if names >= step.plans.keys()})
    spent_ns = sum(run.spent_ns for run in runs)
    return Standing(step.case, blocks, _needed(runs, study, blocks), spent_ns // blocks if blocks else step.block_ns)


def _needed(runs: Sequence[Run], study: Study, blocks: int) -> int | None:
    """Projected blocks in all; LAST + 1 stands for more than the plan has."""
    if not any(run.status is RunStatus.OK for run in runs):
        return next_look(blocks)
    metric = runs[0].plan.metrics[0]
    rows = [row for row in score_rows(runs) if row.metric == metric]
    names = [target.name for target in study.targets]
    mode = replace(MODES[study.mode], patient=True, cap=LAST)
    mode = replace(mode, score_width=mode.score_width or PRECISE_ENOUGH)
    step, summaries, _ = looked(rows, names, study.baseline, band=study.band, mode=mode, blocks=blocks)
    if isinstance(step, Stop) and step.reason in (StopReason.DECIDED, StopReason.PRECISE):
        return None
    if len(names) > 1:
        reference = study.baseline or names[0]
        found = cells(rows, reference, band=study.band, mode=mode)
        projected = [cell.verdict.blocks_needed for cell in found if cell.verdict.blocks_needed is not None]
        return max(projected, default=LAST + 1)
    target = log_width(mode.score_width or PRECISE_ENOUGH)
    widest = max((each.half_width for each in summaries), default=math.inf)
    if not math.isfinite(widest):
        return next_look(blocks)
    # The width of a mean falls with the root of the number of blocks.
    wanted = blocks * (widest / target) ** 2
    return math.ceil(wanted) if wanted <= LAST else LAST + 1


def planned(
    session: Session, runs: Sequence[Run], blocks: int | None, time_ns: int | None, *, until_verdict: bool
) -> Extension:
    """What to add to a session; raises UsageError where the plan of looks does not allow it, or nothing is open.

    Without any bound a verdict is sought to the look at which it is projected.
    """
    found = standings(session, runs)
    name = short_id(session.id)
    open_ = [each for each in found if each.needed is not None]
    if until_verdict and not open_:
        raise UsageError(
            f"every case of session {name} has its answer; `plimsoll extend {name} --blocks 10` adds blocks "
            "all the same"
        )
    most = max((each.blocks for each in (open_ if until_verdict else found)), default=0)
    _check_rules(session, most)
    if most >= LAST:
        raise UsageError(
            f"session {name} has {most} blocks, and looks end at {LAST}: further ones could not change a verdict; a "
            f"new session is a new set of data: `plimsoll export {name} --study again.toml`, `plimsoll run again.toml`"
        )
    if until_verdict and blocks is None and time_ns is None:
        reachable = [each for each in open_ if each.within_reach]
        if not reachable:
            raise UsageError(
                f"session {name} is projected to need more blocks than the {LAST} of the last look: reduce the noise "
                f"or widen the band; `plimsoll extend {name} --for 1h` tries anyway"
            )
        blocks = max(each.more for each in reachable)
    return Extension(
        started_ns=time.time_ns(),
        after={each.case: each.blocks for each in found},
        blocks=blocks,
        time_ns=time_ns,
        until_verdict=until_verdict,
        changed=tuple(_changed_host(session)),
    )


def _check_rules(session: Session, most: int) -> None:
    """Looks that were taken by older rules have spent what later ones would have to."""
    old = session.policy_version < PLAN_FROM
    if session.policy_version < LEVELS_FROM or (old and most > LAST_OF_OLD_PLAN):
        raise UsageError(
            f"session {short_id(session.id)} was judged by rules of version {session.policy_version}, whose looks end "
            "at 20 blocks and have used up the error that later ones would need; start a new session"
        )


def extend_session(session: Session, part: Extension, runner: SessionRunner) -> Session:
    """Add a part to a finished session. Raises UsageError or TargetError if it would not be the same measurement."""
    earlier = runner.store.runs([session.id])
    study = runner.machines.resolved(from_table(session.study, f"session {session.title}"))
    study = replace(study, extensions=(*study.extensions, part))
    steps, _ = in_turns(study, runner.machines.ways, earlier)
    _check_same_plans(session, earlier, steps)
    extended = session.model_copy(update={"study": {**session.study, **_kept(study)}, "policy_version": POLICY_VERSION})
    try:
        return carry_on(extended, runner)
    except (TargetError, UsageError):
        if len(runner.store.runs([session.id])) == len(earlier):
            # Refused before the first run: the session is what it was.
            runner.store.restore_session(session)
        raise


def _kept(study: Study) -> dict[str, Any]:
    return {"extensions": [each.to_table() for each in study.extensions]}


def _check_same_plans(session: Session, earlier: Sequence[Run], steps: Sequence[planning.Step]) -> None:
    """A profile of another version gives other plans, and their runs would form no pairs with the earlier ones."""
    now = {(step.case, name): plan for step in steps for name, plan in step.plans.items()}
    for run in earlier:
        plan = now.get((run.plan.case, run.target.name))
        if plan is None or plan.hash != run.plan.hash:
            then, there = run.plan.parameters, plan.parameters if plan is not None else {}
            differs = sorted(name for name in then.keys() | there.keys() if then.get(name) != there.get(name))
            raise UsageError(
                f"session {short_id(session.id)} cannot be extended: {run.plan.case} on {run.target.name} would be "
                f"another plan by Plimsoll {plimsoll.__version__} than it was by {session.plimsoll_version} "
                f"({', '.join(differs) or 'another workload'}); extend it with that version, or start a new session"
            )


_HOST = {
    "kernel": ("kernel",),
    "distribution": ("distribution",),
    "processor": ("processor", "model"),
    "microcode": ("processor", "microcode"),
    "processors": ("processor", "usable"),
    "governor": ("processor", "governor"),
    "memory": ("memory", "total_bytes"),
    "memory limit": ("memory", "limit_bytes"),
    "clock source": ("clock_source",),
    "virtualisation": ("virtualisation",),
}
"""Facts of a host that a session may outlive, and that can change what it measures."""


def _changed_host(session: Session) -> list[str]:
    """What is no longer the same on this machine, in words: said, not refused, as blocks are compared in themselves."""
    now = host_facts()
    found = [
        f"{name} was {before}, is {after}"
        for name, way in _HOST.items()
        for before, after in [(_at(session.host, way), _at(now, way))]
        if before not in (None, "") and after not in (None, "") and before != after
    ]
    if session.plimsoll_version != plimsoll.__version__:
        found.append(f"Plimsoll was {session.plimsoll_version}, is {plimsoll.__version__}")
    return found


def _at(facts: Mapping[str, Any], way: Sequence[str]) -> Any:
    for name in way:
        facts = facts.get(name) if isinstance(facts, Mapping) else None  # type: ignore[assignment]
    return facts


def extendable(store: Store, text: str | None) -> Session:
    """The session named by `text`, or the last one; raises UsageError if it cannot be extended."""
    session = store.find_session(text) if text is not None else store.last_session()
    if session is None:
        raise UsageError("the store holds no session yet; `plimsoll run` makes the first one")
    if reason := refusal(session):
        raise UsageError(f"session {short_id(session.id)} ({session.title}) cannot be extended: {reason}")
    return session
