"""The options that make a study, written once: `run` and `plan` take all of them, `knee` some."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

if TYPE_CHECKING:
    from plimsoll.run.study import Study

Command = Callable[..., None]
RENT = (
    "instance", "region", "zone", "image", "spot", "clients_on", "allocations", "budget", "lease",
    "accept_unattended",
)  # fmt: skip
"""The options that say how targets are rented."""


@dataclass(frozen=True)
class StudyOptions:
    """What the user said about a study; None or False where nothing was said."""

    tests: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[TEST|SUITE…|STUDY]",
            help="What to run; `plimsoll list tests`, suites, studies; or a file STUDY.toml. Default: suite quick.",
        ),
    ] = None
    on: Annotated[
        list[str] | None,
        typer.Option(
            "--on",
            metavar="NAME=WHERE[,option=value…]",
            help="A target; repeat to compare. Default: the current directory.",
        ),
    ] = None
    mode: Annotated[
        str | None,
        typer.Option(
            "--mode",
            help="How certain the answer must be: quick (up to 6 blocks), standard (12) or publish (20); "
            "with short turns up to 12, 20 or 32.",
        ),
    ] = None
    blocks: Annotated[
        int | None, typer.Option("--blocks", min=1, help="At most this many blocks, instead of the mode's limit.")
    ] = None
    repeats: Annotated[
        int | None,
        typer.Option("--repeats", min=1, help="Run exactly this many blocks, without early stopping."),
    ] = None
    time: Annotated[
        str | None, typer.Option("--time", metavar="30m", help="Hard limit on the time of the whole session.")
    ] = None
    band: Annotated[
        str | None, typer.Option("--band", metavar="10%", help="Differences up to this count as the same.")
    ] = None
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="PARAMETER=VALUE", help="For every test; `plimsoll list parameters`."),
    ] = None
    server: Annotated[
        str | None,
        typer.Option(
            "--server",
            metavar="NAME",
            help="Database tests: start this private server or embedded database on each target, such as postgresql.",
        ),
    ] = None
    title: Annotated[str | None, typer.Option("--title", help="Title of the session.")] = None
    baseline: Annotated[
        str | None, typer.Option("--baseline", metavar="NAME", help="Target the others are compared with.")
    ] = None
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of the order of targets; kept with the session.")] = (
        None
    )
    same_place: Annotated[bool, typer.Option("--same-place", help="Allow identical targets, for an A/A test.")] = False
    noisy_host: Annotated[
        bool,
        typer.Option(
            "--noisy-host", help="Only warn of CPU steal and other processes' I/O, for hosts that are never quiet."
        ),
    ] = False
    interleave: Annotated[
        str | None,
        typer.Option(
            "--interleave",
            metavar="WAY",
            help="How the targets of a block share its time: `slices` (in turns of a fraction of a second), `blocks` "
            "(one whole run after the other), `parallel` (all at once, on separate devices or emulated volumes), or "
            "`auto`: slices for settings of one unthrottled device, else blocks. Default: auto.",
        ),
    ] = None
    quick_sizes: Annotated[
        bool, typer.Option("--quick-sizes", help="Small sizes for every test, to try it out; the numbers mean little.")
    ] = False

    provider: Annotated[
        str | None,
        typer.Option(
            "--provider",
            metavar="aws",
            help="Rent what would be emulated (vol:…); what is no longer sold, as its successor.",
        ),
    ] = None
    instance: Annotated[
        str | None,
        typer.Option("--instance", metavar="TYPE", help="Rented targets: instance type of those that name none."),
    ] = None
    region: Annotated[
        str | None,
        typer.Option(
            "--region", metavar="us-east-1", help="Rented targets: where. Default: the provider's home region."
        ),
    ] = None
    zone: Annotated[
        str | None, typer.Option("--zone", metavar="us-east-1a", help="Rented targets: the availability zone of all.")
    ] = None
    image: Annotated[
        str | None,
        typer.Option("--image", metavar="IMAGE", help="Rented targets: image of the machines, by id or parameter."),
    ] = None
    spot: Annotated[
        bool, typer.Option("--spot", help="Rented targets: spot instances, which the provider may take away.")
    ] = False
    clients_on: Annotated[
        str | None,
        typer.Option(
            "--clients-on",
            metavar="aws:TYPE,count=N",
            help="Rented databases: the machines that are their clients, such as aws:m7i.large,count=8.",
        ),
    ] = None
    allocations: Annotated[
        int | None,
        typer.Option(
            "--allocations",
            min=1,
            metavar="K",
            help="Rented targets: rent afresh up to K times, for a verdict on the products.",
        ),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option("--budget", metavar="5USD", help="Rented targets: the most that everything may cost."),
    ] = None
    lease: Annotated[
        str | None,
        typer.Option("--lease", metavar="2h", help="Rented targets: when everything ends by itself at the latest."),
    ] = None
    accept_unattended: Annotated[
        bool,
        typer.Option(
            "--accept-unattended", help="Rented targets: also what outlives a killed command, such as a database."
        ),
    ] = False

    def said(self, *, but: str = "") -> list[str]:
        """Names of the options that were given, as typed, except `but`."""
        names = {"tests": "TEST", "settings": "--set"}
        given = [field.name for field in fields(self) if getattr(self, field.name) and field.name != but]
        return [names.get(name, f"--{name.replace('_', '-')}") for name in given]

    def study(self, again: Study | None = None) -> Study:
        """The study; a study file's values yield to options given beside it. Raises UsageError.

        `again` is what is meant where no test is named.
        """
        from plimsoll.run import studies, study
        from plimsoll.units import parse_duration, parse_share

        choices: dict[str, Any] = {
            "mode": self.mode,
            "blocks": self.blocks,
            "repeats": self.repeats,
            "time_ns": parse_duration(self.time) if self.time is not None else None,
            "band": parse_share(self.band) if self.band is not None else None,
            "baseline": self.baseline,
            "title": self.title,
            "seed": self.seed,
            "same_place": self.same_place or None,
            "noisy_host": self.noisy_host or None,
            "interleave": self.interleave,
            "quick_sizes": self.quick_sizes or None,
            "provider": self.provider,
        }
        given = {name: value for name, value in choices.items() if value is not None}
        if rent := {name: getattr(self, name) for name in RENT if getattr(self, name)}:
            given["rent"] = rent
        shared = study.settings(self.settings or []) | ({"server": self.server} if self.server else {})
        return studies.chosen(self.tests or [], self.on or [], shared, given, again)


def takes_study(command: Command) -> Command:
    """Give `command(options: StudyOptions, …)` the options of a study in place of its first parameter."""
    return takes_study_as(dict.fromkeys((field.name for field in fields(StudyOptions)), ""))(command)


def takes_study_as(helps: Mapping[str, str], first: Sequence[str] = ()) -> Callable[[Command], Command]:
    """As `takes_study`, with some options only, each with a help of its own where one is given.

    Options of the study come before those of the command, but for the names in `first`, which come in that order.
    """

    def decorate(command: Command) -> Command:
        hints = get_type_hints(StudyOptions, include_extras=True)
        own = get_type_hints(command, include_extras=True)
        keyword = inspect.Parameter.KEYWORD_ONLY
        study = [
            inspect.Parameter(f.name, keyword, default=f.default, annotation=_helped(hints[f.name], helps[f.name]))
            for f in fields(StudyOptions)
            if f.name in helps
        ]
        rest = [
            parameter.replace(kind=keyword, annotation=own[name])
            for name, parameter in list(inspect.signature(command).parameters.items())[1:]
        ]
        places = {name: place for place, name in enumerate(first)}
        shown = sorted([*study, *rest], key=lambda parameter: places.get(parameter.name, len(places)))

        @functools.wraps(command)
        def wrapped(**given: Any) -> None:
            options = StudyOptions(**{parameter.name: given.pop(parameter.name) for parameter in study})
            command(options, **given)

        wrapped.__signature__ = inspect.Signature(shown)  # type: ignore[attr-defined]
        wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in shown}
        del wrapped.__wrapped__
        return wrapped

    return decorate


def _helped(annotation: Any, text: str) -> Any:
    """The same option with another help; with its own where there is no text."""
    if not text:
        return annotation
    kind, option = get_args(annotation)
    changed = copy(option)
    changed.help = text
    return Annotated[kind, changed]
