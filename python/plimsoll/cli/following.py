"""What one would type next, after sessions were shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plimsoll.model import Session


def tell_report(sessions: Sequence[Session]) -> None:
    """The last line for somebody who reads on a terminal: what one would type next."""
    import sys

    from plimsoll.cli.output import say
    from plimsoll.store.names import short_id

    if sys.stdout.isatty() and sys.stderr.isatty():
        say(report_of(" ".join(short_id(session.id) for session in sessions)))


def report_of(names: str) -> str:
    """The report of sessions, as what comes next."""
    return f"next: `plimsoll report {names} -o report.html`"
