"""How it was measured and how to measure it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from plimsoll.altered import has_no_checksum
from plimsoll.model import Run
from plimsoll.parameters import all_written
from plimsoll.report.document import Block, Cell, Column, Listing, Sentence, Table, Text, columns, number, phrase
from plimsoll.report.endings import endings, most_blocks
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text, percent_text
from plimsoll.stats.parts import extensions_of, without_extensions
from plimsoll.stats.policy import ALPHA, looks_until
from plimsoll.stats.sentences import band as band_text
from plimsoll.units import SECOND, format_duration

ORDER = 90
TITLE = "Method"

LONGEST_NS = 10 * SECOND
"""No slice is so long."""

APART = (
    "Sets of runs that were not interleaved are compared by Welch's t of the logarithms. There is no verdict "
    "where a set shows a trend, a step or dependence, and the guarantee holds only if nothing but the target changed."
)


def build(evidence: Evidence) -> list[Block]:
    """The rules, what was run, every parameter, and the study files."""
    blocks: list[Block] = [_rules(evidence)]
    if evidence.runs:
        blocks += [_cases(evidence), *_parameters(evidence)]
    for session in evidence.sessions:
        if session.study:
            title = "Study file: save it as study.toml and repeat the session with: plimsoll run study.toml"
            blocks.append(Listing(title, study_text(session.study)))
    return blocks


def _rules(evidence: Evidence) -> Text:
    mode = evidence.mode
    seeds = [session.study["seed"] for session in evidence.sessions if "seed" in session.study]
    seed = f" (seed {', '.join(map(str, seeds))})" if seeds else ""
    most = max(most_blocks(mode, evidence.runs), _extended_to(evidence))
    looks = ", ".join(str(look.blocks) for look in looks_until(most, evidence.policy))
    turns = [session.interleaved for session in evidence.sessions]
    words = [
        f"“Same” means within {band_text(evidence.band)}. Rules of policy version {evidence.policy}.",
        "Pooled percentiles of several runs come from their added histograms, never from averages; the score of a "
        "percentile is the geometric mean of those of each run. A percentile with less than one operation beyond it "
        "is n/a.",
    ]
    if not all(turns):
        words.insert(0, APART)
    if any(turns):
        words[:0] = [
            f"{_order(evidence.runs, seed)} Targets are compared inside blocks, as paired log ratios.",
            f"Mode {mode.name}: answers may fall after {looks} blocks; the critical values pay for looking that often. "
            f"Each verdict is false with probability at most {percent_text(ALPHA)}.",
        ]
        words.append(
            "Invalid runs are repeated once with their whole block, then reported; slow runs are never dropped."
        )
    if unknown := sum(has_no_checksum(run) for run in evidence.runs):
        words.append(
            f"{count_text(unknown, 'run')} of {len(evidence.runs):,} {'was' if unknown == 1 else 'were'} stored before "
            "checksums: whether anything was changed there afterwards, nobody can tell."
        )
    return Text(tuple(Sentence(each) for each in words))


def _order(runs: Sequence[Run], seed: str) -> str:
    """How the targets of a block took turns."""
    others = f"run each target once, next to each other in time, in random order{seed}."
    at_once = [run for run in runs if run.at_once]
    if at_once and len(at_once) == len(runs):
        return "All targets of a block run at the same time."
    if at_once:
        cases = ", ".join(dict.fromkeys(run.plan.case for run in at_once))
        return f"In {cases}, the targets of a block run at the same time. All other blocks {others}"
    sliced = [run for run in runs if run.in_slices]
    lengths = [length for run in sliced if (length := _length_of(run, "slice_ns"))]
    if not lengths:
        return f"Every block runs each target once, next to each other in time, in random order{seed}."
    shortest, longest = format_duration(min(lengths)), format_duration(max(lengths))
    span = shortest if shortest == longest else f"{shortest} to {longest}"
    ignored = max((_length_of(run, "discard_ns") for run in sliced), default=0)
    told = (
        f"of a block take turns of {span}, in an order that is random{seed} and then reversed, until each has run for "
        f"as long as its test says; the warm-up and the first {format_duration(ignored)} of each turn do not count."
    )
    if len(sliced) == len(runs):
        return f"The targets {told}"
    cases = ", ".join(dict.fromkeys(run.plan.case for run in sliced))
    return f"In {cases}, the targets {told} All other blocks {others}"


def _length_of(run: Run, name: str) -> int:
    """A length that the run keeps of its slices, ns. A result file may hold anything."""
    value = run.facts["slices"].get(name)
    return value if isinstance(value, int) and 0 < value < LONGEST_NS else 0


def _extended_to(evidence: Evidence) -> int:
    """Most blocks of a case of a session that was extended; 0 where none was."""
    extended = {session.id for session in evidence.sessions if extensions_of(session.study)}
    return max((run.block + 1 for run in evidence.runs if run.session_id in extended), default=0)


def _cases(evidence: Evidence) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for case in evidence.cases:
        runs = [run for run in evidence.runs if run.plan.case == case]
        valid = [run for run in evidence.valid if run.plan.case == case]
        blocks = len({(run.session_id, run.block) for run in runs})
        length = sum(run.spent_ns for run in runs)
        metrics = ", ".join(evidence.judged[case])
        rows.append(
            (
                phrase(case),
                phrase(metrics),
                number(blocks, "1"),
                number(len(runs), "1"),
                number(len(valid), "1"),
                number(length, "ns"),
                phrase(endings(evidence, case)),
            )
        )
    names = (
        "Case",
        "Judged metrics (first decides)",
        ">Blocks",
        ">Runs",
        ">Valid runs",
        ">Time in all",
        "What stopped it",
    )
    return Table("What was run", columns(*names), tuple(rows))


def _parameters(evidence: Evidence) -> list[Table]:
    """One table of what all plans share, one of what differs."""
    plans: dict[str, tuple[Run, dict[str, None]]] = {}
    for run in evidence.runs:
        plans.setdefault(f"{run.plan.case} {run.plan.hash}", (run, {}))[1][run.target.name] = None
    names = list(dict.fromkeys(name for run, _ in plans.values() for name in run.plan.parameters))
    shown = {key: all_written(run.plan) for key, (run, _) in plans.items()}
    differing = [name for name in names if len({shown[key].get(name) for key in plans}) > 1]
    common = next(iter(shown.values()))
    tables = []
    if differing:
        heads = (*columns("Case", "Targets", "Plan"), *(Column(name, name) for name in differing))
        rows = tuple(
            (
                phrase(run.plan.case),
                phrase(", ".join(targets)),
                phrase(run.plan.hash),
                *(phrase(shown[key].get(name, "")) for name in differing),
            )
            for key, (run, targets) in plans.items()
        )
        tables.append(Table("Parameters that differ between plans", heads, rows))
    same = tuple((phrase(name), phrase(common[name])) for name in names if name not in differing)
    if same:
        tables.append(Table("Parameters that all plans share", columns("Parameter", "Value"), same))
    return tables


def study_text(study: Mapping[str, Any]) -> str:
    """The study as a study file: what a new session begins with."""
    import tomli_w

    try:
        return tomli_w.dumps(_without_none(without_extensions(study)))
    except (TypeError, ValueError):
        return "# this study holds values that a study file cannot; it came from another program\n"


def _without_none(value: Any) -> Any:
    """TOML has no null; a missing key says the same."""
    if isinstance(value, Mapping):
        return {str(key): _without_none(item) for key, item in value.items() if item is not None}
    if isinstance(value, list | tuple):
        return [_without_none(item) for item in value if item is not None]
    return value
