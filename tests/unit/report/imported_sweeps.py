"""Sessions of imported runs at several loads, as fio, YCSB and pgbench leave them, on a place of known truth."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plimsoll.model import Plan, Run, RunStatus, Score, Session, SessionState, Target
from plimsoll.report import Evidence
from plimsoll.stats.load_line.slo import parse_objective
from plimsoll.units import SECOND

LOADS = (1, 2, 4, 8, 16, 32, 64)
SHARP = 4


def saturating(load: float, knee: float = 8, most: float = 12_000) -> float:
    """A closed loop on a place whose knee is at `knee`."""
    return float(((most / knee * load) ** -SHARP + most**-SHARP) ** (-1 / SHARP))


def growing(load: float) -> float:
    return 1_000 * load


def sweep(
    parameter: str = "iodepth",
    loads: Sequence[float] = LOADS,
    *,
    tool: str = "fio",
    runs: int = 1,
    curve: Callable[[float], float] = saturating,
    noise: float = 0.01,
    fixed: Mapping[str, Any] | None = None,
    changing: str = "",
    slo: str = "",
    p99: bool = True,
    kinds: Sequence[str] = ("read",),
) -> Evidence:
    """One target; `changing` is a second parameter that differs between all runs."""
    draw = random.Random(5)
    made = []
    for number in range(runs):
        for load in loads:
            rate = curve(load) * draw.gauss(1, noise)
            parameters = {parameter: load, "bs": 4096, **(fixed or {})}
            if changing:
                parameters[changing] = len(made)
            made.append(_run(tool, parameters, len(made), number, rate, load, p99, kinds))
    session = Session(
        id="00000000-0000-8000-8000-00000000a000",
        title="loads.json",
        started_ns=0,
        ended_ns=0,
        state=SessionState.DONE,
        study={"interleaved": False, "imported": tool},
        plimsoll_version="0",
    )
    return Evidence([session], made, None, 0.1, objective=parse_objective(slo) if slo else None)


def _run(
    tool: str,
    parameters: dict[str, Any],
    place: int,
    number: int,
    rate: float,
    load: float,
    p99: bool,
    kinds: Sequence[str],
) -> Run:
    mean = load / rate * SECOND
    scores = [Score(metric="iops", value=rate, unit="1/s", direction="higher")]
    for kind in kinds:
        factor = 1.5 if kind == "update" else 1.0
        parts = {"mean": mean, **({"p99": 2 * mean * factor} if p99 else {})}
        scores += [
            Score(metric=f"{kind}_{name}", value=value, unit="ns", direction="lower") for name, value in parts.items()
        ]
    plan = Plan(test=tool, case=tool, workload=f"imported:{tool}", parameters=parameters, metrics=("iops",))
    return Run(
        id=f"00000000-0000-8000-8000-{place:012d}",
        session_id="00000000-0000-8000-8000-00000000a000",
        block=number,
        order=place,
        target=Target(name="disk", kind="imported", where="/dev/sdb"),
        plan=plan,
        started_ns=0,
        ended_ns=30 * SECOND,
        status=RunStatus.OK,
        scores=tuple(scores),
        facts={"imported": {"format": tool}, "operations": dict.fromkeys(kinds, 1000)},
    )
