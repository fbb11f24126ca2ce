"""`plimsoll top`: a running session, seen from another terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.completion import session_words
from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from plimsoll.cli.live_states import Live

EXAMPLES = (
    "`plimsoll top` shows the session that runs on this machine; `plimsoll top 3f9c --once` prints where it stands and "
    "ends; `plimsoll top --json` is for programs."
)
NOTHING_RUNS = 1
"""Exit code where there is no session to look at."""
LOOKS_EVERY_S = 0.5


def command(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="[SESSION]",
            help="Short id or title of a running session. Default: the only one, or the one that you choose.",
            autocompletion=session_words,
        ),
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="Print where it stands, and end.")] = False,
    json: Json = False,
) -> None:
    """Watch a running session from another terminal.

    Shows tests and targets so far, the current run, what is undecided, and the time left.
    """
    import sys

    from plimsoll.cli.live_states import states
    from plimsoll.cli.output import say

    found = _named(states(), session)
    if session is None and any(live.alive for live in found):
        # Of one that was killed nobody asks while another runs.
        found = [live for live in found if live.alive]
    if json:
        _print_json(found)
    elif not found:
        say("no session is running here; `plimsoll run` starts one")
    elif sys.stdout.isatty() and not once and any(live.alive for live in found):
        _watch(_chosen(found) if len(found) > 1 else found[0])
        return
    else:
        for each in found:
            _print(each)
    if not any(live.alive for live in found):
        raise typer.Exit(NOTHING_RUNS)


def _named(found: list[Live], word: str | None) -> list[Live]:
    """All of them, or the one that is meant. Raises UnknownName."""
    from plimsoll.errors import UnknownName
    from plimsoll.store.names import Named, find

    if word is None or not found:
        return found
    try:
        meant = find(word, [Named(live.state.session, live.state.title) for live in found])
    except UnknownName:
        known = [name for live in found for name in (_short(live), live.state.title)]
        raise UnknownName("running session", word, known, "this machine") from None
    return [live for live in found if live.state.session == meant]


def _print_json(found: list[Live]) -> None:
    from dataclasses import asdict

    from plimsoll.cli.output import print_json

    print_json([{**asdict(live.state), "owner": live.state.owner.model_dump(), "alive": live.alive} for live in found])


def _short(live: Live) -> str:
    from plimsoll.store.names import short_id

    return short_id(live.state.session)


def _gone(live: Live) -> str:
    """What became of a session whose process is not there any more."""
    return (
        f"session {_short(live)} ({live.state.title}): its process ({live.state.owner.pid}) was killed; finished runs "
        f"are kept, and `plimsoll run --resume {_short(live)}` goes on"
    )


def _print(live: Live) -> None:
    """Where a session stands, on as many lines as that takes."""
    import sys
    import time

    from plimsoll.cli.board import lines
    from plimsoll.cli.output import console, say

    if not live.alive:
        say(_gone(live))
        return
    screen = console()
    screen.print(f"session {_short(live)}", markup=False)
    width = screen.width if sys.stdout.isatty() else 10_000
    for each in lines(live.state, width, 10_000, time.time_ns()):
        screen.print(each)


def _chosen(found: list[Live]) -> Live:
    """The one of several that the user names by its number."""
    import time

    from plimsoll.cli.board import headline
    from plimsoll.cli.output import harmless

    for number, live in enumerate(found, 1):
        typer.echo(f"{number}  {_short(live)}  {harmless(headline(live.state, time.time_ns()))}")
    number = int(typer.prompt("Which one", type=int, default=1))
    return found[min(max(number, 1), len(found)) - 1]


def _watch(live: Live) -> None:
    """The board until the session ends, its process is gone, or somebody presses Ctrl-C."""
    import time
    from contextlib import suppress

    from rich.console import Console, Group
    from rich.live import Live as Screen

    from plimsoll.cli.board import lines
    from plimsoll.cli.live_states import read
    from plimsoll.cli.output import say

    latest: Live | None = live
    with suppress(KeyboardInterrupt), Screen(console=Console(), transient=True, auto_refresh=False) as screen:
        while latest is not None and latest.alive:
            width, height = screen.console.size
            screen.update(Group(*lines(latest.state, width, height, time.time_ns())), refresh=True)
            time.sleep(LOOKS_EVERY_S)
            latest = read(live.path)
    if latest is None:
        say(f"session {_short(live)} has ended; `plimsoll show {_short(live)}` shows what was found")
    elif not latest.alive:
        say(_gone(latest))
