"""What disturbed most of the runs: whoever reads the answer has to know what of it is not to be relied on."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.model import Finding, Level
from plimsoll.report.document import Sentence, Tone
from plimsoll.report.evidence import Evidence
from plimsoll.report.labels import count_text

_NOISE = {
    "client_cpu": "kept the processors busy",
    "db_foreign": "worked on the machine",
    "foreign_io": "used the disk",
    "steal": "took processor time from the virtual machine",
}
"""Guards of noise that others make, and what these did."""
_OTHERS = "other programs"


def is_noise(finding: Finding) -> bool:
    """Whether others disturbed the run; the processors may have been busy with the test itself."""
    if finding.level is Level.OK or finding.guard not in _NOISE:
        return False
    return finding.guard != "client_cpu" or finding.message.lower().startswith(_OTHERS)


def disturbance(evidence: Evidence) -> Iterator[Sentence]:
    """Who disturbed more than half of the valid runs, and what to do; nothing where most were left alone."""
    runs: dict[str, set[str]] = {}
    for run in evidence.valid:
        for finding in filter(is_noise, run.findings):
            runs.setdefault(finding.guard, set()).add(run.id)
    total = len(evidence.valid)
    if 2 * len(set().union(*runs.values())) <= total:
        return
    by = {_OTHERS: [name for name in runs if name != "steal"], "other guests of the host": ["steal"]}
    told = [
        f"{who} {' and '.join(f'{_NOISE[name]} in {_share(len(runs[name]), total)}' for name in names)}"
        for who, guards in by.items()
        if (names := sorted((name for name in guards if name in runs), key=lambda name: -len(runs[name])))
    ]
    who = ", and ".join(told)
    if _in_intervals(evidence):
        # As short as the other: the first screen has no room for more.
        yield Sentence(f"Do not rely on the scores: {who}. The verdicts allow for such noise.", Tone.UNKNOWN)
    else:
        yield Sentence(f"Do not rely on this: {who}. Repeat it on a quiet machine.", Tone.UNKNOWN)


def _in_intervals(evidence: Evidence) -> bool:
    """Whether the answer is ratios of runs that shared the noise: what it leaves of them is the width of the interval.

    Sets measured apart each had their own.
    """
    known = [cell for cell in evidence.cells if cell.verdict.low is not None]
    return bool(known) and all(cell.apart is None for cell in known)


def _share(count: int, total: int) -> str:
    if count < total:
        return f"{count:,} of {total:,} runs"
    return f"all {count_text(total, 'run')}" if total > 1 else "the only run"
