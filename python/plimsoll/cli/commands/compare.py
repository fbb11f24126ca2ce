"""`plimsoll compare`: the verdicts of stored sessions, as a table, for programs, or as a gate."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from plimsoll.cli.options import Band, Baseline, Csv, Json, Sessions

if TYPE_CHECKING:
    from plimsoll.stats.paired import Cell

EXAMPLES = "`plimsoll compare --baseline old --fail-on worse` leaves with 1 where anything got worse: a gate for CI."


class FailOn(StrEnum):
    """Which answers close the gate."""

    WORSE = "worse"
    UNKNOWN = "unknown"


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
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Compare the targets of sessions: better, same, worse, or not enough data."""
    from plimsoll.cli.evidence import find_sessions
    from plimsoll.cli.output import print_csv, print_json, print_table, say
    from plimsoll.errors import NothingMeasured, UsageError
    from plimsoll.stats.paired import cells
    from plimsoll.stats.policy import mode
    from plimsoll.store.store import open_store
    from plimsoll.units import parse_share

    with open_store() as store:
        found = find_sessions(store, sessions)
        ids = [session.id for session in found]
        rows = store.score_rows(ids)
        plans = store.plans(ids)
    if not rows:
        raise NothingMeasured(f"session {found[0].title!r} has no scores; `plimsoll show` says why")
    targets = list(dict.fromkeys(each["name"] for session in found for each in session.study.get("targets", [])))
    if len(targets) < 2:
        raise UsageError(
            f"there is only one target, {', '.join(targets)}; give `plimsoll run` two with --on NAME=WHERE"
        )
    study = found[0].study
    compared = cells(
        rows if every else [row for row in rows if row.metric in plans[row.plan_hash].metrics],
        baseline or study.get("baseline") or targets[0],
        band=parse_share(band or study.get("band", 0.10)),
        mode=mode(study.get("mode", "standard")),
        plans={key: plan.parameters for key, plan in plans.items()},
    )
    table = [_row(cell) for cell in compared]
    if json:
        print_json(table)
    elif csv:
        print_csv(table)
    else:
        print_table([_shown(row) for row in table], right=("ratio", "from", "to", "blocks"))
        for row in table:
            for note in row["notes"]:
                say(f"{row['test']}, {row['metric']}: {note}")
    failing = {FailOn.WORSE: {"worse"}, FailOn.UNKNOWN: {"worse", "unknown"}}.get(fail_on, set()) if fail_on else set()
    failed = [row for row in table if row["answer"] in failing]
    for row in failed:
        say(f"gate: {row['test']}, {row['metric']}: {row['sentence']}")
    if failed:
        raise typer.Exit(1)


def _row(cell: Cell) -> dict[str, Any]:
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
        "sentence": sentence(cell),
        "notes": [note.text for note in cell.notes],
    }


def _shown(row: dict[str, Any]) -> dict[str, Any]:
    return {"test": row["test"], "metric": row["metric"].replace("_", " "), "verdict": row["sentence"]}
