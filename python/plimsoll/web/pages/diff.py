"""What differs between the environments of two sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from plimsoll.errors import UsageError
from plimsoll.model import Session
from plimsoll.parameters import all_written
from plimsoll.report.sections.environment import flat_facts, time_text
from plimsoll.store.store import Store
from plimsoll.web.access import Reader
from plimsoll.web.rendering import page
from plimsoll.web.reports import session_of
from plimsoll.web.sides import Side, paired

router = APIRouter(prefix="/diff")

SAID = ("targets", "title")
MOST_NAMED = 3
"""Cases that a line names; of more it gives the number."""

Pair = Annotated[list[str], Query(max_length=20, description="Two sessions.")]


@dataclass(frozen=True)
class Fact:
    """One thing that both, or one of them, tell; None where it is not told."""

    name: str
    one: str | None
    other: str | None

    @property
    def differs(self) -> bool:
        """Whether the two are not alike."""
        return self.one != self.other


@dataclass(frozen=True)
class Group:
    """Facts of one thing. `said`: what there is to say where only one of the two has it."""

    title: str
    facts: tuple[Fact, ...]
    heads: tuple[str, str] = ("", "")
    """What it is called in each, where that differs."""
    said: str = ""

    @property
    def differing(self) -> tuple[Fact, ...]:
        """The facts that differ."""
        return tuple(fact for fact in self.facts if fact.differs)

    @property
    def same(self) -> tuple[Fact, ...]:
        """The facts that are alike."""
        return tuple(fact for fact in self.facts if not fact.differs)


def groups_of(store: Store, one: Session, other: Session) -> list[Group]:
    """What two sessions tell about themselves, their host, each pair of targets, their study and their plans."""
    sides = Side.of(store, one), Side.of(store, other)
    pairs = paired(*sides)
    found = [_group("Session", _about(one), _about(other)), _group("Host", _host(one), _host(other))]
    found += [_targets(sides, *pair) for pair in pairs]
    # What a study says about its targets stands with these, its title with the session.
    studies = ({name: each.study[name] for name in each.study if name not in SAID} for each in (one, other))
    found.append(_group("Study", *studies))
    found.append(Group("Plans", _plans(store, sides, pairs)))
    return [group for group in found if group.facts or group.said]


def _targets(sides: tuple[Side, Side], ours: str | None, theirs: str | None) -> Group:
    """One place beside the other that had the same part."""
    one, other = sides
    if ours is None or theirs is None:
        name, side, which = (ours, one, "earlier") if theirs is None else (theirs, other, "later")
        assert name is not None
        about = side.targets[name]
        where = f", {about['where']}" if about.get("where") else ""
        return Group(f"Target {name}", (), said=f"Only the {which} session has it{where}.")
    title = ours if ours == theirs else f"{ours} and {theirs}"
    is_baseline = (ours, theirs) == (one.baseline, other.baseline)
    found = _group(f"{'Baseline' if is_baseline else 'Target'} {title}", one.targets[ours], other.targets[theirs])
    return found if ours == theirs else replace(found, heads=(ours, theirs))


def _plans(store: Store, sides: tuple[Side, Side], pairs: Iterable[tuple[str | None, str | None]]) -> tuple[Fact, ...]:
    """Parameters that differ between the plans of a case on targets of one part; each once, with where that is."""
    one, other = sides
    written = {key: all_written(plan) for key, plan in store.plans([one.session.id, other.session.id]).items()}
    differing: dict[tuple[str, str | None, str | None], list[str]] = {}
    same: list[Fact] = []
    for ours, theirs in pairs:
        if ours is None or theirs is None:
            continue
        on = f"on {ours}" if ours == theirs else f"on {ours} and {theirs}"
        for case in dict.fromkeys((*one.plans.get(ours, {}), *other.plans.get(theirs, {}))):
            mine, yours = one.plans.get(ours, {}).get(case), other.plans.get(theirs, {}).get(case)
            if mine == yours:
                same.append(Fact(f"{case} {on}", mine, yours))
            elif mine is None or yours is None:
                key = ("", None if mine is None else "run", None if yours is None else "run")
                differing.setdefault(key, []).append(f"{case} {on}")
            else:
                for fact in _group("", written.get(mine, {}), written.get(yours, {})).differing:
                    differing.setdefault((fact.name, fact.one, fact.other), []).append(f"{case} {on}")
    told = (
        Fact(f"{name}: {_some(where)}" if name else _some(where), *values)
        for (name, *values), where in differing.items()
    )
    return (*told, *same)


def _some(places: Sequence[str]) -> str:
    more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
    return ", ".join(places[:MOST_NAMED]) + more


def _about(session: Session) -> dict[str, Any]:
    return {
        "title": session.title,
        "started": time_text(session.started_ns or None),
        "Plimsoll": session.plimsoll_version,
        "rules of verdicts": session.policy_version,
    }


def _host(session: Session) -> Mapping[str, Any]:
    return {name: value for name, value in session.host.items() if name != "owner"}


def _group(title: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Group:
    ours, theirs = _flat(one), _flat(other)
    return Group(title, tuple(Fact(name, ours.get(name), theirs.get(name)) for name in dict.fromkeys((*ours, *theirs))))


def _flat(values: Mapping[str, Any]) -> dict[str, str]:
    return dict(flat_facts(_listed(values)))


def _listed(values: Mapping[str, Any]) -> dict[str, Any]:
    """Lists of tables, as a study has them, by the name or place of each."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        if isinstance(value, list | tuple) and any(isinstance(each, Mapping) for each in value):
            found[name] = dict(_named(value))
        else:
            found[name] = value
    return found


def _named(values: Iterable[Any]) -> Iterable[tuple[str, Any]]:
    """Each by what it is called, so that one more in one of two lists does not move all that follow."""
    taken: Counter[str] = Counter()
    for place, value in enumerate(values, 1):
        called = value.get("name", value.get("test")) if isinstance(value, Mapping) else None
        name = called if isinstance(called, str) else str(place)
        taken[name] += 1
        yield (f"{name}, no. {taken[name]}" if taken[name] > 1 else name), value


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader, s: Pair = []) -> HTMLResponse:  # noqa: B006 - FastAPI copies it
    """Both environments side by side."""
    request.state.visitor = who
    if len(s) != 2:
        raise UsageError("choose two sessions in the list, then press “Compare environments”")
    store = request.app.state.store
    one, other = sorted((session_of(store, each) for each in s), key=lambda each: (each.started_ns, each.id))
    groups = groups_of(store, one, other)
    alike = sum(len(group.same) for group in groups)
    return page(request, "diff.html", one=one, other=other, groups=groups, alike=alike)
