"""`plimsoll doctor`: is this machine fit for measuring?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli.options import Json

EXAMPLES = "`plimsoll doctor /mnt/data` looks at the storage under that directory."


def command(
    where: Annotated[Path, typer.Argument(metavar="[DIR]", help="Directory or device to look at.")] = Path(),
    json: Json = False,
) -> None:
    """Check the host and the storage under a directory, with advice."""
    from plimsoll.cli.output import console, print_json
    from plimsoll.doctor import run_checks

    checks = run_checks(where)
    if json:
        print_json(
            [
                {"name": check.name, "level": check.level, "message": check.message, "advice": check.advice}
                for check in checks
            ]
        )
        return
    signs = {"ok": "[green]ok  [/]", "warn": "[yellow]warn[/]", "invalid": "[red]bad [/]"}
    out = console()
    for check in checks:
        out.print(f"{signs[check.level]} ", end="")
        out.print(check.message, markup=False)
        if check.advice:
            out.print(f"     → {check.advice}", markup=False)
