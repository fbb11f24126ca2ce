"""Options and arguments that several commands share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from plimsoll.run.study import Study

Tests = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[TEST|SUITE…|STUDY.toml]", help="What to run; `plimsoll list tests`. Default: suite quick."
    ),
]
On = Annotated[
    list[str] | None,
    typer.Option(
        "--on",
        metavar="NAME=WHERE[,option=value…]",
        help="A target; repeat to compare. Default: the current directory.",
    ),
]
Mode = Annotated[
    str | None, typer.Option("--mode", help="How sure to be: quick (to 6 blocks), standard (12) or publish (20).")
]
Blocks = Annotated[int | None, typer.Option("--blocks", min=1, help="Most blocks, instead of the mode's.")]
Time = Annotated[str | None, typer.Option("--time", metavar="30m", help="Hard bound on the time of the whole session.")]
Band = Annotated[str | None, typer.Option("--band", metavar="10%", help="Differences up to this count as the same.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PARAMETER=VALUE", help="A parameter for every test; `plimsoll list parameters`."),
]
Title = Annotated[str | None, typer.Option("--title", help="Title of the session.")]
Baseline = Annotated[
    str | None, typer.Option("--baseline", metavar="NAME", help="Target the others are compared with.")
]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of the order of targets; kept with the session.")]
SamePlace = Annotated[
    bool, typer.Option("--same-place", help="Allow targets that are one place with the same options (A/A session).")
]
NoisyHost = Annotated[
    bool, typer.Option("--noisy-host", help="Steal and foreign I/O only warn; for hosts that are never quiet.")
]
Destroy = Annotated[
    list[str] | None,
    typer.Option(
        "--destroy", metavar="SERIAL", help="Allow this block device to be overwritten; all data on it is lost."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on standard output.")]
Csv = Annotated[bool, typer.Option("--csv", help="Print CSV on standard output.")]
Sessions = Annotated[
    list[str] | None, typer.Argument(metavar="[SESSION…]", help="Short id or title. Default: the last session.")
]


def study_from(
    tests: list[str] | None,
    on: list[str] | None,
    settings: list[str] | None,
    *,
    mode: str | None,
    blocks: int | None,
    time: str | None,
    band: str | None,
    title: str | None,
    baseline: str | None,
    seed: int | None,
    same_place: bool,
    noisy_host: bool,
) -> Study:
    """The study that the words of a command line describe; a study file's values yield to options given beside it."""
    from dataclasses import replace
    from pathlib import Path

    from plimsoll.errors import UsageError
    from plimsoll.run import study
    from plimsoll.units import parse_duration, parse_share

    choices: dict[str, Any] = {
        "mode": mode,
        "blocks": blocks,
        "time_ns": parse_duration(time) if time else None,
        "band": parse_share(band) if band else None,
        "baseline": baseline,
        "title": title,
        "seed": seed,
        "same_place": same_place or None,
        "noisy_host": noisy_host or None,
    }
    given = {name: value for name, value in choices.items() if value is not None}
    words = tests or []
    files = [word for word in words if word.endswith(".toml")]
    if not files:
        return study.from_words(words, on or [], shared=settings or [], **given)
    if len(words) > 1:
        raise UsageError(f"{files[0]} is a whole study; give it alone, without other tests")
    base = study.from_file(Path(files[0]))
    if on:
        given["targets"] = study.from_words([], on).targets
    shared = {**base.shared, **study.settings(settings or [])}
    return replace(base, shared=shared, **given)
