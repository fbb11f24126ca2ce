"""The end of a command that measured: what was found, and what one would type next."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Run, Session


def conclude(
    session: Session,
    runs: list[Run],
    output: str | None,
    *,
    force: bool,
    json: bool,
    quiet: bool,
    earlier: Sequence[Session] = (),
) -> None:
    """Show the session, write its report to `output`, and say what comes next.

    `earlier` are the sessions of other allocations of the same study: shown with it, for a verdict on the products.

    Raises NothingMeasured where no run is of use, MachineLost where the session ended without some of its targets.
    """
    from plimsoll.api.measuring import check_measured
    from plimsoll.cli.commands import report, show

    shown = [each.id for each in (*earlier, session)]
    show.shown(shown, json=json)
    if output is not None:
        report.command(shown, output=output, force=force)
    check_measured(session, runs)
    if earlier:
        _tell_products(shown, quiet=json or quiet, reported=output is not None)
    elif not (json or quiet):
        _tell_next(session, runs, reported=output is not None)


def _tell_products(ids: Sequence[str], *, quiet: bool, reported: bool) -> None:
    """The last line after several allocations."""
    from plimsoll.cli.following import report_of
    from plimsoll.cli.output import say
    from plimsoll.stats.policy import LOOKS
    from plimsoll.store.names import short_id

    if len(ids) < LOOKS[0]:
        say(f"{len(ids)} allocations: a verdict on products needs {LOOKS[0]}")
    names = " ".join(map(short_id, ids))
    if not quiet:
        say(f"sessions {names}; " + (f"`plimsoll compare --products {names}`" if reported else report_of(names)))


def _tell_next(session: Session, runs: list[Run], *, reported: bool) -> None:
    """The last line: `session 3f9c1b20; …`. Where nothing is left to do, only which session it was."""
    from plimsoll.cli.following import report_of
    from plimsoll.cli.output import say
    from plimsoll.store.names import short_id

    name = short_id(session.id)
    following = _extension(session, runs, name) or ("" if reported else report_of(name))
    say(f"session {name}" + (f"; {following}" if following else ""))


def _extension(session: Session, runs: list[Run], name: str) -> str:
    """What would settle the cases that have no answer yet; empty where there is none, or where it would not."""
    from plimsoll.errors import PlimsollError
    from plimsoll.run.extend import refusal, standings
    from plimsoll.units import format_estimate

    # How precise one target's score should be is for its reader to say; a comparison has a question.
    if refusal(session) is not None or len(session.target_names) < 2:
        return ""
    try:
        open_ = [each for each in standings(session, runs) if each.within_reach]
    except PlimsollError:
        # A study of another version: what was measured stands, and that is enough here.
        return ""
    if not open_:
        return ""
    most = max(each.more for each in open_)
    cost = format_estimate(sum(each.more * each.block_ns for each in open_))
    without = "1 case has" if len(open_) == 1 else f"{len(open_)} cases have"
    blocks = f"{most:,} more block{'' if most == 1 else 's'}"
    there = " with the same --cluster" if any(run.target.where.startswith("@") for run in runs) else ""
    return f"{without} no answer yet; `plimsoll extend {name}`{there} goes on for about {blocks} ({cost})"
