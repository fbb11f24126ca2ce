"""Which runs belong together: a case is a test and its parameters, a target is a place and its settings.

What a session calls `randread` or `disk` is a label. Sessions that give one label to different things get labels that
say what differs (`TPC-B scale=1000`, `disk (tmpfs)`), before anything is summarised or compared. Parameters that belong
to the targets of a session, by an option of the target or because they differ between the targets of one block, are
part of the target: two settings of one place as two targets are a comparison that was asked for.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from plimsoll.errors import UnknownName
from plimsoll.identity import place_facts, told_apart, words_apart
from plimsoll.model import Plan, Session, Target
from plimsoll.parameters import written

NOT_THE_WORK = frozenset({"seed"})
"""Parameters that may differ between two runs of the same work: another random stream is a repetition."""

MOST_NAMED = 6
"""So many differing parameters stand in a label; with more, the hash of the plan stands for the rest."""


class Work(NamedTuple):
    """What one session ran under one label on one target."""

    session: str
    case: str
    target: str
    plan: str
    """Hash of the plan."""


@dataclass(frozen=True)
class Names:
    """The works with labels that tell apart what differs."""

    works: Mapping[Work, Work]
    """Each work as it was stored, and what it is called; equal plans of one case and target have one hash."""
    named: Mapping[str, str] = field(default_factory=dict)
    """The stored name of each target by the new one."""
    across: tuple[str, ...] = ()
    """Parameters that are compared, not held equal."""

    @property
    def changed(self) -> bool:
        """Whether anything has another name than its session gave it."""
        return any(work != called for work, called in self.works.items())

    def targets_of(self, stored: str) -> tuple[str, ...]:
        """The new names of a target, in the order in which they ran."""
        return tuple(new for new, old in self.named.items() if old == stored)

    def baseline(self, name: str | None) -> str | None:
        """The target that is meant by a new or stored name; an unknown one stays as it is."""
        if name is None or name in self.named:
            return name
        return next(iter(self.targets_of(name)), name)

    def opponents(self, baseline: str) -> dict[str, str]:
        """Targets that are not to be compared with `baseline` itself, but with its namesake of their own sessions."""
        if self.across or baseline not in self.named:
            return {}
        sessions: dict[str, set[str]] = defaultdict(set)
        for called in self.works.values():
            sessions[called.target].add(called.session)
        namesakes = [name for name in self.targets_of(self.named[baseline]) if name != baseline]
        found: dict[str, str] = {}
        for target in self.named:
            if target == baseline or target in namesakes or sessions[target] & sessions[baseline]:
                continue
            beside = next((name for name in namesakes if sessions[name] & sessions[target]), None)
            if beside is not None:
                found[target] = beside
        return found


def unchanged(works: Iterable[Work]) -> Names:
    """The names as they were stored."""
    given = {work: work for work in works}
    return Names(given, {work.target: work.target for work in given})


def name_works(
    works: Mapping[Work, tuple[Plan, Target]],
    sessions: Sequence[Session],
    *,
    across: Collection[str] = (),
    each_session: Mapping[str, str] | None = None,
) -> Names:
    """Labels for the works of `sessions`; targets appear in the order in which these are given.

    `across` names parameters whose values become part of the target instead of the case, so that they are compared.
    `each_session` gives the words that tell sessions apart where each is to be a target of its own. Raises UnknownName
    for a parameter in `across` that no plan has.
    """
    known = {name: None for plan, _ in works.values() for name in plan.parameters}
    for name in across:
        if name not in known:
            raise UnknownName("parameter", name, known, "the plans of these sessions")
    order = {session.id: place for place, session in enumerate(sessions)}
    works = {work: works[work] for work in sorted(works, key=lambda work: order.get(work.session, len(order)))}
    values = _Values({work.plan: plan for work, (plan, _) in works.items()})
    bare = {work: _without(work, across, values) for work in works}
    own = _own_names(works, bare, sessions)
    compared = {label: set(across) - own[label] for label in own}
    cases = _case_labels(works, bare, own, compared, values)
    targets = _target_labels(works, bare, own, sessions, values, each_session or {})
    found: dict[Work, Work] = {}
    named: dict[str, str] = {}
    plans: dict[tuple[str, str], str] = {}
    for work in works:
        apart = _across_text(work, compared[bare[work]], values)
        target = f"{targets[work.session, work.target]}{apart}"
        plan = plans.setdefault((cases[work], target), work.plan)
        same = values.key(work.plan, set()) == values.key(plan, set())
        found[work] = Work(f"{work.session}{apart}", cases[work], target, plan if same else work.plan)
        named.setdefault(target, work.target)
    return Names(found, named, tuple(across))


class _Values:
    """Parameters of plans by hash, each compared and written once."""

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        self._plans = plans
        self._exact: dict[str, dict[str, str]] = {}

    def exact(self, plan: str) -> dict[str, str]:
        """Every parameter that is part of the work, as text that is equal only for equal values."""
        if plan not in self._exact:
            given = self._plans[plan].parameters
            self._exact[plan] = {
                name: json.dumps(value, sort_keys=True, default=str)
                for name, value in given.items()
                if name not in NOT_THE_WORK
            }
        return self._exact[plan]

    def key(self, plan: str, without: Collection[str]) -> tuple[tuple[str, str], ...]:
        """What two plans of one case have in common."""
        return tuple(sorted((name, text) for name, text in self.exact(plan).items() if name not in without))

    def told(self, plan: str, name: str) -> str:
        """One value as people read it; empty where the plan has none."""
        found = self._plans[plan]
        return written(found.workload, name, found.parameters[name]) if name in found.parameters else ""


def _without(work: Work, across: Collection[str], values: _Values) -> str:
    """The label of a case without the values that are compared."""
    label = work.case
    for name in across:
        label = label.replace(f" {name}={values.told(work.plan, name)}", "")
    return " ".join(word for word in label.split(" ") if word.partition("=")[0] not in across) if across else label


def _own_names(
    works: Mapping[Work, tuple[Plan, Target]], bare: Mapping[Work, str], sessions: Sequence[Session]
) -> dict[str, set[str]]:
    """By label the parameters that belong to targets: given as an option of one, or different within a block."""
    found: dict[str, set[str]] = {label: set() for label in bare.values()}
    in_turns = {session.id for session in sessions if session.interleaved}
    together: dict[tuple[str, str], list[Plan]] = defaultdict(list)
    for work, (plan, target) in works.items():
        found[bare[work]].update(name for name in target.options if name in plan.parameters)
        if work.session in in_turns:
            together[work.session, work.case].append(plan)
    for work in works:
        plans = together.pop((work.session, work.case), [])
        if len(plans) > 1:
            names = {name for plan in plans for name in plan.parameters}
            found[bare[work]] |= {
                name
                for name in names
                if any(plan.parameters.get(name) != plans[0].parameters.get(name) for plan in plans)
            }
    return found


def _case_labels(
    works: Mapping[Work, tuple[Plan, Target]],
    bare: Mapping[Work, str],
    own: Mapping[str, set[str]],
    compared: Mapping[str, set[str]],
    values: _Values,
) -> dict[Work, str]:
    """The label of each work; those of one label with different parameters get these into it."""
    keys = {work: values.key(work.plan, own[bare[work]] | compared[bare[work]]) for work in works}
    kinds: dict[str, dict[tuple[tuple[str, str], ...], Work]] = defaultdict(dict)
    for work in works:
        kinds[bare[work]].setdefault(keys[work], work)
    labels: dict[tuple[str, tuple[tuple[str, str], ...]], str] = {}
    for label, first in kinds.items():
        differing = _differing(list(first), next(iter(first.values())), works)
        for key, work in first.items():
            labels[label, key] = _label(label, differing, work.plan, values) if len(first) > 1 else label
    return {work: labels[bare[work], keys[work]] for work in works}


def _differing(
    keys: Sequence[tuple[tuple[str, str], ...]], first: Work, works: Mapping[Work, tuple[Plan, Target]]
) -> list[str]:
    """The parameters that are not the same in all of `keys`, in the order of the first plan."""
    tables = [dict(key) for key in keys]
    names = dict.fromkeys([*works[first][0].parameters, *(name for table in tables for name in table)])
    return [name for name in names if len({table.get(name) for table in tables}) > 1]


def _label(label: str, differing: Sequence[str], plan: str, values: _Values) -> str:
    said = {word.partition("=")[0] for word in label.split(" ") if "=" in word}
    names = [name for name in differing if name not in said]
    words = [f"{name}={values.told(plan, name) or 'none'}" for name in names[:MOST_NAMED]]
    if len(names) > MOST_NAMED or not words:
        words.append(f"plan={plan[:8]}")
    return " ".join([label, *words])


def _target_labels(
    works: Mapping[Work, tuple[Plan, Target]],
    bare: Mapping[Work, str],
    own: Mapping[str, set[str]],
    sessions: Sequence[Session],
    values: _Values,
    each_session: Mapping[str, str],
) -> dict[tuple[str, str], str]:
    """The name of each target of each session; places of one name that differ get what differs into it."""
    hosts = {session.id: session.host for session in sessions}
    facts: dict[tuple[str, str], dict[str, str]] = {}
    for work, (plan, target) in works.items():
        place = (work.session, work.target)
        if place not in facts:
            facts[place] = place_facts(target, hosts.get(work.session, {}))
        for name in sorted(own[bare[work]] & plan.parameters.keys()):
            told = values.told(work.plan, name)
            if facts[place].setdefault(name, told) != told:
                facts[place][f"{name} of {bare[work]}"] = told
    by_name: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for place in facts:
        by_name[place[1]].append(place)
    labels: dict[tuple[str, str], str] = {}
    for name, places in by_name.items():
        groups = told_apart([facts[place] for place in places])
        if len(set(groups)) > 1:
            merged = [_merged(facts, places, groups, number) for number in range(max(groups) + 1)]
            words = words_apart(merged)
            labels |= {place: f"{name} ({words[group]})" for place, group in zip(places, groups, strict=True)}
        else:
            labels |= dict.fromkeys(places, name)
    return {
        place: f"{label} · {each_session[place[0]]}" if place[0] in each_session else label
        for place, label in labels.items()
    }


def _merged(
    facts: Mapping[tuple[str, str], Mapping[str, str]],
    places: Sequence[tuple[str, str]],
    groups: Sequence[int],
    number: int,
) -> dict[str, str]:
    """What is known of one place from all its sets."""
    found: dict[str, str] = {}
    for place, group in zip(places, groups, strict=True):
        if group == number:
            found |= {name: text for name, text in facts[place].items() if name not in found}
    return found


def _across_text(work: Work, compared: Collection[str], values: _Values) -> str:
    """` scale=100`: what a target is called beside its name where that is compared."""
    told = [f"{name}={text}" for name in sorted(compared) if (text := values.told(work.plan, name))]
    return "".join(f" {words}" for words in told)
