"""Native tests beside their originals, interleaved on one place: ratios of scores and of processor time.

python -m benches.parity [NAME…]      all, or those named; `make bench-parity`

One file per pair, each with `CASES`: what is run, and which metrics are compared.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from benches.parity._commands import Line, line

from plimsoll import plugins
from plimsoll.cli.progress import observer
from plimsoll.model import Run, RunStatus
from plimsoll.run.session import run_study
from plimsoll.run.study import from_words
from plimsoll.store.opening import open_store
from plimsoll.units import GIB

WHOLE = "whole_test_ns"
"""A metric of every test: the time of all its phases, for an original that counts whole seconds."""
NATIVE, ORIGINAL = "native", "original"
IMAGE_BYTES = 4 * GIB
"""Most that a case with a file system of its own has on disk; the image is sparse."""


@dataclass(frozen=True)
class Case:
    """One test with its settings on both sides."""

    test: str
    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    blocks: int = 4
    work: str = ""
    """The rate of a test that runs for a fixed time: processor time is then compared for the same amount of work."""
    fresh: bool = False
    """Each run has a new file system of its own. ext4 looks at every inode that was deleted in the last minutes before
    it makes a file: what the run before has deleted would slow down the next one, whosever turn it is."""


@dataclass(frozen=True)
class Done:
    """One run of one side in one block."""

    block: int
    side: str
    run: Run


def compare(case: Case) -> Iterator[str]:
    """One line per metric, and one for the processor time."""
    done = list(_fresh(case) if case.fresh else _in_turns(case))
    yield f"{case.test} {' '.join(case.settings)}"
    for metric in case.metrics:
        yield _line(done, metric)
    cpu = {side: _cpu_s([each for each in done if each.side == side], case.work) for side in (NATIVE, ORIGINAL)}
    share = cpu[NATIVE] / cpu[ORIGINAL] if cpu[ORIGINAL] else float("nan")
    what = "processor time, s per 10⁹" if case.work else "processor time, s"
    yield f"  {what:36} {cpu[NATIVE]:16.2f}  {cpu[ORIGINAL]:16.2f}  {share:6.2f}×"
    for each in done:
        if each.run.status is not RunStatus.OK:
            yield f"  {each.side}: {each.run.status.value}: {each.run.reason}"


def _in_turns(case: Case) -> Iterator[Done]:
    """Both in one session on one place."""
    with tempfile.TemporaryDirectory(dir=".", prefix="parity-") as folder:
        runs = _session(case, Path(folder), (NATIVE, ORIGINAL), case.blocks)
    yield from (Done(run.block, run.target.name, run) for run in runs)


def _fresh(case: Case) -> Iterator[Done]:
    """Each run in a session of its own, on a new file system."""
    for block in range(case.blocks):
        for side in (NATIVE, ORIGINAL) if block % 2 else (ORIGINAL, NATIVE):
            with new_file_system() as folder:
                yield from (Done(block, side, run) for run in _session(case, folder, (side,), 1))


def _session(case: Case, folder: Path, sides: Sequence[str], repeats: int) -> list[Run]:
    options = {NATIVE: "", ORIGINAL: ",implementation=original"}
    targets = [f"{side}={folder}{options[side]}" for side in sides]
    study = from_words([case.test], targets, shared=case.settings, repeats=repeats, noisy_host=True)
    with tempfile.TemporaryDirectory() as state, open_store(f"sqlite:///{state}/results.db") as store:
        with observer(quiet=True) as watching:
            session = run_study(study, store, watching)
        return store.runs([session.id])


@contextmanager
def new_file_system() -> Iterator[Path]:
    """An empty ext4 on a loop device; needs root."""
    with tempfile.TemporaryDirectory(dir=".", prefix="parity-") as folder:
        image, mount = Path(folder) / "image", Path(folder) / "mount"
        with image.open("wb") as file:
            file.truncate(IMAGE_BYTES)
        mount.mkdir()
        subprocess.run(["mkfs.ext4", "-q", "-E", "lazy_itable_init=0,lazy_journal_init=0", str(image)], check=True)
        subprocess.run(["mount", "-o", "loop", str(image), str(mount)], check=True)
        try:
            yield mount
        finally:
            subprocess.run(["umount", str(mount)], check=True)


def _line(done: Sequence[Done], metric: str) -> str:
    """Scores, their ratio block by block, and whether that is parity."""
    scores = {
        (each.block, each.side): value for each in done if each.run.status is RunStatus.OK
        for value in _values(each.run, metric)
    }  # fmt: skip
    blocks = sorted({block for block, _ in scores if (block, NATIVE) in scores and (block, ORIGINAL) in scores})
    if not blocks:
        return f"  {metric:36} not measured by both (the original gives no number for phases below half a second)"
    native, original = ([scores[block, side] for block in blocks] for side in (NATIVE, ORIGINAL))
    return line(metric, native, original)


def _values(run: Run, metric: str) -> list[float]:
    if metric == WHOLE:
        return [float(run.facts["elapsed_ns"])]
    return [score.value for score in run.scores if score.metric == metric]


def _cpu_s(done: Sequence[Done], work: str) -> float:
    """User and system time of a run, median; with `work`, per 10⁹ of that rate and second (bytes or operations)."""
    times = []
    for each in done:
        run = each.run
        cpu_s = (run.facts["cpu"]["user_ns"] + run.facts["cpu"]["system_ns"]) / 1e9 if "cpu" in run.facts else 0.0
        rates = [score.value for score in run.scores if score.metric == work]
        times.append(cpu_s / (rates[0] * _worked_ns(each) / 1e18 if rates else 1.0))
    return median(times) if times else 0.0


def _worked_ns(done: Done) -> float:
    """The time in which a run used its processor time: the measured one; of an original, with its warm-up."""
    run = done.run
    results = run.facts.get("results")
    elapsed_ns = float(results[0]["elapsed_ns"] if results else run.facts["elapsed_ns"])
    return elapsed_ns + (run.plan.parameters.get("warmup", 0) if done.side == ORIGINAL else 0)


def main(names: Sequence[str]) -> None:
    """Run the pairs that are named, or all."""
    for module in plugins.modules("benches.parity"):
        if not names or module.__name__.rsplit(".", 1)[-1] in names:
            for case in module.CASES:
                for text in case.compare() if isinstance(case, Line) else compare(case):
                    print(text, flush=True)
