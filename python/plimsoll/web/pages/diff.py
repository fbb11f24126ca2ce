"""What differs between the environments of two sessions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse

from plimsoll.errors import UsageError
from plimsoll.model import Session, Target
from plimsoll.report.sections.environment import flat_facts, time_text
from plimsoll.store import search
from plimsoll.store.store import Store
from plimsoll.web.access import Reader
from plimsoll.web.rendering import page
from plimsoll.web.reports import session_of

router = APIRouter(prefix="/diff")

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
    """Facts of one thing, those that differ first."""

    title: str
    facts: tuple[Fact, ...]

    @property
    def differing(self) -> int:
        """How many differ."""
        return sum(fact.differs for fact in self.facts)


def groups_of(store: Store, one: Session, other: Session) -> list[Group]:
    """What two sessions tell about themselves, their host, each target and their study."""
    places = search.places(store, [one.id, other.id])
    found = [_group("Session", _about(one), _about(other)), _group("Host", _host(one), _host(other))]
    targets = [search.targets(store, each.id) for each in (one, other)]
    names = dict.fromkeys(name for each in targets for name in each)
    found += [_group(f"Target {name}", *(_target(each.get(name)) for each in targets)) for name in names]
    found.append(_group("Study", one.study, other.study))
    ran = [
        {f"{place.case} on {place.target}": place.plan_hash for place in places if place.session_id == each.id}
        for each in (one, other)
    ]
    found.append(_group("Plans", *ran))
    return [group for group in found if group.facts]


def _about(session: Session) -> dict[str, Any]:
    return {
        "title": session.title,
        "started": time_text(session.started_ns or None),
        "Plimsoll": session.plimsoll_version,
        "rules of verdicts": session.policy_version,
    }


def _host(session: Session) -> Mapping[str, Any]:
    return {name: value for name, value in session.host.items() if name != "owner"}


def _target(target: Target | None) -> Mapping[str, Any]:
    if target is None:
        return {}
    options = {f"option {name}": value for name, value in target.options.items()}
    return {"where": target.where, "kind": target.kind, **options, **target.facts}


def _group(title: str, one: Mapping[str, Any], other: Mapping[str, Any]) -> Group:
    ours, theirs = _flat(one), _flat(other)
    facts = [Fact(name, ours.get(name), theirs.get(name)) for name in dict.fromkeys((*ours, *theirs))]
    return Group(title, tuple(sorted(facts, key=lambda fact: not fact.differs)))


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
    for place, value in enumerate(values, 1):
        named = value.get("name") if isinstance(value, Mapping) else None
        yield (named if isinstance(named, str) else str(place)), value


@router.get("", response_class=HTMLResponse)
def show(request: Request, who: Reader, s: Pair = []) -> HTMLResponse:  # noqa: B006 - FastAPI copies it
    """Both environments side by side."""
    request.state.visitor = who
    if len(s) != 2:
        raise UsageError("choose two sessions in the list, then press “Environment of two”")
    store = request.app.state.store
    one, other = sorted((session_of(store, each) for each in s), key=lambda each: (each.started_ns, each.id))
    return page(request, "diff.html", one=one, other=other, groups=groups_of(store, one, other))
