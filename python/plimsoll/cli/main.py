"""The `plimsoll` command: finds the commands, and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

from plimsoll import kinds
from plimsoll.errors import PlimsollError
from plimsoll.location import home

EXIT_CODES = (
    "Exit codes: 0 ok, 1 a gate failed (--fail-on), 2 wrong usage, 3 nothing valid was measured, 130 interrupted."
)

INTERRUPTED = 130
FAULT = 70
"""An error that Plimsoll did not foresee (EX_SOFTWARE of sysexits.h)."""

app = typer.Typer(
    name="plimsoll",
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
        from plimsoll.targets.workdir import sweep

        for sentence in sweep():
            print(sentence, file=sys.stderr)


for _module in kinds.modules("plimsoll.cli.commands"):
    app.command(
        _module.__name__.rsplit(".", 1)[-1].rstrip("_"),
        epilog=getattr(_module, "EXAMPLES", None),
        no_args_is_help=getattr(_module, "NEEDS_ARGUMENTS", False),
    )(_module.command)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def main() -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback (PLIMSOLL_DEBUG=1 shows it)."""
    signal.signal(signal.SIGTERM, _interrupt)
    signal.signal(signal.SIGHUP, _interrupt)
    debug = bool(os.environ.get("PLIMSOLL_DEBUG"))
    try:
        code = app(standalone_mode=True)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except PlimsollError as error:
        if debug:
            raise
        print(f"plimsoll: {error}", file=sys.stderr)
        code = error.exit_code
    except BrokenPipeError:
        # The reader of our output went away (`plimsoll show | head`): nothing is wrong, and nobody listens any more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        if debug:
            raise
        print(
            f"plimsoll: unforeseen error: {type(error).__name__}: {error}\n"
            "This is a fault of Plimsoll; PLIMSOLL_DEBUG=1 shows where. Finished runs are safe in the store.",
            file=sys.stderr,
        )
        code = FAULT
    sys.exit(code)
