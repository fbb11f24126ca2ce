"""`plimsoll volume fault`: what goes wrong in real life, on request."""

from __future__ import annotations

from typing import Annotated

import typer

NEEDS_ARGUMENTS = True
EXAMPLES = (
    "`plimsoll volume fault data stall --for 10s` · `plimsoll volume fault data error --offset 1GiB --length 1MiB` · "
    "`plimsoll volume fault data slow --factor 5 --for 1m` · `plimsoll volume fault data power-loss` · "
    "`plimsoll volume fault data detach` · `plimsoll volume fault data clear`"
)


def command(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of the volume.")],
    kind: Annotated[
        str,
        typer.Argument(
            metavar="stall|error|slow|power-loss|detach|clear",
            help="stall: no I/O completes; error: I/O errors in a range; slow: longer latency; power-loss: unflushed "
            "writes are lost; detach: the device disappears for good; clear: end the fault.",
        ),
    ],
    duration: Annotated[
        str | None,
        typer.Option("--for", metavar="10s", help="Duration of a stall, of slowness, or of the power being off."),
    ] = None,
    offset: Annotated[str | None, typer.Option("--offset", metavar="SIZE", help="error: start of the range.")] = None,
    length: Annotated[str | None, typer.Option("--length", metavar="SIZE", help="error: its length.")] = None,
    operations: Annotated[
        str | None, typer.Option("--only", metavar="read|write", help="error: only these operations.")
    ] = None,
    factor: Annotated[float | None, typer.Option("--factor", metavar="K", help="slow: how many times longer.")] = None,
) -> None:
    """Inject a fault into a volume in use, or end it."""
    from plimsoll.cli.output import say
    from plimsoll.units import format_size
    from plimsoll.volumes.changes import fault, inject
    from plimsoll.volumes.registry import named

    given = {"for": duration, "offset": offset, "length": length, "only": operations, "factor": factor}
    wanted = fault(kind, {option: str(value) for option, value in given.items() if value is not None})
    cache = named(name).write_cache_bytes
    lost = inject(name, wanted)
    if lost:
        say(f"{format_size(lost)} of writes that no flush made durable are lost")
    elif lost is not None:
        reason = "everything was flushed" if cache else "the volume has no volatile cache (--write-cache gives it one)"
        say(f"no acknowledged write is lost: {reason}")
