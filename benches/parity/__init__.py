"""Native tests beside their originals, interleaved on one place: ratios of scores and of processor time.

python -m benches.parity [NAME…]      all, or those named; `make bench-parity`

One file per pair, each with `CASES`: what is run, and which metrics are compared.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benches.parity._commands import Line, line

from plimsoll import kinds
from plimsoll.cli.progress import observer
from plimsoll.model import Run, RunStatus
from plimsoll.report.evidence import Evidence
from plimsoll.run.session import run_study
from plimsoll.run.study import from_words
from plimsoll.store.store import open_store

WHOLE = "whole_test_ns"
"""A metric of every test: the time of all its phases, for an original that counts whole seconds."""
NATIVE, ORIGINAL = "native", "original"


@dataclass(frozen=True)
class Case:
    """One test with its settings on both sides."""

    test: str
    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    blocks: int = 4
    work: str = ""
    """The rate of a test that runs for a fixed time: processor time is then compared for the same amount of work."""


def compare(case: Case) -> Iterator[str]:
    """One line per metric, and one for the processor time."""
    with tempfile.TemporaryDirectory(dir=".", prefix="parity-") as folder:
        targets = (f"{NATIVE}={folder}", f"{ORIGINAL}={folder},implementation=original")
        study = from_words([case.test], targets, shared=case.settings, repeats=case.blocks, noisy_host=True)
        with open_store(f"sqlite:///{Path(folder).resolve()}/results.db") as store:
            with observer(quiet=True) as watching:
                session = run_study(study, store, watching)
            runs = store.runs([session.id])
    evidence = Evidence([session], runs, ORIGINAL, 0.05)
    yield f"{case.test} {' '.join(case.settings)}"
    for metric in case.metrics:
        yield _line(evidence, metric)
    cpu = {name: _cpu_s([run for run in runs if run.target.name == name], case.work) for name in (NATIVE, ORIGINAL)}
    share = cpu[NATIVE] / cpu[ORIGINAL] if cpu[ORIGINAL] else float("nan")
    yield f"  {'processor time, s':36} {cpu[NATIVE]:16.2f}  {cpu[ORIGINAL]:16.2f}  {share:6.2f}×"
    for run in runs:
        if run.status is not RunStatus.OK:
            yield f"  {run.target.name}: {run.status.value}: {run.reason}"


def _line(evidence: Evidence, metric: str) -> str:
    """Scores, their ratio block by block, and whether that is parity."""
    scores = {(run.block, run.target.name): value for run in evidence.valid for value in _values(run, metric)}
    blocks = sorted({block for block, _ in scores if (block, NATIVE) in scores and (block, ORIGINAL) in scores})
    if not blocks:
        return f"  {metric:36} not measured by both (the original gives no number for phases below half a second)"
    native, original = ([scores[block, name] for block in blocks] for name in (NATIVE, ORIGINAL))
    return line(metric, native, original)


def _values(run: Run, metric: str) -> list[float]:
    if metric == WHOLE:
        return [float(run.facts["elapsed_ns"])]
    return [score.value for score in run.scores if score.metric == metric]


def _cpu_s(runs: Sequence[Run], work: str) -> float:
    """User and system time of a run, median; with `work`, per 10⁹ of that rate and second (bytes or operations)."""
    times = []
    for run in runs:
        cpu_s = (run.facts["cpu"]["user_ns"] + run.facts["cpu"]["system_ns"]) / 1e9 if "cpu" in run.facts else 0.0
        rates = [score.value for score in run.scores if score.metric == work]
        times.append(cpu_s / (rates[0] * _worked_ns(run) / 1e18 if rates else 1.0))
    return median(times) if times else 0.0


def _worked_ns(run: Run) -> float:
    """The time in which a run used its processor time: the measured one; of an original, with its warm-up."""
    results = run.facts.get("results")
    elapsed_ns = float(results[0]["elapsed_ns"] if results else run.facts["elapsed_ns"])
    return elapsed_ns + (run.plan.parameters["warmup"] if run.target.name == ORIGINAL else 0)


def main(names: Sequence[str]) -> None:
    """Run the pairs that are named, or all."""
    for module in kinds.modules("benches.parity"):
        if not names or module.__name__.rsplit(".", 1)[-1] in names:
            for case in module.CASES:
                for text in case.compare() if isinstance(case, Line) else compare(case):
                    print(text, flush=True)
