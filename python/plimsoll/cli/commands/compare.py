"""`plimsoll compare`: the verdicts of stored sessions, as a table, for programs, or as a gate."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Band, Baseline, Csv, Json, Sessions

if TYPE_CHECKING:
    from plimsoll.report.comparisons import Comparison
    from plimsoll.stats.paired import Cell

EXAMPLES = (
    "`plimsoll compare --baseline old --fail-on worse` leaves with 1 where anything got worse: a gate for CI. "
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
    baseline: Baseline = None,
    band: Band = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option("--fail-on", help="Leave with 1 if any verdict is worse; unknown: also if any is undecided."),
    ] = None,
    every: Annotated[
        bool, typer.Option("--all-metrics", help="Every metric, not only those that the tests judge.")
    ] = False,
    form: Annotated[
        Format,
        typer.Option("--format", help="Sentences, a pull request's table, benchstat's text, or a build server's XML."),
    ] = Format.TEXT,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Compare the targets of sessions: better, same, worse, or not enough data."""
    from plimsoll.cli.output import say

    form = Format.JSON if json else Format.CSV if csv else form
    comparison = _comparison(sessions, baseline, band, every, fail_on)
    # A gate answers by its exit code, also when the reader has gone.
    with suppress(BrokenPipeError):
        _write(comparison, form)
    failed = [cell for cell in comparison.cells if cell.verdict.answer in comparison.failing]
    for cell in failed:
        say(f"gate: {cell.case}, {cell.metric}: {_row(cell)['sentence']}")
    if failed:
        raise typer.Exit(1)


def _comparison(
    words: Sequence[str] | None, baseline: str | None, band: str | None, every: bool, fail_on: FailOn | None
) -> Comparison:
    from plimsoll.catalog.lasting import standings
    from plimsoll.cli.evidence import find_sessions
    from plimsoll.errors import NothingMeasured, UsageError
    from plimsoll.files_parameters import FILES_WORKLOADS
    from plimsoll.parameters import all_written
    from plimsoll.report.comparisons import Comparison
    from plimsoll.report.marks import levelled
    from plimsoll.report.memory import noted
    from plimsoll.stats.paired import cells, measured_apart
    from plimsoll.stats.rules import rules
    from plimsoll.stats.verdict import Answer
    from plimsoll.store.store import open_store

    with open_store() as store:
        found = find_sessions(store, words)
        ids = [session.id for session in found]
        plans = store.plans(ids)
        judged = {key: plan.metrics for key, plan in plans.items()}
        rows = store.score_rows(ids, None if every else judged)
        of_files = [key for key, plan in plans.items() if plan.workload in FILES_WORKLOADS]
        from_memory = store.from_memory(ids, of_files)
        unsure = store.may_end(ids)
        runs = store.runs(ids, unsure) if unsure else []
    if not rows:
        raise NothingMeasured(f"session {found[0].title!r} has no scores; `plimsoll show` says why")
    planned = [name for session in found for name in session.target_names]
    ran = dict.fromkeys(row.target for row in rows)
    targets = [name for name in dict.fromkeys([*planned, *ran]) if name in ran]
    if len(targets) < 2:
        raise UsageError(
            f"there is only one target, {', '.join(targets)}; give `plimsoll run` two with --on NAME=WHERE"
        )
    order: dict[tuple[str, str], int] = {}
    for row in rows:
        order.setdefault((row.case, row.metric), len(order))
    by = rules(found[0], baseline, band)
    compared = cells(
        rows,
        by.baseline or targets[0],
        band=by.band,
        mode=by.mode,
        plans={key: all_written(plan) for key, plan in plans.items()},
        apart=measured_apart(found),
    )
    # Stable: cases and metrics stay in the order in which they ran.
    compared.sort(key=lambda cell: (order[cell.case, cell.metric], targets.index(cell.target)))
    known = standings(runs, from_memory)
    compared = [levelled(noted(cell, from_memory), known) for cell in compared]
    closing = {FailOn.WORSE: {Answer.WORSE}, FailOn.UNKNOWN: {Answer.WORSE, Answer.UNKNOWN}}
    failing = frozenset(closing[fail_on]) if fail_on else frozenset()
    return Comparison(found[0].title, compared, rows, failing)


def _write(comparison: Comparison, form: Format) -> None:
    from plimsoll.cli.output import print_csv, print_json, say

    table = [_row(cell) for cell in comparison.cells]
    if form is Format.JSON:
        print_json(table)
    elif form is Format.CSV:
        print_csv(table)
    elif form is Format.TEXT:
        _print_sentences(table)
        for row in table:
            for note in row["notes"]:
                say(f"{row['test']}, {row['metric']}: {note}")
    else:
        from plimsoll.report.comparisons import formats

        typer.echo(formats()[form].render(comparison), nl=False)


def _row(cell: Cell) -> dict[str, Any]:
    from plimsoll.report.marks import lasting_words, mark
    from plimsoll.report.memory import is_memory
    from plimsoll.stats.sentences import sentence

    verdict = cell.verdict
    return {
        "test": cell.case,
        "metric": cell.metric,
        "baseline": cell.baseline,
        "target": cell.target,
        "answer": str(verdict.answer.value),
        "ratio": verdict.ratio,
        "ratio_low": verdict.ratio_low,
        "ratio_high": verdict.ratio_high,
        "blocks": verdict.blocks_used,
        "blocks_needed": verdict.blocks_needed,
        "interleaved": cell.apart is None,
        "survives_correction": not cell.corrected if verdict.decided else None,
        "memory": is_memory(cell),
        "level": mark(cell) or None,
        "lasts": lasting_words(cell) or None,
        "sentence": sentence(cell),
        "notes": [note.text for note in cell.notes if not note.in_sentence],
    }


def _print_sentences(table: list[dict[str, Any]]) -> None:
    """One line per verdict; plain columns, because a drawn table of a thousand lines takes a second."""
    from plimsoll.report.memory import NOT_THE_DISK

    heads = [
        f"{row['test']}, {row['metric'].replace('_', ' ')}{f' ({NOT_THE_DISK})' if row['memory'] else ''}"
        for row in table
    ]
    width = max(map(len, heads), default=0)
    for head, row in zip(heads, table, strict=True):
        typer.echo(f"{head:{width}}  {row['sentence']}")
