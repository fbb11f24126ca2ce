"""What a session in a real account has shown, one thing after the other: the answer of `plimsoll cloud selftest`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll.clouds import finding
from plimsoll.model import RENTED, Run, RunStatus, Session
from plimsoll.report.sections.bill import FACT
from plimsoll.units import format_duration


@dataclass(frozen=True)
class Verified:
    """One thing that had to be so."""

    what: str
    ok: bool
    seen: str


def verified(session: Session, runs: Sequence[Run]) -> list[Verified]:
    """Of one finished session with one rented target. Asks the provider what is left. Raises CloudError."""
    rental: Mapping[str, Any] = session.host[FACT]
    return [*_ready(session, rental), *_measured(runs), *_over(rental)]


def _ready(session: Session, rental: Mapping[str, Any]) -> Iterator[Verified]:
    waited = session.started_ns - rental["begun_ns"]
    yield Verified("a machine boots, lets us in by SSH, and runs this Plimsoll", True, format_duration(waited))


def _measured(runs: Sequence[Run]) -> Iterator[Verified]:
    facts = runs[-1].target.facts if runs else {}
    volumes = list(facts.get(RENTED, {}).get("volumes", []))
    devices = [each for each in facts.get("devices", []) if isinstance(each, Mapping)]
    shown = [f"{each.get('name')}, serial {each.get('key') or 'not shown'}" for each in devices]
    found = bool(volumes and shown)
    yield Verified("the device of the volume is found", found, f"{', '.join(volumes)} is {'; '.join(shown)}")
    bad = [run for run in runs if run.status is not RunStatus.OK]
    why = next((f": {run.reason}" for run in bad if run.reason), "")
    seen = f"{len(runs) - len(bad)} of {len(runs)} runs are valid{why}"
    yield Verified("the volume is measured", not bad and bool(runs), seen)


def _over(rental: Mapping[str, Any]) -> Iterator[Verified]:
    left = finding.cloud(rental["provider"]).resources(rental["region"], rental["id"])
    seen = ", ".join(f"{each.kind} {each.id}" for each in left) or "nothing is listed"
    yield Verified("everything was given back", not left, seen)
    length = format_duration(rental["ended_ns"] - rental["begun_ns"]) if "ended_ns" in rental else "unknown"
    yield Verified("the length of the rental is on record", "ended_ns" in rental, length)
