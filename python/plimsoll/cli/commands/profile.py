"""`plimsoll profile`: the load of a trace in one page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Force, Json, TraceFormat

if TYPE_CHECKING:
    from plimsoll.traces.profile.load import Load

EXAMPLES = (
    "`plimsoll profile load.trace` · `plimsoll profile load.trace -o load.html` · "
    "`plimsoll profile load.trace --save-test like-it.toml`"
)
NEEDS_ARGUMENTS = True


def command(
    trace: Annotated[
        Path, typer.Argument(metavar="TRACE", help="A file of `plimsoll observe`, blkparse or another tool.")
    ],
    device: Annotated[
        str | None, typer.Option("--device", metavar="NAME", help="Which device, where the trace is of several.")
    ] = None,
    form: TraceFormat = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Also write a report (.html has charts).")
    ] = None,
    save_test: Annotated[
        Path | None,
        typer.Option(
            "--save-test",
            metavar="FILE.toml",
            help="Write a test with the same distributions, for `plimsoll run FILE.toml`; says what it cannot keep.",
        ),
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show the load of a trace on one page."""
    from plimsoll.cli.output import console, print_json, refuse_to_replace, say
    from plimsoll.report import format_of, write
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.traces.profile.document import profile_document
    from plimsoll.traces.profile.load import look

    if output is not None:
        format_of(output)
        refuse_to_replace(str(output), force)
    if save_test is not None:
        refuse_to_replace(_named(save_test), force)
    load = look(trace, device, form)
    document = profile_document(load)
    if json:
        print_json(_row(load))
    else:
        print_document(document, console())
    if output is not None:
        write(document, format_of(output), output)
        say(f"report: {output}")
    if save_test is not None:
        _save(load, trace, _named(save_test))
    else:
        for line in _next(trace, device, form, load):
            say(line)


def _named(path: Path) -> Path:
    """A study is known by its suffix."""
    return path if path.suffix == ".toml" else path.with_name(f"{path.name}.toml")


def _save(load: Load, trace: Path, path: Path) -> None:
    from plimsoll.cli.output import say
    from plimsoll.traces.profile.made import kept, save

    made = save(load, trace, path)
    say(kept(made))
    for sentence in made.lost:
        say(f"not kept: {sentence[0].lower()}{sentence[1:]}")
    say(f"test: {path}; next: plimsoll run {path} --on NAME=WHERE")


def _next(trace: Path, device: str | None, form: str | None, load: Load) -> list[str]:
    """What to type next, as it is: with the device where that was said, and the size where the trace has none."""
    from shlex import join

    from plimsoll.units import GIB

    words = ["plimsoll", "advise", str(trace)]
    words += [*(["--device", device] if device else []), *(["--format", form] if form else [])]
    if load.series.device_bytes:
        return [f"next: {join(words)}"]
    words += ["--size", f"{load.least_bytes // GIB}GiB"]
    return [f"next: {join(words)}", "the trace does not say how large the device is: --size is how far it was used"]


def _row(load: Load) -> dict[str, Any]:
    """For programs: base units, shares from 0 to 1."""
    from dataclasses import asdict

    from plimsoll.traces.profile.sentences import answer

    found, series = load.found, load.series
    names = ("mean", "p50", "p99", "highest")

    def spread(values: list[float] | None, *, known: bool = True) -> dict[str, float] | None:
        return dict(zip(names, values, strict=True)) if values is not None and known else None

    return {
        "answer": answer(load),
        "device": series.name,
        "source": series.source,
        "span_s": load.span_s,
        "operations": load.operations,
        "operations_per_s": load.per_s,
        "bytes": float(series.bytes.sum()),
        "read_share": load.read_share,
        "sequential_share": found["sequential"],
        "trims": found["trims"],
        "flushes": found["flushes"],
        "demand_hidden": None if load.hidden is None else asdict(load.hidden),
        "bursts": [asdict(each) for each in load.bursts()],
        "hours_utc": [{"hour": hour, "operations_per_s": rate} for hour, rate in load.hours()],
        "sizes": {
            kind: [{"bytes": size, "operations": count} for size, count in sizes]
            for kind, sizes in zip(("reads", "writes"), found["sizes"], strict=True)
        },
        "read_latency_ns": spread(found["latency_ns"][0], known=load.timed),
        "write_latency_ns": spread(found["latency_ns"][1], known=load.timed),
        "depth": spread(found["depth"], known=load.timed),
        "think_ns": spread(found["think_ns"], known=load.timed),
        "seek_bytes": spread(found["seek_bytes"]),
        "working_set": {"bytes": found["touched_bytes"], "error": found["touched_error"]},
        "additional_cache": found["absorbed"],
        "processes": [
            {"name": load.processes[place] or None, "operations": count, "bytes": size}
            for place, count, size in found["processes"]
        ],
        "notes": series.notes,
    }
