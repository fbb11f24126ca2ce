"""Evidence for the report tests: usual studies, and ones that went wrong in a certain way."""

from __future__ import annotations

import random
import re
from typing import Any

from tests.factories import SHAPES, make_study

from plimsoll.model import Interval, IntervalOperations, Run, RunStatus
from plimsoll.report import Evidence
from plimsoll.report.charts.vega import Spec, Vega
from plimsoll.report.document import Chart
from plimsoll.units import SECOND

QUICK = tuple(SHAPES)


def evidence(baseline: str | None = None, band: float = 0.10, **study: Any) -> Evidence:
    session, runs = make_study(**study)
    return Evidence([session], runs, baseline, band)


def quick() -> Evidence:
    """Suite quick on one target."""
    return evidence(targets=("disk",), cases=QUICK, blocks=3, intervals=2, title="quick on the current directory")


def pair() -> Evidence:
    """Two targets; two failed and two invalid runs, and one run whose burst ended."""
    found = evidence(
        baseline="nvme",
        targets=("nvme", "gp3"),
        cases=("ping", "randread", "seqwrite", "commit"),
        blocks=5,
        ratios={("gp3", "ping"): 0.31, ("gp3", "randread"): 0.6, ("gp3", "commit"): 1.4},
        failed=2,
        invalid=2,
        title="gp3 against nvme",
    )
    place = next(
        i
        for i, run in enumerate(found.runs)
        if run.plan.case == "randread" and run.target.name == "gp3" and run.status is RunStatus.OK
    )
    runs = [burst(run) if i == place else run for i, run in enumerate(found.runs)]
    return Evidence(found.sessions, runs, found.baseline, found.band)


def small() -> Evidence:
    """One case, two targets, and one failed run: everything once."""
    return evidence(cases=("randread",), blocks=3, intervals=2, failed=1, title="small study")


def five() -> Evidence:
    """Five targets of very different speed, one with a long name."""
    names = ("nvme", "gp3", "io2 Block Express 64k", "raid0", "network share")
    ratios = {"gp3": 0.31, "raid0": 1.6, "io2 Block Express 64k": 1.02, "network share": 0.05}
    return evidence(baseline="nvme", targets=names, cases=QUICK, blocks=8, ratios=ratios, title="five targets")


def burst(run: Run) -> Run:
    """The run with 40 s of intervals that fall to a third after 20 s."""
    rng = random.Random(7)
    intervals = tuple(
        Interval(
            start_ns=second * SECOND,
            duration_ns=SECOND,
            errors=0,
            operations={
                "read": IntervalOperations(
                    operations=round((60_000 if second < 20 else 20_000) * rng.gauss(1, 0.01)),
                    bytes=0,
                    p50_ns=300_000,
                    p99_ns=900_000,
                    max_ns=2_000_000,
                )
            },
        )
        for second in range(40)
    )
    return run.model_copy(update={"intervals": intervals})


def times(run: Run, factor: float) -> Run:
    """The same run with all its scores so many times as large."""
    scores = tuple(each.model_copy(update={"value": each.value * factor}) for each in run.scores)
    return run.model_copy(update={"scores": scores})


def with_runs(found: Evidence, runs: list[Run]) -> Evidence:
    return Evidence(found.sessions, runs, found.baseline, found.band)


def told(page: str) -> str:
    """A page without the scripts that run on it, which are the same for all; what they draw from stays."""
    return re.sub(r"<script>.*?</script>", "", page, flags=re.DOTALL)


def drawn_spec(chart: Chart) -> Spec:
    """What a browser draws a chart from."""
    picture = chart.draw()
    assert isinstance(picture, Vega)
    return picture.spec
