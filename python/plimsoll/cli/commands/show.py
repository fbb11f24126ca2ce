"""`plimsoll show`: a session on the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli.options import Baseline, Csv, ImportedSlo, Json, Sessions

if TYPE_CHECKING:
    from plimsoll.report import Evidence

EXAMPLES = (
    "`plimsoll show` shows the last session; `plimsoll show 3f9c --json` prints the same for programs; "
    "`plimsoll show --prometheus > plimsoll.prom` is for the textfile collector."
)


def command(
    sessions: Sessions = None,
    baseline: Baseline = None,
    slo: ImportedSlo = None,
    json: Json = False,
    csv: Csv = False,
    every: Annotated[bool, typer.Option("--all", help="Every comparison in a sentence, not only differences.")] = False,
    prometheus: Annotated[bool, typer.Option("--prometheus", help="Print Prometheus text on standard output.")] = False,
) -> None:
    """Show the verdicts, scores and warnings of sessions."""
    from plimsoll.cli.following import tell_report

    found = shown(sessions, baseline, slo, json=json, csv=csv, every=every, prometheus=prometheus)
    if not (json or csv or prometheus):
        tell_report(found.sessions)


def shown(
    sessions: list[str] | None,
    baseline: str | None = None,
    slo: str | None = None,
    *,
    json: bool = False,
    csv: bool = False,
    every: bool = False,
    prometheus: bool = False,
) -> Evidence:
    """Print what is stored of sessions, and return it."""
    from plimsoll.api.finding import evidence
    from plimsoll.cli.output import console
    from plimsoll.report import build_document, render
    from plimsoll.report.prometheus import render as render_prometheus
    from plimsoll.report.renderers.terminal import print_document
    from plimsoll.store.names import short_id

    found = evidence(sessions, baseline, slo)
    if prometheus:
        typer.echo(render_prometheus(found), nl=False)
        return found
    document = build_document(found, short=not (json or csv))
    if json or csv:
        typer.echo(render(document, "json" if json else "csv"), nl=False)
    else:
        names = " ".join(short_id(session.id) for session in found.sessions)
        print_document(document, console(), every=every, more=f"with `plimsoll show {names} --all`")
    return found
