"""`plimsoll show`: a session on the terminal."""

from __future__ import annotations

from plimsoll.cli.options import Baseline, Csv, Json, Sessions

EXAMPLES = "`plimsoll show` shows the last session; `plimsoll show 3f9c --json` prints the same for programs."


def command(sessions: Sessions = None, baseline: Baseline = None, json: Json = False, csv: Csv = False) -> None:
    """Show the verdicts, scores and warnings of sessions."""
    from plimsoll.cli.evidence import evidence
    from plimsoll.report.build import build_document
    from plimsoll.report.renderers import render

    with_format = "json" if json else "csv" if csv else "terminal"
    render(build_document(evidence(sessions, baseline)), with_format)
