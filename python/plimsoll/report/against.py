"""A later session held against a baseline: each target against the one of its part in the baseline's session."""

from __future__ import annotations

from dataclasses import dataclass

from plimsoll.model import Session
from plimsoll.stats.cases import Names
from plimsoll.stats.rules import rules


@dataclass(frozen=True)
class Saved:
    """A session that was named as a baseline."""

    session: Session
    name: str


def opponents(names: Names, baseline: Session) -> dict[str, str]:
    """By target of the other sessions, the target of the baseline's session that it is compared with.

    The one of its name; else the one that the baseline's session compared its others with.
    """
    then: dict[str, str] = {}
    now: dict[str, str] = {}
    for stored, called in names.works.items():
        if stored.session == baseline.id:
            then.setdefault(stored.target, called.target)
        else:
            now.setdefault(called.target, stored.target)
    if not then:
        return {}
    usual = then.get(rules(baseline).baseline or "", next(iter(then.values())))
    return {called: then.get(stored, usual) for called, stored in now.items()}
