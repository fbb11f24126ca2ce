"""`plimsoll observe`: what really goes to a device, as a trace."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Force, Json, Quiet

if TYPE_CHECKING:
    from plimsoll.traces.observe import Progress, Recorded
    from plimsoll.traces.places import Place

EXAMPLES = (
    "`plimsoll observe /dev/nvme0n1 --for 1h -o load.trace` · `plimsoll observe /var/lib/postgresql --for 10m` · "
    "`plimsoll observe 4711 --ring --max-size 2GiB`"
)
NEEDS_ARGUMENTS = True


def command(
    where: Annotated[
        str, typer.Argument(metavar="DEVICE|PATH|PID", help="A device, a path on it, or a process with files on it.")
    ],
    duration: Annotated[
        str | None, typer.Option("--for", metavar="1h", help="How long. Default: until Ctrl-C; the file is whole then.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="Where the trace is written.")] = Path(
        "load.trace"
    ),
    max_size: Annotated[
        str | None, typer.Option("--max-size", metavar="1GiB", help="End when the trace has this size.")
    ] = None,
    ring: Annotated[bool, typer.Option("--ring", help="Go on at --max-size, and keep the newest part.")] = False,
    anonymous: Annotated[bool, typer.Option("--anonymous", help="Leave out the names of processes.")] = False,
    counters: Annotated[
        bool, typer.Option("--counters", help="Only the device's counters, once a second: needs no rights.")
    ] = False,
    force: Force = False,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Record each I/O that really goes to a block device.

    Nothing of what is read or written is in the trace. Without the right to trace, the counters of the device are
    recorded once a second instead. `plimsoll advise` says what to buy for it, `plimsoll replay` issues it again.
    """
    from plimsoll.cli.output import print_json, refuse_to_replace, say
    from plimsoll.errors import UsageError
    from plimsoll.traces.notes import ANONYMOUS
    from plimsoll.traces.places import lies_on, place_of
    from plimsoll.traces.ring import halves
    from plimsoll.units import SECOND, parse_duration, parse_size

    seconds = None if duration is None else parse_duration(duration) / SECOND
    most_bytes = None if max_size is None else parse_size(max_size)
    if ring and most_bytes is None:
        raise UsageError("--ring needs to know how much to keep; add --max-size 1GiB")
    if ring and counters:
        raise UsageError(NO_RING)
    if (seconds is not None and seconds <= 0) or (most_bytes is not None and most_bytes < SMALLEST_BYTES):
        raise UsageError("nothing could be recorded: --for must be longer than 0, --max-size at least 1 MiB")
    for file in (output, *(halves(output) if ring else ())):
        refuse_to_replace(file, force)
    place = place_of(where)
    if (own := lies_on(output, place)) is not None:
        place.notes.append(own)
    if anonymous:
        place.notes.append(ANONYMOUS)
    if not quiet:
        names = ", ".join(device.name for device in place.devices)
        until = f"for {duration}" if duration else "until Ctrl-C"
        say(f"observing {names} {until}; the trace goes to {output}")
        for note in place.notes:
            say(f"note: {note}")
    result, content = _recorded(place, output, seconds, most_bytes, ring, anonymous, counters, quiet)
    if json:
        print_json(_record(place, output, result, content))
    else:
        _tell(place, output, result, content)


SMALLEST_BYTES = 1 << 20


def _recorded(
    place: Place,
    output: Path,
    seconds: float | None,
    most_bytes: int | None,
    ring: bool,
    anonymous: bool,
    counters: bool,
    quiet: bool,
) -> tuple[Recorded, str]:
    """What was recorded, and whether that is `events` or `samples`."""
    from plimsoll.cli.output import say
    from plimsoll.errors import TargetError
    from plimsoll.traces.observe import Recording, Sampling
    from plimsoll.traces.ring import Plain, Ring
    from plimsoll.traces.tracefs import NoTracing

    def tell(progress: Progress) -> None:
        if not quiet:
            say(_progress(progress, seconds))

    output.parent.mkdir(parents=True, exist_ok=True)
    with output.open("wb") as file:
        if not counters:
            kept = Ring(output, file, most_bytes) if ring and most_bytes is not None else Plain(file, most_bytes)
            try:
                return Recording(place, kept, anonymous=anonymous).run(seconds, tell), "events"
            except NoTracing as error:
                if ring:
                    output.unlink()
                    raise TargetError(f"single I/Os cannot be seen: {error}; {NO_RING}") from None
                say(f"single I/Os cannot be seen: {error}. The device's counters are recorded once a second instead")
        say(f"note: {CANNOT_SHOW}")
        return Sampling(place, Plain(file, most_bytes)).run(seconds, tell), "samples"


NO_RING = (
    "--ring keeps the newest of single I/Os only; counters take about 240 bytes a second and device: leave --ring out, "
    "and --max-size ends them"
)
NOTHING_CAME = (
    "nothing came meanwhile, so there is no load to look at: it may go to another device, or be answered from memory"
)
CANNOT_SHOW = (
    "counters have sums of each second only: no single latency, so no percentiles; no sizes beyond their mean; no "
    "offsets, so neither sequential shares nor working sets; no bursts within a second; no processes"
)


def _progress(progress: Progress, seconds: float | None) -> str:
    from plimsoll.units import SECOND, format_duration, format_number, format_size

    rate = progress.events / progress.passed_s if progress.passed_s else 0.0
    left = "" if seconds is None else f", {format_duration(max(0.0, seconds - progress.passed_s) * SECOND)} left"
    return (
        f"{progress.events:,} I/Os ({format_number(rate)}/s, {format_size(progress.bytes)}), "
        f"{format_size(progress.written_bytes)} written{left}"
    )


def _record(place: Place, output: Path, result: Recorded, content: str) -> dict[str, Any]:
    return {
        "trace": str(output),
        "content": content,
        "devices": [device.name for device in place.devices],
        "notes": place.notes + ([CANNOT_SHOW] if content == "samples" else []),
        "ended": result.ended,
        "seconds": result.passed_s,
        "ios": result.events,
        "bytes": result.bytes,
        "left_out": result.totals.get("left_out", []),
        "agrees": not result.differences,
        "differences": result.differences,
    }


def _tell(place: Place, output: Path, result: Recorded, content: str) -> None:
    from shlex import join

    from plimsoll.cli.output import say
    from plimsoll.traces.notes import notes
    from plimsoll.units import SECOND, format_duration, format_size

    names = ", ".join(device.name for device in place.devices)
    ring = "; --ring would go on and keep the newest part" if content == "events" else ""
    what, counted = ("I/Os", "") if content == "events" else ("requests", ", counted once a second")
    print(
        f"{result.events:,} {what} ({format_size(result.bytes)}) of {names} in "
        f"{format_duration(result.passed_s * SECOND)}{counted}: {output} ({format_size(output.stat().st_size)})"
    )
    if result.ended == "size":
        say(f"the trace has the size of --max-size{ring}")
    for note in notes({}, result.totals):
        say(note)
    for difference in result.differences:
        say(f"warning: {difference}")
    if content == "events" and not result.differences:
        say("the devices' own counters agree, but for what was under way at the edges")
    if not result.events:
        say(NOTHING_CAME)
        return
    which = ["--device", place.devices[0].name] if len(place.devices) > 1 else []
    say(f"next: {join(['plimsoll', 'profile' if content == 'events' else 'advise', str(output), *which])}")
