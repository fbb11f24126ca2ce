"""What `plimsoll import --explain` prints: the format, each number with its place, and what is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from plimsoll.importers.explaining import Explained, ExplainedNumber, ExplainedRun

FEW_RUNS = 3
FEW_LINES = 12
FEW_TOKENS = 4
_UNITS = {"1/s": "per second", "1,000/s": "thousand per second", "1/min": "per minute", "1": ""}
"""How units that are no word read behind a number."""


def print_explained(found: Explained, screen: Console) -> None:
    """One file, or one group of files."""
    from plimsoll.cli.output import harmless

    def write(line: str) -> None:
        screen.print(harmless(line), markup=False, highlight=False)

    if not found.runs:
        write(found.problem if found.problem.startswith(found.file) else f"{found.file}: {found.problem}")
        return
    by = "as you said" if found.forced else "by its content"
    write(f"{found.file}: {found.format} ({found.title}), {by}")
    for number, run in enumerate(found.runs[:FEW_RUNS], 1):
        write(f"\nrun {number} of {len(found.runs)}: {run.case} on {run.target}, {_state(run)}")
        _print_numbers(run, _untraced(found, run), screen)
        _print_kept(run, screen)
    if len(found.runs) > FEW_RUNS:
        write(f"\n{len(found.runs) - FEW_RUNS:,} more runs; `--json` has all of them")
    for warning in found.warnings:
        write(warning)
    _print_left_out(found, screen)


def _state(run: ExplainedRun) -> str:
    return f"{run.status}: {run.reason}" if run.reason else run.status


def _untraced(found: Explained, run: ExplainedRun) -> str:
    """What a number is made from that stands in no one place."""
    if found.is_log:
        return "counted from all lines"
    return "computed from the histogram" if run.histograms else "computed from several numbers"


def _print_numbers(run: ExplainedRun, untraced: str, screen: Console) -> None:
    from rich import box
    from rich.table import Table

    from plimsoll.cli.output import harmless
    from plimsoll.units import format_value

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for title in ("Score", "Value", "In the file", "Where"):
        table.add_column(title, justify="right" if title == "Value" else "left", overflow="fold")
    for each in run.numbers:
        cells = (each.metric, format_value(each.value, each.unit), _stands(each, untraced), each.where or "–")
        table.add_row(*(harmless(cell).replace("[", "\\[") for cell in cells))
    screen.print(table)


def _stands(each: ExplainedNumber, untraced: str) -> str:
    """The number as it stands there, with the unit that it was taken for."""
    if not each.tokens:
        return untraced
    if each.computed:
        more = f" and {len(each.tokens) - FEW_TOKENS} more" if len(each.tokens) > FEW_TOKENS else ""
        return f"computed from {', '.join(each.tokens[:FEW_TOKENS])}{more}"
    return f"{each.tokens[0]} {_UNITS.get(each.file_unit, each.file_unit)}".rstrip()


def _print_kept(run: ExplainedRun, screen: Console) -> None:
    from plimsoll.cli.output import harmless

    kept = {
        "parameters": ", ".join(f"{name}={value}" for name, value in run.parameters.items()),
        "histograms": ", ".join(run.histograms),
        "kept beside": ", ".join(run.facts),
    }
    for name, words in kept.items():
        if words:
            screen.print(harmless(f"{name}: {words}"), markup=False, highlight=False)
    for warning in run.warnings:
        screen.print(harmless(f"warning: {warning}"), markup=False, highlight=False)


def _print_left_out(found: Explained, screen: Console) -> None:
    from plimsoll.cli.output import harmless

    if not found.left_out:
        return
    screen.print(
        f"\nin no score ({len(found.left_out):,}; parameters and other facts are among them):", highlight=False
    )
    for line in found.left_out[:FEW_LINES]:
        screen.print(harmless(f"  {line}"), markup=False, highlight=False)
    if len(found.left_out) > FEW_LINES:
        screen.print(f"  {len(found.left_out) - FEW_LINES:,} more; `--json` has all of them", highlight=False)
