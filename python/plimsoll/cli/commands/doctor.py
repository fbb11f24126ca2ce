"""`plimsoll doctor`: is this machine fit for measuring?"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Json

if TYPE_CHECKING:
    from plimsoll.doctor import Check

EXAMPLES = (
    "`plimsoll doctor /mnt/data` looks at the storage under that directory; `plimsoll doctor && plimsoll run` measures "
    "where tests can work. Exit code 0: fit, or fit with care; 1: not fit."
)


def command(
    where: Annotated[Path, typer.Argument(metavar="[DIR]", help="Directory or device to look at.")] = Path(),
    json: Json = False,
) -> None:
    """Check whether host and storage are fit for measuring. Gives advice, and one sentence at the end."""
    from plimsoll.doctor import UNFIT_EXIT, Fitness, fitness, run_checks

    checks = run_checks(where)
    found = fitness(checks)
    code = UNFIT_EXIT if found is Fitness.UNFIT else 0
    # The exit code answers, also when the reader has gone.
    with suppress(BrokenPipeError):
        _tell(checks, code, json=json)
    raise typer.Exit(code)


def _tell(checks: list[Check], code: int, *, json: bool) -> None:
    from plimsoll.cli.output import console, print_json
    from plimsoll.doctor import fitness, sentence

    if json:
        told = [
            {"name": check.name, "level": check.level, "message": check.message, "advice": check.advice}
            for check in checks
        ]
        print_json({"fitness": fitness(checks), "sentence": sentence(checks), "exit_code": code, "checks": told})
        return
    signs = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "invalid": "[red]bad [/]"}
    out = console()
    for check in checks:
        out.print(f"{signs[check.level]} ", end="")
        out.print(check.message, markup=False)
        if check.advice:
            out.print(f"     → {check.advice}", markup=False)
    out.print(f"\n{sentence(checks)}", markup=False)
