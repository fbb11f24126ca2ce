"""`plimsoll compare`: the verdicts of stored sessions, as a table, for programs, or as a gate."""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Band, Csv, Json, Sessions

if TYPE_CHECKING:
    from plimsoll.report import Evidence
    from plimsoll.report.comparisons import Comparison
    from plimsoll.stats.verdict import Answer

NOTHING_COMPARED = 4
"""Exit code of a gate that had nothing to compare: it must not look like one that passed."""

EXAMPLES = (
    "`plimsoll compare --baseline old --fail-on worse` exits with 1 where anything got worse, and with 4 where "
    "nothing could be compared: a gate for CI; `old` is a target, or a session that `plimsoll baseline set old` named. "
    "`plimsoll compare OLD NEW` compares two sessions that were run apart. "
    "`plimsoll compare --products MON TUE WED` judges the products by three sessions, each on fresh volumes. "
    "`--format junit > plimsoll.xml`, `--format github`, `--format markdown >> $GITHUB_STEP_SUMMARY`."
)


class FailOn(StrEnum):
    """Which answers close the gate."""

    WORSE = "worse"
    UNKNOWN = "unknown"


class Format(StrEnum):
    """How the verdicts are written."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    BENCHSTAT = "benchstat"
    JUNIT = "junit"
    GITHUB = "github"


def command(
    sessions: Sessions = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="Compare with this target, or with the session that `plimsoll baseline set` gave this name.",
        ),
    ] = None,
    band: Band = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            help="Exit with status 1 if any verdict is worse (unknown: or undecided), with 4 if nothing could be "
            "compared.",
        ),
    ] = None,
    across: Annotated[
        list[str] | None,
        typer.Option(
            "--across",
            metavar="PARAMETER",
            help="Also compare cases that differ in this parameter, such as scale. Default: only equal ones.",
        ),
    ] = None,
    of_products: Annotated[
        bool,
        typer.Option(
            "--products",
            help="What sessions on fresh places say of the products: one ratio per allocation, not per block.",
        ),
    ] = False,
    every: Annotated[
        bool, typer.Option("--all-metrics", help="Every metric, not only those that the tests judge.")
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="A sentence on every comparison; of products, on every pair of allocations.")
    ] = False,
    form: Annotated[
        Format,
        typer.Option("--format", help="text for people, markdown for a pull request, junit or github for a pipeline."),
    ] = Format.TEXT,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Compare targets: better, same, worse, or not enough data."""
    from plimsoll.api.comparing import compared, comparison
    from plimsoll.cli.output import say
    from plimsoll.cli.products_text import print_products
    from plimsoll.errors import NothingMeasured

    form = Format.JSON if json else Format.CSV if csv else form
    try:
        evidence = compared(sessions, baseline, band, across or (), every=every)
        if of_products:
            print_products(evidence, str(form.value), _closing(fail_on))
            return
        found = comparison(evidence, _closing(fail_on), allocations=all_)
    except NothingMeasured as error:
        if not fail_on:
            raise
        say(f"gate: {error}")
        raise typer.Exit(NOTHING_COMPARED) from None
    # A gate answers by its exit code, also when the reader has gone.
    with suppress(BrokenPipeError):
        _write(evidence, found, form, every=all_)
    _tell(found, gate=fail_on is not None)


def _closing(fail_on: FailOn | None) -> frozenset[Answer]:
    """The answers that close the gate."""
    from plimsoll.stats.verdict import Answer

    closing = {None: (), FailOn.WORSE: (Answer.WORSE,), FailOn.UNKNOWN: (Answer.WORSE, Answer.UNKNOWN)}
    return frozenset(closing[fail_on])


def _tell(found: Comparison, *, gate: bool) -> None:
    """What was not compared, and what closes the gate, which is then the exit code."""
    from plimsoll.cli.output import say
    from plimsoll.stats.sentences import sentence

    if found.alone and not found.nothing:
        say(found.alone)
    failed = [cell for cell in found.cells if cell.verdict.answer in found.failing]
    for cell in failed:
        say(f"gate: {cell.case}, {cell.metric}: {sentence(cell)}")
    if found.nothing:
        say(f"gate: {found.nothing}" if gate else found.nothing)
        if gate:
            raise typer.Exit(NOTHING_COMPARED)
    if failed:
        raise typer.Exit(1)
    if gate and not any(cell.verdict.decided for cell in found.cells):
        say("gate: passed, but no comparison is decided, so nothing is ruled out; `--fail-on unknown` would fail here")


def _write(evidence: Evidence, found: Comparison, form: Format, *, every: bool) -> None:
    from plimsoll.api.verdicts import rows
    from plimsoll.cli.comparison_text import print_comparison
    from plimsoll.cli.following import tell_report
    from plimsoll.cli.output import console, print_csv, print_json

    if form is Format.TEXT:
        print_comparison(evidence, found, console(), every=every)
        tell_report(evidence.sessions)
    elif form is Format.JSON:
        print_json(rows(found))
    elif form is Format.CSV:
        print_csv(rows(found))
    else:
        from plimsoll.report.comparisons import formats

        typer.echo(formats()[form].render(found), nl=False)
