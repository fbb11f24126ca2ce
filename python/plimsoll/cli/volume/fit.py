"""`plimsoll volume fit`: what a volume was measured to be, as a model that `vol:` can use."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import ForceOutput, Json, NamedSessions

if TYPE_CHECKING:
    from plimsoll.fitting.fit import Fit
    from plimsoll.fitting.number import Number

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll volume fit 7c1e -o gp3.toml` writes what session 7c1e shows; "
    "`--on v=vol:type=gp3,size=100GiB,model=gp3.toml` serves a volume with these numbers."
)


def command(
    sessions: NamedSessions,
    on: Annotated[
        str | None, typer.Option("--on", metavar="NAME", help="Which target, where several are volumes.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.toml", help="Write the file that model=FILE reads.")
    ] = None,
    force: ForceOutput = False,
    json: Json = False,
) -> None:
    """Fit the model's numbers to measured runs. With intervals; what the runs cannot show is said, with its test."""
    from plimsoll.api.fitting import fit_volume
    from plimsoll.cli.output import print_json
    from plimsoll.errors import UsageError
    from plimsoll.outgoing import check_output, open_output

    if output is not None:
        if output.suffix != ".toml":
            raise UsageError(f"--output {output}: model=FILE knows a file by its ending; call it {output.stem}.toml")
        if output.exists() and not force:
            raise UsageError(f"{output} exists; --force replaces it")
        check_output(output)
    fit, text = fit_volume(sessions, on)
    if json:
        print_json(_table(fit))
    else:
        _print(fit, output)
    if output is not None:
        _check_something(fit)
        with open_output(output) as file:
            file.write(text)


def _check_something(fit: Fit) -> None:
    from plimsoll.errors import NothingMeasured

    if not fit.numbers:
        raise NothingMeasured(f"target {fit.target}: these runs show none of its numbers, so no file was written")


def _print(fit: Fit, output: Path | None) -> None:
    from plimsoll.cli.output import console, print_table

    console().print(f"{fit.target}: {fit.shape.summary}; {fit.runs} valid runs", markup=False)
    if fit.numbers:
        print_table([_row(fit, each) for each in fit.numbers], right=("provider", "measured", "runs"))
    for each in fit.missing:
        console().print(f"not shown: {', '.join(each.names)}: {each.why}", markup=False)
        console().print(f"   → {each.test}", markup=False, soft_wrap=True)
    for note in fit.notes:
        console().print(f"note: {note}", markup=False)
    if output is not None and fit.numbers:
        place = f"vol:type={fit.shape.type.name},…,model={output}"
        console().print(f"next: `--on {fit.target}={place}`", markup=False, soft_wrap=True)


def _row(fit: Fit, number: Number) -> dict[str, str]:
    from plimsoll.fitting.published import published

    told = published(fit.shape, number.name)
    return {
        "number": number.name.removesuffix("_ns").replace("_", " "),
        "provider": "–" if told is None else _text(number.name, told),
        "measured": _text(number.name, number.value),
        "interval": f"{_text(number.name, number.low)} … {_text(number.name, number.high)}",
        "runs": str(number.runs),
    }


def _text(name: str, value: float) -> str:
    from plimsoll.units import format_duration, format_number, format_share, format_size

    if name.endswith("_ns"):
        return format_duration(round(value))
    if name.endswith("_share"):
        return format_share(value)
    if name.startswith("throughput") or name.endswith("_bytes_per_s"):
        return format_size(value) + ("" if name.endswith("_credits") else "/s")
    return format_number(value)


def _table(fit: Fit) -> dict[str, Any]:
    from plimsoll.fitting.published import published

    return {
        "target": fit.target,
        "volume": dict(fit.shape.options),
        "runs": fit.runs,
        "numbers": {
            each.name: {
                "value": each.value, "low": each.low, "high": each.high, "runs": each.runs,
                "provider": published(fit.shape, each.name),
            }
            for each in fit.numbers
        },
        "missing": [{"names": list(each.names), "why": each.why, "test": each.test} for each in fit.missing],
        "notes": list(fit.notes),
    }  # fmt: skip
