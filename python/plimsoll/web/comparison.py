"""Any targets of any sessions side by side, and why they may or may not be compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from plimsoll.errors import UsageError
from plimsoll.model import Plan, Run, RunStatus, Session, Target
from plimsoll.parameters import written
from plimsoll.report import Document, Evidence, build_document
from plimsoll.report.document import Phrase, Section, Table, Tone, columns, phrase
from plimsoll.report.labels import count_text
from plimsoll.report.sections.environment import host_facts
from plimsoll.report.subject import subject
from plimsoll.stats.policy import DEFAULT_BAND
from plimsoll.stats.rules import rules
from plimsoll.store.names import short_id
from plimsoll.store.records import host_name
from plimsoll.store.store import Store
from plimsoll.web.reports import session_of

MOST_TARGETS = 8
MOST_RUNS = 5_000
_LEFT_OUT = {"method", "data"}
"""Sections that speak of one session, or repeat what its own page has."""

_HOST_FACTS = ("kernel", "processor model", "cpu model", "machine", "virtualisation", "clock source")


class Choice(NamedTuple):
    """One target of one session."""

    session_id: str
    target: str


@dataclass(frozen=True)
class Comparison:
    """Chosen targets with the names they have on the page, and their runs under these names."""

    sessions: tuple[Session, ...]
    names: dict[Choice, str]
    runs: tuple[Run, ...]

    @property
    def baseline(self) -> str:
        """The first one."""
        return next(iter(self.names.values()))


def parse_choices(words: Sequence[str]) -> list[Choice]:
    """Choices from `SESSION:TARGET`. Raises UsageError."""
    found = [Choice(*word.split(":", 1)) for word in words if ":" in word]
    if len(found) < len(words):
        raise UsageError("a target to compare is written as SESSION:TARGET")
    if len(found) > MOST_TARGETS:
        raise UsageError(f"{len(found)} targets are too many to see anything; choose at most {MOST_TARGETS}")
    return list(dict.fromkeys(found))


def collect(store: Store, choices: Sequence[Choice], *, pool: bool) -> Comparison:
    """The runs of the chosen targets. With `pool`, targets of one name in several sessions are one target.

    Only where they are one place, or allocations of one product: a name that stands for other things is told apart by
    what differs. Runs of one plan are the same work whatever their session called it, so all take the label that came
    first.
    """
    sessions = {choice.session_id: session_of(store, choice.session_id) for choice in choices}
    chosen = [Choice(sessions[choice.session_id].id, choice.target) for choice in choices]
    unique = {session.id: session for session in sessions.values()}
    runs = store.runs(list(unique), {choice.target for choice in chosen})
    found = [run for run in runs if Choice(run.session_id, run.target.name) in chosen]
    if len(found) > MOST_RUNS:
        raise UsageError(f"the chosen targets have {len(found):,} runs; choose fewer than {MOST_RUNS:,}")
    for choice in chosen:
        if not any((run.session_id, run.target.name) == choice for run in found):
            raise UsageError(f"session {short_id(choice.session_id)} has no run of a target named {choice.target!r}")
    names = _pooled(chosen, list(unique.values()), found) if pool else _names(chosen)
    return Comparison(tuple(unique.values()), names, tuple(_renamed(found, names, chosen)))


def _pooled(chosen: Sequence[Choice], sessions: Sequence[Session], runs: Sequence[Run]) -> dict[Choice, str]:
    """The names under which runs of several sessions may be pooled."""
    evidence = Evidence(list(sessions), list(runs), None, DEFAULT_BAND)
    if subject(evidence) is not evidence:
        # The report tells the allocations apart itself, and what they are allocations of.
        return {choice: choice.target for choice in chosen}
    works = evidence.named.names.works
    called = {Choice(stored.session, stored.target): work.target for stored, work in works.items()}
    return {choice: called.get(choice, choice.target) for choice in chosen}


def _names(chosen: Sequence[Choice]) -> dict[Choice, str]:
    many = {choice.target for choice in chosen if sum(each.target == choice.target for each in chosen) > 1}
    return {
        choice: choice.target if choice.target not in many else f"{choice.target} · {short_id(choice.session_id)}"
        for choice in chosen
    }


def _renamed(runs: Iterable[Run], names: dict[Choice, str], chosen: Sequence[Choice]) -> list[Run]:
    places = {choice: place for place, choice in enumerate(chosen)}
    ordered = sorted(runs, key=lambda run: places[Choice(run.session_id, run.target.name)])
    hashes = _hashes(ordered)
    labels: dict[str, str] = {}
    plans: dict[int, Plan] = {}
    targets: dict[tuple[int, str], Target] = {}
    renamed = []
    for run in ordered:
        # Runs share plans and targets, and go on to do so: what is made of one is made once.
        if (plan := plans.get(id(run.plan))) is None:
            label = labels.setdefault(hashes[id(run.plan)], run.plan.case)
            plan = run.plan if label == run.plan.case else run.plan.model_copy(update={"case": label})
            plans[id(run.plan)] = plan
        name = names[Choice(run.session_id, run.target.name)]
        if (target := targets.get((id(run.target), name))) is None:
            target = targets[id(run.target), name] = run.target.model_copy(update={"name": name})
        renamed.append(run.model_copy(update={"target": target, "plan": plan}))
    return renamed


def _hashes(runs: Iterable[Run]) -> dict[int, str]:
    """The hash of each plan by its identity: runs share a few plans, and a hash is of all parameters."""
    return {place: plan.hash for place, plan in {id(run.plan): run.plan for run in runs}.items()}


def build(found: Comparison, band: str | None = None, across: Sequence[str] = ()) -> Document:
    """The report on a comparison: the usual sections, after one on what can be compared.

    `across` names parameters that are compared instead of being held equal. Raises UnknownName for one that is in no
    plan.
    """
    chosen = rules(found.sessions[0], found.baseline, band)
    evidence = Evidence(
        list(found.sessions), list(found.runs), found.baseline, chosen.band, across=tuple(dict.fromkeys(across))
    )
    document = build_document(evidence)
    sections = [each for each in document.sections if each.id not in _LEFT_OUT]
    first = Section("comparable", "What can be compared", (comparability(evidence), *_circumstances(found)))
    return Document(document.title, document.subtitle, (first, *sections), document.make_scores)


def comparability(evidence: Evidence) -> Table:
    """For each case and target, whether it did the same work as the baseline, and how they were measured."""
    by_place: dict[tuple[str, str], list[Run]] = {}
    for run in evidence.runs:
        by_place.setdefault((run.plan.case, run.target.name), []).append(run)
    hashes = _hashes(evidence.runs)
    against = {target: evidence.opponent(target) for target in evidence.others}
    rows = tuple(
        (
            phrase(case),
            phrase(other),
            *_reason(by_place.get((case, baseline), []), by_place.get((case, other), []), hashes),
        )
        for case in evidence.cases
        for other, baseline in against.items()
        if (case, baseline) in by_place or (case, other) in by_place
    )
    notes = (
        "The same work: workload and every parameter are equal, which the hash of the plan says. Only then a ratio "
        "says something about the targets alone; with other parameters it is about these too.",
    )
    caption = f"Against {', '.join(dict.fromkeys(against.values()))}"
    return Table(caption, columns("Case", "Target", "Comparable", "Reason", "Plans"), rows, notes)


def _reason(ours: list[Run], theirs: list[Run], hashes: dict[int, str]) -> tuple[Phrase, Phrase, Phrase]:
    if not ours or not theirs:
        missing = "the baseline" if not ours else "this target"
        return Phrase("no", Tone.UNKNOWN), phrase(f"{missing} never ran this case"), phrase("")
    plans = [dict.fromkeys(hashes[id(run.plan)] for run in runs) for runs in (ours, theirs)]
    shown = phrase(", ".join(plans[0] | plans[1]))
    shared = plans[0].keys() & plans[1].keys()
    if not shared:
        mark = "with care" if ours[0].plan.workload == theirs[0].plan.workload else "no"
        return Phrase(mark, Tone.UNKNOWN), phrase(_difference(ours[0], theirs[0])), shown
    valid = [
        [run for run in runs if hashes[id(run.plan)] in shared and run.status is RunStatus.OK]
        for runs in (ours, theirs)
    ]
    if not all(valid):
        return Phrase("no", Tone.UNKNOWN), phrase("one of the two has no valid run of this work"), shown
    blocks = [{(run.session_id, run.block) for run in runs} for runs in valid]
    together = len(blocks[0] & blocks[1])
    if together:
        told = f"the same work, interleaved in {count_text(together, 'block')}"
        return Phrase("yes", Tone.BETTER), phrase(told), shown
    return (
        Phrase("with care", Tone.UNKNOWN),
        phrase("the same work, but measured apart: whatever changed between the sessions is in the ratio too"),
        shown,
    )


def _difference(ours: Run, theirs: Run) -> str:
    if ours.plan.workload != theirs.plan.workload:
        return f"different work: {ours.plan.workload} against {theirs.plan.workload}"
    mine, other = ours.plan.parameters, theirs.plan.parameters
    told = [
        f"{name} {_told(ours.plan, name)} against {_told(theirs.plan, name)}"
        for name in sorted(mine.keys() | other.keys())
        if mine.get(name) != other.get(name)
    ]
    return "parameters differ: " + "; ".join(told[:8]) + (f"; and {len(told) - 8} more" if len(told) > 8 else "")


def _told(plan: Plan, name: str) -> str:
    return written(plan.workload, name, plan.parameters[name]) if name in plan.parameters else "not set"


def _circumstances(found: Comparison) -> list[Table]:
    """What else differs between the sessions: hosts, versions, rules."""
    if len(found.sessions) < 2:
        return []
    facts = [host_facts(session.host) for session in found.sessions]
    words = [
        {
            "host": host_name(session) or "unknown",
            **{name: each[name] for name in _HOST_FACTS if name in each},
            "Plimsoll": session.plimsoll_version,
            "rules of verdicts": f"version {session.policy_version}",
        }
        for session, each in zip(found.sessions, facts, strict=True)
    ]
    names = list(dict.fromkeys(name for each in words for name in each))
    differing = [name for name in names if len({each.get(name) for each in words}) > 1]
    if not differing:
        return []
    heads = columns("Circumstance", *(f"{session.title} {short_id(session.id)}" for session in found.sessions))
    rows = tuple((phrase(name), *(phrase(each.get(name, "unknown")) for each in words)) for name in differing)
    return [Table("What differs between the sessions", heads, rows)]
