"""How long a verdict will take, from a few short blocks on the targets themselves.

They are made as `plimsoll run` makes blocks, with the same test files, guards and turns, only shorter, in a store that
is gone afterwards. What short blocks scatter by is what longer ones scatter by, or a little more.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.errors import UsageError
from plimsoll.parameters import kind_of
from plimsoll.run.interleave import Way
from plimsoll.run.observer import Silent
from plimsoll.run.plan import Step
from plimsoll.run.record import score_rows
from plimsoll.run.session import rehearsed
from plimsoll.run.session_runner import SessionRunner
from plimsoll.run.study import Study
from plimsoll.stats.paired import cells
from plimsoll.stats.shrinking import blocks_until, noise_of
from plimsoll.store.opening import open_store
from plimsoll.units import MILLISECOND

BLOCKS = 5
RUNTIME_NS, WARMUP_NS = 250 * MILLISECOND, 50 * MILLISECOND
"""Five blocks of two targets take about three seconds."""
TIGHT = 0.03
"""A second width to tell the time for, beside the band of the study."""


@dataclass(frozen=True)
class Expected:
    """What the probe says of one case."""

    valid: int
    """Blocks in which the runs of all targets are valid, of `BLOCKS`."""
    noise: float | None
    """How much the log ratios of blocks scatter, of the comparison that scatters most; None: nobody knows."""
    block_ns: int
    """Time of a block of the session."""

    def blocks(self, width: float) -> int | None:
        """Blocks until the interval of the ratio is ±`width`; None: never, or unknown."""
        return None if self.noise is None else blocks_until(self.noise, width)


def probed(study: Study, steps: Sequence[Step], ways: Mapping[str, Way], destroy: Sequence[str]) -> dict[str, Expected]:
    """What short blocks say of every test of block I/O; others have no length that could be shortened.

    Raises what `check` and a session raise.
    """
    check(study, steps)
    short = [_short(step) for step in steps if _is_io(step)]
    brief = replace(study, repeats=BLOCKS, blocks=None, time_ns=None)
    with tempfile.TemporaryDirectory(prefix="plimsoll-probe-") as folder:
        store = open_store(str(Path(folder) / "probe.db"))
        runner = SessionRunner(store, Silent(), destroy)
        session = rehearsed(brief, short, ways, runner)
        runs = store.runs([session.id])
        store.engine.dispose()
    rows = score_rows(runs)
    first = study.baseline or study.targets[0].name
    found = {}
    for step in (each for each in steps if _is_io(each)):
        deciding = [row for row in rows if (row.case, row.metric) == (step.case, step.metrics[0])]
        known = any(row.target == first for row in deciding)
        pairs = [cell.pairs for cell in (cells(deciding, first, band=study.band) if known else [])]
        noises = [noise_of([pair.difference for pair in each]) for each in pairs]
        sure = [noise for noise in noises if noise is not None]
        valid = min(map(len, pairs), default=0)
        found[step.case] = Expected(valid, max(sure) if sure and None not in noises else None, step.block_ns)
    return found


def check(study: Study, steps: Sequence[Step]) -> None:
    """Raises UsageError where there is no comparison, or no test of block I/O."""
    if len(study.targets) < 2:
        raise UsageError("--probe tells how long a verdict takes, and there is one target: nothing to compare it with")
    if not any(map(_is_io, steps)):
        raise UsageError("--probe is for tests of block I/O; these have an end of their own, or need a server")


def _is_io(step: Step) -> bool:
    return all(kind_of(plan.workload) == "io" for plan in step.plans.values())


def _short(step: Step) -> Step:
    lengths = {"runtime": RUNTIME_NS, "warmup": WARMUP_NS}
    plans = {name: plan.having({**plan.parameters, **lengths}) for name, plan in step.plans.items()}
    return replace(step, plans=plans)
