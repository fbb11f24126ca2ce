"""`plimsoll compare`: the verdicts of stored sessions, as a table, for programs, or as a gate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Band, Csv, Json, Sessions

if TYPE_CHECKING:
    from plimsoll.model import Plan, Session
    from plimsoll.report.comparisons import Comparison
    from plimsoll.report.suite import Suite
    from plimsoll.stats.cases import Names
    from plimsoll.stats.paired import Cell, ScoreRow
    from plimsoll.stats.rules import Rules
    from plimsoll.store.store import Store

NOTHING_COMPARED = 4
"""Exit code of a gate that had nothing to compare: it must not look like one that passed."""

MANY_COMPARISONS = 12
"""More of them are shown only where they differ."""

EXAMPLES = (
    "`plimsoll compare --baseline old --fail-on worse` exits with 1 where anything got worse, and with 4 where "
    "nothing could be compared: a gate for CI; `old` is a target, or a session that `plimsoll baseline set old` named. "
    "`plimsoll compare OLD NEW` compares two sessions that were run apart. "
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
            help="Target the others are compared with, or a baseline (`plimsoll baseline set`): its session is.",
        ),
    ] = None,
    band: Band = None,
    fail_on: Annotated[
        FailOn | None,
        typer.Option(
            "--fail-on",
            help="Exit with 1 if any verdict is worse (unknown: or undecided), and with 4 if nothing could be "
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
    every: Annotated[
        bool, typer.Option("--all-metrics", help="Every metric, not only those that the tests judge.")
    ] = False,
    all_: Annotated[
        bool, typer.Option("--all", help="Every comparison; without it, many are shown only where they differ.")
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
    from plimsoll.errors import NothingMeasured

    form = Format.JSON if json else Format.CSV if csv else form
    try:
        comparison = _comparison(sessions, baseline, band, every, fail_on, across or ())
    except NothingMeasured as error:
        if not fail_on:
            raise
        say(f"gate: {error}")
        raise typer.Exit(NOTHING_COMPARED) from None
    # A gate answers by its exit code, also when the reader has gone.
    with suppress(BrokenPipeError):
        _write(comparison, form, every=all_)
    failed = [cell for cell in comparison.cells if cell.verdict.answer in comparison.failing]
    if comparison.alone and not comparison.nothing:
        say(comparison.alone)
    for cell in failed:
        say(f"gate: {cell.case}, {cell.metric}: {_row(cell)['sentence']}")
    if comparison.nothing:
        say(f"gate: {comparison.nothing}" if fail_on else comparison.nothing)
        if fail_on:
            raise typer.Exit(NOTHING_COMPARED)
    if failed:
        raise typer.Exit(1)
    if fail_on and not any(cell.verdict.decided for cell in comparison.cells):
        say("gate: passed, but no comparison is decided, so nothing is ruled out; `--fail-on unknown` would fail here")


def _comparison(
    words: Sequence[str] | None,
    baseline: str | None,
    band: str | None,
    every: bool,
    fail_on: FailOn | None,
    across: Sequence[str],
) -> Comparison:
    from plimsoll.catalog.lasting import standings
    from plimsoll.cli.evidence import find_sessions
    from plimsoll.declared import FILES
    from plimsoll.report.against import opponents
    from plimsoll.report.changed import noted_changes
    from plimsoll.report.comparisons import Comparison
    from plimsoll.report.gate import nothing_compared, ran_alone
    from plimsoll.report.marks import levelled
    from plimsoll.report.memory import noted
    from plimsoll.report.naming import named_rows, under_names
    from plimsoll.report.suite import suites
    from plimsoll.stats.paired import measured_apart
    from plimsoll.stats.rules import rules
    from plimsoll.stats.verdict import Answer
    from plimsoll.store import search
    from plimsoll.store.store import open_store, short_id

    with open_store() as store:
        found = find_sessions(store, words)
        saved = _saved(store, found, baseline)
        found = [saved, *found] if saved else found
        ids = [session.id for session in found]
        plans = store.plans(ids)
        judged = {key: plan.metrics for key, plan in plans.items()}
        rows = store.score_rows(ids, None if every else judged)
        altered = store.altered(ids)
        of_files = [key for key, plan in plans.items() if plan.workload in FILES]
        from_memory = [(each, *where) for each in ids for where in store.from_memory([each], of_files)]
        places = {each: search.targets(store, each) for each in ids}
        metrics = store.deciding(ids)
        unsure = store.may_end(ids)
        runs = store.runs(ids, unsure) if unsure else []
    _check_measured(found, rows)
    by = rules(found[-1], None, band) if saved else rules(found[0], baseline, band)
    short_ids = {each: short_id(each) for each in ids}
    apart = {saved.id: str(baseline)} if saved else None
    names, rows = named_rows(found, rows, plans, places, short_ids, across, apart)
    targets = _targets(found, names, rows)
    against = opponents(names, saved) if saved else names.opponents(names.baseline(by.baseline) or targets[0])
    compared = _cells(found, rows, plans, names, targets, by, against)
    # The targets of a baseline among themselves are not the question.
    compared = [cell for cell in compared if saved is None or cell.target in against]
    renamed = _renamed(from_memory, names)
    changed = _changed(altered.values(), names)
    known = standings(under_names(names, runs), renamed)
    closing = {FailOn.WORSE: {Answer.WORSE}, FailOn.UNKNOWN: {Answer.WORSE, Answer.UNKNOWN}}
    told = [levelled(noted_changes(noted(cell, renamed), changed), known) for cell in compared]
    deciding = {
        work.case: metrics[stored.session, stored.case]
        for stored, work in names.works.items()
        if (stored.session, stored.case) in metrics
    }
    return Comparison(
        title=found[0].title,
        cells=told,
        suites=suites(told, deciding),
        rows=rows,
        failing=frozenset(closing[fail_on]) if fail_on else frozenset(),
        nothing=nothing_compared(compared, names),
        alone=ran_alone(names),
        ordered=len(found) == 1 or all(measured_apart(found).values()),
    )


def _renamed(scores: Iterable[tuple[str, str, str, str]], names: Names) -> set[tuple[str, str, str]]:
    """The case, metric and target by which scores are compared, of their session, case, metric and target."""
    return {
        (work.case, metric, work.target)
        for session, case, metric, target in scores
        for stored, work in names.works.items()
        if (stored.session, stored.case, stored.target) == (session, case, target)
    }


def _saved(store: Store, found: Sequence[Session], name: str | None) -> Session | None:
    """The session of a baseline of that name; None where the sessions have such a target, or none is meant."""
    from plimsoll.errors import UsageError
    from plimsoll.store.baselines import baselines
    from plimsoll.store.store import short_id

    if name is None or any(name in session.target_names for session in found):
        return None
    saved = baselines(store).get(name)
    if saved is not None and saved.id in {session.id for session in found}:
        raise UsageError(
            f"session {short_id(saved.id)} is the baseline {name} itself; measure again with "
            f"`plimsoll run --against {name}`, or name another session"
        )
    return saved


def _changed(altered: Iterable[tuple[str, str, str]], names: Names) -> Mapping[tuple[str, str], int]:
    """How many runs of each (case, target) were changed after they were stored, by the names they are compared by."""
    return Counter(
        (work.case, work.target)
        for where in altered
        for stored, work in names.works.items()
        if (stored.session, stored.case, stored.target) == where
    )


def _check_measured(found: Sequence[Session], rows: Sequence[ScoreRow]) -> None:
    """Raise NothingMeasured if sessions without scores leave nothing to compare: no second target would help."""
    from plimsoll.errors import NothingMeasured
    from plimsoll.store.store import short_id

    measured = {row.session for row in rows}
    empty = [session for session in found if session.id not in measured]
    if not empty or len(found) - len(empty) > 1 or len({row.target for row in rows}) > 1:
        return
    which = " and ".join(f"{session.title!r} ({short_id(session.id)})" for session in empty)
    verb = f"session {which} has" if len(empty) == 1 else f"sessions {which} have"
    raise NothingMeasured(f"nothing was compared: {verb} no scores; `plimsoll show {short_id(empty[0].id)}` says why")


def _targets(sessions: Sequence[Session], names: Names, rows: Sequence[ScoreRow]) -> list[str]:
    """The targets in the order of the sessions as they were given; raises UsageError where there is only one."""
    from plimsoll.errors import UsageError

    planned = [
        called.target
        for session in sessions
        for name in session.target_names
        for stored, called in names.works.items()
        if (stored.session, stored.target) == (session.id, name)
    ]
    ran = dict.fromkeys(row.target for row in rows)
    targets = [name for name in dict.fromkeys([*planned, *ran]) if name in ran]
    if len(targets) < 2:
        raise UsageError(
            f"there is only one target, {', '.join(targets)}; give `plimsoll run` two with --on NAME=WHERE, or name "
            "two sessions"
        )
    return targets


def _cells(
    sessions: Sequence[Session],
    rows: Sequence[ScoreRow],
    plans: Mapping[str, Plan],
    names: Names,
    targets: Sequence[str],
    by: Rules,
    opponents: Mapping[str, str],
) -> list[Cell]:
    """Every comparison, in the order in which cases and metrics ran."""
    from plimsoll.parameters import all_written
    from plimsoll.stats.paired import cells, measured_apart

    order: dict[tuple[str, str], int] = {}
    for row in rows:
        order.setdefault((row.case, row.metric), len(order))
    loose = measured_apart(sessions)
    reference = names.baseline(by.baseline) or targets[0]
    compared = cells(
        rows,
        reference,
        band=by.band,
        mode=by.mode,
        plans={key: all_written(plan) for key, plan in plans.items()},
        apart={
            called.session: loose[stored.session] for stored, called in names.works.items() if stored.session in loose
        },
        opponents=opponents,
    )
    # Stable: cases and metrics stay in the order in which they ran.
    compared.sort(key=lambda cell: (order[cell.case, cell.metric], targets.index(cell.target)))
    return compared


def _write(comparison: Comparison, form: Format, *, every: bool) -> None:
    from plimsoll.cli.output import print_csv, print_json, say

    table = [_row(cell) for cell in comparison.cells]
    together = [_suite_row(suite) for suite in comparison.suites]
    if form is Format.JSON:
        print_json([*table, *together])
    elif form is Format.CSV:
        print_csv([*table, *together])
    elif form is Format.TEXT:
        _print_sentences(table, every=every)
        for suite in comparison.suites:
            typer.echo(suite.sentence)
        notes: dict[str, list[str]] = {}
        for row in table:
            for note in row["notes"]:
                notes.setdefault(note, []).append(f"{row['test']}, {row['metric']}")
        for note, lines in notes.items():
            # What many lines share is said once.
            say(f"{lines[0] if len(lines) == 1 else f'{len(lines)} of {len(table)} comparisons'}: {note}")
    else:
        from plimsoll.report.comparisons import formats

        typer.echo(formats()[form].render(comparison), nl=False)


def _row(cell: Cell) -> dict[str, Any]:
    from plimsoll.report.marks import lasting_words, mark
    from plimsoll.report.memory import is_memory
    from plimsoll.stats.ratio_text import levels_told
    from plimsoll.stats.sentences import sentence

    verdict, told = cell.verdict, levels_told(cell)
    return {
        "test": cell.case,
        "metric": cell.metric,
        "baseline": cell.baseline,
        "target": cell.target,
        "answer": str(verdict.answer.value),
        "ratio": None if told else verdict.ratio,
        "ratio_low": None if told else verdict.ratio_low,
        "ratio_high": None if told else verdict.ratio_high,
        "ratio_levels": told or None,
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


def _suite_row(suite: Suite) -> dict[str, Any]:
    """Several cases put together, in the columns of a comparison; it has no answer, for no gate hangs on it."""
    return {
        "test": f"geometric mean of {suite.score.tests} cases",
        "metric": "times as good",
        "baseline": suite.baseline,
        "target": suite.target,
        "answer": None,
        "ratio": suite.score.ratio,
        "ratio_low": suite.score.low,
        "ratio_high": suite.score.high,
        "ratio_levels": None,
        "blocks": None,
        "blocks_needed": None,
        "interleaved": all(cell.apart is None for cell in suite.cells),
        "survives_correction": None,
        "memory": False,
        "level": None,
        "lasts": None,
        "sentence": suite.sentence,
        "notes": [],
    }


def _print_sentences(table: list[dict[str, Any]], *, every: bool) -> None:
    """One line per verdict; plain columns, because a drawn table of a thousand lines takes a second.

    Of many comparisons those that differ, and how many others there are.
    """
    from plimsoll.metrics import short_title
    from plimsoll.report.memory import NOT_THE_DISK

    differ = [row for row in table if row["answer"] in ("better", "worse")]
    shown = table if every or len(table) <= MANY_COMPARISONS else differ
    heads = [
        f"{row['test']}, {short_title(row['metric'])}{f' ({NOT_THE_DISK})' if row['memory'] else ''}" for row in shown
    ]
    width = max(map(len, heads), default=0)
    for head, row in zip(heads, shown, strict=True):
        typer.echo(f"{head:{width}}  {row['sentence']}")
    if len(shown) < len(table):
        same = sum(row["answer"] == "same" for row in table)
        counts = ((same, "the same"), (len(table) - len(differ) - same, "undecided"))
        told = ", ".join(f"{count:,} {word}" for count, word in counts if count)
        typer.echo(f"{len(differ):,} of {len(table):,} comparisons differ; {told}: `--all` shows these too.")
