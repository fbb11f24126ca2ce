"""The `plimsoll` command: finds the commands, and turns errors into messages and exit codes."""

from __future__ import annotations

import errno
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from plimsoll.cli.lazy import LazyGroup
from plimsoll.cli.output import say
from plimsoll.errors import NO_THREAD, PlimsollError
from plimsoll.extras import explained
from plimsoll.location import home
from plimsoll.notices import listen

EXIT_CODES = (
    "Exit codes: 0 ok, 1 a gate failed (--fail-on) or doctor found the machine not fit, 2 wrong usage, 3 nothing valid "
    "was measured, 4 a gate had nothing to compare, 130 interrupted, 70 internal error."
)

INTERRUPTED = 130
FAULT = 70
"""An error that Plimsoll did not foresee (EX_SOFTWARE of sysexits.h)."""

app = typer.Typer(
    name="plimsoll",
    cls=LazyGroup,
    help="Measures storage and says better, same, worse, or cannot tell.",
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
    registry = home() / "active"
    if registry.is_dir() and any(registry.iterdir()):
        from plimsoll import drafts
        from plimsoll.targets import workdir

        for sentence in (*workdir.sweep(), *drafts.sweep()):
            say(sentence)
    volumes = home() / "volumes"
    if volumes.is_dir() and any(not entry.name.startswith(".") for entry in volumes.iterdir()):
        from plimsoll.volumes import lifecycle

        for sentence in lifecycle.sweep():
            say(sentence)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback (PLIMSOLL_DEBUG=1 shows it)."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    listen(say)
    code = 0
    try:
        code = app(standalone_mode=False) or 0
        sys.stdout.flush()
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
    if isinstance(error, ImportError):
        error = explained(error)
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
    if told := _told_by_limits(error) or _told_by_place(error) or _told_by_damage():
        say(f"plimsoll: {told}")
        return PlimsollError.exit_code
    say(
        f"plimsoll: internal error: {type(error).__name__}: {error}\n"
        "Finished runs are safe in the store. PLIMSOLL_DEBUG=1 shows where it happened; please report it."
    )
    return FAULT


def _told_by_place(error: Exception) -> str:
    """What could not be read or written."""
    if not isinstance(error, OSError):
        return ""
    place = error.filename or "standard output"
    _discard(sys.stdout.fileno())
    return f"cannot use {place}: {error.strerror}; finished runs are safe in the store"


def _told_by_limits(error: Exception) -> str:
    """What the machine, or a limit of this process, would not give."""
    finished = "finished runs are safe"
    number = error.errno if isinstance(error, OSError) else None
    # Libraries that cannot be mapped: there is address space for nothing more.
    unmapped = isinstance(error, ImportError) and "failed to map segment" in str(error)
    if isinstance(error, MemoryError) or number == errno.ENOMEM or unmapped:
        return (
            f"out of memory; {finished}. Free some, raise the limit of this process (`ulimit -v`, its cgroup), or do "
            "less at once: fewer sessions, smaller files, less depth"
        )
    words = str(error) if isinstance(error, RuntimeError) else ""
    return f"{NO_THREAD}; {finished}" if number == errno.EAGAIN or "can't start new thread" in words else ""


def _told_by_damage() -> str:
    """What is damaged in the store that was opened: a record that is none can trip whoever reads it anywhere."""
    module = sys.modules.get("plimsoll.store.store")
    if module is None or not module.opened:
        return ""
    from plimsoll.store.checkup import first_damage

    damage = first_damage(module.opened[-1])
    if not damage:
        return ""
    return (
        f"the store is damaged: {damage}. `plimsoll store check` says what can be read, and `plimsoll store rescue "
        "OUT` saves every session that is whole"
    )


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
