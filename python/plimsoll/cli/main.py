"""The `plimsoll` command: finds the commands, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from threading import Timer, main_thread
from types import FrameType
from typing import Annotated

import typer

from plimsoll.api.faults import explained, is_a_limit
from plimsoll.cli.lazy import LazyGroup
from plimsoll.cli.output import say
from plimsoll.errors import PlimsollError
from plimsoll.notices import listen

EXIT_CODES = (
    "Exit codes: 0 ok, 1 a gate failed (--fail-on), doctor found the machine not fit or top found nothing that runs, 2 "
    "wrong usage, 3 nothing valid was measured, 4 a gate had nothing to compare, 130 interrupted, 70 internal error."
)

INTERRUPTED = 130
FAULT = 70
"""An error that Plimsoll did not foresee (EX_SOFTWARE of sysexits.h)."""

app = typer.Typer(
    name="plimsoll",
    cls=LazyGroup,
    help="Measures storage and databases, and says better, same, worse or cannot tell.",
    epilog=f"`plimsoll run` alone measures the current directory in about a minute. {EXIT_CODES}",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help: rich would double the time to `plimsoll --help`
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        import plimsoll

        typer.echo(f"plimsoll {plimsoll.__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version
    _clean_up_after_the_dead()


def _clean_up_after_the_dead() -> None:
    """Remove what killed sessions left behind, before anything else."""
    from plimsoll.api.upkeep import swept

    own = "--resume" in sys.argv or sys.argv[1:3] == ["cloud", "sweep"]
    for sentence in swept(keeping=own):
        say(sentence)


_ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Signals that ask for the end."""


class _End:
    has_come = False
    """Of the command, in whatever way; the interpreter is still to leave."""


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    if not _End.has_come:
        raise KeyboardInterrupt


_AGAIN_S = 0.01
"""Long enough to be back in the program."""


def _unraised(found: sys.UnraisableHookArgs) -> None:
    """A signal that came where Python can raise nothing, as in a callback of its own, comes once more: none is lost."""
    if found.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(found)
    elif not _End.has_come and (ident := main_thread().ident) is not None:
        again = Timer(_AGAIN_S, signal.pthread_kill, (ident, signal.SIGINT))
        again.daemon = True
        again.start()


def _listen_for_signals() -> None:
    for number in _ASKING:
        # Who starts it by nohup wants it to go on when the terminal is closed.
        if number != signal.SIGHUP or signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.unraisablehook = _unraised


def _ask_for_the_end_no_more() -> None:
    """It has come: who asks once more, while the interpreter leaves, would see where it was."""
    for number in _ASKING:
        signal.signal(number, signal.SIG_IGN)


def main() -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback (PLIMSOLL_DEBUG=1 shows it)."""
    _listen_for_signals()
    listen(say)
    code = 0
    try:
        try:
            code = app(standalone_mode=False) or 0
            sys.stdout.flush()
        finally:
            # Between these two lines nothing is called, so no signal can come between them.
            _End.has_come = True
            _ask_for_the_end_no_more()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except BrokenPipeError:
        # The reader of our output went away (`plimsoll show | head`): nothing is wrong, and nobody listens any more.
        _discard(sys.stdout.fileno())
    except SystemExit as leaving:
        # Typer and Rich leave so when the reader has gone, and nobody else does; here 1 says that a gate is closed.
        if leaving.code != 1:
            raise
        _discard(sys.stdout.fileno())
    except Exception as error:
        if os.environ.get("PLIMSOLL_DEBUG"):
            raise
        code = _explain(error)
    _let_go_of_unread_output()
    sys.exit(code)


def _explain(error: Exception) -> int:
    """Tell the user what went wrong; returns the exit code."""
    if isinstance(error, PlimsollError):
        say(f"plimsoll: {error}")
        return error.exit_code
    if isinstance(error, typer.Abort):
        return INTERRUPTED
    if show := getattr(error, "show", None):
        # What the command-line parser refuses: it knows the command and prints its usage.
        from plimsoll.cli.hints import improve

        improve(error)
        if message := getattr(error, "message", ""):
            error.message = message.removeprefix("Value error, ")  # type: ignore[attr-defined]
        show()
        return PlimsollError.exit_code
    if isinstance(error, OSError) and not is_a_limit(error):
        _discard(sys.stdout.fileno())
    if found := explained(error, "standard output"):
        say(f"plimsoll: {found}")
        return found.exit_code
    say(
        f"plimsoll: internal error: {type(error).__name__}: {error}\n"
        "Finished runs are safe in the store. PLIMSOLL_DEBUG=1 shows where it happened; please report it."
    )
    return FAULT


def _let_go_of_unread_output() -> None:
    """What no reader took stays buffered, and the interpreter, which writes it again at its end, exits with 120."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            _discard(stream.fileno())


def _discard(descriptor: int) -> None:
    """Let what is still buffered for this descriptor go nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)
