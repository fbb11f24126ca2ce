"""Which targets of two sessions had the same part, whatever they were called."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.model import Session, Target
from plimsoll.stats.rules import rules
from plimsoll.store import search
from plimsoll.store.store import Store


@dataclass(frozen=True)
class Side:
    """One of two sessions that are laid side by side."""

    session: Session
    targets: Mapping[str, Mapping[str, Any]]
    """What is known of each target, in the order of the study: the baseline first."""
    plans: Mapping[str, Mapping[str, str]]
    """By target and case the hashes of its plans."""

    @classmethod
    def of(cls, store: Store, session: Session) -> Side:
        """What the store knows of it."""
        planned = {str(each["name"]): each for each in _tables(session) if "name" in each}
        ran = search.targets(store, session.id)
        baseline = rules(session).baseline
        names = dict.fromkeys([*((baseline,) if baseline in planned or baseline in ran else ()), *planned, *ran])
        plans: dict[str, dict[str, list[str]]] = {}
        for place in search.places(store, [session.id]):
            plans.setdefault(place.target, {}).setdefault(place.case, []).append(place.plan_hash)
        return cls(
            session,
            {name: _known(ran.get(name), planned.get(name, {})) for name in names if name is not None},
            {
                target: {case: ", ".join(sorted(each)) for case, each in cases.items()}
                for target, cases in plans.items()
            },
        )

    @property
    def baseline(self) -> str | None:
        """What the others were compared with."""
        return next(iter(self.targets), None)


def paired(one: Side, other: Side) -> list[tuple[str | None, str | None]]:
    """Targets of one part: with one name, else in one place, else both baselines, else in the order of the studies.

    None where the other session has none left.
    """
    ours, theirs = list(one.targets), list(other.targets)
    found: dict[str, str] = {}

    def match(fits: Callable[[str, str], bool]) -> None:
        for name in ours:
            free = [each for each in theirs if each not in found.values()]
            partner = next((each for each in free if name not in found and fits(name, each)), None)
            if partner is not None:
                found[name] = partner

    match(lambda mine, yours: mine == yours)
    match(lambda mine, yours: one.targets[mine].get("where", mine) == other.targets[yours].get("where", yours))
    match(lambda mine, yours: (mine, yours) == (one.baseline, other.baseline))
    match(lambda mine, yours: one.baseline != mine and other.baseline != yours)
    left = [each for each in theirs if each not in found.values()]
    return [*((name, found.get(name)) for name in ours), *((None, each) for each in left)]


def _tables(session: Session) -> list[Mapping[str, Any]]:
    targets = session.study.get("targets")
    return [each for each in targets if isinstance(each, Mapping)] if isinstance(targets, list) else []


def _known(ran: Target | None, planned: Mapping[str, Any]) -> Mapping[str, Any]:
    """A target as it ran; one that never did, as it was planned."""
    if ran is None:
        return {name: value for name, value in planned.items() if name != "name"}
    options = {f"option {name}": value for name, value in ran.options.items()}
    return {"where": ran.where, "kind": ran.kind, **options, **ran.facts}
