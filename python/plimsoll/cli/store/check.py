"""`plimsoll store check`: what is damaged, what was changed, what can be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plimsoll.store.checkup import Checked, Checkup

EXAMPLES = (
    "`plimsoll store check`, `PLIMSOLL_STORE=/backup/results.db plimsoll store check --json`. "
    "It exits with 1 where something is damaged or was changed."
)


def command(json: Json = False) -> None:
    """Say what in the store is damaged, altered or readable.

    Nothing is written. Every run is read with everything that belongs to it, and compared with its checksums.
    """
    from plimsoll.cli.output import print_json, say
    from plimsoll.store import spill
    from plimsoll.store.checkup import Examination
    from plimsoll.store.connection import parse_location
    from plimsoll.store.location import store_location

    place = parse_location(store_location())
    if waits := spill.told(place):
        say(waits)
    with Examination(place) as examination:
        found = examination.checkup
    if json:
        sessions = [each.as_table() for each in found.sessions]
        print_json({"store": found.place, "good": found.good, "damages": found.damages, "sessions": sessions})
    for sentence in found.sentences:
        say(sentence)
    say(_summary(found.sessions, found.place, whole=not found.damages))
    if advice := _advice(found):
        say(advice)
    if not found.good:
        raise typer.Exit(1)


def _summary(sessions: Sequence[Checked], place: str, *, whole: bool) -> str:
    good = [each for each in sessions if each.whole]
    runs = sum(len(each.readable) for each in sessions)
    told = f"{len(good):,} of {_count(len(sessions), 'session')} can be read whole, {_count(runs, 'run')} in all"
    unsealed = sum(each.unsealed for each in sessions)
    if unsealed:
        told += f"; {_count(unsealed, 'run')} from before checksums, of which nobody can tell whether they were changed"
    return told + ("" if whole else f"; {place} is damaged")


def _advice(found: Checkup) -> str:
    """What can be done about damage."""
    if not found.damages and all(each.whole for each in found.sessions):
        miscounted = any(each.miscounted for each in found.sessions)
        return "`plimsoll store rescue OUT.db` makes a store that counts them anew" if miscounted else ""
    if any(each.whole for each in found.sessions):
        return "`plimsoll store rescue OUT` saves every intact session"
    if any(each.record and each.readable for each in found.sessions):
        return "`plimsoll store rescue --parts OUT` saves the runs that can be read"
    return "nothing of it can be saved: take a copy of the store, or import exported result files into a new one"


def _count(number: int, noun: str) -> str:
    return f"1 {noun}" if number == 1 else f"{number:,} {noun}s"
